"""The rule around an object that is not ours: it is asked which arm to play, and told the rewards.

Such an object keeps what it learns to itself.  Every game has one of its own, made in its first
turn, and a number in the game's state tells which.  The rule runs in the readable loops only.

The level is the probability that the object decides; otherwise the leader is played.
"""

import itertools
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from highseason.core.random import ARMS, DECISION, draw, hash_at
from highseason.policies.epsilon_rule import intensity, negligible
from highseason.policies.ranking import leader, observe_mean
from highseason.policies.rule import Rule, RuleTraits
from highseason.policies.state import ArmState, Observation, Turn


class Foreign(Protocol):
    """What an object must be able to do."""

    def pull(self, arms: list[int], /) -> int:
        """One of the arms that are there now."""

    def update(self, arm: int, reward: float, /) -> Any:
        """Learn."""


#: Makes the object of a game, given a seed and the number of arms.
Make = Callable[[int, int], Foreign]
#: Seeds are below this, which every generator of random numbers takes.
_SEEDS = 2**31


class Players:
    """The objects of the games that are going on, by the number in a game's state."""

    def __init__(self, make: Make) -> None:
        self._make, self._numbers = make, itertools.count(1)
        self._objects: dict[int, Foreign] = {}
        self._answers: dict[int, tuple[int, int]] = {}  # the key of a turn, and its arm

    def start(self, state: ArmState) -> None:
        """A number for a new game; its object goes when the state does."""
        number = next(self._numbers)
        state.shared[0] = number
        weakref.finalize(state.shared, self._forget, number)

    def _forget(self, number: int) -> None:
        self._objects.pop(number, None)
        self._answers.pop(number, None)

    def of(self, state: ArmState, turn: Turn) -> Foreign:
        """The object of a game."""
        number = int(state.shared[0])
        if number not in self._objects:
            seed = int(hash_at(turn.key, ARMS)) % _SEEDS
            self._objects[number] = self._make(seed, state.pulls.size)
        return self._objects[number]

    def ask(self, state: ArmState, turn: Turn) -> int:
        """Its arm; asked twice for the same turn, it answers the same."""
        number = int(state.shared[0])
        key, arm = self._answers.get(number, (-1, -1))
        if key != turn.key or not state.available[arm]:
            there = [i for i, present in enumerate(state.available.tolist()) if present]
            arm = int(self.of(state, turn).pull(there))
            self._answers[number] = int(turn.key), arm
        return arm


def foreign_rule(make: Make) -> Rule:
    """The rule around the objects that `make(seed, arms)` makes."""
    players = Players(make)

    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        """The object's arm, which may lead or not, or the leader."""
        favourite = leader(state, turn)
        if draw(turn.key, DECISION) >= turn.level:
            return favourite, bool(state.pulls[favourite] > 0)
        return players.ask(state, turn), False

    def observe(state: ArmState, turn: Turn, observation: Observation) -> None:
        """Let the object learn, and keep the average by which the leader leads."""
        observe_mean(state, turn, observation)
        players.of(state, turn).update(observation.arm, observation.value)

    return Rule(
        "foreign",
        choose,
        intensity,
        observe=observe,
        start=players.start,
        shared=1,
        allowed=(0.0, 1.0),
        traits=RuleTraits(compilable=False),
        negligible=negligible,
        exploits_at=0.0,
        made_by=(foreign_rule, (make,)),
    )
