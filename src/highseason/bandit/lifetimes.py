"""Arms that expire, in a live game: until when each is there, and how that weighs for the rule."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.arm_table import ArmTable
from highseason.bandit.errors import BanditError
from highseason.bandit.multiplier_source import MultiplierSource, OnlineMultiplier
from highseason.multipliers.instants import When
from highseason.policies import Policy
from highseason.rules import NO_END, UNKNOWN_END


def expiry_turn(source: MultiplierSource, expires: Any, last: int) -> int:
    """The last turn of an arm, told as a turn or a date.

    `NO_END` for None, `UNKNOWN_END` for "unknown".
    """
    if expires is None:
        return NO_END
    if isinstance(expires, str) and expires == "unknown":
        return UNKNOWN_END
    if isinstance(expires, When):
        turn = source.turn_by(str(expires))
    else:
        try:
            if isinstance(expires, bool):  # no number of a turn, though Python counts with it
                raise TypeError
            turn = operator.index(expires)
        except TypeError:
            raise BanditError(
                f"expires={expires!r} must be a turn, from 1, or a date of the multiplier"
            ) from None
    if turn < 1:
        raise BanditError(f"expires={expires!r} is before the first turn, which is turn 1")
    if turn <= last:
        raise BanditError(f"expires={expires!r}: that is over, turn {last} was decided already")
    return min(turn, UNKNOWN_END - 1)


def check_told(policy: Policy, source: MultiplierSource, arm: Any, expires: int) -> None:
    """A policy that explores by the life left cannot play an arm of which nobody knows it."""
    told = expires < UNKNOWN_END or (expires == NO_END and not isinstance(source, OnlineMultiplier))
    if policy.needs_expiry and not told:
        raise BanditError(
            f"{policy} explores by the life that arms have left: say when {arm!r} expires, "
            "or that it stays, and give the bandit a multiplier to the end of which it then does"
        )


def weigh(table: ArmTable, policy: Policy, source: MultiplierSource, turn: int) -> None:
    """Tell the rule who is there at a turn and until when; it weighs them when that has changed."""
    state = table.state
    state.available[:] = table.there(turn)
    known = 0 if isinstance(source, OnlineMultiplier) else source.multiplier.turns
    people = state.available, state.start, table.expires, table.expires < turn
    seen = known, *(column.tobytes() for column in people)
    if table.weighed == seen:
        return
    table.weighed = seen
    state.end[:] = table.expires
    if policy.needs_expiry and known:
        np.minimum(table.expires, known, out=state.end)
    policy.rule.set_weights(state, turn, scores(table, policy, source), policy.weight_scale)


def scores(table: ArmTable, policy: Policy, source: MultiplierSource) -> NDArray[np.float64]:
    """What each arm's life is worth: the sum of G over it, or how late it ends.

    Where nothing is known of the turns ahead, all of them count alike.
    """
    first = np.maximum(1, table.state.start)
    if isinstance(source, OnlineMultiplier):
        length = table.expires - (0 if policy.ranks_by_expiry else first)
        return np.where(table.expires >= UNKNOWN_END, np.inf, length)
    last = np.minimum(table.expires, source.multiplier.turns)
    if policy.ranks_by_expiry:
        return last.astype(np.float64)
    worth = source.worth()
    return np.asarray(worth[last] - worth[np.minimum(first - 1, last)])


def choose_opening(table: ArmTable, policy: Policy, source: MultiplierSource) -> None:
    """Mark the arms that are tried before all others: so many of those of highest weight."""
    if policy.initial_arms == 0:
        return
    weigh(table, policy, source, 1)
    there = np.flatnonzero(table.there(1))
    best = there[np.argsort(-table.state.weight[there], kind="stable")]
    table.opening[best[: policy.initial_arms]] = True
