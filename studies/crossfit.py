"""Choose on some games, judge on others: what tuned policies lose, with its error.

A policy looks better on the games it was tuned on than it is.  So it is judged on other games, or
each half of the games with what was chosen on the other half.  The errors come from drawing the
games again and choosing again each time, so they contain the luck of tuning as well as that of the
games.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from highseason.advice import derive_seed
from highseason.core.random import draw, seed_key
from highseason.engine import Estimate, with_interval

Numbers = NDArray[np.float64]

#: How often games are drawn again.
_REPEATS = 400


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Mean losses of tuned policies, and the same where games were drawn again.

    Attributes:
        chosen: By label, the candidate chosen for each half of the games: its row.
        means: By label, the mean loss over all games.
        repeats: By label, that mean for every time games were drawn again.
    """

    chosen: Mapping[str, tuple[int, int]]
    means: Mapping[str, float]
    repeats: Mapping[str, Numbers]

    def ratio(self, label: str, base: str) -> Estimate:
        """The mean loss of a policy over that of another; see `geometric_mean` for its interval."""
        error = float(np.std(np.log(self.repeats[label] / self.repeats[base]), ddof=1))
        return _ratio(self.means[label] / self.means[base], error)

    def saved(self, label: str, base: str) -> Estimate:
        """By how much less a policy loses than another."""
        error = float(np.std(self.repeats[base] - self.repeats[label], ddof=1))
        return with_interval(self.means[base] - self.means[label], error)


def geometric_mean(ratios: Sequence[Estimate]) -> Estimate:
    """The geometric mean of independent ratios; its interval is symmetric on the log scale.

    >>> geometric_mean([Estimate(0.5, 0.0, 0.5, 0.5), Estimate(2.0, 0.0, 2.0, 2.0)]).value
    1.0
    """
    logs = np.log([ratio.value for ratio in ratios])
    errors = np.array([ratio.error / ratio.value for ratio in ratios])
    return _ratio(math.exp(float(logs.mean())), float(np.sqrt((errors**2).sum()) / len(errors)))


def _ratio(value: float, error: float) -> Estimate:
    """A ratio, by the standard error of its logarithm."""
    middle = with_interval(math.log(value), error)
    return Estimate(value, value * error, math.exp(middle.low), math.exp(middle.high))


def crossfit(
    losses: Numbers,
    families: Mapping[str, Sequence[int]],
    seed: int = 0,
    tuning: Numbers | None = None,
) -> CrossFit:
    """Tune each family on some games and judge it on others.

    Args:
        losses: A row per candidate and a column per game, or per whatever was drawn independently.
        families: By label, the rows to choose from; a single row needs no choice.
        seed: Of the games that are drawn again.
        tuning: The same rows on games to tune on; rows of families with one candidate are not
            looked at.  Without it, each half of the games is tuned on the other.

    >>> losses = np.array([[0.3, 0.2, 0.4, 0.2], [0.1, 0.2, 0.1, 0.1], [0.5, 0.4, 0.4, 0.6]])
    >>> fit = crossfit(losses, {"tuned": [0, 1], "other": [2]})
    >>> fit.chosen["tuned"], round(fit.ratio("tuned", "other").value, 3)
    ((1, 1), 0.263)
    """
    halves = losses[:, 0::2], losses[:, 1::2]
    if min(half.shape[1] for half in halves) < 2:
        raise ValueError(f"cross-fitting needs 4 games or more, got {losses.shape[1]}")
    sums = [_sums(half, derive_seed(seed, f"half {i}")) for i, half in enumerate(halves)]
    judges = sums[::-1] if tuning is None else [_sums(tuning, derive_seed(seed, "tuning"))] * 2
    every = np.arange(len(sums[0]))
    chosen, means = {}, {}
    for label, rows in families.items():
        picked = [np.asarray(rows)[judge[:, rows].argmin(axis=1)] for judge in judges]
        parts = [part[every, pick] for part, pick in zip(sums, picked, strict=True)]
        means[label] = (parts[0] + parts[1]) / losses.shape[1]
        chosen[label] = (int(picked[0][0]), int(picked[1][0]))
    first = {label: float(mean[0]) for label, mean in means.items()}
    return CrossFit(chosen, first, {label: mean[1:] for label, mean in means.items()})


def _sums(losses: Numbers, seed: int) -> Numbers:
    """Sums over games for every candidate: as they are, and as often as games are drawn again."""
    return np.asarray(_counts(losses.shape[1], seed) @ losses.T)


def _counts(games: int, seed: int) -> Numbers:
    """How often each game counts: once in the first row, in the others as drawn."""
    places = np.arange(_REPEATS * games, dtype=np.uint64)
    drawn = np.asarray(draw(np.uint64(seed_key(seed)), places)).reshape(_REPEATS, games) * games
    rows = [np.bincount(row, minlength=games) for row in drawn.astype(np.int64)]
    return np.array([np.ones(games), *rows], dtype=np.float64)
