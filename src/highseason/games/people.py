"""The arms of a run: how many, when they are there, and what a stretch of turns is worth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.forecasters import Forecast, OneStep
from highseason.lifetimes import Lifetimes, running_worth
from highseason.multipliers import as_multiplier
from highseason.policies import Plan
from highseason.rewards import Rewards
from highseason.rules import NO_END


def arms_at_once(rewards: Rewards, lifetimes: Lifetimes | None, turns: int) -> int:
    """How many arms a plan is made for: all of them, or as many as are there on average."""
    if lifetimes is None:
        return rewards.arms
    if not isinstance(lifetimes, Lifetimes):
        raise ValueError(
            f"{lifetimes!r} are not lifetimes; write hs.lifetimes.fixed([(1, 90), (30, inf)])"
        )
    if lifetimes.arms != rewards.arms:
        raise ValueError(
            f"the rewards have {rewards.arms} arms, the lifetimes {lifetimes.arms}: give them as many, "
            "such as hs.rewards.bernoulli(arms=lifetimes.arms)"
        )
    return lifetimes.typical(turns)


def spans_of(
    lifetimes: Lifetimes | None, keys: NDArray[np.uint64], arms: int, turns: int
) -> NDArray[np.int64]:
    """First and last turn of every arm, by game."""
    if lifetimes is not None:
        return lifetimes.spans(keys, turns)
    return np.broadcast_to(np.array([1, NO_END], np.int64), (keys.size, arms, 2))


def worth_of(plan: Plan, forecast: Any) -> NDArray[np.float64]:
    """What stretches of turns are worth, by what the policy believes when the game begins.

    Running sums, from 0 on.  A one-step forecaster believes nothing of later turns: all of them
    then count alike.
    """
    values = plan.multiplier.values
    if isinstance(forecast, Forecast):
        values = forecast.mean
    elif isinstance(forecast, OneStep):
        values = np.ones_like(values)
    elif forecast is not None:
        values = as_multiplier(forecast, turns=values.size).values
    return running_worth(values)
