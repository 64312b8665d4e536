"""What an arm pays: a quantile function, a mean, and how the arms of a game differ.

A reward is `quantile(u, …)`: one uniform number per turn, the same for every arm and every policy
of the game, so that policies differ by their decisions and not by their luck.  `bernoulli` and
`truncated_normal` are the paper's models; `custom` is any other that brings its quantile function
and its mean.
"""

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.core.compile import compiled
from highseason.core.jitable import inlined, jitable
from highseason.core.random import ARMS, arm_uniforms, draw, hash_at, turn_key
from highseason.core.special import clipped_normal_mean, normal_quantile, share_of
from highseason.core.text import exact
from highseason.core.validation import whole_number

Numbers: TypeAlias = NDArray[np.float64]
#: `(u, parameter, scale)`, or `(u, parameters, t, G)` for models that look at the turn.
Quantile = Callable[..., float]
#: Below this many arms in all, a loop in Python is faster than loading compiled code.
_WORTH_COMPILING = 2_000


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


@inlined
def visitors_of(share: float, G: float) -> float:
    """How many visitors a turn has: a whole number, at least 1."""
    return max(1.0, float(math.floor(share * G + 0.5)))


@jitable
def effective_visitors(visitors: Any, rho: Any) -> Any:
    """How many independent visitors would teach as much as these.

    >>> effective_visitors(1000.0, 0.0), effective_visitors(1000.0, 0.01)
    (1000.0, 90.99...)
    """
    return visitors / (1.0 + (visitors - 1.0) * rho)


@dataclass(frozen=True, eq=False, repr=False)
class Rewards:
    """A family of arms.  Made by `visitors`, `spend`, `bernoulli`, `truncated_normal` or `custom`.

    Attributes:
        name: What it is called on the command line and in results.
        arms: How many arms a game has.
        quantile: `(u, parameter, scale)` gives the reward; compiled inside kernels.  A model with
            `mean_at` has `(u, parameters, t, G)`.
        mean_of: The true mean of an arm, given its parameter(s): an array in, an array out.
        fixed: The parameter of each arm, or None when every game draws its own; one row per arm
            where an arm has several.
        between: Parameters drawn per game are uniform between these two (arrays where an arm has
            several parameters).
        scale: A number shared by all arms (the sigma of a normal).
        bounds: The lowest and the highest reward an arm can pay, as little and as much as one
            visitor may bring.
        mean_at: `(parameters, t, G)` gives the true mean of one arm in turn t, for models that
            depend on the turn, on its G, or on several parameters per arm; None for all others.
        width: How many parameters an arm has.
        noise: How the visitors of a turn vary, for models that count them; `quantile` is then
            `(u, parameters, noise, G)`.
        drift: How means move from turn to turn; an arm's parameters are then its first mean, and
            its second one if there is a change.
        draw_arms: The parameters for an array of uniform numbers, with a row per game; None if
            they are uniform between two numbers.
    """

    name: str
    arms: int
    quantile: Quantile
    mean_of: Callable[[Numbers], Numbers] | None
    fixed: Numbers | None
    between: tuple[Any, Any]
    scale: float = 0.0
    bounds: tuple[float, float] = (0.0, 1.0)
    mean_at: Callable[[Numbers, int, float], float] | None = None
    width: int = 1
    noise: Any = None
    drift: Drift | None = None
    draw_arms: Callable[[Numbers], Numbers] | None = None

    def __repr__(self) -> str:
        return f"<Rewards {self.name}: {self.arms} arms>"

    @property
    def varies(self) -> bool:
        """Whether true means change by turn."""
        return self.mean_at is not None or self.drift is not None

    @property
    def reward_range(self) -> tuple[float, float]:
        """What policies learn as 0, nothing or the lowest reward below it, and what as 1."""
        low, high = self.bounds
        return min(low, 0.0), high

    @property
    def learned_as_is(self) -> bool:
        """Whether policies learn rewards, not shares of the range: from 0 to 1, but for money."""
        return self.reward_range == (0.0, 1.0) and not hasattr(self.noise, "most")

    def learned(self, x: float) -> float:
        """A reward as policies learn it."""
        low, high = self.reward_range
        if not low <= x <= high:
            raise self.out_of_bounds(f"a reward of {x:g} is")
        return x if self.learned_as_is else float(share_of(x, low, high))

    def out_of_bounds(self, found: str) -> ValueError:
        """The error for a reward that breaks the bounds."""
        ends = "({:g}, {:g})".format(*self.bounds)
        return ValueError(
            f"{self.name}: {found} outside bounds={ends}: declare how far rewards can reach"
        )

    def parameters(self, keys: NDArray[np.uint64]) -> Numbers:
        """The arms of each game: one row per game key; a third axis for several numbers per arm."""
        if self.fixed is not None:
            return np.tile(self.fixed, (keys.size,) + (1,) * self.fixed.ndim)
        low, high = self.between
        uniforms = arm_uniforms(keys, self.arms * self.width)
        if self.draw_arms is not None:
            return self.draw_arms(uniforms)
        if self.mean_at is not None:
            uniforms = uniforms.reshape(keys.size, self.arms, self.width)
        return np.asarray(low + (high - low) * uniforms)

    def means(self, parameters: Numbers) -> Numbers:
        """The true mean of every arm, for models whose means do not change by turn."""
        if self.mean_of is None:
            raise ValueError(
                f"{self.name}: means change by turn; use means_at(parameters, t, G) for one game"
            )
        means = np.asarray(self.mean_of(parameters), dtype=np.float64)
        if means.shape != (parameters.shape if self.width == 1 else parameters.shape[:-1]):
            raise ValueError(
                f"{self.name}: mean returned shape {means.shape} for parameters of shape "
                f"{parameters.shape}; it must return one mean per parameter"
            )
        return means

    def means_at(self, parameters: Numbers, t: int, G: float) -> Numbers:
        """The true mean of every arm of one game in turn t."""
        if self.mean_at is None:
            return self.means(parameters)
        return np.array([self.mean_at(row, t, G) for row in parameters], dtype=np.float64)

    def means_by_turn(self, parameters: Numbers, game: int, G: Numbers) -> Numbers:
        """The true means of a game, a row per turn; one row if they do not change by turn."""
        if self.drift is None:
            turns = enumerate(G if self.varies else G[:1], start=1)
            return np.stack([self.means_at(parameters, t, value) for t, value in turns])
        path, means = np.empty((G.size, self.arms)), np.empty(self.arms)
        for t in range(1, G.size + 1):
            move_means(self.drift, game, parameters.ravel(), t, means)
            path[t - 1] = means
        return path

    def visitors_at(self, G: float) -> float:
        """How many visitors a turn with this G shows; 1 for models that do not count them."""
        return 1.0 if self.noise is None else visitors_of(self.noise.share, G)

    def draw(self, u: float, parameters: Any, t: int, G: float) -> float:
        """What an arm with these parameters pays in turn t at the uniform number `u`.

        For arms that drift, the parameter is the mean of that turn.
        """
        if self.noise is not None:
            return self.quantile(u, parameters, self.noise, G)
        if self.mean_at is None:
            return self.quantile(u, parameters, self.scale)
        return self.quantile(u, parameters, t, G)


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


