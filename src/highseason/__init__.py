"""Bandits for demand that comes in seasons: explore while it is quiet, exploit when it counts."""

from typing import TYPE_CHECKING, Any

from highseason import forecasters, multipliers, policies, rewards, rules
from highseason.bandit import Bandit
from highseason.core.version import __version__
from highseason.games import Game, backtest_cost, forecast_cost, play, simulate
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
    from highseason import advice, bounds, checks, replay, report, tuning
    from highseason.advice import advise
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
    "advice",
    "advise",
    "backtest_cost",
    "bounds",
    "checks",
    "forecast_cost",
    "forecasters",
    "multipliers",
    "play",
    "policies",
    "replay",
    "report",
    "rewards",
    "rules",
    "simulate",
    "tune",
    "tuning",
]


def __dir__() -> list[str]:
    """The public names, those that come in late too."""
    return __all__


def __getattr__(name: str) -> Any:
    """Bring these in when they are asked for: most programs do without them, and start sooner."""
    if name not in ("advice", "advise", "bounds", "checks", "replay", "report", "tune", "tuning"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name in ("advise", "tune"):
        home = {"advise": "highseason.advice", "tune": "highseason.tuning"}[name]
        return getattr(import_module(home), name)
    return import_module(f"highseason.{name}")
