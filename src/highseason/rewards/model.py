"""What an arm pays: kinds of reward, how the arms of a game differ, and the model of both.

A reward is a function of one uniform number per turn, the same for every arm and every policy of
the game, so that policies differ by their decisions and not by their luck.

A kind is a named tuple of numbers whose marked methods are scalar code, one file each.  Python
calls the methods as they are.  The compiler picks them by the tuple's type, so a kernel for
Bernoulli arms contains no trace of the others: a branch in the hottest loop, with a call behind it,
would cost as much as the rest of the turn.  Compiled code is kept on disk by the sources of this
package: for arms of your own use `custom`, which looks at your functions.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.core.jitable import inlined, jitable, jitable_as
from highseason.core.random import ARMS, arm_uniforms, draw, hash_at, turn_key
from highseason.core.special import normal_quantile
from highseason.core.validation import whole_number

Numbers: TypeAlias = NDArray[np.float64]
#: A function of a user's; None for kinds that need none.
Users: TypeAlias = Any
F = TypeVar("F", bound=Callable[..., Any])


class Drawn(NamedTuple):
    """What the visitors of a turn did, and what that is worth.

    The reward is the share of them who acted times what an act was worth.  That is 1, but for
    money: there it is the mean of the baskets that were drawn.
    """

    seen: float  # The share who bought, or clicked: from 0 to 1; the turn itself where it is a coin
    paid: float  # The reward X: what a visitor brought, from all of them


class Kind:
    """What a kind does unless it says otherwise.  Marked methods are compiled into kernels."""

    __slots__ = ()
    #: What the functions of a user's take; nothing where the kind needs none.
    quantile_takes: ClassVar[tuple[str, ...]] = ()
    mean_takes: ClassVar[tuple[str, ...]] = ()
    #: Whether X is always 0 or 1: then (G·X)/G is X to the last bit, and needs no division.
    is_coin: ClassVar[bool] = False
    #: Whether an arm's one parameter is its mean, which may then move.
    mean_is_parameter: ClassVar[bool] = True
    share: float = 0.0  # Visitors who see an arm, per unit of G; 0 where they are not counted
    rho: Any = None  # The correlation of a turn's visitors; None where it is not known
    scale: float = 0.0  # A number shared by all arms (the sigma of a normal)

    @property
    def counts_visitors(self) -> bool:
        """Whether a turn teaches as much as its visitors do."""
        return self.share > 0.0

    @property
    def ignores_logarithms(self) -> bool:
        """Whether the last bit of a logarithm makes no difference to any reward."""
        return False

    def means(self, parameters: Numbers) -> Numbers:
        """The true mean of every arm."""
        return parameters

    @jitable
    def visitors(self, G: float) -> float:
        """How many visitors a turn has; 1 if they are not counted."""
        return 1.0

    def draw(self, quantile: Users, u: float, parameter: Any, t: int, G: float) -> Drawn:
        """What an arm with this parameter, or these, gives at the uniform number `u`."""
        raise NotImplementedError

    @jitable
    def parameter(self, parameters: Numbers, means: Numbers, arm: int) -> Any:
        """The arm's parameter, or all it has, out of those of a game and the means of the turn."""
        return parameters[arm]

    @jitable
    def learned(self, x: float) -> float:
        """A reward as policies learn it: itself, or its share of the most that it may be."""
        return x

    @jitable
    def booked(self, x: float, paid: float) -> float:
        """What is added to a total of `paid` = G·X; NaN where a user's reward breaks its bounds."""
        return paid

    @jitable
    def update_means(
        self, mean_at: Users, game: int, parameters: Numbers, t: int, G: float, means: Numbers
    ) -> bool:
        """Fill in the means of turn t; False for the kinds whose means stay."""
        return False


def _called(method: F, inline: bool = False) -> F:
    """A method of kinds as a function of the kind: compiled code has no methods of tuples."""
    name = method.__name__

    @jitable_as(lambda kind, *others: getattr(kind.instance_class, name), inline)
    @functools.wraps(method)
    def call(kind: Kind, *others: Any) -> Any:
        return getattr(kind, name)(*others)

    return call  # type: ignore[return-value]  # of the same arguments


visitors_in = _called(Kind.visitors)
draw_reward = _called(Kind.draw)
parameter_of = _called(Kind.parameter, inline=True)  # it may be a part of the array
learned_of = _called(Kind.learned)
booked = _called(Kind.booked)
update_means = _called(Kind.update_means)


