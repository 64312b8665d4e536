"""What the checks play: small games, the same on every machine, ties and odd sizes included."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from highseason import lifetimes, multipliers, rewards
from highseason.engine.lifetimes import Lifetimes
from highseason.multipliers import Multiplier, ThresholdWarning
from highseason.policies import PlanWarning
from highseason.rewards import Rewards

SEED = 20_200_131
ARMS = 5
TURNS = 160


@contextmanager
def quiet() -> Iterator[None]:
    """Without the advice on one-sided plans: the games of the checks are odd on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PlanWarning)
        warnings.simplefilter("ignore", ThresholdWarning)
        yield


def season(turns: int = TURNS) -> Multiplier:
    """A G that wanders between about 1 and 41, every value different."""
    return multipliers.wave(turns)


def seasons() -> list[tuple[Multiplier, int]]:
    """Multipliers with a number of arms: smooth, two-valued, with a peak, huge, tiny, short."""
    wave = season()
    return [
        (wave, ARMS),
        (multipliers.christmas(TURNS), ARMS),
        (multipliers.step(TURNS), 40),
        (multipliers.constant(TURNS), 2),
        (1e6 * wave, ARMS),
        (1e-6 * wave, ARMS),
        (wave, 1),
        (season(ARMS - 1), ARMS),  # fewer turns than arms
        (season(ARMS), ARMS),
        (season(ARMS + 1), ARMS),
    ]


def powers_of_two(turns: int = TURNS) -> Multiplier:
    """A G by which multiplying and dividing again changes no bit of any reward."""
    return multipliers.from_values(2.0 ** (np.arange(turns) * 7 % 11))


def coarse_quantile(u: float, level: float, scale: float) -> float:
    """Rewards in eighths: sums of them are often equal, or equal but for the last bit."""
    return math.floor(8.0 * (0.3 * u + 0.7 * level)) / 8.0


def coarse_mean(level: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of `coarse_quantile`: each eighth counts from the u on that reaches it."""
    total = np.zeros_like(level)
    for eighth in range(1, 9):
        total += np.clip(1.0 - (eighth / 8.0 - 0.7 * level) / 0.3, 0.0, 1.0) / 8.0
    return total


def reward_models(arms: int = ARMS) -> list[Rewards]:
    """Two values, a continuum with atoms, and a distribution of the user's, with many ties."""
    return [
        rewards.bernoulli(arms=arms),
        rewards.truncated_normal(arms=arms, sigma=0.5),
        rewards.custom(coarse_quantile, coarse_mean, arms=arms, name="eighths"),
    ]


def lifetimes_to_play(known: bool) -> list[Lifetimes]:
    """Lifetimes in which arms are there throughout, die, come later, come for one turn; and a flow."""
    spans = [(1, 40), (1, math.inf), (30, 90), (31, 31), (91, TURNS), (2, 45)]
    flow = lifetimes.birth_and_death(TURNS, alive=3, life=20, known=known)
    return [lifetimes.fixed(spans, known=known), flow]
