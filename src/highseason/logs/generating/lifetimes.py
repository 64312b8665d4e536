"""When articles come and go, as they did on the Yahoo! front page in October 2011.

Known of those 652 articles: the quantiles of their lifetimes, that most were born between 14h and 2h
UTC and all on marks of five minutes, and that 20 to 51 were on offer at once, 36.5 on average.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import draw, hash_at
from highseason.engine.lifetimes.flows import ARTICLE_HOURS, ARTICLE_QUANTILES
from highseason.logs.kernels.generate import DAY, poisson

MARK = 300  # seconds between the times at which articles come and go
FEWEST, MOST = 20, 51

#: Births a day, how many of ten fall into the busy half of the day, and when that begins.
_BIRTHS = 42.0
_BUSY_SHARE = 0.8
_BUSY_FROM = 14 * 3600

_WARM_UP = 3 * DAY  # longer than any life: what is on offer at the start has a past


class Lifetimes(NamedTuple):
    """Article j is on offer from second births[j] to the second before deaths[j]."""

    births: NDArray[np.int64]
    deaths: NDArray[np.int64]


def draw_lifetimes(key: int, start: int, end: int) -> Lifetimes:
    """Articles that live at some time from `start` to `end`, in the order of their births."""
    births: list[int] = []
    deaths: list[int] = []
    alive: list[int] = []  # when those alive will die
    begin = (start - _WARM_UP) // MARK * MARK
    for mark in range(begin, end, MARK):
        luck = int(hash_at(key, mark // MARK))
        alive = [death for death in alive if death > mark]
        wanted = len(alive) + poisson(luck, 0, _births_at(mark))
        for birth in range(min(max(wanted, FEWEST), MOST) - len(alive)):
            death = mark + _life(float(draw(luck, birth + 1)))
            alive.append(death)
            if death > start:
                births.append(mark)
                deaths.append(death)
    return Lifetimes(np.array(births, np.int64), np.array(deaths, np.int64))


def _births_at(mark: int) -> float:
    """How many articles are born at this mark on average."""
    busy = (mark - _BUSY_FROM) % DAY < DAY / 2
    return _BIRTHS * (_BUSY_SHARE if busy else 1 - _BUSY_SHARE) * 2 * MARK / DAY


def _life(u: float) -> int:
    """A life in seconds, whole marks, from a uniform number."""
    return round(float(np.interp(u, ARTICLE_QUANTILES, ARTICLE_HOURS)) * 3600 / MARK) * MARK
