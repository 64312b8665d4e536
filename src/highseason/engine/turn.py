"""What a turn needs of a rule, and the one definition of a turn: a legal choice, an observation.

`play` and the live bandit call these functions.  Compiled kernels share
`is_legal` and are held to the rest by `checks`.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.policies.state import ArmState, Observation, Turn


class Playable(Protocol):
    """The functions of a rule, as far as a turn needs them."""

    @property
    def name(self) -> str:
        """Its name in messages."""

    def choose(self, state: ArmState, turn: Turn, /) -> tuple[int, bool]:
        """The arm, and whether the choice exploits."""

    def observe(self, state: ArmState, turn: Turn, observation: Observation, /) -> None:
        """Learn."""


class IllegalArmError(ValueError):
    """A rule chose an arm that does not exist or is not available."""


@jitable
def is_legal(available: NDArray[np.bool_], arm: int) -> bool:
    """Whether the arm exists and is available.

    It takes the array, because a state of nine arrays costs a compiled caller 100 ns per call.
    """
    return bool(0 <= arm < available.size and available[arm])


def illegal_arm(rule: Playable, turn: int, arm: int, arms: int) -> IllegalArmError:
    """The error for a choice that is not legal."""
    reason = (
        "it is not available in that turn; look at state.available"
        if 0 <= arm < arms
        else f"the arms are 0 to {arms - 1}"
    )
    return IllegalArmError(f"the rule {rule.name!r} chose arm {arm} in turn {turn}, but {reason}")


def choose(rule: Playable, state: ArmState, turn: Turn) -> tuple[int, bool]:
    """The rule's choice among `state.available`, which must be legal, and whether it exploits."""
    arm, exploited = rule.choose(state, turn)
    if not is_legal(state.available, arm):
        raise illegal_arm(rule, turn.t, arm, state.available.size)
    return int(arm), bool(exploited)


def select(state: ArmState, arm: int) -> None:
    """Count a selection: the arm is now the one that was decided for."""
    state.selections[arm] += 1


def decide(rule: Playable, state: ArmState, turn: Turn) -> tuple[int, bool]:
    """Let the rule choose, and count the selection."""
    arm, exploited = choose(rule, state, turn)
    select(state, arm)
    return arm, exploited


def learn(
    rule: Playable,
    state: ArmState,
    turn: Turn,
    observation: Observation,
    present: NDArray[np.bool_] | None = None,
) -> None:
    """Let the rule observe a turn that was decided.

    `present` are the arms that are there now; they may differ from those that were on offer.
    """
    if present is not None:
        state.available[:] = present
    rule.observe(state, turn, observation)
