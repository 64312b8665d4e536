"""Studies: one folder each, with its settings as data, a run and an analysis."""

from highseason.studies.registry import SOURCES, STUDIES
from highseason.studies.study import MissingDataError, Outcome

__all__ = ["SOURCES", "STUDIES", "MissingDataError", "Outcome"]
