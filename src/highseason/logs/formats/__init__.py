"""Formats of logs; each module is discovered by `highseason.logs.log_formats`."""
