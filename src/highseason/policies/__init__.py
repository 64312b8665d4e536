"""Policies: how much to explore in each turn (the plan), and by which rule to choose.

What a rule of your own needs is here too: `Rule`, `ArmState`, `Turn`, `Observation` and
`RuleTraits`, the random numbers of a turn (`draw`, `hash_at` and their uses), the comparisons of
the built-in rules, and the mark `jitable` for helpers that must run inside compiled code.

Every module of this folder is imported here: a policy in a new file needs no entry anywhere else.
The imports by name tell type checkers what there is, and put the registry in their order.
"""

from highseason.core.jitable import jitable as jitable
from highseason.core.random import ARMS as ARMS
from highseason.core.random import DECISION as DECISION
from highseason.core.random import REWARD as REWARD
from highseason.core.random import TIES as TIES
from highseason.core.random import draw as draw
from highseason.core.random import hash_at as hash_at
from highseason.policies.base import Policy, discover, find, from_json, parameter, parse, registry
from highseason.policies.epsilon import ConstantEpsilon as ConstantEpsilon
from highseason.policies.epsilon import EpsilonGreedy as EpsilonGreedy
from highseason.policies.epsilon import EpsilonZGreedy as EpsilonZGreedy
from highseason.policies.epsilon import Greedy as Greedy
from highseason.policies.epsilon import NaiveEpsilonGreedy as NaiveEpsilonGreedy
from highseason.policies.epsilon import SoftEpsilonGreedy as SoftEpsilonGreedy
from highseason.policies.epsilon import UniformRandom as UniformRandom
from highseason.policies.epsilon_rule import EPSILON as EPSILON
from highseason.policies.foreign import ForeignPolicy as ForeignPolicy
from highseason.policies.kl_ucb import KLUCB as KLUCB
from highseason.policies.kl_ucb_rule import KL_UCB_RULE as KL_UCB_RULE
from highseason.policies.lockup import LimitSwitching as LimitSwitching
from highseason.policies.mortal import UCBL as UCBL
from highseason.policies.mortal import SoftUCBMortal as SoftUCBMortal
from highseason.policies.option import OptionIndex as OptionIndex
from highseason.policies.plan import Plan, Planner, PlanWarning, View
from highseason.policies.pool_rule import POOL as POOL
from highseason.policies.ranking import estimate as estimate
from highseason.policies.ranking import leader as leader
from highseason.policies.ranking import least_selected as least_selected
from highseason.policies.ranking import observe_mean as observe_mean
from highseason.policies.ranking import pick_available as pick_available
from highseason.policies.ranking import untried as untried
from highseason.policies.ranking import wins_tie as wins_tie
from highseason.policies.regulated import RegulateAhead as RegulateAhead
from highseason.policies.regulated import RegulateByThreshold as RegulateByThreshold
from highseason.policies.regulated import RegulateSoftly as RegulateSoftly
from highseason.policies.regulated import regulate
from highseason.policies.rule import Rule as Rule
from highseason.policies.rule import RuleTraits as RuleTraits
from highseason.policies.rule import start_empty as start_empty
from highseason.policies.sampling import GaussianThompson as GaussianThompson
from highseason.policies.sampling import Thompson as Thompson
from highseason.policies.sampling_rule import BETA_SAMPLING as BETA_SAMPLING
from highseason.policies.sampling_rule import NORMAL_SAMPLING as NORMAL_SAMPLING
from highseason.policies.sampling_rule import beta_sampling as beta_sampling
from highseason.policies.state import NO_END as NO_END
from highseason.policies.state import UNKNOWN_END as UNKNOWN_END
from highseason.policies.state import UNKNOWN_TURNS as UNKNOWN_TURNS
from highseason.policies.state import ArmState as ArmState
from highseason.policies.state import FutureUnknownError as FutureUnknownError
from highseason.policies.state import Horizon as Horizon
from highseason.policies.state import Observation as Observation
from highseason.policies.state import Turn as Turn
from highseason.policies.state import fresh_state as fresh_state
from highseason.policies.ucb import UCB as UCB
from highseason.policies.ucb import UCBZ as UCBZ
from highseason.policies.ucb import NaiveUCB as NaiveUCB
from highseason.policies.ucb import SoftUCB as SoftUCB
from highseason.policies.ucb_rule import LIFE as LIFE
from highseason.policies.ucb_rule import MORTAL as MORTAL
from highseason.policies.ucb_rule import UCB_RULE as UCB_RULE
from highseason.policies.ucb_rule import index_rule as index_rule
from highseason.policies.variable_pool import VariablePool as VariablePool
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
