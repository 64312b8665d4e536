"""A world of unknown demand: what is assumed of prices before any of them was tried."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from highseason.core.special import each, normal_quantile
from highseason.policies.price_curve import DEVIATIONS, LEVEL_SD, PriceCurve, curve_of, factorize
from highseason.policies.price_curve import LEVEL as PRIOR_LEVEL
from highseason.rewards import Offer, Rewards, prices
from highseason.rewards.prices import LEVEL

Numbers = NDArray[np.float64]
#: Besides the curves that `price-curve` expects: those that it does not.
FAMILIES = ("logistic", "cliff")


def unknown_demand(
    offers: Sequence[Offer], level: tuple[float, float] | None = None, rho: float = 0.0
) -> Rewards:
    """Prices of which nobody knows how they sell: each game draws a kind of curve, and one of them.

    In a third of the games it is one that `price-curve` expects; in the others it is logistic, or
    has a cliff.

    Args:
        offers: The prices.
        level: Between which shares the one who buy at the middle of the ladder lies.
        rho: How alike the visitors of a turn decide.

    >>> world = unknown_demand([Offer(8.99), Offer(9.99), Offer(10.99)])
    >>> world.parameters(np.arange(5, dtype=np.uint64))[:, 1, 0].round(3)
    array([0.022, 0.021, 0.04 , 0.038, 0.041])
    """
    x, costs, taxes = zip(*offers, strict=True)
    worlds = [prices(x, one, costs, level, rho=rho, tax=taxes[0]) for one in FAMILIES]
    draws: list[Callable[[Numbers], Numbers]] = [
        partial(_expected_by_price_curve, tuple(offers), level or LEVEL),
        *(world.draw_arms for world in worlds if world.draw_arms is not None),
    ]
    name = worlds[0].name.replace(FAMILIES[0], "unknown")
    return replace(worlds[0], name=name, draw_arms=partial(_one_of, draws))


def in_words(offers: Sequence[Offer], level: tuple[float, float] | None) -> str:
    """What such a world is, as part of a sentence."""
    low, high = level or LEVEL
    middle = 0.5 * (min(offers).price + max(offers).price)
    return (
        "nobody knows how demand falls with the price.  In a third of the games it is a curve that "
        "price-curve expects (between exponential and linear, and deviations from it), in a third "
        "logistic (level, and then falling), in a third it drops at one price (cliff); "
        f"{100 * low:g}% to {100 * high:g}% of the visitors buy at {middle:.6g}"
    )


def best_beforehand(rewards: Rewards, games: int = 4000) -> tuple[Offer, float]:
    """The price to choose where none can be tried, and its share of the best one's profit."""
    means = rewards.means(rewards.parameters(np.arange(games, dtype=np.uint64)))
    single = means.mean(axis=0)
    best = int(single.argmax())
    offers: Sequence[Offer] = rewards.offers or ()
    return offers[best], float(single[best] / means.max(axis=1).mean())


def _one_of(draws: Sequence[Callable[[Numbers], Numbers]], uniforms: Numbers) -> Numbers:
    """Each kind as likely as another, by the last number of the game."""
    which = (uniforms[:, -1] * len(draws)).astype(int)
    return np.asarray(np.stack([draw(uniforms) for draw in draws])[which, np.arange(which.size)])


def _expected_by_price_curve(
    offers: tuple[Offer, ...], level: tuple[float, float], uniforms: Numbers
) -> Numbers:
    """Arms as the prior of `price-curve` has them, around a level that is drawn by itself."""
    n = len(offers)
    curve = curve_of(PriceCurve().rule.fresh_state(n, offers))
    normals = each(normal_quantile, np.maximum(uniforms[:, 1 : n + 1], 2.0**-54).ravel())
    normals = normals.reshape(-1, n)
    rest = uniforms[:, -1] * (1 + len(FAMILIES)) % 1.0  # what `_one_of` leaves of its number
    which, bends = (rest * len(DEVIATIONS)).astype(int), np.zeros_like(normals)
    for number, deviation in enumerate(DEVIATIONS):
        factor = [
            c - LEVEL_SD**2 + deviation**2 * w for c, w in zip(curve.curve, curve.walk, strict=True)
        ]
        factorize(factor, n)
        lower, mine = np.tril(np.reshape(factor, (n, n))), which == number
        for k in range(n):
            bends[mine] += normals[mine, k : k + 1] * lower[:, k]
    low, high = map(math.log, level)
    levels = each(math.exp, low + (high - low) * uniforms[:, 0])
    logits = each(lambda p: math.log(p / (1.0 - p)), np.minimum(levels, 1.0 - 1e-9))
    logits = logits[:, None] + (np.array(curve.mean) - PRIOR_LEVEL) + bends
    rates = 1.0 / (1.0 + each(lambda x: math.exp(-x), logits.ravel())).reshape(-1, n)
    margins = np.broadcast_to([offer.margin for offer in offers], rates.shape)
    return np.stack([rates, margins], axis=-1)
