"""Arms that are prices of one thing: in every game they lie on a demand curve of its own.

n visitors see the price x of a turn, and buy with probability d(x); the reward is the profit per
visitor, (x - cost) times the share who buy.  A family of curves says which d a game may have.  With
the ladder from lo to hi, its middle x̄, span = hi - lo and the cost c, each is scaled to the level
d(x̄), which is drawn so that its logarithm is uniform; o is the price that earns most:

    exponential  exp(-(x - x̄)/(o - c))
    linear       A - x, at least span/100, with A = 2o - c and A >= x̄ + 0.15 span
    elasticity   x^-e, with e = o/(o - c); without a cost e is from 0.2 to 2.2, and no o is drawn
    logistic     1/(1 + exp((x - a)/s)), with s from 0.1 to 0.35 span and a such that o is best
    cliff        exponential, times 0.5 to 0.85 above a price, by default anywhere on the ladder
    bumpy        falls at each price by a step, most of them small (Dirichlet with 1/2): in all by
                 the factor ((hi - c)/(lo - c))^-r, with r from 0.4 to 1.6
    prestige     exp(-a z²), z the distance to a place on the ladder, in spans, and a from 1 to 4

The last two know no o.  It is uniform from 0.1 span below the ladder to 0.1 span above it, unless
given (`best=11..13`), and above the cost.
"""

import inspect
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from highseason.core.special import each, normal_quantile
from highseason.core.specs import Registry
from highseason.core.text import exact, format_number
from highseason.core.validation import non_negative_number, positive_number
from highseason.rewards.model import Numbers, Offer, Range, Rewards
from highseason.rewards.spend import Spend
from highseason.rewards.visitors import check_noise
from highseason.traffic.numerals import read_number

#: A demand of one's own: price -> rate; or (prices, uniform numbers of a game) -> rates.
Demand: TypeAlias = Callable[..., Any]
#: Where the level lies unless given: the share that buys at the middle of the ladder.
LEVEL = (0.01, 0.05)


class Ladder(NamedTuple):
    """The prices, and what a family draws in: o if it is given."""

    prices: Numbers
    cost: float
    best: tuple[float, float] | None
    above: float | None  # Where the cliff is

    @property
    def ends(self) -> tuple[float, float, float, float]:
        """The lowest and the highest price, the middle between them, and the span."""
        low, high = float(self.prices.min()), float(self.prices.max())
        return low, high, 0.5 * (low + high), high - low

    def optimum(self, u: Numbers) -> Numbers:
        """o of every game, a column."""
        low, high, _, span = self.ends
        floor = self.cost + 0.25 * (low - self.cost)
        ends = self.best or (max(low - 0.1 * span, floor), high + 0.1 * span)
        return np.asarray(ends[0] + (ends[1] - ends[0]) * u[:, :1])


def _exp(x: Numbers) -> Numbers:
    return each(math.exp, x.ravel()).reshape(x.shape)


def _log(x: Numbers) -> Numbers:
    return each(math.log, x.ravel()).reshape(x.shape)


# Each gives log d up to a constant: a row per game, a column per price x.  `u` are uniform numbers
# of the game, the first of them that of o.


def _exponential(x: Numbers, u: Numbers, ladder: Ladder) -> Numbers:
    return np.asarray(-x / (ladder.optimum(u) - ladder.cost))


def _linear(x: Numbers, u: Numbers, ladder: Ladder) -> Numbers:
    _, _, middle, span = ladder.ends
    top = np.maximum(2.0 * ladder.optimum(u) - ladder.cost, middle + 0.15 * span)
    return _log(np.maximum(top - x, 0.01 * span))


def _elasticity(x: Numbers, u: Numbers, ladder: Ladder) -> Numbers:
    exponent = 0.2 + 2.0 * u[:, :1]
    if ladder.cost > 0.0:
        o = ladder.optimum(u)
        exponent = o / (o - ladder.cost)
    return -exponent * _log(x)


def _logistic(x: Numbers, u: Numbers, ladder: Ladder) -> Numbers:
    o, span = ladder.optimum(u), ladder.ends[3]
    s = np.minimum((0.1 + 0.25 * u[:, 1:2]) * span, 0.9 * (o - ladder.cost))
    odds = s / (o - ladder.cost) / (1.0 - s / (o - ladder.cost))  # of not buying, at o
    return -_log(1.0 + odds * _exp(np.minimum((x - o) / s, 300.0)))


