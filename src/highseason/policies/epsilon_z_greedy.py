"""ε-z greedy: exploit on high turns, explore on low ones (the paper's first algorithm)."""

from __future__ import annotations

from dataclasses import dataclass

from highseason.policies.base import Policy
from highseason.policies.epsilon_greedy import decaying_epsilon
from highseason.policies.parameters import OnG, exploration, formula, threshold
from highseason.policies.view import View
from highseason.rules import EPSILON


@dataclass(frozen=True)
class EpsilonZGreedy(Policy):
    """High turns (G(t) >= z): play the leader.  Low turns: ε_t = min(1, k·m / t~).

    t~ counts the low turns up to and including this one, those of the first round too, so a
    multiplier that is always low gives ε-greedy.

    `variant="authors_code"`: high means G > z, and ε falls with the calendar turn t, not with t~.

    >>> import highseason as hs
    >>> hs.EpsilonZGreedy(k=1, z=30).plan([1, 1, 40, 1], arms=2).levels
    array([1.        , 1.        , 0.        , 0.66666667])
    """

    name = "epsilon-z"
    rule = EPSILON
    profiles = {
        "paper": {"k": 1100.0, "z": 30.0},
        "authors_code": {"k": 110.0, "z": "q0.65", "variant": "authors_code"},
    }

    k: float = exploration(1.0)
    z: OnG = threshold()
    variant: str = formula()

    def step(self, carry: int, view: View) -> tuple[float, int]:
        """The carry counts low turns."""
        if self.variant == "authors_code":
            epsilon = decaying_epsilon(self.k, view.arms, view.t)
            return (0.0 if view.G > self.z else epsilon), carry
        if view.G >= self.z:
            return 0.0, carry
        carry += 1
        return decaying_epsilon(self.k, view.arms, carry), carry
