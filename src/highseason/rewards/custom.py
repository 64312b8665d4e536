"""Arms that pay what a user's quantile function gives."""

import itertools
import math
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from highseason.core.jitable import jitable
from highseason.core.special import share_of
from highseason.core.text import exact
from highseason.rewards.model import (
    Drawn,
    Kind,
    Numbers,
    Quantile,
    Rewards,
    Users,
    describe_arms,
    learned_of,
    parameter_of,
    visitors_of,
)


class _Numbers(NamedTuple):
    low: float  # The ends of what policies learn
    most: float
    share: float  # Visitors of a turn who see the arm, per unit of G; 0 if they are not counted
    scale: float  # A number for all arms
    width: float  # How many parameters an arm has


class Custom(_Numbers, Kind):
    """Any `quantile(u, parameter, scale)`, or `(u, parameter, visitors)`, from 0 to 1."""

    quantile_takes: ClassVar[tuple[str, ...]] = ("u", "parameter", "scale or visitors")
    mean_is_parameter = False

    @jitable
    def visitors(self, G: float) -> float:
        """How many see the arm; 1 if they are not counted."""
        return visitors_of(self.share, G) if self.share > 0.0 else 1.0

    @jitable
    def draw(self, quantile: Users, u: float, parameter: Any, t: int, G: float) -> Drawn:
        """The user's; where visitors are counted, of their number."""
        third = visitors_of(self.share, G) if self.share > 0.0 else self.scale
        x = quantile(u, parameter, third)
        return Drawn(learned_of(self, x), x)

    @jitable
    def booked(self, x: float, paid: float) -> float:
        """NaN for a reward beyond the ends."""
        return paid if self.low <= x <= self.most else math.nan


class CustomByTurn(Custom):
    """Any `quantile(u, parameters, t, G)`, or `(u, parameters, t, visitors)`, from 0 to 1."""

    quantile_takes = ("u", "parameters", "t", "G or visitors")
    mean_takes = ("parameters", "t", "G")

    @jitable
    def draw(self, quantile: Users, u: float, parameters: Any, t: int, G: float) -> Drawn:
        """The user's; where visitors are counted, of their number."""
        x = quantile(u, parameters, t, visitors_of(self.share, G) if self.share > 0.0 else G)
        return Drawn(learned_of(self, x), x)

    @jitable
    def parameter(self, parameters: Numbers, means: Numbers, arm: int) -> Numbers:
        """All that it has."""
        return parameters[arm * int(self.width) : (arm + 1) * int(self.width)]

    @jitable
    def update_means(
        self, mean_at: Users, game: int, parameters: Numbers, t: int, G: float, means: Numbers
    ) -> bool:
        """Each arm's mean of this turn, by the user's function."""
        for arm in range(means.size):
            means[arm] = mean_at(parameter_of(self, parameters, means, arm), t, G)
        return True


class CustomMoney(Custom):
    """The same between other ends: a share of that range is learned."""

    @jitable
    def learned(self, x: float) -> float:
        """How far it is on the way from the lowest to the highest."""
        return float(share_of(x, self.low, self.most))


class CustomMoneyByTurn(CustomByTurn):
    """The same, by turn."""

    learned = CustomMoney.learned


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
    visitors: bool = False,
    share: float = 1.0,
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
        visitors: A busy turn shows more of an arm: `quantile(u, parameter, visitors)`, or
            `quantile(u, parameters, t, visitors)`, gives what that many visitors bring, per
            visitor, and policies count visitors.
        share: How many visitors see the arm, per unit of G, if they are counted; at least one.

    An exponential price response, capped at 1:

    >>> import math, numpy as np
    >>> def capped(u, rate, scale):
    ...     return min(1.0, -math.log(1.0 - u) / rate)
    >>> arms = custom(capped, lambda rate: (1 - np.exp(-rate)) / rate, arms=3, between=(1, 9))
    >>> arms.quantile(0.5, 2.0, 0.0) == math.log(2) / 2
    True

    Shares of visitors that scatter less where more of them came:

    >>> def scattered(u, rate, visitors):
    ...     return rate * (1.0 + (2.0 * u - 1.0) / math.sqrt(visitors))
    >>> shop = custom(scattered, np.asarray, parameters=[0.2, 0.3], visitors=True)
    >>> shop.counts_visitors, shop.visitors_at(G=40.2)
    (True, 40.0)

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
    if visitors and scale:
        raise ValueError(
            f"{name}: quantile is given the number of visitors in place of scale={scale:g}: leave "
            "scale out, and write the number into the function"
        )
    if not (math.isfinite(share) and share > 0):
        raise ValueError(f"{name}: share must be a number above 0, not {share!r}")
    free = (-math.inf, math.inf)
    how = describe_arms(name, arms, parameters, between, free, "parameters", per_turn)
    ends = min(low, 0.0), high
    if ends == (0.0, 1.0):
        kind_of = CustomByTurn if per_turn else Custom
    else:
        kind_of = CustomMoneyByTurn if per_turn else CustomMoney
    kind = kind_of(*ends, float(share) if visitors else 0.0, float(scale), how["width"])
    rewards = Rewards(
        name,
        kind=kind,
        quantile=quantile,
        mean_of=None if per_turn else mean,
        mean_at=mean if per_turn else None,
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
