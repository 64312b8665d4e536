"""Thompson sampling and KL-UCB as the textbooks print them, in NumPy and SciPy, with G = 1."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import rel_entr

Floats = NDArray[np.float64]
Choose = Callable[[Floats, Floats, int, np.random.Generator], int]


def thompson(pulls: Floats, wins: Floats, t: int, rng: np.random.Generator) -> int:
    return int(rng.beta(1 + wins, 1 + pulls - wins).argmax())


def gaussian_thompson(pulls: Floats, wins: Floats, t: int, rng: np.random.Generator) -> int:
    if (pulls == 0).any():
        return int((pulls == 0).argmax())
    return int(rng.normal(wins / pulls, 0.5 / np.sqrt(pulls)).argmax())


def constant_epsilon(pulls: Floats, wins: Floats, t: int, rng: np.random.Generator) -> int:
    if (pulls == 0).any():
        return int((pulls == 0).argmax())
    return int(rng.integers(pulls.size)) if rng.random() < 0.1 else int((wins / pulls).argmax())


def kl_upper(p: float, distance: float) -> float:
    def excess(q: float) -> float:
        return float(rel_entr(p, q) + rel_entr(1 - p, 1 - q)) - distance

    if p == 1.0 or distance == 0.0:
        return p
    top = math.nextafter(1.0, 0.0)
    return top if excess(top) <= 0 else float(brentq(excess, p, top, xtol=1e-14))


def kl_ucb(pulls: Floats, wins: Floats, t: int, rng: np.random.Generator) -> int:
    if (pulls == 0).any():
        return int((pulls == 0).argmax())
    return int(
        np.argmax([kl_upper(w / n, math.log(t) / n) for w, n in zip(wins, pulls, strict=True)])
    )


def regret(choose: Choose, means: Floats, turns: int, rng: np.random.Generator) -> float:
    """What one game with 0/1 rewards loses against its best arm."""
    pulls, wins, lost = np.zeros(means.size), np.zeros(means.size), 0.0
    for t in range(1, turns + 1):
        arm = choose(pulls, wins, t, rng)
        pulls[arm] += 1
        wins[arm] += rng.random() < means[arm]
        lost += means.max() - means[arm]
    return lost
