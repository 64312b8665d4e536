"""UCB-L: explore the arms with a long remaining lifetime."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from highseason.engine.lifetimes.presence import LifetimeOptions
from highseason.policies.base import Policy
from highseason.policies.parameters import EXPLORATION, OnG, parameter, unit_rule
from highseason.policies.view import View
from highseason.rules import LIFE


@dataclass(frozen=True)
class UCBL(Policy):
    """Play the arm with the highest estimate + c · log(l_j - t + 1) · sqrt(2 log xi_j / pulls).

    l_j is the arm's last turn, so it must be known.  `xi="soft"`: xi_j = 1 + u·age/G(t), the
    paper's reading, regulated by G.  `xi="age"`: xi_j is the age itself and G plays no part, the
    original UCB-L and the fair baseline.  Untried arms come first.

    The published c = 0.011 belongs to lifetimes counted in seconds.  log(l_j - t + 1) grows with
    the unit of time, but slowly: c = 0.01 is best for turns of a day, too.

    >>> import highseason as hs
    >>> hs.UCBL(xi="age").plan([1, 9, 9], arms=2).levels  # the stakes play no part
    array([0., 0., 0.])
    """

    name = "ucb-l"
    rule = LIFE
    profiles = {"paper": {"c": 0.011, "unit": 1.0}}

    c: float = parameter(
        0.01,
        "how much the logarithm of the remaining lifetime counts",
        at_least=0.0,
        search=EXPLORATION,
    )
    xi: str = parameter(
        "soft", "regulated by G, or by the arm's age alone", choices=("soft", "age")
    )
    unit: OnG = unit_rule("q0.1")

    @property
    def lifetime_options(self) -> LifetimeOptions:
        """C is the weight of every arm."""
        return LifetimeOptions(needs_end=True, weight_scale=self.c)

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The turn's stakes, or 0 where they play no part."""
        return (0.0 if self.xi == "age" else view.G / self.unit), carry
