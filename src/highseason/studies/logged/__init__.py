"""The paper's study on logged clicks: Yahoo! logs where they are given, else a generated one."""

from highseason.studies.logged.running import SOURCE, run

__all__ = ["SOURCE", "run"]
