"""Replaying a log as machine code."""
