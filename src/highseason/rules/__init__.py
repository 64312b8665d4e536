"""Rules: how an arm is chosen, given this turn's exploration level.  One family per file.

What a rule of your own needs is here too: `ArmState`, `Turn`, `Observation` and `RuleTraits`, the
random numbers of a turn (`draw`, `hash_at` and their uses), the comparisons of the built-in rules,
and the mark `jitable` for helpers that must run inside compiled code.
"""

from highseason.core.jitable import jitable as jitable
from highseason.core.random import ARMS as ARMS
from highseason.core.random import DECISION as DECISION
from highseason.core.random import REWARD as REWARD
from highseason.core.random import TIES as TIES
from highseason.core.random import draw as draw
from highseason.core.random import hash_at as hash_at
from highseason.engine import NO_END as NO_END
from highseason.engine import UNKNOWN_END as UNKNOWN_END
from highseason.engine import UNKNOWN_TURNS as UNKNOWN_TURNS
from highseason.engine import ArmState as ArmState
from highseason.engine import Observation as Observation
from highseason.engine import RuleTraits as RuleTraits
from highseason.engine import Turn as Turn
from highseason.engine import fresh_state as fresh_state
from highseason.rules.epsilon import EPSILON as EPSILON
from highseason.rules.kl_ucb import KL_UCB_RULE as KL_UCB_RULE
from highseason.rules.pool import POOL as POOL
from highseason.rules.ranking import estimate as estimate
from highseason.rules.ranking import leader as leader
from highseason.rules.ranking import least_selected as least_selected
from highseason.rules.ranking import pick_available as pick_available
from highseason.rules.ranking import untried as untried
from highseason.rules.ranking import wins_tie as wins_tie
from highseason.rules.rule import Rule as Rule
from highseason.rules.rule import observe_mean as observe_mean
from highseason.rules.rule import start_empty as start_empty
from highseason.rules.sampling import BETA_SAMPLING as BETA_SAMPLING
from highseason.rules.sampling import NORMAL_SAMPLING as NORMAL_SAMPLING
from highseason.rules.sampling import beta_sampling as beta_sampling
from highseason.rules.ucb import LIFE as LIFE
from highseason.rules.ucb import MORTAL as MORTAL
from highseason.rules.ucb import UCB_RULE as UCB_RULE
from highseason.rules.ucb import index_rule as index_rule
