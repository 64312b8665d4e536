"""Loops over arms and turns, compiled on first use."""
