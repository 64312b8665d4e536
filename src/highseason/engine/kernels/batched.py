"""Rewards that are faster drawn eight at a time: those of many visitors.

Eight games at the same turn, eight turns of the best arm, or eight turns ahead of an arm that is
likely to be played again.  The rewards are those of `draw_reward`, to the last bit.  Kernels for
other families contain none of this, and those for a GPU draw one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from highseason.core.jitable import inlined, jitable
from highseason.core.random import REWARD, draw, turn_key
from highseason.engine.kernels.arguments import Floats, Turns
from highseason.engine.kernels.reward_dispatch import (
    BatchedVisitors,
    RewardDispatch,
    by_family,
    draw_reward,
)
from highseason.rewards.batches import COUNT, SIZE, N, P, U
from highseason.rewards.visitors import worth_batching


@by_family
def in_batches(family: Any) -> Callable[..., bool]:
    """`(model, G)`: whether rewards of turns with this G are faster drawn eight at a time."""
    return worth_batching if family is BatchedVisitors else lambda model, G: False


@by_family
def draw_rewards(family: Any) -> Callable[..., None]:
    """`(model, quantile, batch)`: fill in the rewards of a batch, in place of its counts.

    `quantile` is then a compiled `visitor_rewards`, one for all kernels.
    """
    if family is BatchedVisitors:
        return lambda model, quantile, batch: quantile(
            batch, SIZE, model.share, model.rho, model.day
        )
    return lambda model, quantile, batch: None


@by_family
def draw_ahead(family: Any) -> Callable[..., int]:
    """`(model, quantile, game, parameter, i, G, batch)`: draw eight turns of an arm after turn i.

    The last of them is returned; at the end of a game, where they are fewer than eight, i.
    """
    return (
        _draw_ahead
        if family is BatchedVisitors
        else lambda model, quantile, game, parameter, i, G, batch: 0
    )


class DrawnAhead(NamedTuple):
    """Whose rewards are drawn ahead in a game, and until which turn; -1 is no arm.

    `last` is the arm of the turn before.
    """

    last: int | np.int64
    arm: int | np.int64
    until: int


@inlined
def next_reward(
    turns: Turns,
    quantile: Callable[..., Any],
    game: int,
    arm: int,
    parameter: float,
    i: int,
    drawn: DrawnAhead,
    batch: Floats,
) -> tuple[float, DrawnAhead]:
    """What an arm pays in the turn after turn i; drawn ahead if it was the last to be played too.

    With it comes what is drawn ahead now.
    """
    G, model = turns.G, turns.reward_model
    last, ready, until = drawn
    if arm == last and (arm != ready or i >= until) and in_batches(model, G[i]):
        until = draw_ahead(model, quantile, game, parameter, i, G, batch)
        ready = arm
    if arm == ready and i < until:
        x = batch[COUNT + SIZE + i - until]
    else:
        x = draw_reward(model, quantile, turn_key(game, i + 1), parameter, i + 1, G[i])
    # On a GPU arms may be bytes; a tuple has one type.
    return x, DrawnAhead(np.int64(arm), np.int64(ready), until)


@by_family
def stretch_reward(family: Any) -> Callable[..., float]:
    """`(model, quantile, game, parameter, i, stop, G, total, batch)`: `total` and what an arm pays.

    In the turns after turn i, up to turn `stop`.
    """
    return _stretch_in_batches if family is BatchedVisitors else _stretch


def _draw_ahead(
    model: RewardDispatch,
    quantile: Callable[..., Any],
    game: int,
    parameter: float,
    i: int,
    G: Floats,
    batch: Floats,
) -> int:
    if i + SIZE > G.size:
        return i
    _draw_stretch(model, quantile, game, parameter, i, G, batch)
    return i + SIZE


@inlined
def _draw_stretch(
    model: RewardDispatch,
    quantile: Callable[..., Any],
    game: int,
    parameter: float,
    i: int,
    G: Floats,
    batch: Floats,
) -> None:
    """The rewards of an arm in the eight turns after turn i."""
    for j in range(SIZE):
        batch[U + j] = draw(turn_key(game, i + j + 1), REWARD)
        batch[P + j], batch[N + j] = parameter, G[i + j]
    draw_rewards(model, quantile, batch)


@jitable
def _stretch(
    model: RewardDispatch,
    quantile: Callable[..., float],
    game: int,
    parameter: Any,
    i: int,
    stop: int,
    G: Floats,
    total: float,
    batch: Floats | None,
) -> float:
    stretch = G[i:stop]  # counted from 0, which lets the compiler vectorise
    for j in range(stretch.size):
        t = i + j + 1
        x = draw_reward(model, quantile, turn_key(game, t), parameter, t, stretch[j])
        total += stretch[j] * x
    return total


def _stretch_in_batches(
    model: RewardDispatch,
    quantile: Callable[..., float],
    game: int,
    parameter: Any,
    i: int,
    stop: int,
    G: Floats,
    total: float,
    batch: Floats | None,
) -> float:
    while batch is not None and i + SIZE <= stop:
        many = in_batches(model, G[i])
        if many:
            _draw_stretch(model, quantile, game, parameter, i, G, batch)
        for j in range(SIZE):
            t = i + j + 1
            if many:
                x = batch[COUNT + j]
            else:
                x = draw_reward(model, quantile, turn_key(game, t), parameter, t, G[i + j])
            total += G[i + j] * x
        i += SIZE
    return _stretch(model, quantile, game, parameter, i, stop, G, total, None)
