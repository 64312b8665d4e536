"""What every other part stands on: random numbers by counter, and compiled code with its cache."""

from highseason.core.names import public_names as _public_names

__dir__ = _public_names(__name__)
