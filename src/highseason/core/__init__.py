"""What every other part stands on: random numbers by counter, and compiled code with its cache."""
