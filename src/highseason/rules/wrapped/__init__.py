"""Rules made from other rules: the heuristics of the click contest, and estimates that forget.

Each is a function of a rule (and its settings) that gives a rule.  Called twice, it gives the same
object, so that it is compiled once.
"""

from highseason.rules.wrapped.bonus import capped, sparing_old_arms
from highseason.rules.wrapped.forgetting import discounted, windowed
from highseason.rules.wrapped.peaks import dynamic_peak_grabber, peak_grabber

__all__ = [
    "capped",
    "discounted",
    "dynamic_peak_grabber",
    "peak_grabber",
    "sparing_old_arms",
    "windowed",
]
