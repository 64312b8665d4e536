"""Logs as machine code: lines in and out, byte by byte, and the replay of their events."""
