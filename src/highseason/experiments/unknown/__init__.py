"""The study of an unknown G: what the paper's six estimators change, against G known."""

from highseason.experiments.unknown.run import run
from highseason.experiments.unknown.settings import CELLS, ESTIMATORS, Cell

__all__ = ["CELLS", "ESTIMATORS", "Cell", "run"]
