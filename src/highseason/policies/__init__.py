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
    from highseason.policies.epsilon_greedy import EpsilonGreedy
    from highseason.policies.epsilon_z_greedy import EpsilonZGreedy
    from highseason.policies.naive import NaiveEpsilonGreedy, NaiveUCB
    from highseason.policies.reference import Greedy, UniformRandom
    from highseason.policies.soft_epsilon_greedy import SoftEpsilonGreedy
    from highseason.policies.soft_ucb import SoftUCB
    from highseason.policies.soft_ucb_mortal import SoftUCBMortal
    from highseason.policies.ucb import UCB
    from highseason.policies.ucb_l import UCBL
    from highseason.policies.ucb_z import UCBZ
    from highseason.policies.variable_pool import VariablePool
    from highseason.policies.wrappers.contest import (
        CapIndex,
        DynamicPeakGrabber,
        PeakGrabber,
        SpareOldArms,
    )
    from highseason.policies.wrappers.forgetting import Discounted, Windowed

discover(__name__, __path__)
#: The policies of this folder by the names of their classes.
DISCOVERED = {
    policy.__name__: policy
    for policy in registry().values()
    if policy.__module__.startswith(f"{__name__}.")
}
globals().update(DISCOVERED)

__all__ = [
    "UCB",
    "UCBL",
    "UCBZ",
    "CapIndex",
    "Discounted",
    "DynamicPeakGrabber",
    "EpsilonGreedy",
    "EpsilonZGreedy",
    "Greedy",
    "NaiveEpsilonGreedy",
    "NaiveUCB",
    "PeakGrabber",
    "Plan",
    "PlanWarning",
    "Planner",
    "Policy",
    "SoftEpsilonGreedy",
    "SoftUCB",
    "SoftUCBMortal",
    "SpareOldArms",
    "UniformRandom",
    "VariablePool",
    "View",
    "Windowed",
    "Wrapper",
    "find",
    "from_json",
    "parameter",
    "parse",
    "registry",
]
