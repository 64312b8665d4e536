"""Arms that are judged by what their visitors spend per head."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from highseason.core.gamma import BETA_NUMBERS, gamma_sample
from highseason.core.jitable import jitable
from highseason.core.random import further
from highseason.core.special import share_of
from highseason.rewards.model import (
    CountsVisitors,
    Drawn,
    Numbers,
    Range,
    Rewards,
    Users,
    arms_between,
    check_rates,
    named,
    visitors_of,
)
from highseason.rewards.visitors import buyers_draw, check_noise

#: Where the further numbers of a turn for its baskets stand, behind those of `visitors`.
_BASKETS = 2 * BETA_NUMBERS
#: The share of baskets that may be above `most`: where baskets vary, they have no limit.
_BEYOND = 1e-4


class SpendNoise(NamedTuple):
    """How the visitors of a turn and their baskets vary."""

    share: float  # As in `visitors`
    rho: float
    day: float
    cv: float  # The coefficient of variation of what a buyer spends
    most: float  # The most that a turn brings per visitor
    low: float = 0.0  # The least


class Spend(SpendNoise, CountsVisitors):
    """What a turn's visitors spend, per head; an arm is its rate and its mean basket."""

    mean_is_parameter = False

    def means(self, arms: Numbers) -> Numbers:
        """The mean revenue per visitor."""
        return np.asarray(arms[..., 0] * arms[..., 1])

    @jitable
    def draw(self, quantile: Users, u: float, arm: Numbers, t: int, G: float) -> Drawn:
        """The share of visitors that buys, and what they spend: the baskets that were drawn."""
        n = visitors_of(self.share, G)
        buyers = baskets = buyers_draw(u, arm[0], n, self.rho, self.day)
        if buyers > 0.0 and self.cv > 0.0:  # the sum of gamma variables is one
            square = self.cv * self.cv
            baskets = square * gamma_sample(further(u), _BASKETS, buyers / square)
        return Drawn(buyers / n, min(arm[1] * baskets / n, self.most))

    @jitable
    def parameter(self, parameters: Numbers, means: Numbers, arm: int) -> Numbers:
        """Its rate and its mean basket."""
        return parameters[2 * arm : 2 * arm + 2]

    @jitable
    def learned(self, x: float) -> float:
        """Of money a share is learned."""
        return float(share_of(x, self.low, self.most))


def spend(
    arms: int | None = None,
    rates: ArrayLike | None = None,
    values: ArrayLike = 1.0,
    between: tuple[float, float] = (0.01, 0.05),
    values_between: tuple[float, float] | None = None,
    prior: tuple[float, float] | None = None,
    cv: float = 1.0,
    most: float | None = None,
    share: float = 1.0,
    rho: float = 0.0,
    day: float = 0.0,
) -> Rewards:
    """Arms with a conversion rate and a mean basket; the reward is the revenue per visitor.

    Baskets are gamma variables.  The unit of money is yours: policies learn what a visitor brings
    as a share of `most`, so they play alike in euros and in cents.

    Args:
        arms: How many; every game draws its rates.
        rates: Or the rates themselves, the same in every game; or a text for `between`: "2%..4%".
        values: The mean basket of each arm, or one for all.
        between: Where rates are drawn, uniformly.
        values_between: Where mean baskets are drawn, uniformly; None if they are given.
        prior: Draw rates from a beta distribution with this mean and standard deviation instead.
        cv: The coefficient of variation of a basket: its standard deviation over its mean.
        most: The most that one visitor may bring; a bandit calls it the end of `reward_range`.  If
            None, the greatest of the values where baskets do not vary (cv=0), and elsewhere what
            one basket in 10,000 exceeds.  A turn never brings more than that per visitor.
        share: As in `visitors`.
        rho: As in `visitors`.
        day: As in `visitors`.

    >>> prices = spend(rates=[0.05, 0.04, 0.02], values=[8, 10, 15])
    >>> prices.means(prices.fixed)
    array([0.4, 0.4, 0.3])
    """
    if not (math.isfinite(cv) and cv >= 0):
        raise ValueError(f"spend: cv must be a number >= 0, not {cv!r}")
    arm_rates = check_rates("spend", arms, rates, between, prior, "rates")
    baskets = _values(values, values_between, arm_rates)
    end = _most(most, baskets.highest, float(cv))
    kind = Spend(*check_noise("spend", arm_rates, share, rho, day), float(cv), end)
    return Rewards(
        named("spend", arm_rates, kind, (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)),
        kind=kind,
        bounds=(0.0, end),
        **arms_between(arm_rates, baskets),
    )


def _values(values: ArrayLike, between: Sequence[float] | None, rates: Range) -> Range:
    if between is not None:
        if not 0.0 < between[0] <= between[1]:
            raise ValueError(f"spend: values_between={between} must be two rising numbers above 0")
        if rates.fixed is not None:
            raise ValueError("spend: give values=[…], one for each of the rates")
        return Range(rates.arms, None, (float(between[0]), float(between[1])), None)
    each = np.array(values, dtype=np.float64)
    if each.ndim > 1 or each.size not in (1, rates.arms) or not (each > 0).all():
        raise ValueError(
            f"spend: values={values!r} must be one number above 0, or one for each of the "
            f"{rates.arms} arms"
        )
    every = np.broadcast_to(each, (rates.arms,)).copy()
    return Range(rates.arms, every, (float(each.min()), float(each.max())), None)


def _most(most: float | None, basket: float, cv: float) -> float:
    """The most that a visitor brings, if not given the least that it can be."""
    least = basket
    if cv > 0.0:
        from scipy.special import gammainccinv

        times = cv * cv * gammainccinv(1.0 / (cv * cv), _BEYOND)
        least = basket * float(f"{times:.3g}")
    if most is not None and not (1.0 - 1e-6) * least <= most < math.inf:
        raise ValueError(
            f"spend: most={most:g} is less than some visitors bring: baskets of {basket:g} with "
            f"cv={cv:g} go up to {least:g}. Give most={least:g} or more"
        )
    return least if most is None else float(most)
