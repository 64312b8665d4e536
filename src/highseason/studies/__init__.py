"""Studies: one folder each, and one pipeline that runs them all."""

from highseason.studies.pipeline import reproduce
from highseason.studies.registry import STUDIES
from highseason.studies.study import MissingDataError, Source, Study, StudyOutcome

__all__ = ["STUDIES", "MissingDataError", "Source", "Study", "StudyOutcome", "reproduce"]
