"""Policies: how much to explore in each turn (the plan), and by which rule to choose.

What a rule of your own needs is here too: `Rule`, `ArmState`, `Turn`, `Observation` and
`RuleTraits`, the random numbers of a turn (`draw`, `hash_at` and their uses), the comparisons of
the built-in rules, and the mark `jitable` for helpers that must run inside compiled code.

Every module of this folder is imported here: a policy in a new file needs no entry anywhere else.
The imports by name tell type checkers what there is.
"""

from highseason.core.jitable import jitable as jitable
from highseason.core.names import public_names as _public_names
from highseason.core.random import ARMS as ARMS
from highseason.core.random import DECISION as DECISION
from highseason.core.random import REWARD as REWARD
from highseason.core.random import TIES as TIES
from highseason.core.random import draw as draw
from highseason.core.random import hash_at as hash_at
from highseason.policies.base import CountingPolicy as CountingPolicy
from highseason.policies.base import Policy as Policy
from highseason.policies.base import WeighingPolicy as WeighingPolicy
from highseason.policies.base import discover as _discover
from highseason.policies.base import find as find
from highseason.policies.base import from_json as from_json
from highseason.policies.base import parse as parse
from highseason.policies.base import registry as registry
from highseason.policies.parameters import parameter as parameter
from highseason.policies.plan import FutureUnknownError as FutureUnknownError
from highseason.policies.plan import Horizon as Horizon
from highseason.policies.plan import Plan as Plan
from highseason.policies.plan import Planner as Planner
from highseason.policies.plan import PlanWarning as PlanWarning
from highseason.policies.plan import View as View
from highseason.policies.ranking import arm_to_try as arm_to_try
from highseason.policies.ranking import leader as leader
from highseason.policies.ranking import least_selected as least_selected
from highseason.policies.ranking import pick_available as pick_available
from highseason.policies.ranking import precedes as precedes
from highseason.policies.ranking import untried as untried
from highseason.policies.ranking import wins_tie as wins_tie
from highseason.policies.rule import NO_END as NO_END
from highseason.policies.rule import UNKNOWN_END as UNKNOWN_END
from highseason.policies.rule import UNKNOWN_TURNS as UNKNOWN_TURNS
from highseason.policies.rule import ArmState as ArmState
from highseason.policies.rule import Observation as Observation
from highseason.policies.rule import Rule as Rule
from highseason.policies.rule import RuleTraits as RuleTraits
from highseason.policies.rule import Turn as Turn
from highseason.policies.rule import estimate as estimate
from highseason.policies.rule import fresh_state as fresh_state
from highseason.policies.rule import observe_mean as observe_mean
from highseason.policies.rule import start_empty as start_empty
from highseason.policies.timing import favoured as favoured
from highseason.policies.timing import prices as prices

# The families, in the order in which the registry lists them.
# isort: off
from highseason.policies.epsilon import EPSILON as EPSILON
from highseason.policies.epsilon import ConstantEpsilon as ConstantEpsilon
from highseason.policies.epsilon import EpsilonGreedy as EpsilonGreedy
from highseason.policies.epsilon import EpsilonZGreedy as EpsilonZGreedy
from highseason.policies.epsilon import Greedy as Greedy
from highseason.policies.epsilon import NaiveEpsilonGreedy as NaiveEpsilonGreedy
from highseason.policies.epsilon import SoftEpsilonGreedy as SoftEpsilonGreedy
from highseason.policies.epsilon import UniformRandom as UniformRandom
from highseason.policies.ucb import UCB as UCB
from highseason.policies.ucb import UCB_RULE as UCB_RULE
from highseason.policies.ucb import UCBZ as UCBZ
from highseason.policies.ucb import AdaUCB as AdaUCB
from highseason.policies.ucb import NaiveUCB as NaiveUCB
from highseason.policies.ucb import SoftUCB as SoftUCB
from highseason.policies.ucb import index_rule as index_rule
from highseason.policies.kl_ucb import KL_UCB_RULE as KL_UCB_RULE
from highseason.policies.kl_ucb import KLUCB as KLUCB
from highseason.policies.mortal import LIFE as LIFE
from highseason.policies.mortal import MORTAL as MORTAL
from highseason.policies.mortal import UCBL as UCBL
from highseason.policies.mortal import SoftUCBMortal as SoftUCBMortal
from highseason.policies.sampling import BETA_SAMPLING as BETA_SAMPLING
from highseason.policies.sampling import NORMAL_SAMPLING as NORMAL_SAMPLING
from highseason.policies.sampling import GaussianThompson as GaussianThompson
from highseason.policies.sampling import Thompson as Thompson
from highseason.policies.sampling import beta_sampling as beta_sampling
from highseason.policies.pool import POOL as POOL
from highseason.policies.pool import VariablePool as VariablePool
from highseason.policies.option_index import DEFAULT_POLICY as DEFAULT_POLICY
from highseason.policies.option_index import OptionIndex as OptionIndex
from highseason.policies.price_curve import PriceCurve as PriceCurve
from highseason.policies.price_curve import PriceDemand as PriceDemand
from highseason.policies.price_curve import demand_of as demand_of
from highseason.policies.regulated import RegulateAhead as RegulateAhead
from highseason.policies.regulated import RegulateByThreshold as RegulateByThreshold
from highseason.policies.regulated import RegulateSoftly as RegulateSoftly
from highseason.policies.regulated import regulate as regulate
from highseason.policies.wrappers import Discounted as Discounted
from highseason.policies.wrappers import Windowed as Windowed
from highseason.policies.wrappers import Wrapper as Wrapper
from highseason.policies.lockup import LimitSwitching as LimitSwitching
from highseason.policies.contest import CapIndex as CapIndex
from highseason.policies.contest import DynamicPeakGrabber as DynamicPeakGrabber
from highseason.policies.contest import PeakGrabber as PeakGrabber
from highseason.policies.contest import SpareOldArms as SpareOldArms
from highseason.policies.foreign import ForeignPolicy as ForeignPolicy
# isort: on

_discover(__name__, __path__)
globals().update(
    {
        policy.__name__: policy
        for policy in registry(added=False).values()
        if policy.__module__.startswith(f"{__name__}.")
    }
)

__dir__ = _public_names(__name__)
