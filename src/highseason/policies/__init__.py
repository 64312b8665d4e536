"""Policies: how much to explore in each turn (the plan), and by which rule to choose.

Every module of this folder is imported here: a policy in a new file needs no entry anywhere else.
The imports by name tell type checkers what there is, and put the registry in their order.
"""

from highseason.policies.base import Policy, discover, find, from_json, parse, registry
from highseason.policies.epsilon import ConstantEpsilon as ConstantEpsilon
from highseason.policies.epsilon import EpsilonGreedy as EpsilonGreedy
from highseason.policies.epsilon import EpsilonZGreedy as EpsilonZGreedy
from highseason.policies.epsilon import Greedy as Greedy
from highseason.policies.epsilon import NaiveEpsilonGreedy as NaiveEpsilonGreedy
from highseason.policies.epsilon import SoftEpsilonGreedy as SoftEpsilonGreedy
from highseason.policies.epsilon import UniformRandom as UniformRandom
from highseason.policies.foreign import ForeignPolicy as ForeignPolicy
from highseason.policies.kl_ucb import KLUCB as KLUCB
from highseason.policies.lockup import LimitSwitching as LimitSwitching
from highseason.policies.mortal import UCBL as UCBL
from highseason.policies.mortal import SoftUCBMortal as SoftUCBMortal
from highseason.policies.option import OptionIndex as OptionIndex
from highseason.policies.parameters import parameter
from highseason.policies.plan import Plan, Planner, PlanWarning
from highseason.policies.regulated import RegulateAhead as RegulateAhead
from highseason.policies.regulated import RegulateByThreshold as RegulateByThreshold
from highseason.policies.regulated import RegulateSoftly as RegulateSoftly
from highseason.policies.regulated import regulate
from highseason.policies.sampling import GaussianThompson as GaussianThompson
from highseason.policies.sampling import Thompson as Thompson
from highseason.policies.ucb import UCB as UCB
from highseason.policies.ucb import UCBZ as UCBZ
from highseason.policies.ucb import NaiveUCB as NaiveUCB
from highseason.policies.ucb import SoftUCB as SoftUCB
from highseason.policies.variable_pool import VariablePool as VariablePool
from highseason.policies.views import View
from highseason.policies.wrappers import CapIndex as CapIndex
from highseason.policies.wrappers import Discounted as Discounted
from highseason.policies.wrappers import DynamicPeakGrabber as DynamicPeakGrabber
from highseason.policies.wrappers import PeakGrabber as PeakGrabber
from highseason.policies.wrappers import SpareOldArms as SpareOldArms
from highseason.policies.wrappers import Windowed as Windowed
from highseason.policies.wrappers import Wrapper

discover(__name__, __path__)
#: The policies of this folder by the names of their classes.
DISCOVERED = {
    policy.__name__: policy
    for policy in registry().values()
    if policy.__module__.startswith(f"{__name__}.")
}
globals().update(DISCOVERED)

__all__ = [
    "ForeignPolicy",
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
    "regulate",
]
__all__ += list(DISCOVERED)
