"""The study of an unknown G: what the paper's six estimators change, against G known."""

from highseason.studies.study import Study
from highseason.studies.unknown.run import run as legacy

__all__ = ["STUDY", "legacy"]

STUDY = Study("unknown", "When G is not known", "", ("paper", "authors_code"), 0)
