"""A study on real outcomes: headline tests as decks, the site's page views as G."""

from highseason.studies.study import Study
from highseason.studies.upworthy.running import SOURCE
from highseason.studies.upworthy.running import run as legacy

__all__ = ["STUDY", "legacy"]

STUDY = Study("upworthy", "Real headlines", "", (), 0, SOURCE)
