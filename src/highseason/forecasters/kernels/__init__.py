"""Forecasting turn by turn as machine code: a whole series costs less than one game of it."""
