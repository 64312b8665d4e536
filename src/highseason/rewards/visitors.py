"""Arms that are judged by visitors: the busier a turn, the more it teaches.

A turn shows one arm to n = share·G(t) visitors, and its reward X is the share of them that buys
(`visitors`) or what they spend per head (`spend`).  The variance of X is

    rate·(1 - rate)·(rho + (1 - rho)/n):

with rho 0 every visitor decides alone; with rho 1 all visitors of a turn decide alike, and a turn
is one coin, as in the paper.  A day effect adds d·rate·(1 - rate) = (day·rate)² and leaves 1 - d of
the rest, with d = day²·rate/(1 - rate).

How many visitors buy is the binomial quantile at the turn's uniform number `u`.  Where visitors are
alike, its rate is a beta variable, drawn from further numbers that belong to `u`: the count is then
beta-binomial.  Small counts are searched, and exact; large ones are expanded.
"""

import math
from typing import NamedTuple

from numpy.typing import ArrayLike

from highseason.core.gamma import BETA_NUMBERS, beta_sample
from highseason.core.jitable import inlined, jitable
from highseason.core.random import draw, further
from highseason.core.special import quick_normal_quantile
from highseason.rewards.model import (
    CountsVisitors,
    Drawn,
    Range,
    Rewards,
    Users,
    check_rates,
    drifting_arms,
    named,
    visitors_of,
)

#: Where the further numbers of a turn stand, by what they are for.
_DAY, _RATE = 0, BETA_NUMBERS
#: Counts with a variance below this are searched from 0; the expansion is for all others.
_SEARCHED_BELOW = 4.0
#: Where a search may stop: nothing beyond can be reached by a uniform number.
_NO_MASS = 1e-20
#: A correlation below this, times the visitors, is none: it would change nothing but roundings.
_ALONE = 1e-6
#: The uniform numbers nearest to 0 and 1; at 0 and 1 the normal quantile is infinite.
_LEAST, _MOST = 2.0**-54, 1.0 - 2.0**-53


class VisitorNoise(NamedTuple):
    """How the visitors of a turn vary."""

    share: float  # Visitors of a turn who see the arm, per unit of G
    rho: float  # The correlation of the decisions of two visitors of the same turn
    day: float  # The standard deviation of the turn's effect on all arms, relative to their rates


@inlined
def count_draw(u: float, n: float, p: float, rho: float) -> float:
    """How many of `n` visitors buy, each with probability `p`, alike by the correlation `rho`."""
    if (n - 1.0) * rho > _ALONE:
        if rho >= 1.0:  # all visitors decide alike
            return n if u >= 1.0 - p else 0.0
        p = beta_draw(u, _RATE, p, rho)
    if p > 0.5:
        return n - _called_binomial(min(1.0 - u, _MOST), n, 1.0 - p)
    return _binomial(u, n, p)


@inlined
def beta_draw(u: float, place: int, mean: float, rho: float) -> float:
    """A rate around `mean` with variance rho·mean·(1 - mean): a beta variable.

    With rho 1 it is 0 or 1.
    """
    if mean <= 0.0 or mean >= 1.0:
        return mean
    if rho >= 1.0:
        return 1.0 if draw(further(u), place) >= 1.0 - mean else 0.0
    worth = 1.0 / rho - 1.0
    return beta_sample(further(u), place, mean * worth, (1.0 - mean) * worth)


@inlined
def _binomial(u: float, n: float, p: float) -> float:
    """The `u`-quantile of the number of successes, where p is at most 1/2."""
    if n * p * (1.0 - p) >= _SEARCHED_BELOW:
        return _expanded(quick_normal_quantile(max(u, _LEAST)), n, p)
    return _searched(u, n, p)


@jitable
def _called_binomial(u: float, n: float, p: float) -> float:
    """`_binomial` where it is rare: a call keeps the common path short."""
    return _binomial(u, n, p)


@jitable
def _searched(u: float, n: float, p: float) -> float:
    """The same, exact: add up the probabilities of 0, 1, 2 … until they pass `u`.

    Four at a time, without a branch for each, which would be unpredictable.
    """
    if u < 1.0 - n * p:  # no more than the probability that none buys
        return 0.0
    mass, odds, k, count = _power(1.0 - p, int(n)), p / (1.0 - p), 0.0, 0.0
    left = u - mass
    while left >= 0.0 and mass > _NO_MASS:
        for _ in range(4):
            count += (left >= 0.0) & (mass > _NO_MASS)
            mass *= odds * (n - k) / (k + 1.0)
            k += 1.0
            left -= mass
    return min(count, n)


@jitable
def _power(base: float, exponent: int) -> float:
    """By squaring: the same bits in Python and in compiled code, and fast."""
    result = 1.0
    while exponent > 0:
        result *= base if exponent & 1 else 1.0
        base *= base
        exponent >>= 1
    return result