@jitable
def bernoulli_quantile(u: float, mean: float, scale: float) -> float:
    """1 for the upper `mean` share of the uniform numbers, else 0."""
    return 1.0 if u >= 1.0 - mean else 0.0


@jitable
def clipped_normal_quantile(u: float, centre: float, sigma: float) -> float:
    """N(centre, sigma), with everything below 0 at 0 and everything above 1 at 1."""
    reach = 1.4 * sigma  # the outer 7.5% on either side lie further out: they need no quantile
    if u > 0.925 and centre + reach >= 1.0:
        return 1.0
    if u < 0.075 and centre - reach <= 0.0:
        return 0.0
    return max(0.0, min(1.0, centre + sigma * normal_quantile(u)))


def bernoulli(
    arms: int | None = None,
    means: Sequence[float] | Numbers | str | None = None,
    between: tuple[float, float] = (0.0, 1.0),
    prior: tuple[float, float] | None = None,
    drift: float = 0.0,
    change: int | None = None,
    then: Sequence[float] | Numbers | None = None,
) -> Rewards:
    """Arms that pay 1 or 0: one coin a turn, however busy it is, as in the paper.

    Args:
        arms: How many; every game draws its means uniformly `between` two numbers.
        means: Or the means themselves, the same in every game; or a text for `between`: "2%..4%".
        between: Where means are drawn.
        prior: Draw them from a beta distribution with this mean and standard deviation instead.
        drift: By how much a mean moves in a turn, as a standard deviation; it is reflected at the
            ends of `between` (0 and 1 for given means and priors).
        change: The turn from which means change.
        then: The new means.  Means that every game draws are drawn again instead.

    >>> bernoulli(means=[0.9, 0.5]).arms
    2
    >>> bernoulli(means=[0.9, 0.5], change=100, then=[0.1, 0.5]).drift.change
    100.0
    """
    means_of_arms = check_rates("bernoulli", arms, means, between, prior, "means")
    how = drifting_arms("bernoulli", means_of_arms, drift, change, then)
    name = named("bernoulli", means_of_arms, drift=drift, change=change)
    return Rewards(name, quantile=bernoulli_quantile, **how)


def truncated_normal(
    arms: int | None = None,
    centres: Sequence[float] | Numbers | None = None,
    sigma: float = 0.1,
    between: tuple[float, float] = (0.0, 1.0),
) -> Rewards:
    """Arms that pay N(centre, sigma) clipped to [0, 1] (the paper says *truncated*).

    The true mean of such an arm is not its centre; gaps and regret use the true mean.

    >>> rewards = truncated_normal(centres=[1.0], sigma=1.0)
    >>> rewards.means(rewards.fixed).round(3)
    array([0.684])
    """
    if not isinstance(sigma, int | float) or not (math.isfinite(sigma) and sigma > 0):
        raise ValueError(f"truncated_normal: sigma must be a number > 0, not {sigma!r}")
    how = describe_arms("truncated_normal", arms, centres, between, (0.0, 1.0), "centres")
    return Rewards(
        "truncated-normal",
        quantile=clipped_normal_quantile,
        mean_of=functools.partial(_clipped_means, sigma=float(sigma)),
        scale=float(sigma),
        **how,
    )


