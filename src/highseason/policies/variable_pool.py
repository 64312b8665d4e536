"""Variable arm pool: draw from the best few arms; how few depends on the turn."""

import math
from dataclasses import dataclass
from typing import Any

from highseason.policies.base import OnG, Policy, formula, parameter, unit_of_g
from highseason.policies.plan import View
from highseason.policies.pool_rule import POOL


@dataclass(frozen=True)
class VariablePool(Policy):
    """Draw from a pool of the best arms that shrinks as G rises.

    Each of the m_t best arms is equally likely, m_t = min(m, max(1, floor(c·m·u / (t·G(t))))).
    u is the unit in which G is measured.  `variant="authors_code"` multiplies by G(t) instead, as
    both public codes do: the pool then *grows* on busy turns, the opposite of the stated aim.

    >>> import highseason as hs
    >>> hs.VariablePool(c=4, unit=1).plan([1, 1, 1, 40, 1], arms=2).levels
    array([2., 2., 2., 1., 1.])
    """

    name = "variable-pool"
    rule = POOL
    carry_depends_on = "nothing"
    profiles = {
        "paper": {"c": 10.0, "unit": 1.0},
        "authors_code": {"c": 1.1, "unit": 1.0, "variant": "authors_code"},
    }

    c: float = parameter(
        20.0, "size of the pool; larger explores longer", above=1.0, search=(1.01, 1e3, "log")
    )
    unit: OnG = unit_of_g("q0.5")
    variant: str = formula()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The floor is taken in double precision, without a tolerance."""
        scaled = view.G / self.unit
        if self.variant == "authors_code":
            size = self.c * view.arms / view.t * scaled
        else:
            size = self.c * view.arms / (view.t * scaled)
        return max(1.0, math.floor(min(size, view.arms))), carry
