"""Objects of other libraries, or of your own, as policies of our games."""

from __future__ import annotations

import copy
import functools
from dataclasses import dataclass
from typing import Any

from highseason.policies.base import Policy, parameter
from highseason.policies.foreign_rule import Foreign, Make, foreign_rule
from highseason.policies.plan import View


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

    make: Make = parameter(None, "makes the object of a game: make(seed, arms)", inner=True)
    title: str = parameter("foreign", "what it is called in tables", inner=True)

    @classmethod
    def of(cls, player: Foreign, title: str = "") -> ForeignPolicy:
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
