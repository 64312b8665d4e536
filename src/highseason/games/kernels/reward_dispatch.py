"""How a reward is drawn and learned inside a kernel.

Each family of rewards is a type.  The compiler picks the code by that type, so a kernel for
Bernoulli arms contains no trace of the others: a branch in the hottest loop, with a call behind it,
would cost as much as the rest of the turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable_as
from highseason.core.random import REWARD, draw
from highseason.rewards import Rewards
from highseason.rewards.families import bernoulli_quantile, clipped_normal_quantile


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
    """Any `quantile(u, parameters, t, G)` with `scale` parameters per arm (`Rewards.width`)."""

    scale: float


RewardDispatch = BernoulliReward | ClippedNormalReward | AnyReward | PerTurnReward

_BUILT_IN: dict[Any, type[RewardDispatch]] = {
    bernoulli_quantile: BernoulliReward,
    clipped_normal_quantile: ClippedNormalReward,
}


def dispatch_for(rewards: Rewards, learns_scaled: bool) -> RewardDispatch:
    """The type that picks the code for these rewards, for policies that divide by G or not."""
    if rewards.mean_at is not None:
        return PerTurnReward(float(rewards.width))
    if learns_scaled:
        return AnyReward(rewards.scale)
    return _BUILT_IN.get(rewards.quantile, AnyReward)(rewards.scale)


def _native_draw_reward(
    reward: Any, quantile: Any, key: Any, parameter: Any, t: Any, G: Any
) -> Callable[..., float]:
    if reward.instance_class is BernoulliReward:
        return lambda reward, quantile, key, parameter, t, G: bernoulli_quantile(
            draw(key, REWARD), parameter, reward.scale
        )
    if reward.instance_class is ClippedNormalReward:
        return lambda reward, quantile, key, parameter, t, G: clipped_normal_quantile(
            draw(key, REWARD), parameter, reward.scale
        )
    if reward.instance_class is PerTurnReward:
        return lambda reward, quantile, key, parameter, t, G: quantile(
            draw(key, REWARD), parameter, t, G
        )
    return lambda reward, quantile, key, parameter, t, G: quantile(
        draw(key, REWARD), parameter, reward.scale
    )


@jitable_as(_native_draw_reward)
def draw_reward(
    reward: RewardDispatch,
    quantile: Callable[..., float],
    key: int,
    parameter: Any,
    t: int,
    G: float,
) -> float:
    """The reward X of the turn that begins at `key`, for an arm with this parameter (or these)."""
    if isinstance(reward, PerTurnReward):
        return quantile(draw(key, REWARD), parameter, t, G)
    return quantile(draw(key, REWARD), parameter, reward.scale)


def _native_parameter_of(reward: Any, parameters: Any, arm: Any) -> Callable[..., Any]:
    if reward.instance_class is PerTurnReward:
        return lambda reward, parameters, arm: parameters[
            arm * int(reward.scale) : (arm + 1) * int(reward.scale)
        ]
    return lambda reward, parameters, arm: parameters[arm]


@jitable_as(_native_parameter_of)
def parameter_of(reward: RewardDispatch, parameters: NDArray[np.float64], arm: int) -> Any:
    """The parameter of an arm out of a game's row of them; all of its parameters per turn."""
    width = int(reward.scale)
    if isinstance(reward, PerTurnReward):
        return parameters[arm * width : (arm + 1) * width]
    return parameters[arm]


def _native_learned_value(
    reward: Any, x: Any, paid: Any, learning_scale: Any, G: Any
) -> Callable[..., float]:
    if reward.instance_class is BernoulliReward:
        return lambda reward, x, paid, learning_scale, G: x
    return lambda reward, x, paid, learning_scale, G: paid / G if learning_scale == 1.0 else paid


@jitable_as(_native_learned_value)
def learned_value(
    reward: RewardDispatch, x: float, paid: float, learning_scale: float, G: float
) -> float:
    """What a policy learns from the scaled reward `paid` = G·x: paid/G, or `paid` if it is naive.

    (G·x)/G is the definition.  Where x is 0 or 1 that is 0 or 1 to the last bit, so a Bernoulli
    game skips the division.
    """
    return paid / G if learning_scale == 1.0 else paid


def _native_may_be_close(reward: Any) -> Callable[..., bool]:
    if reward.instance_class is BernoulliReward:
        return lambda reward: False
    return lambda reward: True


@jitable_as(_native_may_be_close)
def may_be_close(reward: RewardDispatch) -> bool:
    """Whether two averages of equally many values can differ by as little as a rounding error."""
    return not isinstance(reward, BernoulliReward)


def _native_update_means(
    reward: Any, mean_at: Any, parameters: Any, t: Any, G: Any, means: Any
) -> Callable[..., bool]:
    if reward.instance_class is PerTurnReward:
        return _update_per_turn
    return lambda reward, mean_at, parameters, t, G, means: False


def _update_per_turn(
    reward: RewardDispatch,
    mean_at: Callable[..., float],
    parameters: NDArray[np.float64],
    t: int,
    G: float,
    means: NDArray[np.float64],
) -> bool:
    for arm in range(means.size):
        means[arm] = mean_at(parameter_of(reward, parameters, arm), t, G)
    return True


@jitable_as(_native_update_means)
def update_means(
    reward: RewardDispatch,
    mean_at: Callable[..., float],
    parameters: NDArray[np.float64],
    t: int,
    G: float,
    means: NDArray[np.float64],
) -> bool:
    """Fill in the arms' true means of turn t, where they change by turn; whether they do."""
    if isinstance(reward, PerTurnReward):
        return _update_per_turn(reward, mean_at, parameters, t, G, means)
    return False
