"""Where the arms of a game come from: given, drawn from a range, or drawn from a prior."""

import functools
import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.core.validation import whole_number
from highseason.rewards.drift import Drift
from highseason.rewards.model import describe_arms

Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Range:
    """One number per arm."""

    arms: int  # How many arms
    fixed: Numbers | None  # Their numbers, or None when every game draws its own,
    between: tuple[float, float]  # uniformly between these two,
    # or from a beta distribution with this mean and standard deviation
    prior: tuple[float, float] | None

    @property
    def highest(self) -> float:
        """The highest number that an arm may have; of a prior, one that is hardly exceeded."""
        if self.prior is not None:
            return min(1.0, self.prior[0] + 6.0 * self.prior[1])
        return float(self.between[1] if self.fixed is None else self.fixed.max())

    def draw(self, uniforms: Numbers) -> Numbers:
        """The numbers at these uniform numbers."""
        if self.prior is None:
            low, high = self.between
            return np.asarray(low + (high - low) * uniforms)
        from scipy.special import betaincinv

        mean, deviation = self.prior
        total = mean * (1.0 - mean) / deviation**2 - 1.0
        return np.asarray(betaincinv(mean * total, (1.0 - mean) * total, uniforms))


def check_rates(
    name: str,
    arms: int | None,
    fixed: ArrayLike | None,
    between: tuple[float, float],
    prior: tuple[float, float] | None,
    what: str,
) -> Range:
    """Rates of the arms: numbers from 0 to 1."""
    how = describe_arms(name, arms, fixed, between, (0.0, 1.0), what)
    if prior is None:
        return Range(how["arms"], how["fixed"], how["between"], None)
    mean, deviation = (float(number) for number in prior)
    if fixed is not None:
        raise ValueError(f"{name}: give {what}=[…] or prior=(mean, standard deviation), not both")
    if not (0.0 < mean < 1.0 and 0.0 < deviation**2 < mean * (1.0 - mean)):
        raise ValueError(
            f"{name}: prior=({mean:g}, {deviation:g}) must be a mean between 0 and 1 and a "
            f"standard deviation between 0 and {math.sqrt(max(0.0, mean * (1 - mean))):g}"
        )
    return Range(how["arms"], None, (0.0, 1.0), (mean, deviation))


def named(
    name: str,
    rates: Range,
    noise: Any = (),
    defaults: tuple[float, ...] = (),
    drift: float = 0.0,
    change: int | None = None,
) -> str:
    """A model as text, with what differs from the defaults."""
    fields = zip(getattr(noise, "_fields", ()), noise, defaults, strict=True)
    options = [f"{field}={value:g}" for field, value, default in fields if value != default]
    if rates.prior is not None:
        options.insert(0, "rates={:g}+-{:g}".format(*rates.prior))
    options += [f"drift={drift:g}"] * bool(drift) + [f"change={change}"] * bool(change)
    return f"{name}:{','.join(options)}" if options else name


def drifting_arms(
    name: str, rates: Range, drift: float, change: int | None, then: ArrayLike | None
) -> dict[str, Any]:
    """The fields of `Rewards` for arms whose rates stay, walk, or change at a turn."""
    if not (math.isfinite(drift) and drift >= 0):
        raise ValueError(f"{name}: drift must be a number >= 0, not {drift!r}")
    if change is None:
        if then is not None:
            raise ValueError(f"{name}: then=[…] needs the turn of the change: change=200")
        fields: dict[str, Any] = {"mean_of": np.asarray} | arms_between(rates)
        return fields if drift == 0.0 else fields | _moving(rates, drift, 0)
    second = _second(name, rates, then)
    return arms_between(rates, second) | _moving(
        rates, drift, whole_number("change", change, at_least=2)
    )


def _second(name: str, rates: Range, then: ArrayLike | None) -> Range:
    if rates.fixed is None:
        if then is not None:
            raise ValueError(f"{name}: rates drawn in every game are drawn again: leave out then")
        return rates
    if then is None:
        raise ValueError(f"{name}: rates that are given need those after the change: then=[…]")
    return check_rates(name, rates.arms, then, rates.between, None, "then")


def _moving(rates: Range, step: float, change: int) -> dict[str, Any]:
    low, high = rates.between if rates.fixed is None else (0.0, 1.0)
    return {"drift": Drift(float(step), float(change), low, high), "mean_of": None}


def arms_between(*columns: Range) -> dict[str, Any]:
    """The fields of `Rewards` for arms with these numbers each."""
    first = columns[0]
    fixed: Any = None
    if first.fixed is not None:
        numbers: list[Any] = [column.fixed for column in columns]
        fixed = np.array(numbers[0]) if len(columns) == 1 else np.stack(numbers, axis=-1)
        fixed.setflags(write=False)
    ends = first.between if len(columns) == 1 else _ends(columns)
    plain = len(columns) == 1 and first.prior is None
    return {
        "arms": first.arms,
        "fixed": fixed,
        "between": ends,
        "width": len(columns),
        "draw_arms": None if plain else functools.partial(_draw_arms, columns),
    }


def _ends(columns: tuple[Range, ...]) -> tuple[Any, Any]:
    low, high = np.array([column.between for column in columns]).T
    return low, high


def _draw_arms(columns: tuple[Range, ...], uniforms: Numbers) -> Numbers:
    """A row per game, a column per arm, and its numbers on a third axis if it has several."""
    if len(columns) == 1:
        return columns[0].draw(uniforms)
    drawn = uniforms.reshape(uniforms.shape[0], -1, len(columns))
    games = drawn.shape[:2]
    parts = [
        column.draw(drawn[..., i]) if column.fixed is None else np.broadcast_to(column.fixed, games)
        for i, column in enumerate(columns)
    ]
    return np.stack(parts, axis=-1)