def _cliff(x: Numbers, u: Numbers, ladder: Ladder) -> Numbers:
    low, _, _, span = ladder.ends
    edge = low + span * u[:, 2:3] if ladder.above is None else ladder.above
    return _exponential(x, u, ladder) + np.where(x > edge, _log(0.5 + 0.35 * u[:, 1:2]), 0.0)


def _bumpy(x: Numbers, u: Numbers, ladder: Ladder) -> Numbers:
    low, high, _, _ = ladder.ends
    rungs = np.sort(ladder.prices)
    normal = each(normal_quantile, np.maximum(u[:, 1 : rungs.size], 2.0**-54).ravel())
    steps = np.square(normal).reshape(-1, rungs.size - 1) + 1e-300  # gamma variables of shape 1/2
    steps /= steps.sum(axis=1, keepdims=True)
    fall = math.log((high - ladder.cost) / (low - ladder.cost)) * (0.4 + 1.2 * u[:, :1])
    fallen = (steps[:, None, :] * (x[..., None] >= rungs[1:])).sum(axis=-1)
    return np.asarray(-fall * fallen)


def _prestige(x: Numbers, u: Numbers, ladder: Ladder) -> Numbers:
    low, _, _, span = ladder.ends
    z = (x - low) / span - u[:, :1]
    return np.asarray(-(1.0 + 3.0 * u[:, 1:2]) * z * z)


LogDemand: TypeAlias = Callable[[Numbers, Numbers, Ladder], Numbers]


class _Family(NamedTuple):
    log_demand: LogDemand
    options: tuple[str, ...] = ("best",)


#: The families by name; "any" draws one of them in every game.
FAMILIES: Registry[_Family] = Registry("demand")
FAMILIES.register("exponential", _Family(_exponential))
FAMILIES.register("linear", _Family(_linear))
FAMILIES.register("elasticity", _Family(_elasticity))
FAMILIES.register("logistic", _Family(_logistic))
FAMILIES.register("cliff", _Family(_cliff, ("best", "above")))
FAMILIES.register("bumpy", _Family(_bumpy, ()))
FAMILIES.register("prestige", _Family(_prestige, ()))


def _any(x: Numbers, u: Numbers, ladder: Ladder) -> Numbers:
    """Each family as likely as another, by the last number of the game."""
    which, out = (u[:, -1] * len(FAMILIES)).astype(int), np.empty((u.shape[0], x.shape[-1]))
    for number, family in enumerate(list(FAMILIES.values())):
        if (mine := which == number).any():
            out[mine] = family.log_demand(x, u[mine], ladder)
    return out


def _rates_of_family(
    log_demand: LogDemand, ladder: Ladder, level: tuple[float, float], uniforms: Numbers
) -> Numbers:
    """A row per game, a column per price."""
    low, high = map(math.log, level)
    logs = log_demand(np.append(ladder.prices, ladder.ends[2])[None, :], uniforms[:, 1:], ladder)
    levels = low + (high - low) * uniforms[:, :1]
    return _exp(np.minimum(logs[:, :-1] - logs[:, -1:] + levels, 0.0))


def _rates_of_function(demand: Demand, x: Numbers, uniforms: Numbers) -> Numbers:
    return np.array([_rates(demand(x, row), x) for row in uniforms])


def _with_margins(
    rates_of: Callable[[Numbers], Numbers], margins: Numbers, uniforms: Numbers
) -> Numbers:
    rates = rates_of(uniforms)
    return np.stack([rates, np.broadcast_to(margins, rates.shape)], axis=-1)


