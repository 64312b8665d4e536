"""Arms that are born and die at random: the stationary flow of a news page or a shop's shelf.

At the first turn as many arms are there as on average later, each in the midst of a life; new ones
follow at the pace at which old ones die.  Every number is a function of the game's key.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import DECISION, REWARD, TIES, draw, place
from highseason.lives.model import Lives, alive_counts

Numbers = NDArray[np.float64]
#: Where the quantiles of a life are tabulated, to draw lives in proportion to their length.
_GRID = (np.arange(4096) + 0.5) / 4096

#: Hours that articles of the contest's log were there: quantiles over 652 articles in 15 days …
ARTICLE_QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
ARTICLE_HOURS = (0.5, 3.8, 16.4, 21.9, 24.5, 31.4, 52.3)
#: … how many were there at a time …
ARTICLES_ALIVE = 36.5
#: … and when they were born, mostly from 14h to 2h UTC: the share of births in each hour of a day.
ARTICLE_BIRTHS = tuple(
    weight / 100.0 for weight in (6, 6, *([1.5] * 12), 7, 7, 7, 7, 7, 7, 7, 7, 7, 7)
)


@dataclass(frozen=True)
class _Flow:
    """How arms come and go.

    Attributes:
        alive: How many are there at a time.
        births: How many are born during the game.
        life: Quantile function of a life, in turns.
        rhythm: Weight of births in each turn of the game, or None for an even flow.
        mark: Births fall on turns 1, 1 + mark, 1 + 2·mark, …
    """

    alive: int
    births: int
    life: Callable[[Numbers], Numbers]
    rhythm: Numbers | None = None
    mark: int = 1

    def draw(self, keys: NDArray[np.uint64], turns: int) -> NDArray[np.int64]:
        """First and last turns by game and arm; those there at the start come first."""
        # These families stand at turn 0, which no game plays; what arms pay is drawn from another.
        births, lengths, ages = (
            _uniforms(keys, use, self.alive + self.births) for use in (DECISION, REWARD, TIES)
        )
        old = slice(0, self.alive)
        first = np.ones(births.shape, np.int64)
        first[:, self.alive :] = self._births(births[:, self.alive :], turns)
        life = self.life(lengths)
        life[:, old] = self._by_length(lengths[:, old]) * (1.0 - ages[:, old])
        last = first + np.maximum(1, np.ceil(life)).astype(np.int64) - 1
        return _without_gaps(np.stack([first, last], axis=2), turns)

    def _births(self, uniforms: Numbers, turns: int) -> NDArray[np.int64]:
        rhythm = np.ones(turns) if self.rhythm is None else self.rhythm
        total = np.cumsum(rhythm) / rhythm.sum()
        turn = np.searchsorted(total, np.sort(uniforms, axis=1), side="right") + 1
        marked = (np.minimum(turn, turns) - 1) // self.mark * self.mark + 1
        return np.asarray(np.maximum(2, marked), np.int64)

    def _by_length(self, uniforms: Numbers) -> Numbers:
        """Lives met at a moment: a life is met the more often the longer it is."""
        lives = self.life(_GRID)
        weight = np.concatenate([[0.0], np.cumsum(lives)])
        share = np.concatenate([[0.0], _GRID + 0.5 / _GRID.size])
        return self.life(np.interp(uniforms, weight / weight[-1], share))


def birth_and_death(turns: int, alive: int, life: float, known: bool = True) -> Lives:
    """An even flow of arms with exponentially long lives.

    Args:
        turns: How long the game is: it decides how many arms it sees.
        alive: How many arms are there at a time, on average.
        life: How many turns an arm lives, on average.
        known: Whether policies are told when an arm will expire.

    >>> flow = birth_and_death(turns=1000, alive=10, life=100)
    >>> flow.arms, flow.typical(1000)
    (110, 10)
    """
    if not (turns >= 1 and alive >= 1 and math.isfinite(life) and life >= 1):
        raise ValueError(
            f"turns={turns}, alive={alive} and life={life} must be at least 1 (whole, but for life)"
        )
    births = round(turns * alive / life)

    def quantile(u: Numbers) -> Numbers:
        return np.asarray(-life * np.log1p(-u))

    flow = _Flow(int(alive), births, quantile)
    return Lives("birth-and-death", flow.alive + births, flow.draw, known)


def articles(
    turns: int,
    turns_per_hour: float = 60.0,
    start_hour: float = 0.0,
    known: bool = True,
    hours: Sequence[float] = ARTICLE_HOURS,
) -> Lives:
    """Lives like those of the articles in the contest's log.

    Half of them live 16 to 25 hours, 36 are there at a time, most are born from 14h to 2h UTC and
    on the five-minute marks.

    Args:
        turns: How long the game is.
        turns_per_hour: How many turns an hour has.
        start_hour: The hour of the day, UTC, at which the game begins.
        known: Whether policies are told when an article will go.
        hours: Quantiles of the hours an article lives, at 0, 5, 25, 50, 75, 95 and 100 %.

    >>> day = articles(turns=24 * 60)
    >>> day.arms, day.typical(24 * 60)
    (79, 32)
    """
    if not (turns >= 1 and turns_per_hour > 0):
        raise ValueError(f"turns={turns} and turns_per_hour={turns_per_hour} must be above 0")
    lengths = np.asarray(hours, np.float64) * turns_per_hour

    def quantile(u: Numbers) -> Numbers:
        return np.interp(u, ARTICLE_QUANTILES, lengths)

    clock = (start_hour + np.arange(turns) / turns_per_hour) % 24.0
    rhythm = np.asarray(ARTICLE_BIRTHS)[clock.astype(np.int64)]
    births = round(turns * ARTICLES_ALIVE / float(quantile(_GRID).mean()))
    mark = max(1, round(turns_per_hour / 12.0))
    flow = _Flow(round(ARTICLES_ALIVE), births, quantile, rhythm, mark)
    return Lives("articles", flow.alive + births, flow.draw, known)


def _uniforms(keys: NDArray[np.uint64], use: int, count: int) -> Numbers:
    family = place(keys, use)[:, None]
    return np.asarray(draw(family, np.arange(count, dtype=np.uint64)[None, :]))


def _without_gaps(spans: NDArray[np.int64], turns: int) -> NDArray[np.int64]:
    """Where nobody is there, whoever went last stays until somebody comes."""
    for game in np.flatnonzero((alive_counts(spans, turns) == 0).any(axis=1)):
        lives = spans[game]
        while (empty := np.flatnonzero(alive_counts(lives[None], turns)[0] == 0)).size:
            gone = lives[:, 1] <= empty[0]  # the empty turn is empty[0] + 1
            coming = lives[lives[:, 0] > empty[0], 0]
            last = np.flatnonzero(gone & (lives[:, 1] == lives[gone, 1].max()))[0]
            lives[last, 1] = coming.min() - 1 if coming.size else turns
    return spans
