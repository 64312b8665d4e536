"""Which tests are big enough: a game needs a card for every day, even the quietest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from highseason.studies.upworthy.cards import Decks, decks
from highseason.studies.upworthy.data import Data
from highseason.studies.upworthy.settings import Setting

#: Shares of G are sums of many numbers: a test must not fall short of a card by their rounding.
_ROUNDING = 1e-9


def big_enough(data: Data, settings: Sequence[Setting]) -> Data:
    """The data without the tests that are too small for some window in some setting.

    So all settings play the same tests, whichever start days a seed draws.

    Raises:
        ValueError: Fewer than two tests are left, and one half must be tuned on the other.
    """
    enough = np.ones(len(data.decks), np.bool_)
    for setting in settings:
        dealt = quietest_share(data.views.values, setting) * cards_of(data.decks, setting)
        enough &= dealt >= 1 + _ROUNDING
    if enough.sum() < 2:
        raise ValueError(
            f"{int(enough.sum())} of {len(data.decks)} tests have cards for every day of "
            f"{max(setting.days for setting in settings)}, even the quietest, and the study needs "
            "two: give tests with more impressions, or page views without days next to none"
        )
    names = np.array(data.decks.names)
    return replace(
        data, decks=_some(data.decks, np.flatnonzero(enough)), too_small=tuple(names[~enough])
    )


def quietest_share(views: NDArray[np.float64], setting: Setting) -> float:
    """What share of a game's cards the quietest day of all its windows deals."""
    if setting.even:
        return 1 / setting.days
    windows = sliding_window_view(views, setting.days)
    all_views = np.maximum(windows.sum(axis=1), np.finfo(float).tiny)  # weeks without any view
    return float((windows.min(axis=1) / all_views).min())


def cards_of(tests: Decks, setting: Setting) -> NDArray[np.int64]:
    """How many cards a game of each test deals."""
    return tests.total if setting.whole else tests.smallest


def _some(tests: Decks, chosen: NDArray[np.int64]) -> Decks:
    parts = [(int(test), slice(tests.arms[test])) for test in chosen]
    return decks(
        [tests.names[test] for test, _ in parts],
        [tests.cards[test, arms] for test, arms in parts],
        [tests.ones[test, arms] for test, arms in parts],
    )