@inlined
def _expanded(z: float, n: float, p: float) -> float:
    """The Cornish-Fisher expansion of a smooth variable that gives the binomial when rounded.

    Rounding adds 1/12 to a variance and -1/120 to a fourth cumulant (Sheppard), so the smooth
    variable has that much less.
    """
    variance = n * p * (1.0 - p)
    s = z * z
    smooth = variance - (1 / 12)
    inverse, root = 1.0 / smooth, math.sqrt(smooth)
    spot, both = p * (1.0 - p), variance * inverse
    skew = both * (1.0 - 2.0 * p) * inverse * root
    excess = (both * (1.0 - 6.0 * spot) + inverse * (1 / 120)) * inverse
    fifth = (1.0 - 12.0 * spot) * inverse  # over the skew
    square = skew * skew
    even = skew * (
        (s - 1.0) * (1 / 6)
        + square * ((12.0 * s - 53.0) * s + 17.0) * (1 / 324)
        - excess * ((s - 5.0) * s + 2.0) * (1 / 24)
        + fifth * ((s - 6.0) * s + 3.0) * (1 / 120)
    )
    odd = z * (1.0 + excess * (s - 3.0) * (1 / 24) - square * (2.0 * s - 5.0) * (1 / 36))
    count = float(math.floor(n * p + root * (odd + even) + 0.5))
    return min(max(count, 0.0), n)


@jitable
def buyers_draw(u: float, rate: float, n: float, rho: float, day: float) -> float:
    """How many of `n` visitors buy."""
    if day > 0.0 and 0.0 < rate < 1.0:
        rate = beta_draw(u, _DAY, rate, min(1.0, day * day * rate / (1.0 - rate)))
    return count_draw(u, n, rate, rho)


class Visitors(VisitorNoise, CountsVisitors):
    """The share of a turn's visitors that buys."""

    @jitable
    def draw(self, quantile: Users, u: float, rate: float, t: int, G: float) -> Drawn:
        """The share that buys."""
        n = visitors_of(self.share, G)
        share = buyers_draw(u, rate, n, self.rho, self.day) / n
        return Drawn(share, share)


def visitors(
    arms: int | None = None,
    rates: ArrayLike | None = None,
    between: tuple[float, float] = (0.01, 0.05),
    prior: tuple[float, float] | None = None,
    share: float = 1.0,
    rho: float = 0.0,
    day: float = 0.0,
    drift: float = 0.0,
    change: int | None = None,
    then: ArrayLike | None = None,
) -> Rewards:
    """Arms with a conversion rate, seen by n = share·G(t) visitors in turn t.

    The number of buyers is beta-binomial: it varies more than by chance where the visitors of a
    turn are alike (`rho`), or where a turn is good or bad for all arms (`day`).

    Args:
        arms: How many; every game draws its rates.
        rates: Or the rates themselves, the same in every game; or a text for `between`: "2%..4%".
        between: Where rates are drawn, uniformly.
        prior: Draw them from a beta distribution with this mean and standard deviation instead.
        share: How many visitors see the arm, per unit of G; at least one visitor comes.
        rho: The correlation of two visitors of the same turn: 0 if they decide on their own, 1 if
            a turn is one coin.
        day: The standard deviation of a turn's effect on all arms, relative to their rates.
        drift: By how much a rate moves in a turn, as a standard deviation; it is reflected at the
            ends of `between` (0 and 1 for given rates and priors).
        change: The turn from which rates change.
        then: The new rates.  Rates that every game draws are drawn again instead.

    >>> busy = visitors(rates=[0.02, 0.03], rho=0.001)
    >>> busy.name, busy.means(busy.fixed)
    ('visitors:rho=0.001', array([0.02, 0.03]))
    """
    arm_rates = check_rates("visitors", arms, rates, between, prior, "rates")
    kind = Visitors(*check_noise("visitors", arm_rates, share, rho, day))
    return Rewards(
        named("visitors", arm_rates, kind, (1.0, 0.0, 0.0), drift, change),
        kind=kind,
        **drifting_arms("visitors", arm_rates, drift, change, then),
    )


def check_noise(
    name: str, rates: Range, share: float, rho: float, day: float
) -> tuple[float, float, float]:
    """The three numbers, which must suit the rates."""
    if not (math.isfinite(share) and share > 0):
        raise ValueError(f"{name}: share must be a number above 0, not {share!r}")
    if not 0.0 <= rho <= 1.0:
        raise ValueError(f"{name}: rho is a correlation, from 0 to 1, not {rho!r}")
    if not (math.isfinite(day) and day >= 0):
        raise ValueError(f"{name}: day must be a number >= 0, such as 0.1 for 10%, not {day!r}")
    top = rates.highest
    if top < 1.0 and day * day * top > 1.0 - top:
        raise ValueError(
            f"{name}: a day effect of {day:g} is more than rates up to {top:g} can vary: it may be "
            f"at most {math.sqrt((1.0 - top) / top):g}"
        )
    return float(share), float(rho), float(day)
