"""Bandits for demand that comes in seasons: explore while it is quiet, exploit when it counts."""

from typing import TYPE_CHECKING, Any

from highseason import multipliers, policies, rewards, rules
from highseason.bandit import Bandit
from highseason.core.version import __version__
from highseason.games import Game, play, simulate
from highseason.policies import (
    UCB,
    UCBZ,
    EpsilonGreedy,
    EpsilonZGreedy,
    Greedy,
    NaiveEpsilonGreedy,
    NaiveUCB,
    Plan,
    PlanWarning,
    Policy,
    SoftEpsilonGreedy,
    SoftUCB,
    UniformRandom,
    VariablePool,
)
from highseason.results import SimulationResult

if TYPE_CHECKING:
    from highseason import bounds, checks, report, tuning
    from highseason.tuning import tune

__all__ = [
    "UCB",
    "UCBZ",
    "Bandit",
    "EpsilonGreedy",
    "EpsilonZGreedy",
    "Game",
    "Greedy",
    "NaiveEpsilonGreedy",
    "NaiveUCB",
    "Plan",
    "PlanWarning",
    "Policy",
    "SimulationResult",
    "SoftEpsilonGreedy",
    "SoftUCB",
    "UniformRandom",
    "VariablePool",
    "__version__",
    "bounds",
    "checks",
    "multipliers",
    "play",
    "policies",
    "report",
    "rewards",
    "rules",
    "simulate",
    "tune",
    "tuning",
]


def __getattr__(name: str) -> Any:
    """Bring these in when they are asked for: most programs do without them, and start sooner."""
    if name not in ("bounds", "checks", "report", "tune", "tuning"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name == "tune":
        return import_module("highseason.tuning").tune
    return import_module(f"highseason.{name}")
