"""Our own study: games in which it matters when one explores."""

from highseason.studies.timing.running import run

__all__ = ["run"]
