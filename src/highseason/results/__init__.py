"""Frozen results: arrays with labels, statistics, and ways to keep them."""

from highseason.core.table import Table as Table
from highseason.results.simulation import METRICS as METRICS
from highseason.results.simulation import RATIOS as RATIOS
from highseason.results.simulation import REALISED as REALISED
from highseason.results.simulation import SimulationResult as SimulationResult
from highseason.results.simulation import Tally as Tally
from highseason.results.simulation import unique_labels as unique_labels
from highseason.results.statistics import Curves as Curves
from highseason.results.statistics import Estimate as Estimate
from highseason.results.statistics import Moments as Moments
from highseason.results.statistics import ratio_gain as ratio_gain
from highseason.results.statistics import with_interval as with_interval
