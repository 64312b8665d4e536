"""Objects of other libraries, or of your own, as policies of our games.

Such an object is asked which arm to play, is given the rewards, and keeps what it learns to itself.
Every game has one of its own, made in its first turn, and a number in the game's state tells which.
The rule runs in the readable loops only.  The level is the probability that the object decides;
otherwise the leader is played.
"""

import copy
import functools
import itertools
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

from highseason.core.random import ARMS, DECISION, draw, hash_at
from highseason.policies.base import Policy, parameter
from highseason.policies.epsilon import intensity
from highseason.policies.plan import View
from highseason.policies.ranking import leader
from highseason.policies.rule import ArmState, Observation, Rule, RuleTraits, Turn, observe_mean


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
        for known in (self._objects, self._answers):
            weakref.finalize(state.shared, known.pop, number, None)

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
        negligible=(0.0, 0.01),
        exploits_at=0.0,
        made_by=(foreign_rule, (make,)),
    )


@dataclass(frozen=True)
class ForeignPolicy(Policy):
    """A policy around an object with `pull(arms)` and `update(arm, reward)`.

    It plays in `play`, `simulate` and `replay`, in readable loops: slower than ours by a factor of
    a hundred.  `hs.regulate` makes it exploit on busy turns: there the arm with the highest average
    is played, and the object learns from it all the same.  A live `Bandit` cannot store an object,
    and refuses it.

    Attributes:
        make: Makes the object of a game, given a seed and the number of arms, which it knows as 0,
            1, 2 …  See also `of`.
        title: What it is called in tables.

    >>> import highseason as hs
    >>> class Stubborn:
    ...     def pull(self, arms):
    ...         return arms[-1]
    ...     def update(self, arm, reward):
    ...         pass
    >>> stubborn = ForeignPolicy.of(Stubborn())
    >>> hs.play(stubborn, hs.rewards.bernoulli(arms=3), [1, 1, 1]).arms
    array([2, 2, 2])
    """

    carry_depends_on = "nothing"
    suppress_plan_warning = True
    looks_at_g = False

    make: Make = parameter(None, "makes the object of a game: make(seed, arms)", inner=True)
    title: str = parameter("foreign", "what it is called in tables", inner=True)

    @classmethod
    def of(cls, player: Foreign, title: str = "") -> Self:
        """Every game is played by a copy of `player`, which is seeded if it has a method `seed`."""
        for name in ("pull", "update"):
            if not callable(getattr(player, name, None)):
                raise ValueError(
                    f"expected an object with pull(arms) and update(arm, reward), but {player!r} "
                    f"has no {name}"
                )
        make = functools.partial(seeded_copy, player)
        return cls(make=make, title=title or type(player).__name__)

    def _check_rule(self) -> None:
        if not callable(self.make):
            raise ValueError(
                f"make must be a function of a seed and the number of arms, got {self.make!r}; "
                "around an object it is ForeignPolicy.of(player)"
            )
        object.__setattr__(self, "rule", _rule_around(self.make))

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The object decides every turn."""
        return 1.0, carry

    def __str__(self) -> str:
        return self.title


#: One rule for one function: copies of a policy, such as those that wrappers make, share it.
_rule_around = functools.lru_cache(64)(foreign_rule)


def seeded_copy(player: Any, seed: int, arms: int) -> Foreign:
    """A copy of its own for a game."""
    twin = copy.deepcopy(player)
    if callable(getattr(twin, "seed", None)):
        twin.seed(seed)
    return twin  # type: ignore[no-any-return]  # it has the two methods
