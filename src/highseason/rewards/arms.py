"""How the arms of a game differ: given numbers, or numbers that every game draws; and drift."""

import functools
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from highseason.core.jitable import jitable
from highseason.core.random import ARMS, draw, hash_at, turn_key
from highseason.core.special import normal_quantile
from highseason.core.validation import whole_number
from highseason.rewards.kind import (
    Drawn,
    Kind,
    Numbers,
    Users,
    draw_reward,
    learned_of,
    visitors_in,
)


def describe_arms(
    name: str,
    arms: int | None,
    fixed: ArrayLike | None,
    between: tuple[Any, Any],
    allowed: tuple[float, float],
    what: str,
    per_turn: bool = False,
) -> dict[str, Any]:
    """Check how a game gets its arms, and return the fields of `Rewards` that say so.

    With `per_turn` an arm may have several parameters: `fixed` has a row per arm, or `between` two
    sequences with a number per parameter.
    """
    low, high = (np.array(b, dtype=np.float64) for b in between)
    inside = f"between {allowed[0]:g} and {allowed[1]:g}"
    rising = low.shape == high.shape and ((allowed[0] <= low) & (low <= high)).all()
    if not (rising and (high <= allowed[1]).all() and low.ndim <= int(per_turn)):
        raise ValueError(f"{name}: between={between} must be two rising numbers {inside}")
    if fixed is None:
        if arms is None:
            raise ValueError(f"{name}: give the number of arms (arms=25) or {what}=[…]")
        ends = (low, high) if low.ndim else (float(low), float(high))
        return {"arms": check_arms(arms), "fixed": None, "between": ends, "width": low.size}
    values = np.array(fixed, dtype=np.float64)
    if per_turn and values.ndim == 1:
        values = values[:, None]
    if values.ndim != 1 + int(per_turn) or values.size == 0:
        raise ValueError(f"{name}: {what} must be a non-empty list of numbers")
    if arms is not None and arms != len(values):
        raise ValueError(f"{name}: arms={arms}, but {what} has {len(values)} numbers")
    for arm, value in enumerate(values, start=1):
        if not (np.isfinite(value) & (allowed[0] <= value) & (value <= allowed[1])).all():
            raise ValueError(f"{name}: {what} of arm {arm} is {value}; it must be {inside}")
    values.setflags(write=False)
    ends = (float(low.min()), float(high.max()))
    return {"arms": len(values), "fixed": values, "between": ends, "width": values[0].size}


def check_arms(arms: int) -> int:
    """A whole number of arms, at least 1."""
    return whole_number("arms", arms, at_least=1)


@dataclass(frozen=True, eq=False)
class Range:
    """One number per arm."""

    arms: int  # How many arms
    fixed: Numbers | None  # Their numbers; None if every game draws its own
    between: tuple[float, float]  # Where they are drawn, uniformly
    prior: tuple[float, float] | None  # Mean and deviation of a beta distribution to draw from

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
    """Rates of the arms: numbers from 0 to 1; or a text, such as "2%..4%", between which."""
    if isinstance(fixed, str) and fixed.count("..") == 1:
        from highseason.rewards.text import parse_range

        between, fixed = parse_range(f"{name}: {what}", fixed), None
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
    kind: Any,
    defaults: tuple[float, ...] = (),
    drift: float = 0.0,
    change: int | None = None,
) -> str:
    """A model as text, with what differs from the defaults."""
    fields = zip(kind._fields, kind, defaults, strict=True)
    options = [f"{field}={value:g}" for field, value, default in fields if value != default]
    if rates.prior is not None:
        options.insert(0, "rates={:g}+-{:g}".format(*rates.prior))
    options += [f"drift={drift:g}"] * bool(drift) + [f"change={change}"] * bool(change)
    return f"{name}:{','.join(options)}" if options else name


