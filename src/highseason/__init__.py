"""Bandits for demand that comes in seasons: explore while it is quiet, exploit when it counts."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from highseason.core.version import __version__ as __version__

if TYPE_CHECKING:
    from highseason import adapters as adapters
    from highseason import advice as advice
    from highseason import bounds as bounds
    from highseason import checks as checks
    from highseason import engine as engine
    from highseason import forecasters as forecasters
    from highseason import logs as logs
    from highseason import multipliers as multipliers
    from highseason import noise as noise
    from highseason import policies as policies
    from highseason import replay as replay
    from highseason import report as report
    from highseason import rewards as rewards
    from highseason import rules as rules
    from highseason import tuning as tuning
    from highseason.advice import advise as advise
    from highseason.bandit import Bandit as Bandit
    from highseason.engine import lifetimes as lifetimes
    from highseason.games import Game as Game
    from highseason.games import backtest_cost as backtest_cost
    from highseason.games import forecast_cost as forecast_cost
    from highseason.games import play as play
    from highseason.games import simulate as simulate
    from highseason.policies import KLUCB as KLUCB
    from highseason.policies import UCB as UCB
    from highseason.policies import UCBL as UCBL
    from highseason.policies import UCBZ as UCBZ
    from highseason.policies import CapIndex as CapIndex
    from highseason.policies import ConstantEpsilon as ConstantEpsilon
    from highseason.policies import Discounted as Discounted
    from highseason.policies import DynamicPeakGrabber as DynamicPeakGrabber
    from highseason.policies import EpsilonGreedy as EpsilonGreedy
    from highseason.policies import EpsilonZGreedy as EpsilonZGreedy
    from highseason.policies import ForeignPolicy as ForeignPolicy
    from highseason.policies import GaussianThompson as GaussianThompson
    from highseason.policies import Greedy as Greedy
    from highseason.policies import LimitSwitching as LimitSwitching
    from highseason.policies import NaiveEpsilonGreedy as NaiveEpsilonGreedy
    from highseason.policies import NaiveUCB as NaiveUCB
    from highseason.policies import OptionIndex as OptionIndex
    from highseason.policies import PeakGrabber as PeakGrabber
    from highseason.policies import Plan as Plan
    from highseason.policies import PlanWarning as PlanWarning
    from highseason.policies import Policy as Policy
    from highseason.policies import RegulateAhead as RegulateAhead
    from highseason.policies import RegulateByThreshold as RegulateByThreshold
    from highseason.policies import RegulateSoftly as RegulateSoftly
    from highseason.policies import SoftEpsilonGreedy as SoftEpsilonGreedy
    from highseason.policies import SoftUCB as SoftUCB
    from highseason.policies import SoftUCBMortal as SoftUCBMortal
    from highseason.policies import SpareOldArms as SpareOldArms
    from highseason.policies import Thompson as Thompson
    from highseason.policies import UniformRandom as UniformRandom
    from highseason.policies import VariablePool as VariablePool
    from highseason.policies import Windowed as Windowed
    from highseason.policies import regulate as regulate
    from highseason.results import SimulationResult as SimulationResult
    from highseason.tuning import tune as tune

_ROOMS = (
    "adapters advice bounds checks engine forecasters lifetimes logs multipliers noise policies "
    "replay report rewards rules tuning"
)
#: What has a home in a room; policies in new files are found there, too.
_NAMES = {
    "advice": "advise",
    "bandit": "Bandit",
    "games": "Game backtest_cost forecast_cost play simulate",
    "policies": (
        "KLUCB UCB UCBL UCBZ CapIndex ConstantEpsilon Discounted DynamicPeakGrabber EpsilonGreedy "
        "EpsilonZGreedy ForeignPolicy GaussianThompson Greedy LimitSwitching NaiveEpsilonGreedy "
        "NaiveUCB OptionIndex PeakGrabber Plan PlanWarning Policy RegulateAhead "
        "RegulateByThreshold RegulateSoftly SoftEpsilonGreedy SoftUCB SoftUCBMortal SpareOldArms "
        "Thompson UniformRandom VariablePool Windowed regulate"
    ),
    "results": "SimulationResult",
    "tuning": "tune",
}
_HOMES = {name: room for room, names in _NAMES.items() for name in names.split()}
__all__ = sorted([*_HOMES, *_ROOMS.split(), "__version__"])


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
