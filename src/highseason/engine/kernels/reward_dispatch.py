"""How a reward is drawn and learned inside a kernel.

Each family of rewards is a type.  The compiler picks the code by that type, so a kernel for
Bernoulli arms contains no trace of the others: a branch in the hottest loop, with a call behind it,
would cost as much as the rest of the turn.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable_as
from highseason.core.random import REWARD, draw
from highseason.rewards import Rewards
from highseason.rewards.model import Drift, bernoulli_quantile, clipped_normal_quantile, move_means
from highseason.rewards.visitors import SpendNoise, VisitorNoise, spend_reward, visitor_reward


class BernoulliReward(NamedTuple):
    """Arms that pay 0 or 1, learned as 0 or 1."""

    scale: float


class ClippedNormalReward(NamedTuple):
    """Arms that pay N(centre, scale), clipped to [0, 1]."""

    scale: float


class AnyReward(NamedTuple):
    """Any `quantile(u, parameter, scale)`; also everything that naive policies learn."""

    scale: float


class PerTurnReward(NamedTuple):
    """Any `quantile(u, parameters, t, G)` with `width` parameters per arm."""

    width: float


class DriftingBernoulli(NamedTuple):
    """Arms that pay 0 or 1 and whose means move; the fields are those of a `Drift`."""

    step: float
    change: float
    low: float
    high: float


class DriftingVisitors(NamedTuple):
    """Arms that are seen by visitors and whose rates move."""

    share: float
    rho: float
    day: float
    step: float
    change: float
    low: float
    high: float


RewardDispatch = (
    BernoulliReward
    | ClippedNormalReward
    | AnyReward
    | PerTurnReward
    | VisitorNoise
    | SpendNoise
    | DriftingBernoulli
    | DriftingVisitors
)

_DRIFTING = (DriftingBernoulli, DriftingVisitors)

#: Families whose quantile function is compiled into kernels; the others hand theirs in.
_BUILT_IN: dict[Any, Any] = {
    BernoulliReward: bernoulli_quantile,
    ClippedNormalReward: clipped_normal_quantile,
}
#: Families that count visitors, and how a reward is drawn from one uniform number.
COUNTED: dict[Any, Any] = {
    VisitorNoise: visitor_reward,
    DriftingVisitors: visitor_reward,
    SpendNoise: spend_reward,
}


def dispatch_for(rewards: Rewards, learns_scaled: bool) -> RewardDispatch:
    """The type that picks the code for these rewards, for policies that divide by G or not."""
    if rewards.drift is not None:
        if rewards.noise is None:
            return DriftingBernoulli(*rewards.drift)
        return DriftingVisitors._make((*rewards.noise, *rewards.drift))
    if rewards.noise is not None:
        return rewards.noise  # type: ignore[no-any-return]  # its type is a family
    if rewards.mean_at is not None:
        return PerTurnReward(float(rewards.width))
    if not learns_scaled:
        for family, quantile in _BUILT_IN.items():
            if rewards.quantile is quantile:
                return family(rewards.scale)  # type: ignore[no-any-return]  # one of the union
    return AnyReward(rewards.scale)


def by_family(choose: Callable[[Any], Callable[..., Any]]) -> Callable[..., Any]:
    """A function whose code depends on the type of its first argument, `choose(type)`."""

    @jitable_as(lambda model, *others: choose(model.instance_class))
    @functools.wraps(choose)
    def function(model: RewardDispatch, *others: Any) -> Any:
        return choose(type(model))(model, *others)

    return function


@by_family
def draw_reward(family: Any) -> Callable[..., float]:
    """`(model, quantile, key, parameter, t, G)`: the reward X of the turn that begins at `key`.

    For an arm with this parameter, or with these.
    """
    if family is PerTurnReward:
        return lambda model, quantile, key, parameter, t, G: quantile(
            draw(key, REWARD), parameter, t, G
        )
    if family is AnyReward:
        return lambda model, quantile, key, parameter, t, G: quantile(
            draw(key, REWARD), parameter, model.scale
        )
    if family in COUNTED:
        count = COUNTED[family]
        return lambda model, quantile, key, parameter, t, G: count(
            draw(key, REWARD), parameter, model, G
        )
    if family is DriftingBernoulli:
        return lambda model, quantile, key, parameter, t, G: bernoulli_quantile(
            draw(key, REWARD), parameter, 0.0
        )
    built_in = _BUILT_IN[family]
    return lambda model, quantile, key, parameter, t, G: built_in(
        draw(key, REWARD), parameter, model.scale
    )


@by_family
def parameter_of(family: Any) -> Callable[..., Any]:
    """`(model, parameters, means, arm)`: the arm's parameter out of a game's row, or all it has.

    The parameter of an arm that drifts is its mean of this turn.
    """
    if family in _DRIFTING:
        return lambda model, parameters, means, arm: means[arm]
    if family is SpendNoise:
        return lambda model, parameters, means, arm: parameters[2 * arm : 2 * arm + 2]
    if family is PerTurnReward:
        return lambda model, parameters, means, arm: parameters[
            arm * int(model.width) : (arm + 1) * int(model.width)
        ]
    return lambda model, parameters, means, arm: parameters[arm]


@by_family
def learned_value(family: Any) -> Callable[..., float]:
    """`(model, x, paid, learning_scale, G)`: what a policy learns from the scaled reward `paid`.

    It is paid/G, or `paid` for naive policies.  (G·x)/G is the definition; where x is 0 or 1 that
    is 0 or 1 to the last bit, so a Bernoulli game skips the division.
    """
    if family is BernoulliReward:
        return lambda model, x, paid, learning_scale, G: x
    return lambda model, x, paid, learning_scale, G: paid / G if learning_scale == 1.0 else paid


@by_family
def update_means(family: Any) -> Callable[..., bool]:
    """`(model, mean_at, game, parameters, t, G, means)`: whether the means change by turn.

    If so, those of turn t are filled in; such games call it for every turn, in order.
    """
    if family in _DRIFTING:
        return _move_means
    if family is PerTurnReward:
        return _fill_means
    return lambda model, mean_at, game, parameters, t, G, means: False


def _fill_means(
    model: RewardDispatch,
    mean_at: Callable[..., float],
    game: int,
    parameters: NDArray[np.float64],
    t: int,
    G: float,
    means: NDArray[np.float64],
) -> bool:
    for arm in range(means.size):
        means[arm] = mean_at(parameter_of(model, parameters, means, arm), t, G)
    return True


def _move_means(
    model: DriftingBernoulli | DriftingVisitors,
    mean_at: Callable[..., float],
    game: int,
    parameters: NDArray[np.float64],
    t: int,
    G: float,
    means: NDArray[np.float64],
) -> bool:
    move_means(Drift(model.step, model.change, model.low, model.high), game, parameters, t, means)
    return True