def prices(
    prices: ArrayLike | str,
    demand: str | Demand = "any",
    cost: ArrayLike = 0.0,
    level: tuple[float, float] | str | None = None,
    rates: ArrayLike | None = None,
    share: float = 1.0,
    rho: float = 0.0,
    day: float = 0.0,
    tax: float = 0.0,
) -> Rewards:
    """Prices of one thing; every game draws a demand curve, on which they all lie.

    The reward is the profit per visitor: the margin, price - cost, times the share who buy.
    Policies learn it as a share of the greatest margin; `price-curve` knows the prices, and learns
    the shares themselves.

    Args:
        prices: The prices, two at least; or a text: "8.99/9.99/10.99", or "8.99..14.99/7" for 7 in
            equal steps, rounded to cents.
        demand: The family of curves: "exponential", "linear", "elasticity", "logistic", "cliff",
            "bumpy", "prestige", or "any", which draws one of them in every game.  With a colon it
            says between which prices the best one lies ("linear:best=11..13"), or where the cliff
            is ("cliff:above=9.99").  Or a function of your own: price -> rate, the same in every
            game, or (prices, uniforms) -> rates, with two uniform numbers a price in every game.
        cost: What one sold costs, or a list with the cost of each price; 0 makes it takings.
        level: Between which shares the one who buy at the middle of the ladder lies, or a text:
            "1%..5%", which is the default.  Its logarithm is uniform.
        rates: Or the share who buy at each price, the same in every game.
        share: As in `visitors`.
        rho: As in `visitors`.
        day: As in `visitors`.
        tax: The tax in the prices, such as 0.19, where costs have none in them.

    >>> shelf = prices([8.99, 9.99, 10.99], rates=[0.04, 0.035, 0.02], cost=4)
    >>> shelf.means(shelf.fixed).round(4)
    array([0.1996, 0.2097, 0.1398])
    >>> prices("8.99..14.99/7", "linear:best=11..13", cost=4.2, level="2%..4%")
    <Rewards prices:demand=linear:best=11..13,cost=4.2,level=2%..4%: 7 arms>
    """
    offers = check_offers("prices", prices, cost, tax=tax)
    x, costs = np.array([offer[:2] for offer in offers]).T
    margins, fixed, rates_of = np.array([offer.margin for offer in offers]), None, None
    words = [f"cost={'/'.join(map(exact, np.unique(costs).tolist()))}"] if costs.any() else []
    words += [f"tax={exact(tax)}"] if tax else []
    if rates is None and callable(demand) and _takes(demand) == 1:
        rates = [demand(price) for price in x.tolist()]
    elif rates is not None and demand != "any":
        raise ValueError("prices: give demand or rates=[…], not both")
    if rates is not None:
        fixed = np.stack([_rates(rates, x), margins], axis=-1)
        fixed.setflags(write=False)
        top = float(fixed[:, 0].max())
    elif callable(demand):
        rates_of, top = partial(_rates_of_function, demand, x), 0.0
        words.insert(0, f"demand={getattr(demand, '__name__', 'own')}")
    else:
        ends = _level(LEVEL if level is None else level)
        gross = float(costs.mean()) * (1.0 + tax)  # profit is in proportion to the price less this
        log_demand, ladder = _family(demand, x, gross)
        rates_of, top = partial(_rates_of_family, log_demand, ladder, ends), ends[1]
        words.insert(0, f"demand={demand}")
        if ends != LEVEL:
            words.append("level={}%..{}%".format(*(exact(round(100.0 * end, 10)) for end in ends)))
    if level is not None and (rates is not None or callable(demand)):
        raise ValueError("prices: the level is that of the rates given: leave level out")
    noise = check_noise("prices", Range(x.size, None, (0.0, top), None), share, rho, day)
    defaults = zip(("share", "rho", "day"), noise, (1.0, 0.0, 0.0), strict=True)
    words += [f"{name}={value:g}" for name, value, default in defaults if value != default]
    most = float(margins.max())
    return Rewards(
        f"prices:{','.join(words)}" if words else "prices",
        arms=x.size,
        kind=Spend(*noise, 0.0, most),
        fixed=fixed,
        between=(np.array([0.0, margins.min()]), np.array([1.0, most])),
        bounds=(0.0, most),
        width=2,
        draw_arms=rates_of and partial(_with_margins, rates_of, margins),
        offers=offers,
    )


def check_offers(
    name: str,
    prices: ArrayLike | str,
    cost: ArrayLike = 0.0,
    error: type[ValueError] = ValueError,
    tax: float = 0.0,
) -> tuple[Offer, ...]:
    """Prices, and what one sold costs: two prices at least, no two equal, all above the cost.

    >>> check_offers("shelf", "4.99/5.99", cost=3)
    (Offer(price=4.99, cost=3.0, tax=0.0), Offer(price=5.99, cost=3.0, tax=0.0))
    """
    given = ladder_of(name, prices) if isinstance(prices, str) else prices
    x = [positive_number(f"{name}: a price", one, error) for one in _listed(name, given, error)]
    if len(x) < 2:
        raise error(f"{name}: expected two prices at least, got {exact(x[0]) if x else 'none'}")
    if twice := next((one for one in x if x.count(one) > 1), None):
        raise error(f"{name}: the price {exact(twice)} is there twice: give each price once")
    return offers_at(name, x, cost, tax, error)


