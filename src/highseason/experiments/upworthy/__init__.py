"""A study on real outcomes: headline tests as decks, the site's page views as G."""

from highseason.experiments.upworthy.running import SOURCE, run

__all__ = ["SOURCE", "run"]
