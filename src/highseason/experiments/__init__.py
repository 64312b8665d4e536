"""Studies: settings, a run and its analysis, one folder each, found by name in `registry`."""

from highseason.experiments.registry import STUDIES, study

__all__ = ["STUDIES", "study"]