def offers_at(
    name: str, prices: Sequence[float], cost: Any, tax: float, error: type[ValueError] = ValueError
) -> tuple[Offer, ...]:
    """What prices offer: one cost for all or one for each, below the price without its tax.

    >>> offers_at("shelf", [5.95, 7.14], cost=3, tax=0.19)[0].margin
    2.0
    """
    one = isinstance(cost, str) or np.ndim(cost) == 0
    each_cost = [cost] if one else _listed(name, cost, error)
    costs = [non_negative_number(f"{name}: a cost", one, error) for one in each_cost]
    if len(costs) not in (1, len(prices)):
        given = f"{len(prices)} prices, but {len(costs)} costs"
        raise error(f"{name}: {given}: give one for all, or each")
    costs *= len(prices) if len(costs) == 1 else 1
    offers = tuple(Offer(x, own, tax) for x, own in zip(prices, costs, strict=True))
    for offer in offers:
        if offer.margin <= 0.0:
            net = (
                f", which is {format_number(offer.price / (1.0 + tax))} without tax," if tax else ""
            )
            raise error(
                f"{name}: the price {exact(offer.price)}{net} is not above its cost of "
                f"{exact(offer.cost)}: nothing can be earned with it; leave it out, or give price "
                "and cost both with or both without tax"
            )
    return offers


def ladder_of(name: str, text: str) -> list[float]:
    """Prices from a text: numbers with slashes between them, or two ends and how many.

    >>> ladder_of("prices", "8.99..14,99/4"), ladder_of("prices", "5/7.5")
    ([8.99, 10.99, 12.99, 14.99], [5.0, 7.5])
    """
    ends, _, count = text.partition("/")
    if ".." not in text:
        return [_price(name, part) for part in text.split("/")]
    if not (count.strip().isdigit() and 2 <= int(count) <= 1000):
        raise ValueError(
            f"{name}: {text!r} does not say how many prices from one end to the other: write "
            "8.99..14.99/8"
        )
    low, high = (_price(name, end) for end in ends.split("..", 1))
    return [round(x, 2) for x in np.linspace(low, high, int(count)).tolist()]


def _price(name: str, text: str) -> float:
    try:
        return read_number(text)
    except ValueError as reason:
        raise ValueError(f"{name}: {reason}") from reason


def _listed(name: str, prices: Any, error: type[ValueError]) -> Sequence[Any]:
    if isinstance(prices, Sequence | np.ndarray) and np.ndim(prices) == 1:
        return [one.item() if isinstance(one, np.generic) else one for one in prices]
    raise error(f"{name}: expected a list of prices such as [8.99, 9.99], got {prices!r}")


def _rates(rates: Any, x: Numbers) -> Numbers:
    found = np.asarray(rates, dtype=np.float64)
    if found.shape != x.shape or not ((found >= 0.0) & (found <= 1.0)).all():
        raise ValueError(
            f"prices: expected {x.size} shares of visitors who buy, from 0 to 1, one for each "
            f"price, got {found.tolist()}"
        )
    return found


def _takes(demand: Demand) -> int:
    """How many arguments a demand of one's own takes."""
    needed = [
        one
        for one in inspect.signature(demand).parameters.values()
        if one.default is one.empty and one.kind is not one.VAR_KEYWORD
    ]
    if len(needed) not in (1, 2):
        raise ValueError(
            "prices: demand must be a function of a price, or of all prices and the uniform "
            f"numbers of a game; it takes {len(needed)} arguments"
        )
    return len(needed)


def _level(level: tuple[float, float] | str) -> tuple[float, float]:
    from highseason.rewards.text import parse_range

    low, high = parse_range("prices: level", level) if isinstance(level, str) else level
    if not 0.0 < low <= high <= 1.0:
        raise ValueError(
            f"prices: level={level!r} must be two rising shares of visitors above 0, such as 1%..5%"
        )
    return float(low), float(high)


def _family(text: str, x: Numbers, cost: float) -> tuple[LogDemand, Ladder]:
    """What a demand's text says: the curves, between which prices o lies, where the cliff is."""
    from highseason.rewards.text import parse_number, parse_range

    name, *parts = (piece.strip() for piece in str(text).split(":"))
    family = _Family(_any) if name == "any" else FAMILIES[name]
    found: dict[str, Any] = {"best": None, "above": None}
    for key, _, value in (part.partition("=") for part in parts):
        if key not in family.options:
            known = ", ".join(family.options) or "none"
            raise ValueError(f"demand {name!r} has no option {key!r}; it has: {known}")
        found[key] = (parse_range if key == "best" else parse_number)(f"demand: {key}", value)
    if found["best"] is not None and not cost < found["best"][0] <= found["best"][1]:
        raise ValueError(
            f"demand {text!r}: the best price lies between two rising prices above the cost of "
            f"{exact(cost)}, such as best=11..13"
        )
    return family.log_demand, Ladder(x, cost, **found)
