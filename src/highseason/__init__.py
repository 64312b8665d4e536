"""Bandits for demand that comes in seasons: explore while it is quiet, exploit when it counts."""

from typing import TYPE_CHECKING, Any

from highseason import engine, forecasters, multipliers, policies, rewards, rules
from highseason.bandit import Bandit
from highseason.core.version import __version__
from highseason.engine import lifetimes
from highseason.games import Game, backtest_cost, forecast_cost, play, simulate
from highseason.policies import (
    KLUCB,
    UCB,
    UCBL,
    UCBZ,
    CapIndex,
    ConstantEpsilon,
    Discounted,
    DynamicPeakGrabber,
    EpsilonGreedy,
    EpsilonZGreedy,
    ForeignPolicy,
    GaussianThompson,
    Greedy,
    LimitSwitching,
    NaiveEpsilonGreedy,
    NaiveUCB,
    OptionIndex,
    PeakGrabber,
    Plan,
    PlanWarning,
    Policy,
    RegulateAhead,
    RegulateByThreshold,
    RegulateSoftly,
    SoftEpsilonGreedy,
    SoftUCB,
    SoftUCBMortal,
    SpareOldArms,
    Thompson,
    UniformRandom,
    VariablePool,
    Windowed,
    regulate,
)
from highseason.results import SimulationResult

if TYPE_CHECKING:
    from highseason import adapters, advice, bounds, checks, logs, noise, replay, report, tuning
    from highseason.advice import advise
    from highseason.tuning import tune

__all__ = [
    "KLUCB",
    "UCB",
    "UCBL",
    "UCBZ",
    "Bandit",
    "CapIndex",
    "ConstantEpsilon",
    "Discounted",
    "DynamicPeakGrabber",
    "EpsilonGreedy",
    "EpsilonZGreedy",
    "ForeignPolicy",
    "Game",
    "GaussianThompson",
    "Greedy",
    "LimitSwitching",
    "NaiveEpsilonGreedy",
    "NaiveUCB",
    "OptionIndex",
    "PeakGrabber",
    "Plan",
    "PlanWarning",
    "Policy",
    "RegulateAhead",
    "RegulateByThreshold",
    "RegulateSoftly",
    "SimulationResult",
    "SoftEpsilonGreedy",
    "SoftUCB",
    "SoftUCBMortal",
    "SpareOldArms",
    "Thompson",
    "UniformRandom",
    "VariablePool",
    "Windowed",
    "__version__",
    "adapters",
    "advice",
    "advise",
    "backtest_cost",
    "bounds",
    "checks",
    "engine",
    "forecast_cost",
    "forecasters",
    "lifetimes",
    "logs",
    "multipliers",
    "noise",
    "play",
    "policies",
    "regulate",
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
    if name not in (
        "adapters",
        "advice",
        "advise",
        "bounds",
        "checks",
        "logs",
        "noise",
        "replay",
        "report",
        "tune",
        "tuning",
    ):
        if name in policies.DISCOVERED:  # a policy in a new file
            return policies.DISCOVERED[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name in ("advise", "tune"):
        home = {"advise": "highseason.advice", "tune": "highseason.tuning"}[name]
        return getattr(import_module(home), name)
    return import_module(f"highseason.{name}")
