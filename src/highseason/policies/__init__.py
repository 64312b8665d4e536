"""Policies: how much to explore in each turn (the plan), and by which rule to choose.

Every module of this folder, and of the folder of wrappers, is imported here: a policy in a new file
needs no entry anywhere else.  The list below only tells type checkers what there is.
"""

from typing import TYPE_CHECKING

from highseason.policies.base import Policy
from highseason.policies.parameters import parameter
from highseason.policies.plan import Plan, PlanWarning
from highseason.policies.planner import Planner
from highseason.policies.registry import discover, find, from_json, parse, registry
from highseason.policies.view import View
from highseason.policies.wrappers.base import Wrapper

if TYPE_CHECKING:
    from highseason.policies.epsilon_greedy import EpsilonGreedy as EpsilonGreedy
    from highseason.policies.epsilon_z_greedy import EpsilonZGreedy as EpsilonZGreedy
    from highseason.policies.naive import NaiveEpsilonGreedy as NaiveEpsilonGreedy
    from highseason.policies.naive import NaiveUCB as NaiveUCB
    from highseason.policies.reference import Greedy as Greedy
    from highseason.policies.reference import UniformRandom as UniformRandom
    from highseason.policies.soft_epsilon_greedy import SoftEpsilonGreedy as SoftEpsilonGreedy
    from highseason.policies.soft_ucb import SoftUCB as SoftUCB
    from highseason.policies.soft_ucb_mortal import SoftUCBMortal as SoftUCBMortal
    from highseason.policies.ucb import UCB as UCB
    from highseason.policies.ucb_l import UCBL as UCBL
    from highseason.policies.ucb_z import UCBZ as UCBZ
    from highseason.policies.variable_pool import VariablePool as VariablePool
    from highseason.policies.wrappers.contest import CapIndex as CapIndex
    from highseason.policies.wrappers.contest import DynamicPeakGrabber as DynamicPeakGrabber
    from highseason.policies.wrappers.contest import PeakGrabber as PeakGrabber
    from highseason.policies.wrappers.contest import SpareOldArms as SpareOldArms
    from highseason.policies.wrappers.forgetting import Discounted as Discounted
    from highseason.policies.wrappers.forgetting import Windowed as Windowed

discover(__name__, __path__)
#: The policies of this folder by the names of their classes.
DISCOVERED = {
    policy.__name__: policy
    for policy in registry().values()
    if policy.__module__.startswith(f"{__name__}.")
}
globals().update(DISCOVERED)

__all__ = [
    "Plan",
    "PlanWarning",
    "Planner",
    "Policy",
    "View",
    "Wrapper",
    "find",
    "from_json",
    "parameter",
    "parse",
    "registry",
]
__all__ += list(DISCOVERED)
