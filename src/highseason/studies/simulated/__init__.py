"""The paper's simulated study: every setting, every figure, and what it shows."""

from highseason.studies.simulated.running import run as legacy
from highseason.studies.study import Study

__all__ = ["STUDY", "legacy"]

STUDY = Study(
    "simulated",
    "Regulating greed over time: the simulated study",
    "",
    ("paper", "tuned", "authors_code"),
    2,
)
