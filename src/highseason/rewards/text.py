"""Reward models as text: `visitors:rates=2%..4%,rho=0.01`, and as a sentence."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from highseason.core.specs import Registry, split_spec
from highseason.core.text import decimal
from highseason.rewards.bernoulli import bernoulli
from highseason.rewards.model import Rewards, effective_visitors
from highseason.rewards.prices import ladder_of, prices
from highseason.rewards.spend import spend
from highseason.rewards.truncated_normal import truncated_normal
from highseason.rewards.visitors import visitors
from highseason.traffic import Multiplier

_MOVES = ("drift", "change", "then")
_NOISE = ("share", "rho", "day")
#: The number of arms where nothing says how many.
DEFAULT_ARMS = 25


class _Family(NamedTuple):
    """How to make a model: what its arms are called, and its options."""

    make: Callable[..., Rewards]
    arms: str
    options: tuple[str, ...]
    prior: bool = True


_FAMILIES: Registry[_Family] = Registry("reward model")
_FAMILIES.register("bernoulli", _Family(bernoulli, "means", _MOVES))
_FAMILIES.register(
    "truncated-normal", _Family(truncated_normal, "centres", ("sigma",), prior=False)
)
_FAMILIES.register("visitors", _Family(visitors, "rates", (*_NOISE, *_MOVES)))
_FAMILIES.register("spend", _Family(spend, "rates", ("values", "cv", "most", *_NOISE)))


def _prices(arms: int | None, **options: Any) -> Rewards:
    """Prices must be listed: a number of arms does not say which they are."""
    if "prices" not in options:
        raise ValueError("prices: say which, such as prices:prices=8.99/9.99/10.99,demand=linear")
    return prices(**options)


_FAMILIES.register(
    "prices", _Family(_prices, "prices", ("demand", "cost", "tax", "level", "rates", *_NOISE))
)


def usual_rewards(G: Multiplier) -> str:
    """The model for traffic where none is given.

    Data counts visitors.  The values of a shape are stakes without a unit, as in the paper.

    >>> import highseason as hs
    >>> usual_rewards(hs.traffic.wave(turns=9)), usual_rewards(hs.traffic.from_values([9]))
    ('bernoulli', 'visitors')
    """
    return "bernoulli" if G.is_shape else "visitors"


def rates_text(model: Rewards) -> str:
    """The range of the arms' rates, as part of a sentence."""
    if model.fixed is not None and model.width == 1:
        low, high = float(model.fixed.min()), float(model.fixed.max())
    elif model.width == 1 and model.draw_arms is None:
        low, high = model.between
    elif model.fixed is None and model.offers is not None:
        return "on one demand curve"
    else:
        return "as given"
    return f"{100 * low:g}% to {100 * high:g}%"


def independent_visitors(model: Rewards, G: Multiplier) -> float:
    """How many independent visitors teach as much as those of a median turn."""
    n = model.visitors_at(float(np.median(G.values)))
    return float(effective_visitors(n, model.kind.rho or 0.0))


def assumption(model: Rewards, G: Multiplier, demand: str = "") -> str:
    """What a model assumes about a turn, in a sentence, and of prices what is known of demand."""
    rates = f"rates {rates_text(model)}"
    counts, alike = f"every visitor counts ({rates})", f"{rates}, and visitors"
    if model.offers is not None:
        curve = demand or f"all prices lie on one demand curve ({model.name})"
        counts, alike = f"{curve}.  Every visitor counts", f"{curve}.  Visitors"
    if not model.counts_visitors:
        return (
            f"Assumed: the paper's world.  A turn is one draw ({model.name}, means "
            f"{rates_text(model)}), "
            "however many visitors it has."
        )
    if (rho := model.kind.rho) is None:
        return (
            f"Assumed: every visitor counts ({model.name}), so a busy turn teaches more than a "
            "quiet one."
        )
    if rho == 0.0:
        return (
            f"Assumed: {counts} and decides independently (rho, how alike the visitors of a turn "
            "decide, is 0), so a busy turn teaches more than a quiet one."
        )
    return (
        f"Assumed: {alike} of the same turn decide alike to some degree (rho = "
        f"{decimal(rho, 6)}): a median turn of {float(np.median(G.values)):,.0f} visitors teaches "
        f"as much as {independent_visitors(model, G):,.0f} independent ones."
    )


