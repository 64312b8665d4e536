"""The paper's simulated study: every setting, every figure, and what it shows."""

from highseason.studies.simulated.running import run

__all__ = ["run"]
