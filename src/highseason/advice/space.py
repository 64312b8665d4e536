"""The candidates of a search: an axis for each parameter, and points spread over all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from highseason.policies import Policy
from highseason.policies.base import EXPLORATION, SearchRange
from highseason.traffic import Multiplier

#: Which parameters to tune, or a range for each.
Wanted = Mapping[str, tuple[float, float] | None] | Sequence[str] | None


@dataclass(frozen=True)
class Axis:
    """One parameter's range: a place in [0, 1] stands for a value.

    Attributes:
        name: The parameter.
        low: The value at 0.
        high: The value at 1.
        kind: "log" or "linear".
        whole: Whether only whole numbers make sense.
        form: For a value that is an expression on G, such as "q{:.2f}" or "{:.3g}*max".

    >>> Axis("k", 0.01, 100, "log").value(0.5), Axis("z", 0, 40, "linear").value(0.75)
    (1.0, 30.0)
    >>> Axis("z", 0, 1, "linear", form="q{:.2f}").setting(0.75)
    'q0.75'
    """

    name: str
    low: float
    high: float
    kind: str
    whole: bool = field(default=False, repr=False)
    form: str = field(default="", repr=False)

    def value(self, place: float) -> float:
        """The value at a place in [0, 1], to three figures: more would be false precision."""
        value = float(f"{self._exact(place):.3g}")
        return round(value) if self.whole else value

    def setting(self, place: float) -> float | str:
        """What the parameter is set to: the value, or the expression that holds it."""
        return self.form.format(self._exact(place)) if self.form else self.value(place)

    def place(self, setting: float | str) -> float:
        """Where a setting is: from 0 to 1 in the range, minus infinity for a 0 on a log axis.

        >>> Axis("k", 0.01, 100, "log").place(1)
        0.5
        >>> Axis("z", 0, 1, "linear", form="q{:.2f}").place("q0.3")
        0.3
        """
        number = float(str(setting).removeprefix("q").removesuffix("*max"))
        if self.kind == "linear":
            return (number - self.low) / (self.high - self.low)
        if number <= 0.0:
            return -math.inf
        return math.log(number / self.low) / math.log(self.high / self.low)

    def around(self, place: float, width: float, ends: tuple[float, float]) -> Axis:
        """The axis with a range of `width` times the length around a place, but within the ends.

        >>> Axis("k", 0.01, 1, "log").around(0.0, 1.0, ends=(1e-9, math.inf))
        Axis(name='k', low=0.001, high=0.1, kind='log')
        """
        centre = max(0.0, place)
        low = max(ends[0], self._exact(centre - width / 2))
        high = min(ends[1], self._exact(centre + width / 2))
        return replace(self, low=low, high=high) if low < high else self

    def _exact(self, place: float) -> float:
        if self.kind == "log":
            return float(self.low * (self.high / self.low) ** place)
        return self.low + (self.high - self.low) * place


@dataclass(frozen=True)
class Space:
    """A policy to start from, and the axes along which it may change."""

    start: Policy
    axes: tuple[Axis, ...]

    @classmethod
    def of(cls, policy: Policy | type[Policy], G: Multiplier, space: Wanted = None) -> Space:
        """The usual axes of a policy, or those that `space` names.

        Parameters on the scale of G (z, unit) range from its least value to just above its
        greatest: at one end every turn is high, at the other none is.

        >>> import highseason as hs
        >>> G = hs.traffic.step(turns=100)
        >>> [(axis.name, axis.low, axis.high) for axis in Space.of(hs.UCBZ, G).axes]
        [('z', 1.0, 40.8), ('P', 0.001, 100.0)]
        >>> Space.of(hs.UCBZ, G, {"z": (10, 40)}).axes
        (Axis(name='z', low=10.0, high=40.0, kind='linear'),)
        """
        start = (policy() if isinstance(policy, type) else policy).resolve_thresholds(G.values)
        limits = start.tunable()
        names = list(limits) if space is None else [space] if isinstance(space, str) else space
        wanted = names if isinstance(names, Mapping) else dict.fromkeys(names)
        for name in wanted:
            if name not in limits:
                known = ", ".join(limits) or "none"
                raise ValueError(
                    f"{start.label} has no parameter {name!r} to tune; it has: {known}"
                )
        if not wanted:
            raise ValueError(f"{start.label} has no parameters: there is nothing to tune")
        axes = []
        for name, ends in wanted.items():
            if ends is None:
                search = limits[name].search_range(G.values)
            elif float(ends[0]) < float(ends[1]):
                search = SearchRange.between(float(ends[0]), float(ends[1]))
            else:
                raise ValueError(f"{name}: {ends} must be two rising numbers (low, high)")
            axes.append(Axis(name, search.low, search.high, search.scale, limits[name].whole))
        return cls(start, tuple(axes))

    def candidate(self, places: Sequence[float]) -> Policy:
        """The policy at a point of the unit cube."""
        values: dict[str, Any] = {
            axis.name: axis.setting(place) for axis, place in zip(self.axes, places, strict=True)
        }
        return self.start.with_values(values)

    def candidates(self, count: int) -> list[Policy]:
        """The anchors, and points spread evenly over the space: `count` in total."""
        anchors = self.anchors()[:count]
        return anchors + [self.candidate(point) for point in self.spread(count - len(anchors))]

    def anchors(self) -> list[Policy]:
        """Two that are always tried: the policy as it is, and where it explores least."""
        least: dict[str, Any] = {}
        for axis in self.axes:
            if axis.kind == "log" and not axis.form:
                with suppress(ValueError):  # not every constant may be 0
                    self.start.with_values({axis.name: 0.0})
                    least[axis.name] = 0.0
        return [self.start, self.start.with_values(least)] if least else [self.start]

    def spread(self, count: int) -> list[tuple[float, ...]]:
        """Points that fill the unit cube evenly, whether few or many.

        An additive recurrence on the generalised golden ratio: deterministic on every machine.
        """
        size = len(self.axes)
        ratio = 2.0
        for _ in range(50):
            ratio = (1 + ratio) ** (1 / (size + 1))
        steps = np.array([ratio ** -(i + 1) for i in range(size)])
        points = (0.5 + np.outer(np.arange(1, count + 1), steps)) % 1.0
        return [tuple(point) for point in points.tolist()]


def axes(policy: Policy) -> tuple[Axis, ...]:
    """Axes for any G: constants of exploration in equal factors, the rest as shares of G."""
    found = []
    for name, limits in policy.tunable().items():
        if limits.role == "threshold":
            found.append(Axis(name, 0.0, 1.0, "linear", form="q{:.2f}"))
        elif limits.role == "unit":
            found.append(Axis(name, 1e-3, 10.0, "log", form="{:.3g}*max"))
        elif limits.search is not None:
            low, high, kind = limits.search
            high = high / 10 if limits.search == EXPLORATION else high
            found.append(Axis(name, low, high, kind, whole=limits.whole))
    return tuple(found)
