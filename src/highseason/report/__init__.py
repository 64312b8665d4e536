"""Figures, pages and plain words: the only room that draws.

Results and plans are handed in; matplotlib is imported when a figure is made, and not before.

>>> import highseason as hs
>>> plan = hs.UCBZ().plan(hs.multipliers.christmas(turns=200), arms=10)
>>> hs.report.plan(plan)
<Figure: When will it explore?>
"""

from highseason.report.bars import rewards
from highseason.report.choices import choices
from highseason.report.figure import SUFFIXES, Figure, check_target
from highseason.report.forced import minimum_pulls
from highseason.report.forecasts import forecast
from highseason.report.guarantees import bound
from highseason.report.lifespans import lifespans
from highseason.report.page import Page, Section
from highseason.report.plans import plan
from highseason.report.probabilities import exploration
from highseason.report.replays import replays
from highseason.report.running import curves
from highseason.report.stakes import multiplier
from highseason.report.timing import Timing, timing
from highseason.report.tuning_curves import sensitivity

__all__ = [
    "SUFFIXES",
    "Figure",
    "Page",
    "Section",
    "Timing",
    "bound",
    "check_target",
    "choices",
    "curves",
    "exploration",
    "forecast",
    "lifespans",
    "minimum_pulls",
    "multiplier",
    "plan",
    "replays",
    "rewards",
    "sensitivity",
    "timing",
]
