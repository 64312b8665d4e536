"""Frozen results: arrays with labels, statistics, and ways to keep them."""

from highseason.results.curves import Curves
from highseason.results.simulation import METRICS, SimulationResult, unique_labels
from highseason.results.statistics import Estimate, Moments, ratio_gain, with_interval
from highseason.results.table import Table

__all__ = [
    "METRICS",
    "Curves",
    "Estimate",
    "Moments",
    "SimulationResult",
    "Table",
    "ratio_gain",
    "unique_labels",
    "with_interval",
]