def parse(
    text: str,
    arms: int | None = None,
    means: Sequence[float] | None = None,
) -> Rewards:
    """Read a reward model as it is written on the command line.

    Args:
        text: `NAME:KEY=VALUE,…`.  Arms are a range (`rates=0.02..0.04`), a mean and a standard
            deviation (`rates=0.03+-0.005`), or one number each (`rates=0.02/0.03/0.04`);
            percentages may be written as such.
        arms: The number of arms, where the text does not name each of them; 25 if None.
        means: The arms themselves; the text must not name them too.

    >>> model = parse("visitors:rates=2%..4%,rho=0.01", arms=5)
    >>> model.arms, model.between, model.kind.rho
    (5, (0.02, 0.04), 0.01)
    >>> parse("spend:rates=0.02/0.03,values=40/30,cv=0.5").arms
    2
    >>> parse("prices:prices=8.99..14.99/5,demand=linear:best=11..13,cost=4.2,level=1%..5%").arms
    5
    """
    name, options = split_spec(text)
    family = _FAMILIES[name]
    known = (family.arms, *family.options)
    for key in options:
        if key not in known:
            raise ValueError(f"{name} has no parameter {key!r}; it has: {', '.join(known)}")
    if means is not None and family.arms in options:
        raise ValueError(f"{text!r} names the {family.arms}, which are also given as {means}")
    values: dict[str, Any] = {} if means is None else {family.arms: list(means)}
    for key, value in options.items():
        values |= _option(family, name, key, value)
    given = values.get(family.arms)
    if given is not None and arms not in (None, len(given)):
        raise ValueError(f"{text!r} has {len(given)} {family.arms}, but arms={arms}: leave one out")
    return family.make(None if given is not None else arms or DEFAULT_ARMS, **values)


def _option(family: _Family, name: str, key: str, value: str) -> dict[str, Any]:
    label = f"{name}: {key}"
    if key == family.arms:
        return _arms(family, label, key, value)
    if key == "values" and ".." in value:
        return {"values_between": parse_range(label, value)}
    if key in ("demand", "level"):
        return {key: value}
    if key in ("values", "then", "cost", "rates"):
        return {key: [parse_number(label, part) for part in value.split("/")]}
    number = parse_number(label, value)
    return {key: int(number) if key == "change" and number.is_integer() else number}


def _arms(family: _Family, label: str, key: str, value: str) -> dict[str, Any]:
    if key == "prices":
        return {key: ladder_of(label, value)}
    if ".." in value:
        return {"between": parse_range(label, value)}
    if "+-" in value or "±" in value:
        if not family.prior:
            raise ValueError(f"{label}: give a range, such as 0.2..0.8, not {value!r}")
        mean, deviation = value.replace("±", "+-").split("+-", 1)
        return {"prior": (parse_number(label, mean), parse_number(label, deviation))}
    return {key: [parse_number(label, part) for part in value.split("/")]}


def parse_range(label: str, text: str) -> tuple[float, float]:
    """Two numbers with dots between them.

    >>> parse_range("rates", "2%..4%")
    (0.02, 0.04)
    """
    low, _, high = text.partition("..")
    return parse_number(label, low), parse_number(label, high)


def parse_number(label: str, text: str) -> float:
    """A finite number, or a percentage."""
    body = text.strip()
    try:
        number = float(body.removesuffix("%")) / (100.0 if body.endswith("%") else 1.0)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{label}: {body!r} is not a number")
    return number
