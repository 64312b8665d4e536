"""Our own study: games in which it matters when one explores."""

from highseason.experiments.timing.run import run

__all__ = ["run"]
