"""Multipliers G(t): the stakes of each turn, from a formula or from real traffic."""

from highseason.multipliers.series import Multiplier as Multiplier
from highseason.multipliers.series import concatenate as concatenate
from highseason.multipliers.sources import SHAPES as SHAPES
from highseason.multipliers.sources import as_multiplier as as_multiplier
from highseason.multipliers.sources import christmas as christmas
from highseason.multipliers.sources import constant as constant
from highseason.multipliers.sources import from_series as from_series
from highseason.multipliers.sources import from_values as from_values
from highseason.multipliers.sources import read as read
from highseason.multipliers.sources import shape as shape
from highseason.multipliers.sources import sine as sine
from highseason.multipliers.sources import step as step
from highseason.multipliers.sources import wave as wave
from highseason.multipliers.thresholds import Threshold as Threshold
from highseason.multipliers.thresholds import ThresholdError as ThresholdError
from highseason.multipliers.thresholds import ThresholdWarning as ThresholdWarning
from highseason.multipliers.thresholds import warn_if_one_sided as warn_if_one_sided
from highseason.multipliers.validation import CalendarWarning as CalendarWarning
from highseason.multipliers.validation import FileNote as FileNote
from highseason.multipliers.validation import MultiplierError as MultiplierError
