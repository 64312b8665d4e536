"""ε-greedy, without regulation: the baseline the paper calls *smarter*, because it divides by G."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from highseason.core.jitable import jitable
from highseason.policies.base import Policy
from highseason.policies.parameters import exploration
from highseason.policies.view import View
from highseason.rules import EPSILON


@jitable
def decaying_epsilon(k: float, arms: int, t: float) -> float:
    """min(1, k·arms / t), the exploration of every ε policy before it is regulated."""
    return min(1.0, k * arms / t)


@dataclass(frozen=True)
class EpsilonGreedy(Policy):
    """Explore with probability ε_t = min(1, k·m / t), m the number of arms; else play the leader.

    It divides each reward by G(t), so its estimates are right, but it explores on busy turns as
    much as on quiet ones.  The paper writes k = c/d², with c > 10 and d below the smallest gap.

    >>> import highseason as hs
    >>> hs.EpsilonGreedy(k=2).plan(hs.multipliers.wave(turns=100), arms=5).at(100)
    0.1
    """

    name = "epsilon-greedy"
    rule = EPSILON
    profiles = {"paper": {"k": 1100.0}, "authors_code": {"k": 110.0}}

    k: float = exploration(1.0)

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """ε depends on the turn alone."""
        return decaying_epsilon(self.k, view.arms, view.t), carry
