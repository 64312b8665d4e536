"""The paper's study on logged clicks: Yahoo! logs where they are given, else a generated one."""

from highseason.studies.logged.running import SOURCE
from highseason.studies.logged.running import run as legacy
from highseason.studies.study import Study

__all__ = ["STUDY", "legacy"]

STUDY = Study("logged", "Logged clicks", "", ("paper", "tuned"), 2, SOURCE)
