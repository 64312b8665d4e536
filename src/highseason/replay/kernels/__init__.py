"""Logs as machine code: lines in and out, byte by byte."""
