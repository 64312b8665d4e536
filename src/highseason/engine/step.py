"""What a turn needs of a rule, and the one definition of a turn: a legal choice, an observation.

`play`, the reference replay and the live bandit call these functions.  Compiled kernels share
`is_legal` and are held to the rest by `checks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState
from highseason.engine.turn import Observation, Turn


class Playable(Protocol):
    """The functions of a rule, as far as a turn needs them."""

    @property
    def name(self) -> str:
        """Its name in messages."""

    def choose(self, state: ArmState, turn: Turn, /) -> tuple[int, bool]:
        """The arm, and whether the choice exploits."""

    def observe(self, state: ArmState, turn: Turn, observation: Observation, /) -> None:
        """Learn."""


#: How long a choice can be reused, from never to the least that can change it.
Stability = Literal["never", "until-change", "unless-coin-explores", "while-level-at-most-1"]


@dataclass(frozen=True)
class RuleTraits:
    """What the library may assume of a rule.  The defaults assume nothing.

    Attributes:
        local: The choice depends only on the entries of the available arms and on their order, so
            that the rule may be shown a state without the other arms.  Not true of a rule that
            pools statistics over arms or keeps an arm's number in `state.shared`.
        stable: How long a choice stays valid, with ties broken by the lowest arm.  "never": ask
            again each time.  "until-change": until the state, the level or the clock changes.
            The other two hold for choices that exploit, until the state changes:
            "unless-coin-explores" while the turn's first random number is at least the level,
            "while-level-at-most-1" while the level is at most 1.
        integer_level: Levels count something: a mean of levels is rounded.
        prices: A level is one over the price of exploring, as a share of what is to come; how
            much a turn explores is decided during the game.
        unit_range: Rewards must lie in [0, 1] for the rule to mean anything (UCB).
        tries_each_arm: Every available arm is played once before the rule starts to choose.
        stochastic: The choice depends on the turn's random numbers even where no arms tie.
        uses_future: The choice depends on `turn.future` or `turn.turns_left`, so the rule cannot
            play where they are unknown.
        compilable: Its functions can be compiled.  One that cannot plays in readable loops.
        work: About how many times longer than UCB it takes to choose and learn; simulations
            divide their games by it.
    """

    local: bool = False
    stable: Stability = "never"
    integer_level: bool = False
    prices: bool = False
    unit_range: bool = False
    tries_each_arm: bool = False
    stochastic: bool = True
    uses_future: bool = False
    compilable: bool = True
    work: float = 1.0


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
