"""Parameters of a policy: a default, a sentence, what values are valid, and where tuning looks.

They are ordinary dataclass fields.  Values are checked when a policy is created; `highseason
policies` shows the sentences, and `ucb-z:z=31` on the command line is read by the same limits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import Field, dataclass, field
from functools import cache, partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from highseason.traffic import Threshold

#: A number, or a rule on G such as "q0.75", which becomes a number before any step.
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
#: What a parameter is to other rooms: the threshold that makes turns high, or the unit of G.
Role = Literal["", "threshold", "unit"]


@dataclass(frozen=True)
class Limits:
    """What a parameter may be: a number, yes or no, a word, a rule on G, or an inner policy.

    A `known` number is a fact about the world, which tuning leaves alone.  `search` is where tuning
    looks for the others.  A rule on G needs none: it is searched from the least G,
    where every turn is high, to just above the greatest, where none is.
    """

    doc: str
    above: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    whole: bool = False
    flag: bool = False
    inner: bool = False
    choices: Sequence[str] = ()
    allows_expression: bool = False
    infinite: bool = False
    search: tuple[float, float, Literal["log", "linear"]] | None = None
    known: bool = False
    role: Role = ""

    @property
    def numeric(self) -> bool:
        """Whether the parameter is a number, which tuning can search."""
        return not (self.choices or self.flag or self.inner or self.known)

    def search_range(self, G: NDArray[np.float64]) -> SearchRange:
        """Where tuning looks for the parameter in a game with these values of G."""
        if self.search is not None:
            return SearchRange(*self.search)
        if self.allows_expression:
            return SearchRange.between(float(G.min()), _ABOVE_G * float(G.max()))
        floor = max(self.above or 0.0, self.at_least or 0.0)
        high = EXPLORATION.high * max(1.0, 10 * floor)
        high = high if self.at_most is None else min(high, self.at_most)
        return SearchRange(max(EXPLORATION.low, 1.01 * floor), high, "log")

    def check(self, owner: str, name: str, value: Any) -> Any:
        """The value as it is kept; a `ValueError` says what was expected."""
        label = f"{owner}: {name}"
        if self.choices:
            if value not in self.choices:
                raise ValueError(f"{label}={value!r} must be one of {', '.join(self.choices)}")
            return str(value)
        if self.inner:  # the wrapper itself looks at it
            return value
        if self.flag:
            words = {"true": True, "yes": True, "false": False, "no": False}
            if str(value).lower() not in words:
                raise ValueError(f"{label}={value!r} must be true or false")
            return words[str(value).lower()]
        if self.allows_expression and isinstance(value, str):
            return self._expression(label, value)
        number = self._number(label, value)
        return int(number) if self.whole else number

    def _expression(self, label: str, value: str) -> float | str:
        try:
            threshold = Threshold.of(value)
        except ValueError as reason:
            raise ValueError(f"{label}: {reason}") from None
        return self._number(label, threshold.amount) if threshold.fixed else str(threshold)

    def _number(self, label: str, value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError(f"{label}={value!r} is not a number") from None
        if math.isnan(number) or (math.isinf(number) and not self.infinite):
            raise ValueError(f"{label}={value} is not a finite number")
        for words, limit, holds in (
            ("above", self.above, operator.gt),
            ("at least", self.at_least, operator.ge),
            ("at most", self.at_most, operator.le),
        ):
            if limit is not None and not holds(number, limit):
                raise ValueError(f"{label}={value} must be {words} {limit:g}")
        if self.whole and not number.is_integer():
            raise ValueError(f"{label}={value} must be a whole number")
        return number


def parameter(default: Any, doc: str, kw_only: bool = False, **limits: Any) -> Any:
    """A dataclass field with its `Limits`."""
    return field(default=default, kw_only=kw_only, metadata={"limits": Limits(doc, **limits)})


def declared(policy: object) -> dict[str, Limits]:
    """The limits of a policy's parameters, or of a policy class's, by name."""
    return _declared(policy if isinstance(policy, type) else type(policy))


@cache
def _declared(kind: type) -> dict[str, Limits]:
    entries: dict[str, Field[Any]] = getattr(kind, "__dataclass_fields__", {})
    return {
        name: entry.metadata["limits"]
        for name, entry in entries.items()
        if isinstance(entry.metadata.get("limits"), Limits)
    }


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
unit_rule = partial(
    parameter,
    doc="G is divided by this before it regulates: a number, or a rule on G such as q0.5 (median)",
    allows_expression=True,
    above=0.0,
    role="unit",
)
#: A constant that says how much to explore, such as k, P and c.
exploration = partial(parameter, at_least=0.0, search=EXPLORATION)
#: k of the ε policies.
epsilon_constant = partial(exploration, doc="exploration constant; 0 never explores")
#: P of the UCB policies.
radius = partial(exploration, 2.0, "the radius is sqrt(P log(…) / pulls); 2 is UCB1's")
#: A number of rewards or displays to look back on.
window = partial(parameter, at_least=1, at_most=1e6, whole=True, search=(1.01, 1e3, "log"))
#: Which reading of the policy: the paper's text or its authors' simulation code.
formula = partial(
    parameter,
    "paper",
    "the paper's formula, or the one in its authors' simulation code",
    choices=("paper", "authors_code"),
)