def custom(
    quantile: Quantile,
    mean: Callable[..., Any],
    arms: int | None = None,
    parameters: ArrayLike | None = None,
    between: tuple[Any, Any] = (0.0, 1.0),
    scale: float = 0.0,
    bounds: tuple[float, float] = (0.0, 1.0),
    name: str = "custom",
    per_turn: bool = False,
) -> Rewards:
    """Any distribution that brings its quantile function and its mean.

    Args:
        quantile: `(u, parameter, scale)` gives the reward at the uniform number `u`; scalar code
            that numba can compile (the `math` module, no SciPy).
        mean: The true mean for an array of parameters.
        arms: How many; every game draws its parameters uniformly `between` two numbers.
        parameters: Or one parameter per arm, the same in every game.
        between: Where parameters are drawn.
        scale: A number handed to every call of `quantile`.
        bounds: The lowest and the highest reward possible; one outside is an error.  Policies learn
            rewards as shares of the highest, so they play alike in euros and in cents.
        name: For tables and messages.
        per_turn: The model looks at the turn and at its G, or an arm has several parameters:
            `quantile(u, parameters, t, G)` and `mean(parameters, t, G)` are both scalar code,
            `parameters` holds those of one arm, and regret is measured against the best arm of
            each turn.

    An exponential price response, capped at 1:

    >>> import math, numpy as np
    >>> def capped(u, rate, scale):
    ...     return min(1.0, -math.log(1.0 - u) / rate)
    >>> arms = custom(capped, lambda rate: (1 - np.exp(-rate)) / rate, arms=3, between=(1, 9))
    >>> arms.quantile(0.5, 2.0, 0.0) == math.log(2) / 2
    True

    Two arms whose means drift by turn, each from its own start at its own speed:

    >>> def mean(parameters, t, G):
    ...     return parameters[0] + parameters[1] * t
    >>> def quantile(u, parameters, t, G):
    ...     return 1.0 if u >= 1.0 - (parameters[0] + parameters[1] * t) else 0.0
    >>> drifting = custom(quantile, mean, parameters=[[0.2, 0.01], [0.8, -0.01]], per_turn=True)
    >>> drifting.means_at(drifting.fixed, t=40, G=1.0).round(2)
    array([0.6, 0.4])
    """
    low, high = map(float, bounds)
    if not (low < high and math.isfinite(high - low)):
        raise ValueError(f"{name}: bounds={bounds} must be two rising numbers, both finite")
    free = (-math.inf, math.inf)
    how = describe_arms(name, arms, parameters, between, free, "parameters", per_turn)
    rewards = Rewards(
        name,
        quantile=quantile,
        mean_of=None if per_turn else mean,
        mean_at=mean if per_turn else None,
        scale=float(scale),
        bounds=(low, high),
        **how,
    )
    _check_reach(rewards)
    return rewards


def _check_reach(rewards: Rewards) -> None:
    """The ends and the middle of the quantile function must lie within the declared bounds."""
    low, high = rewards.bounds
    tried = rewards.between if rewards.fixed is None else list(rewards.fixed)
    for given, u in itertools.product(tried, (0.0, 0.5, 1.0 - 2.0**-53)):
        parameter = float(given) if rewards.mean_at is None else np.atleast_1d(given)
        value = rewards.draw(u, parameter, 1, 1.0)
        if not low <= value <= high:
            raise rewards.out_of_bounds(f"quantile({u:g}, {exact(parameter)}) is {value:g},")


def _clipped_means(centres: Numbers, sigma: float) -> Numbers:
    flat = np.ascontiguousarray(np.ravel(centres), dtype=np.float64)
    out = np.empty_like(flat)
    fill = _fill_clipped_means if flat.size < _WORTH_COMPILING else _compiled_fill()
    fill(flat, sigma, out)
    return out.reshape(np.shape(centres))


def _fill_clipped_means(centres: Numbers, sigma: float, out: Numbers) -> None:
    for i in range(centres.size):
        out[i] = clipped_normal_mean(centres[i], sigma)


def _compiled_fill() -> Callable[..., None]:
    from numba import types

    numbers = types.float64[::1]
    return compiled(_fill_clipped_means, types.void(numbers, types.float64, numbers))


def as_rewards(rewards: Any) -> Rewards:
    """A reward model, or what its text means."""
    model = rewards
    if isinstance(rewards, str):
        from highseason.rewards.text import parse  # late: it names the models of this module

        model = parse(rewards)
    if not isinstance(model, Rewards):
        raise ValueError(
            f"rewards must be a reward model such as hs.rewards.bernoulli(arms=25), got {model!r}"
        )
    return model
