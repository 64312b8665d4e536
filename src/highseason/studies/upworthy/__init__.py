"""A study on real outcomes: headline tests as decks, the site's page views as G."""

from highseason.studies.upworthy.running import SOURCE, run

__all__ = ["SOURCE", "run"]
