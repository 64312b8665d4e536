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
    from highseason import logs as logs
    from highseason import policies as policies
    from highseason import report as report
    from highseason import rewards as rewards
    from highseason import traffic as traffic
    from highseason.advice import advise as advise
    from highseason.advice import tune as tune
    from highseason.bandit import Bandit as Bandit
    from highseason.engine import Game as Game
    from highseason.engine import SimulationResult as SimulationResult
    from highseason.engine import play as play
    from highseason.engine import simulate as simulate
    from highseason.logs import replay as replay
    from highseason.policies import KLUCB as KLUCB
    from highseason.policies import UCB as UCB
    from highseason.policies import UCBL as UCBL
    from highseason.policies import UCBZ as UCBZ
    from highseason.policies import AdaUCB as AdaUCB
    from highseason.policies import ConstantEpsilon as ConstantEpsilon
    from highseason.policies import Discounted as Discounted
    from highseason.policies import EpsilonGreedy as EpsilonGreedy
    from highseason.policies import EpsilonZGreedy as EpsilonZGreedy
    from highseason.policies import GaussianThompson as GaussianThompson
    from highseason.policies import Greedy as Greedy
    from highseason.policies import LimitSwitching as LimitSwitching
    from highseason.policies import OptionIndex as OptionIndex
    from highseason.policies import Plan as Plan
    from highseason.policies import Policy as Policy
    from highseason.policies import SoftEpsilonGreedy as SoftEpsilonGreedy
    from highseason.policies import SoftUCB as SoftUCB
    from highseason.policies import SoftUCBMortal as SoftUCBMortal
    from highseason.policies import Thompson as Thompson
    from highseason.policies import UniformRandom as UniformRandom
    from highseason.policies import VariablePool as VariablePool
    from highseason.policies import Windowed as Windowed
    from highseason.policies import lifetimes as lifetimes
    from highseason.policies import regulate as regulate
    from highseason.traffic import forecast as forecast

_ROOMS = "adapters advice bounds checks engine lifetimes logs policies report rewards traffic"
#: What most programs use; everything else is in its room.
_NAMES = {
    "advice": "advise tune",
    "bandit": "Bandit",
    "engine": "Game SimulationResult play simulate",
    "logs": "replay",
    "policies": (
        "AdaUCB KLUCB UCB UCBL UCBZ ConstantEpsilon Discounted EpsilonGreedy EpsilonZGreedy "
        "GaussianThompson Greedy LimitSwitching OptionIndex Plan Policy SoftEpsilonGreedy SoftUCB "
        "SoftUCBMortal Thompson UniformRandom VariablePool Windowed regulate"
    ),
    "traffic": "forecast",
}
_HOMES = {name: room for room, names in _NAMES.items() for name in names.split()}
__all__ = sorted([*_HOMES, *_ROOMS.split(), "__version__"])


def __dir__() -> list[str]:
    """The public names, whether or not they are loaded yet."""
    return __all__


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that a program pays only for the parts it uses."""
    if name == "lifetimes":  # a part of the policies with a name of its own
        return import_module("highseason.policies.lifetimes")
    if name in _HOMES:
        value = globals()[name] = getattr(import_module(f"highseason.{_HOMES[name]}"), name)
        return value
    if not name.startswith("_") and find_spec(f"highseason.{name}"):
        return import_module(f"highseason.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_hint(name)}")


def _hint(name: str) -> str:
    """Where `name` is instead, or what resembles it."""
    from highseason.core.specs import did_you_mean

    if name.startswith("_"):
        return ""
    if name in dir(import_module("highseason.policies")):
        return f": write hs.policies.{name}"
    return f". {did_you_mean(name, __all__)}"
