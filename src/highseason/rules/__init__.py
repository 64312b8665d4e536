"""Rules: how an arm is chosen, given this turn's number from the plan.  One rule a file."""

from highseason.rules.epsilon import EPSILON
from highseason.rules.pool import POOL
from highseason.rules.ranking import (
    estimate,
    leader,
    least_decided,
    pick_available,
    untried,
    wins_tie,
)
from highseason.rules.rule import Rule, observe_mean, start_empty
from highseason.rules.state import NEVER, State, Turn, fresh_state
from highseason.rules.ucb import UCB_RULE

__all__ = [
    "EPSILON",
    "NEVER",
    "POOL",
    "UCB_RULE",
    "Rule",
    "State",
    "Turn",
    "estimate",
    "fresh_state",
    "leader",
    "least_decided",
    "observe_mean",
    "pick_available",
    "start_empty",
    "untried",
    "wins_tie",
]
