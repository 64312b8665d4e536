"""The UCB policies: plain, with a threshold (UCB-z), soft, and naive."""

import math
from dataclasses import dataclass
from typing import Any

from highseason.core.jitable import jitable
from highseason.policies.base import OnG, WeighingPolicy, formula, radius, threshold, unit_of_g
from highseason.policies.plan import View
from highseason.policies.ucb_rule import UCB_RULE


@jitable
def clock(variant: str, t: int) -> int:
    """The turn inside the logarithm; the authors' code counts turns from 0."""
    return max(1, t - 1) if variant == "authors_code" else t


@dataclass(frozen=True)
class UCB(WeighingPolicy):
    """Play the highest upper confidence bound, whatever G is.

    The bound is estimate + sqrt(P log t / pulls); P = 2 is UCB1.
    `variant="authors_code"`: turns count from 0 inside the logarithm.

    >>> import highseason as hs
    >>> hs.UCB().plan(hs.traffic.wave(turns=100), arms=5).at(100)  # 2 log 100
    9.21...
    """

    name = "ucb"
    rule = UCB_RULE
    carry_depends_on = "nothing"
    profiles = {"paper": {}, "authors_code": {"variant": "authors_code"}}

    P: float = radius()
    variant: str = formula()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The number under the root, before it is divided by an arm's pulls."""
        return self.P * math.log(clock(self.variant, view.t)), carry


@dataclass(frozen=True)
class UCBZ(WeighingPolicy):
    """Play the leader on high turns (G >= z); on low turns as UCB.

    The t in its bound is the calendar turn, not the number of low turns.
    `variant="authors_code"`: high means G > z, and turns count from 0 inside the logarithm.

    >>> import highseason as hs
    >>> hs.UCBZ(z=30).plan([1, 1, 40, 1], arms=2).levels.round(2)
    array([0.  , 1.39, 0.  , 2.77])
    """

    name = "ucb-z"
    rule = UCB_RULE
    carry_depends_on = "nothing"
    profiles = {"paper": {"z": 30.0}, "authors_code": {"z": "q0.65", "variant": "authors_code"}}

    z: OnG = threshold("q0.75")
    P: float = radius()
    variant: str = formula()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """0 on a high turn: the index is then the estimate itself."""
        high = view.G > self.z if self.variant == "authors_code" else view.G >= self.z
        return (0.0 if high else self.P * math.log(clock(self.variant, view.t))), carry


@dataclass(frozen=True)
class SoftUCB(WeighingPolicy):
    """UCB whose confidence radius shrinks as G rises.

    The bound is estimate + sqrt(P log xi(t) / pulls), xi(t) = 1 + u·t/G(t).
    u is the unit in which G is measured: with page views in millions and unit=1 the radius would
    all but vanish.

    `variant="authors_code"`: turns count from 0 inside xi.

    >>> import highseason as hs
    >>> hs.SoftUCB(unit=1).plan([1, 1, 40, 1], arms=2).levels.round(2)
    array([1.39, 2.2 , 0.14, 3.22])
    """

    name = "soft-ucb"
    rule = UCB_RULE
    carry_depends_on = "nothing"
    profiles = {"paper": {"unit": 1.0}, "authors_code": {"unit": 1.0, "variant": "authors_code"}}

    unit: OnG = unit_of_g("q0.1")
    P: float = radius()
    variant: str = formula()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Nothing is carried."""
        scaled = view.G / self.unit
        return self.P * math.log1p(clock(self.variant, view.t) / scaled), carry


@dataclass(frozen=True)
class NaiveUCB(UCB):
    """UCB that does not divide its rewards by G(t), so that its radius no longer fits them.

    >>> import highseason as hs
    >>> hs.policies.NaiveUCB.learns_scaled
    True
    """

    name = "naive-ucb"
    learns_scaled = True
