"""Soft UCB: the busier the turn, the narrower the confidence radius."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from highseason.policies.base import Policy
from highseason.policies.parameters import OnG, formula, radius, unit_rule
from highseason.policies.ucb import clock
from highseason.policies.view import View
from highseason.rules import UCB_RULE


@dataclass(frozen=True)
class SoftUCB(Policy):
    """Play the arm with the highest estimate + sqrt(P log xi(t) / pulls), xi(t) = 1 + u·t/G(t).

    u is the unit in which G is measured: with page views in millions and unit=1 the radius would
    all but vanish.

    `variant="authors_code"`: turns count from 0 inside xi.

    >>> import highseason as hs
    >>> hs.SoftUCB(unit=1).plan([1, 1, 40, 1], arms=2).levels.round(2)
    array([1.39, 2.2 , 0.14, 3.22])
    """

    name = "soft-ucb"
    rule = UCB_RULE
    profiles = {"paper": {"unit": 1.0}, "authors_code": {"unit": 1.0, "variant": "authors_code"}}

    unit: OnG = unit_rule("q0.1")
    P: float = radius()
    variant: str = formula()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Nothing is carried."""
        scaled = view.G / self.unit
        return self.P * math.log1p(clock(self.variant, view.t) / scaled), carry
