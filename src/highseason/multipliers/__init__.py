"""Multipliers G(t): the stakes of each turn, from a formula or from real traffic."""

from highseason.multipliers.series import Multiplier, concatenate
from highseason.multipliers.sources import (
    SHAPES,
    as_multiplier,
    christmas,
    constant,
    from_series,
    from_values,
    read,
    shape,
    sine,
    step,
    wave,
)
from highseason.multipliers.thresholds import (
    Threshold,
    ThresholdError,
    ThresholdWarning,
    warn_if_one_sided,
)
from highseason.multipliers.validation import CalendarWarning, FileNote, MultiplierError

__all__ = [
    "SHAPES",
    "CalendarWarning",
    "FileNote",
    "Multiplier",
    "MultiplierError",
    "Threshold",
    "ThresholdError",
    "ThresholdWarning",
    "as_multiplier",
    "christmas",
    "concatenate",
    "constant",
    "from_series",
    "from_values",
    "read",
    "shape",
    "sine",
    "step",
    "warn_if_one_sided",
    "wave",
]
