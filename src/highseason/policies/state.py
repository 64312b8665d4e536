"""What a rule sees: the arms, the turn it decides, and what a turn taught.

The state is a plain tuple of arrays, so the same rule runs as Python in `play` and `Bandit` and as
machine code in `simulate` and `replay`.  Inside the library arms are numbered from 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable, jitable_as

#: The end of an arm that is known to stay for ever, and of one whose end is unknown.
NO_END = 2**62
UNKNOWN_END = NO_END - 1


class ArmState(NamedTuple):
    """One entry per arm, except for `shared`.

    Attributes:
        selections: How often each arm was chosen; rewards may arrive later.
        pulls: How many rewards its estimate rests on; a fraction where old rewards fade.
        sums: The sum of those rewards.
        available: Whether it may be played now.
        start: The first turn of its lifetime, by the turn's `clock`; 0 if it was there from the
            start.
        end: The last turn of its lifetime; `NO_END` if it stays, `UNKNOWN_END` if that is unknown.
        weight: How much exploring it is worth, as the rule's `set_weights` last computed it.
        memory: The rule's own numbers, one row per arm.
        shared: The rule's own numbers about the whole game.
    """

    selections: NDArray[np.int64]
    pulls: NDArray[np.float64]
    sums: NDArray[np.float64]
    available: NDArray[np.bool_]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    weight: NDArray[np.float64]
    memory: NDArray[np.float64]
    shared: NDArray[np.float64]


def fresh_state(arms: int, memory: int = 0, shared: int = 0) -> ArmState:
    """The state before the first turn: every arm available for ever, and untried."""
    return ArmState(
        selections=np.zeros(arms, np.int64),
        pulls=np.zeros(arms, np.float64),
        sums=np.zeros(arms, np.float64),
        available=np.ones(arms, np.bool_),
        start=np.zeros(arms, np.int64),
        end=np.full(arms, NO_END, np.int64),
        weight=np.ones(arms, np.float64),
        memory=np.zeros((arms, memory), np.float64),
        shared=np.zeros(shared, np.float64),
    )


def _without_owner(array: Any) -> Any:
    """`uncounted` as a kernel computes it: the same array, which owns no memory."""
    from numba.core.cgutils import get_null_value
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def disown(context: Any, array: Any) -> Any:
        return array(array), build

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        same = context.make_array(signature.return_type)(context, builder, arguments[0])
        same.meminfo = get_null_value(same.meminfo.type)
        return same._getvalue()

    return lambda array: disown(array)


@jitable_as(_without_owner)
def uncounted(array: Any) -> Any:
    """The same array, for as long as somebody else holds it: a kernel counts no references to it.

    Counting takes longer than a short function that gets the nine arrays of a state.
    """
    return array


@jitable
def uncounted_state(state: ArmState) -> ArmState:
    """The same state, for as long as somebody else holds it."""
    return ArmState(
        uncounted(state.selections),
        uncounted(state.pulls),
        uncounted(state.sums),
        uncounted(state.available),
        uncounted(state.start),
        uncounted(state.end),
        uncounted(state.weight),
        uncounted(state.memory),
        uncounted(state.shared),
    )


@jitable
def reset_state(state: ArmState) -> None:
    """Return a used state to what `fresh_state` gives."""
    state.selections[:] = 0
    state.pulls[:] = 0.0
    state.sums[:] = 0.0
    state.available[:] = True
    state.start[:] = 0
    state.end[:] = NO_END
    state.weight[:] = 1.0
    state.memory[:] = 0.0
    state.shared[:] = 0.0


#: `Turn.turns_left` where it is unknown how long the game lasts.
UNKNOWN_TURNS = -1


class Turn(NamedTuple):
    """What a rule knows of the turn it decides.

    Attributes:
        t: The turn, from 1.
        level: The plan's exploration level.
        G: The multiplier of this turn, known or forecast.
        future: The future weight W(t), the sum of G over the turns after this one, known or
            forecast; NaN where it is unknown.  A rule that reads it declares `needs_horizon`.
        turns_left: How many turns follow; `UNKNOWN_TURNS` where `future` is unknown.
        key: The key of the turn's random numbers.
        random_ties: Whether ties are broken at random; otherwise the lowest arm wins.
        clock: The time in which lifetimes are counted: the turn itself in a game, the time bin in a
            replayed log.
    """

    t: int
    level: float
    G: float
    future: float
    turns_left: int
    key: int
    random_ties: bool
    clock: int


class Observation(NamedTuple):
    """What a turn taught.

    Attributes:
        arm: The arm that was played.
        value: Its reward, per unit of G.
        precision: How much the turn taught, in units of one plain reward: a value with precision p
            counts as the mean of p rewards, so its variance is that of one reward divided by p.
            Estimates weigh values by it.  It is 1 unless a policy counts visitors.
    """

    arm: int
    value: float
    precision: float