class CountsVisitors(Kind):
    """A kind of which a turn shows n = share·G visitors an arm."""

    __slots__ = ()

    @jitable
    def visitors(self, G: float) -> float:
        """How many see the arm."""
        return visitors_of(self.share, G)


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


# -- how the arms of a game differ -----------------------------------------------------------------


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


# -- the model -------------------------------------------------------------------------------------

#: `(u, parameter, scale)`; or `(u, parameters, t, G)` for models that look at the turn; those that
#: count visitors are given their number instead of the scale, or of G.
Quantile = Callable[..., float]


class Offer(NamedTuple):
    """What an arm offers, where arms are prices of one thing.

    >>> Offer(9.5, cost=6.0).margin, Offer(12.0, cost=6.0, tax=0.2).margin
    (3.5, 4.0)
    """

    price: float
    cost: float = 0.0
    tax: float = 0.0  # in the price, as a share of what is left without it

    @property
    def margin(self) -> float:
        """What is earned with each that is sold."""
        return self.price / (1.0 + self.tax) - self.cost


@dataclass(frozen=True, eq=False, repr=False)
class Rewards:
    """A family of arms.  Made by `visitors`, `spend`, `bernoulli`, `truncated_normal` or `custom`.

    Attributes:
        name: What it is called on the command line and in results.
        arms: How many arms a game has.
        kind: How an arm pays, and what is learned of it.
        fixed: The parameter of each arm, or None when every game draws its own; one row per arm
            where an arm has several.
        between: Parameters drawn per game are uniform between these two (arrays where an arm has
            several parameters).
        bounds: The lowest and the highest reward an arm can pay, as little and as much as one
            visitor may bring.
        width: How many parameters an arm has.
        drift: How means move from turn to turn; an arm's parameters are then its first mean, and
            its second one if there is a change.
        draw_arms: The parameters for an array of uniform numbers, with a row per game; None if
            they are uniform between two numbers.
        quantile: Of `custom`: `(u, parameter, scale)` gives the reward; compiled inside kernels.
            A model with `mean_at` has `(u, parameters, t, G)`; see `custom` for visitors.
        mean_of: Of `custom`: the true mean of an arm, given its parameter: an array in, an array
            out.
        mean_at: Of `custom`: `(parameters, t, G)` gives the true mean of one arm in turn t, for
            models that depend on the turn, on its G, or on several parameters per arm.
        offers: What each arm offers, for rules that know it; None where arms are mere names.
    """

    name: str
    arms: int
    kind: Kind
    fixed: Numbers | None
    between: tuple[Any, Any]
    bounds: tuple[float, float] = (0.0, 1.0)
    width: int = 1
    drift: Drift | None = None
    draw_arms: Callable[[Numbers], Numbers] | None = None
    quantile: Quantile | None = None
    mean_of: Callable[[Numbers], Numbers] | None = None
    mean_at: Callable[[Numbers, int, float], float] | None = None
    offers: tuple[Offer, ...] | None = None

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
    def scale(self) -> float:
        """A number shared by all arms (the sigma of a normal)."""
        return self.kind.scale

    @property
    def counts_visitors(self) -> bool:
        """Whether a turn teaches as much as its visitors do."""
        return self.kind.counts_visitors

    @property
    def kernel_kind(self) -> Kind:
        """The kind as kernels are given it, drift included."""
        return self.kind if self.drift is None else Drifting(self.kind, self.drift)

    def learned(self, x: float) -> float:
        """A reward as policies learn it."""
        low, high = self.reward_range
        if not low <= x <= high:
            raise self.out_of_bounds(f"a reward of {x:g} is")
        return self.kind.learned(x)

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
        if self.varies:
            raise ValueError(
                f"{self.name}: means change by turn; use means_at(parameters, t, G) for one game"
            )
        mean_of = self.kind.means if self.mean_of is None else self.mean_of
        means = np.asarray(mean_of(parameters), dtype=np.float64)
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
        return self.kind.visitors(G)

    def drawn(self, u: float, parameters: Any, t: int, G: float) -> Drawn:
        """What visitors do and bring in turn t at the uniform number `u`.

        For arms that drift, the parameter is the mean of that turn.
        """
        return self.kind.draw(self.quantile, u, parameters, t, G)

    def draw(self, u: float, parameters: Any, t: int, G: float) -> float:
        """The same: what an arm with these parameters pays, X."""
        return self.drawn(u, parameters, t, G).paid


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
