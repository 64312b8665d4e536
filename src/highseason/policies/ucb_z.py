"""UCB-z: UCB on low turns, the leader on high ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from highseason.policies.base import Policy
from highseason.policies.parameters import OnG, formula, radius, threshold
from highseason.policies.ucb import clock
from highseason.policies.view import View
from highseason.rules import UCB_RULE


@dataclass(frozen=True)
class UCBZ(Policy):
    """High turns (G(t) >= z): play the leader.  Low turns: as UCB, with the calendar turn t.

    `variant="authors_code"`: high means G > z, and turns count from 0 inside the logarithm.

    >>> import highseason as hs
    >>> hs.UCBZ(z=30).plan([1, 1, 40, 1], arms=2).levels.round(2)
    array([0.  , 1.39, 0.  , 2.77])
    """

    name = "ucb-z"
    rule = UCB_RULE
    profiles = {"paper": {"z": 30.0}, "authors_code": {"z": "q0.65", "variant": "authors_code"}}

    z: OnG = threshold()
    P: float = radius()
    variant: str = formula()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """0 on a high turn: the index is then the estimate itself."""
        high = view.G > self.z if self.variant == "authors_code" else view.G >= self.z
        return (0.0 if high else self.P * math.log(clock(self.variant, view.t))), carry
