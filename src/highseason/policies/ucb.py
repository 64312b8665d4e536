"""UCB, without regulation: the baseline the paper calls *smarter*, because it divides by G."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from highseason.core.jitable import jitable
from highseason.policies.base import Policy
from highseason.policies.parameters import formula, radius
from highseason.policies.view import View
from highseason.rules import UCB_RULE


@jitable
def clock(variant: str, t: int) -> int:
    """The turn inside the logarithm; the authors' code counts turns from 0."""
    return max(1, t - 1) if variant == "authors_code" else t


@dataclass(frozen=True)
class UCB(Policy):
    """Play the arm with the highest estimate + sqrt(P log t / pulls); P = 2 is UCB1.

    `variant="authors_code"`: turns count from 0 inside the logarithm.

    >>> import highseason as hs
    >>> hs.UCB().plan(hs.multipliers.wave(turns=100), arms=5).at(100)  # 2 log 100
    9.21...
    """

    name = "ucb"
    rule = UCB_RULE
    profiles = {"paper": {}, "authors_code": {"variant": "authors_code"}}

    P: float = radius()
    variant: str = formula()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The number under the root, before it is divided by an arm's pulls."""
        return self.P * math.log(clock(self.variant, view.t)), carry
