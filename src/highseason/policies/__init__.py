"""Policies: how much to explore in each turn (the plan), and by which rule to choose."""

from highseason.policies.base import Policy
from highseason.policies.epsilon_greedy import EpsilonGreedy
from highseason.policies.epsilon_z_greedy import EpsilonZGreedy
from highseason.policies.naive import NaiveEpsilonGreedy, NaiveUCB
from highseason.policies.parameters import parameter
from highseason.policies.plan import Plan, PlanWarning
from highseason.policies.planner import Planner
from highseason.policies.reference import Greedy, UniformRandom
from highseason.policies.registry import find, from_json, parse, registry
from highseason.policies.soft_epsilon_greedy import SoftEpsilonGreedy
from highseason.policies.soft_ucb import SoftUCB
from highseason.policies.soft_ucb_mortal import SoftUCBMortal
from highseason.policies.ucb import UCB
from highseason.policies.ucb_l import UCBL
from highseason.policies.ucb_z import UCBZ
from highseason.policies.variable_pool import VariablePool
from highseason.policies.view import View
from highseason.policies.wrappers import (
    CapIndex,
    Discounted,
    DynamicPeakGrabber,
    PeakGrabber,
    SpareOldArms,
    Windowed,
    Wrapper,
)

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
