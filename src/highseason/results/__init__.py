"""Frozen results: arrays with labels, statistics, and ways to keep them."""

from highseason.core.table import Table
from highseason.results.simulation import METRICS, RATIOS, SimulationResult, Tally, unique_labels
from highseason.results.statistics import (
    Curves,
    Estimate,
    Moments,
    geometric_mean,
    ratio_gain,
    with_interval,
)

__all__ = [
    "METRICS",
    "RATIOS",
    "Curves",
    "Estimate",
    "Moments",
    "SimulationResult",
    "Table",
    "Tally",
    "geometric_mean",
    "ratio_gain",
    "unique_labels",
    "with_interval",
]
