"""The reward models of the paper, and any other that brings a quantile function and a mean."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.core.compile import compiled
from highseason.core.jitable import jitable
from highseason.core.special import clipped_normal_mean, normal_quantile
from highseason.core.text import exact
from highseason.rewards.arms import check_rates, drifting_arms, named
from highseason.rewards.model import Quantile, Rewards, describe_arms

#: Below this many arms in all, a loop in Python is faster than loading compiled code.
_WORTH_COMPILING = 2_000


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
    means: Sequence[float] | NDArray[np.float64] | None = None,
    between: tuple[float, float] = (0.0, 1.0),
    prior: tuple[float, float] | None = None,
    drift: float = 0.0,
    change: int | None = None,
    then: Sequence[float] | NDArray[np.float64] | None = None,
) -> Rewards:
    """Arms that pay 1 or 0: one coin a turn, however busy it is, as in the paper.

    Args:
        arms: How many; every game draws its means uniformly `between` two numbers.
        means: Or the means themselves, the same in every game.
        between: Where means are drawn.
        prior: Draw them from a beta distribution with this mean and standard deviation instead.
        drift: By how much a mean moves in a turn, as a standard deviation; it is reflected at the
            ends of `between` (0 and 1 for given means and priors).
        change: The turn in which all arms get new means: drawn again, or
        then: the means from that turn on, where `means` are given.

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
    centres: Sequence[float] | NDArray[np.float64] | None = None,
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
        bounds: The lowest and the highest reward possible.
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
    low, high = bounds
    if not low < high:
        raise ValueError(f"{name}: bounds={bounds} must be two rising numbers")
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
            raise ValueError(
                f"{rewards.name}: quantile({u:g}, {exact(parameter)}) is {value:g}, outside "
                f"bounds=({low:g}, {high:g}): declare how far rewards can reach"
            )


def _clipped_means(centres: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    flat = np.ascontiguousarray(np.ravel(centres), dtype=np.float64)
    out = np.empty_like(flat)
    fill = _fill_clipped_means if flat.size < _WORTH_COMPILING else _compiled_fill()
    fill(flat, sigma, out)
    return out.reshape(np.shape(centres))


def _fill_clipped_means(
    centres: NDArray[np.float64], sigma: float, out: NDArray[np.float64]
) -> None:
    for i in range(centres.size):
        out[i] = clipped_normal_mean(centres[i], sigma)


def _compiled_fill() -> Callable[..., None]:
    from numba.core import types

    numbers = types.float64[::1]
    return compiled(_fill_clipped_means, types.void(numbers, types.float64, numbers))
