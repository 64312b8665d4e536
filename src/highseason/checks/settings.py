"""What the checks play: small games, the same on every machine, with ties and odd sizes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason import lifetimes, multipliers, rewards
from highseason.engine.lifetimes import Lifetimes
from highseason.multipliers import Multiplier
from highseason.rewards import Rewards

SEED = 20_200_131
ARMS = 5
TURNS = 160


def season(turns: int = TURNS) -> Multiplier:
    """A G between about 1 and 41 with no two values equal."""
    return multipliers.wave(turns)


def seasons() -> list[tuple[Multiplier, int]]:
    """Multipliers with numbers of arms: smooth, two-valued, with a peak, huge, tiny, short."""
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
    """A G that changes no bit of a reward multiplied and divided by it."""
    return multipliers.from_values(2.0 ** (np.arange(turns) * 7 % 11))


def coarse_quantile(u: float, level: float, scale: float) -> float:
    """Rewards in eighths: sums of them are often equal, or equal but for the last bit."""
    return math.floor(8.0 * (0.3 * u + 0.7 * level)) / 8.0


def coarse_mean(level: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of `coarse_quantile`: each eighth counts from the u that reaches it."""
    total = np.zeros_like(level)
    for eighth in range(1, 9):
        total += np.clip(1.0 - (eighth / 8.0 - 0.7 * level) / 0.3, 0.0, 1.0) / 8.0
    return total


def reward_models(arms: int = ARMS) -> list[Rewards]:
    """Two values, a continuum with atoms, and a custom distribution with many ties."""
    return [
        rewards.bernoulli(arms=arms),
        rewards.truncated_normal(arms=arms, sigma=0.5),
        rewards.custom(coarse_quantile, coarse_mean, arms=arms, name="eighths"),
    ]


def lifetimes_to_play(known: bool) -> list[Lifetimes]:
    """Arms that stay, leave early, come later or for one turn; and a random flow of arms."""
    spans = [(1, 40), (1, math.inf), (30, 90), (31, 31), (91, TURNS), (2, 45)]
    flow = lifetimes.birth_and_death(TURNS, alive=3, life=20, known=known)
    return [lifetimes.fixed(spans, known=known), flow]
