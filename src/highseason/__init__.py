"""Bandits for demand that comes in seasons: explore while it is quiet, exploit when it counts."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from highseason.core.version import __version__

if TYPE_CHECKING:
    from highseason import (
        adapters,
        advice,
        bounds,
        checks,
        engine,
        forecasters,
        logs,
        multipliers,
        noise,
        policies,
        replay,
        report,
        rewards,
        rules,
        tuning,
    )
    from highseason.advice import advise
    from highseason.bandit import Bandit
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

_HOMES = {
    "Bandit": "bandit",
    "Game": "games",
    "SimulationResult": "results",
    "advise": "advice",
    "backtest_cost": "games",
    "forecast_cost": "games",
    "play": "games",
    "regulate": "policies",
    "simulate": "games",
    "tune": "tuning",
}


def __dir__() -> list[str]:
    """The public names, whether or not they are loaded yet."""
    return __all__


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that a program pays only for the parts it uses."""
    if name == "lifetimes":  # the public part of the engine
        return import_module("highseason.engine.lifetimes")
    home = _HOMES.get(name, "policies" if name[0].isupper() else "")
    if home:
        room = import_module(f"highseason.{home}")
        if name in __all__ or name in room.DISCOVERED:  # a policy in a new file
            value = globals()[name] = getattr(room, name)
            return value
    elif not name.startswith("_") and find_spec(f"highseason.{name}"):
        return import_module(f"highseason.{name}")
    from highseason.core.specs import did_you_mean

    hint = "" if name.startswith("_") else f". {did_you_mean(name, __all__)}"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
