"""The ε rule: with chance ε_t an arm at random, otherwise the leader."""

from __future__ import annotations

from highseason.core.jitable import jitable
from highseason.core.random import DECISION, draw
from highseason.rules.ranking import leader, pick_available, untried
from highseason.rules.rule import Rule
from highseason.rules.state import State, Turn


@jitable
def choose(state: State, turn: Turn) -> tuple[int, bool]:
    """Toss the coin; the same uniform number that said *explore* also says which arm."""
    first = untried(state)
    if first >= 0:
        return first, False
    epsilon = turn.number
    coin = draw(turn.key, DECISION)
    if coin < epsilon:
        return pick_available(state, coin / epsilon), False
    return leader(state, turn), True


def intensity(epsilon: float, t: int, arms: int) -> float:
    """The chance of exploring."""
    return epsilon


EPSILON = Rule("epsilon", choose, intensity)
