"""Figures and pages: the only room that draws.

matplotlib is imported when a figure is drawn, not before.

>>> import highseason as hs
>>> plan = hs.UCBZ().plan(hs.multipliers.christmas(turns=200), arms=10)
>>> hs.report.plan(plan)
<Figure: When will it explore?>
"""

from highseason.policies.timing import Timing, timing
from highseason.report.bound_plots import bound, exploration, minimum_pulls
from highseason.report.calendar_plots import calendar
from highseason.report.drawing import figure_size
from highseason.report.figure import SUFFIXES, Drawings, Figure, Picture, check_target
from highseason.report.heat_maps import HeatMap, heat_maps
from highseason.report.interval_plots import dose_response, increase, interval_panels, interval_plot
from highseason.report.log_plots import lifespans, replays
from highseason.report.multiplier_plots import forecast, multiplier, shapes
from highseason.report.page import render
from highseason.report.plan_plots import advice, plan
from highseason.report.ratio_plots import ratio_strips
from highseason.report.simulation_plots import (
    curves,
    deck_game,
    pools,
    reward_grid,
    rewards,
    sensitivity,
)

__all__ = [
    "SUFFIXES",
    "Drawings",
    "Figure",
    "HeatMap",
    "Picture",
    "Timing",
    "advice",
    "bound",
    "calendar",
    "check_target",
    "curves",
    "deck_game",
    "dose_response",
    "exploration",
    "figure_size",
    "forecast",
    "heat_maps",
    "increase",
    "interval_panels",
    "interval_plot",
    "lifespans",
    "minimum_pulls",
    "multiplier",
    "plan",
    "pools",
    "ratio_strips",
    "render",
    "replays",
    "reward_grid",
    "rewards",
    "sensitivity",
    "shapes",
    "timing",
]
