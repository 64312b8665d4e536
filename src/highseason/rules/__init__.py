"""Rules: how an arm is chosen, given this turn's exploration level.  One family per file.

What a rule of your own needs is here too: `ArmState`, `Turn`, `Observation` and `RuleTraits`, the
random numbers of a turn (`draw`, `hash_at` and their uses), the comparisons of the built-in rules,
and the mark `jitable` for helpers that must run inside compiled code.
"""

from highseason.core.jitable import jitable
from highseason.core.random import ARMS, DECISION, REWARD, TIES, draw, hash_at
from highseason.engine import (
    NO_END,
    UNKNOWN_END,
    UNKNOWN_TURNS,
    ArmState,
    Observation,
    RuleTraits,
    Turn,
    fresh_state,
)
from highseason.rules.epsilon import EPSILON
from highseason.rules.kl_ucb import KL_UCB_RULE
from highseason.rules.pool import POOL
from highseason.rules.ranking import (
    estimate,
    leader,
    least_selected,
    pick_available,
    untried,
    wins_tie,
)
from highseason.rules.rule import Rule, observe_mean, start_empty
from highseason.rules.sampling import BETA_SAMPLING, NORMAL_SAMPLING, beta_sampling
from highseason.rules.ucb import LIFE, MORTAL, UCB_RULE, index_rule

__all__ = [
    "ARMS",
    "BETA_SAMPLING",
    "DECISION",
    "EPSILON",
    "KL_UCB_RULE",
    "LIFE",
    "MORTAL",
    "NORMAL_SAMPLING",
    "NO_END",
    "POOL",
    "REWARD",
    "TIES",
    "UCB_RULE",
    "UNKNOWN_END",
    "UNKNOWN_TURNS",
    "ArmState",
    "Observation",
    "Rule",
    "RuleTraits",
    "Turn",
    "beta_sampling",
    "draw",
    "estimate",
    "fresh_state",
    "hash_at",
    "index_rule",
    "jitable",
    "leader",
    "least_selected",
    "observe_mean",
    "pick_available",
    "start_empty",
    "untried",
    "wins_tie",
]
