"""The study of an unknown G: what the paper's six estimators change, against G known."""

from highseason.studies.unknown.run import run
from highseason.studies.unknown.settings import CELLS, ESTIMATORS, Cell

__all__ = ["CELLS", "ESTIMATORS", "Cell", "run"]
