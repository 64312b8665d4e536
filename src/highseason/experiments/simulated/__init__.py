"""The paper's simulated study: every setting, every figure, and what it shows."""

from highseason.experiments.simulated.run import run

__all__ = ["run"]