def arms_between(*columns: Range) -> dict[str, Any]:
    """The fields of `Rewards` for arms with these numbers each."""
    first = columns[0]
    fixed: Any = None
    if first.fixed is not None:
        numbers: list[Any] = [column.fixed for column in columns]
        fixed = np.array(numbers[0]) if len(columns) == 1 else np.stack(numbers, axis=-1)
        fixed.setflags(write=False)
    ends = first.between if len(columns) == 1 else tuple(np.transpose([c.between for c in columns]))
    plain = len(columns) == 1 and first.prior is None
    return {
        "arms": first.arms,
        "fixed": fixed,
        "between": ends,
        "width": len(columns),
        "draw_arms": None if plain else functools.partial(_draw_arms, columns),
    }


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


class Drift(NamedTuple):
    """How the means of all arms move."""

    step: float  # The standard deviation of a mean's step from one turn to the next
    change: float  # The turn from which an arm has its second mean; 0 if it has only one
    low: float  # Where a walk is reflected below
    high: float  # And above


@jitable
def move_means(drift: Drift, game: int, arms: Numbers, t: int, means: Numbers) -> None:
    """Turn the means of turn t - 1 of a game into those of turn t; turn 1 sets them.

    `arms` is flat: the first mean of each arm, followed by its second one if there is a change.
    """
    width = arms.size // means.size
    family = hash_at(turn_key(game, t), ARMS)
    for arm in range(means.size):
        if t == 1:
            means[arm] = arms[arm * width]
        elif t == drift.change:
            means[arm] = arms[arm * width + 1]
        elif drift.step > 0.0:
            moved = means[arm] + drift.step * normal_quantile(draw(family, arm) + 2.0**-54)
            moved = 2.0 * drift.low - moved if moved < drift.low else moved
            moved = 2.0 * drift.high - moved if moved > drift.high else moved
            means[arm] = min(max(moved, drift.low), drift.high)


class Drifting(NamedTuple("Drifting", [("kind", Any), ("drift", Drift)]), Kind):
    """A kind whose one parameter is the mean, and moves; for kernels."""

    @jitable
    def visitors(self, G: float) -> float:
        """As the kind has it."""
        return visitors_in(self.kind, G)

    @jitable
    def draw(self, quantile: Users, u: float, parameter: float, t: int, G: float) -> Drawn:
        """As the kind has it."""
        return draw_reward(self.kind, quantile, u, parameter, t, G)

    @jitable
    def parameter(self, parameters: Numbers, means: Numbers, arm: int) -> Any:
        """The arm's mean of this turn."""
        return means[arm]

    @jitable
    def learned(self, x: float) -> float:
        """As the kind has it."""
        return learned_of(self.kind, x)

    @jitable
    def update_means(
        self, mean_at: Users, game: int, parameters: Numbers, t: int, G: float, means: Numbers
    ) -> bool:
        """Move them."""
        move_means(self.drift, game, parameters, t, means)
        return True


def drifting_arms(
    name: str, rates: Range, drift: float, change: int | None, then: ArrayLike | None
) -> dict[str, Any]:
    """The fields of `Rewards` for arms whose rates stay, walk, or change at a turn."""
    if not (math.isfinite(drift) and drift >= 0):
        raise ValueError(f"{name}: drift must be a number >= 0, not {drift!r}")
    if change is None:
        if then is not None:
            raise ValueError(f"{name}: then=[…] needs the turn of the change: change=200")
        return arms_between(rates) | ({"drift": _moving(rates, drift, 0)} if drift else {})
    turn = whole_number("change", change, at_least=2)
    second = _second(name, rates, then)
    return arms_between(rates, second) | {"drift": _moving(rates, drift, turn)}


def _second(name: str, rates: Range, then: ArrayLike | None) -> Range:
    if rates.fixed is None:
        if then is not None:
            raise ValueError(f"{name}: rates drawn in every game are drawn again: leave out then")
        return rates
    if then is None:
        raise ValueError(f"{name}: rates that are given need those after the change: then=[…]")
    return check_rates(name, rates.arms, then, rates.between, None, "then")


def _moving(rates: Range, step: float, change: int) -> Drift:
    low, high = rates.between if rates.fixed is None else (0.0, 1.0)
    return Drift(float(step), float(change), low, high)
