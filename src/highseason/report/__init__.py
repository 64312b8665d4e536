"""Figures and pages: the only room that draws.

matplotlib is imported when a figure is drawn, not before.

>>> import highseason as hs
>>> plan = hs.UCBZ().plan(hs.traffic.christmas(turns=200), arms=10)
>>> hs.report.plan(plan)
<Figure: When will it explore?>
"""

from highseason.core.names import public_names as _public_names
from highseason.policies.timing import Timing as Timing
from highseason.policies.timing import timing as timing
from highseason.report.bound_plots import bound as bound
from highseason.report.drawing import figure_size as figure_size
from highseason.report.figure import SUFFIXES as SUFFIXES
from highseason.report.figure import Drawings as Drawings
from highseason.report.figure import Figure as Figure
from highseason.report.figure import Picture as Picture
from highseason.report.figure import check_target as check_target
from highseason.report.interval_plots import interval_plot as interval_plot
from highseason.report.log_plots import replays as replays
from highseason.report.multiplier_plots import forecast as forecast
from highseason.report.multiplier_plots import multiplier as multiplier
from highseason.report.page import render as render
from highseason.report.plan_plots import advice as advice
from highseason.report.plan_plots import calendar as calendar
from highseason.report.plan_plots import plan as plan
from highseason.report.simulation_plots import curves as curves
from highseason.report.simulation_plots import rewards as rewards
from highseason.report.simulation_plots import sensitivity as sensitivity

__dir__ = _public_names(__name__)
