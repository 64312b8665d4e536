"""The parameters that policies share, and where tuning looks for them.

A parameter is a dataclass field with a default, a sentence, and what values are valid:
`k: float = parameter(1.0, "exploration constant", at_least=0.0)`.  See `Limits` for what else can
be said of it.
"""

from __future__ import annotations

from dataclasses import field
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from highseason.core.validation import Limits

#: A number, or an expression such as "q0.75", which becomes a number before any step.
OnG: TypeAlias = Any
#: A range whose ends differ by more than this factor is searched in equal factors.
_WIDE = 20.0
#: Just above the greatest G: no turn reaches it.
_ABOVE_G = 1.02


class SearchRange(NamedTuple):
    """Where tuning looks for a parameter: from `low` to `high`, in equal factors or equal steps."""

    low: float
    high: float
    scale: Literal["log", "linear"]

    @classmethod
    def between(cls, low: float, high: float) -> SearchRange:
        """The scale that suits two ends: equal factors over a wide range above 0.

        >>> SearchRange.between(1, 40), SearchRange.between(0, 1)
        (SearchRange(low=1, high=40, scale='log'), SearchRange(low=0, high=1, scale='linear'))
        """
        return cls(low, high, "log" if 0 < low and high > _WIDE * low else "linear")


#: The search range of exploration constants (k, P, c), and of a number that declares none.
EXPLORATION = SearchRange(1e-3, 1e2, "log")


def search_range(limits: Limits, G: NDArray[np.float64]) -> SearchRange:
    """Where tuning looks for a parameter in a game with these values of G.

    For an expression, from the least G, where every turn is high, to just above the greatest, where
    none is.
    """
    if limits.search is not None:
        return SearchRange(*limits.search)
    if limits.allows_expression:
        return SearchRange.between(float(G.min()), _ABOVE_G * float(G.max()))
    floor = max(limits.above or 0.0, limits.at_least or 0.0)
    high = EXPLORATION.high * max(1.0, 10 * floor)
    high = high if limits.at_most is None else min(high, limits.at_most)
    return SearchRange(max(EXPLORATION.low, 1.01 * floor), high, "log")


def parameter(default: Any, doc: str, kw_only: bool = False, **limits: Any) -> Any:
    """A dataclass field with its `Limits`."""
    return field(default=default, kw_only=kw_only, metadata={"limits": Limits(doc, **limits)})


#: z: a turn with G >= z is high.
threshold = partial(
    parameter,
    doc="turns with G >= z are high: a number, a quantile of G (q0.75) or a share of its maximum "
    "(0.75*max)",
    allows_expression=True,
    above=0.0,
    infinite=True,
    role="threshold",
)
#: The parameter by which G is divided before a soft formula sees it.
unit_of_g = partial(
    parameter,
    doc="G is divided by this before it regulates: a number, or an expression such as q0.5",
    allows_expression=True,
    above=0.0,
    role="unit",
)
#: The least G in its unit that the formulas divide by: the quotient of the two may round to 0.
LEAST_G = 1e-300
#: A constant that says how much to explore, such as k, P and c.
exploration = partial(parameter, at_least=0.0, search=EXPLORATION)
#: k of the ε policies.
epsilon_constant = partial(exploration, doc="exploration constant; 0 never explores")
#: P of the UCB policies.
radius = partial(exploration, 2.0, "the radius is sqrt(P log(…) / pulls); 2 is UCB1's")
#: A number of rewards or displays to look back on.
window = partial(parameter, at_least=1, at_most=1e6, whole=True, search=(1.01, 1e3, "log"))
