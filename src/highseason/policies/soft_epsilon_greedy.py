"""Soft ε-greedy: the busier the turn, the less it explores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from highseason.policies.base import Policy
from highseason.policies.epsilon_greedy import decaying_epsilon
from highseason.policies.parameters import OnG, exploration, formula, unit_rule
from highseason.policies.view import View
from highseason.rules import EPSILON


@dataclass(frozen=True)
class SoftEpsilonGreedy(Policy):
    """ε_t = min(psi(t), k·m / t) with psi(t) = log(1 + u/G(t)) / log(1 + u/min G), u the unit.

    psi is 1 on the quietest turn and small on busy ones.  The minimum is over the turns after the
    first round; where G is not known ahead, over what was expected so far.

    `variant="authors_code"`: the minimum is over all turns.

    >>> import highseason as hs
    >>> hs.SoftEpsilonGreedy(k=2, unit=1).plan([9, 9, 1, 3], arms=2).levels[2:].round(3)
    array([1.   , 0.415])
    """

    name = "soft-epsilon"
    rule = EPSILON
    uses_future_g = True
    profiles = {
        "paper": {"k": 1100.0, "unit": 1.0},
        "authors_code": {"k": 110.0, "unit": 1.0, "variant": "authors_code"},
    }

    k: float = exploration(0.5)
    unit: OnG = unit_rule("q0.5")
    variant: str = formula()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Nothing is carried."""
        least = view.lowest if self.variant == "authors_code" else view.floor
        psi = math.log1p(self.unit / view.G) / math.log1p(self.unit / least)
        return min(1.0, psi, decaying_epsilon(self.k, view.arms, view.t)), carry
