"""Studies: one folder each, with its settings as data, a run and an analysis."""

from highseason.experiments.registry import STUDIES
from highseason.experiments.study import Outcome

__all__ = ["STUDIES", "Outcome"]
