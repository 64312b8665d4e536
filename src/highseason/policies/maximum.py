"""How likely each of several independent variables is to be the greatest: propensities of draws.

With distribution functions F_i, the greatest has H = F_1 · F_2 · …, and variable i is the greatest
with probability ∫ H d(log F_i).  On a grid that is fine where H rises, each step of H is shared out
in proportion to the steps of the log F_i: the shares are within 1e-4 of the truth, and add up to 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: The distribution functions of all variables at some points: a row per variable.
Distributions = Callable[[Floats], Floats]

#: Points to begin with, and the most by which H may rise from one point to the next.
_POINTS, _STEP = 65, 1.0 / 512.0
#: Halvings of a step: enough for distributions 1e-15 as wide as the others.
_ROUNDS = 60
#: What a logarithm is taken of at least.
_TINY = 1e-300


def chances_of_being_greatest(distributions: Distributions, low: float, high: float) -> Floats:
    """The probability of each variable, where the greatest lies between `low` and `high`."""
    points = np.linspace(low, high, _POINTS)
    logs = _logarithms(distributions, points)
    for _ in range(_ROUNDS):
        coarse = np.flatnonzero(_too_coarse(np.exp(logs.sum(0)), points))
        if coarse.size == 0:
            break
        new = 0.5 * (points[coarse] + points[coarse + 1])
        points = np.insert(points, coarse + 1, new)
        logs = np.insert(logs, coarse + 1, _logarithms(distributions, new), axis=1)
    steps = np.diff(logs, axis=1)
    total = steps.sum(0)
    rises = np.diff(np.exp(logs.sum(0)))
    shares = np.divide(rises, total, out=np.zeros_like(rises), where=total > 0.0)
    chances = steps @ shares
    return np.asarray(chances / chances.sum())


def _logarithms(distributions: Distributions, points: Floats) -> Floats:
    return np.log(np.maximum(distributions(points), _TINY))


def _too_coarse(H: Floats, points: Floats) -> NDArray[np.bool_]:
    """Steps that are too high, or at the lower end too high for where they begin."""
    rise, middle = np.diff(H), 0.5 * (points[:-1] + points[1:])
    steep = (rise > _STEP) | ((H[1:] > 1e-5) & (rise > 0.5 * H[1:]))
    return np.asarray(steep & (middle > points[:-1]) & (middle < points[1:]))


def greatest_of_beta(a: Floats, b: Floats, width: float) -> Floats:
    """The same for mean + width · (X - mean), X beta variables."""
    from scipy.special import betainc, betaincinv

    mean = a / (a + b)
    low = float((mean + width * (betaincinv(a, b, 1e-9) - mean)).max())
    highs = mean + width * (betaincinv(a, b, 1.0 - 1e-12) - mean)

    def distributions(points: Floats) -> Floats:
        x = mean[rivals, None] + (points - mean[rivals, None]) / width
        return np.asarray(betainc(a[rivals, None], b[rivals, None], np.clip(x, 0.0, 1.0)))

    rivals = np.flatnonzero(highs >= low)
    return _of_all(a.size, rivals, chances_of_being_greatest(distributions, low, highs.max()))


def greatest_of_normal(mean: Floats, deviation: Floats) -> Floats:
    """The same for normal variables."""
    from scipy.special import ndtr

    low, highs = float((mean - 6.0 * deviation).max()), mean + 7.0 * deviation
    rivals = np.flatnonzero(highs >= low)

    def distributions(points: Floats) -> Floats:
        return np.asarray(ndtr((points - mean[rivals, None]) / deviation[rivals, None]))

    return _of_all(mean.size, rivals, chances_of_being_greatest(distributions, low, highs.max()))


def _of_all(size: int, rivals: NDArray[np.int64], chances: Floats) -> Floats:
    """The chances of all, where only `rivals` have any."""
    out = np.zeros(size)
    out[rivals] = chances
    return out
