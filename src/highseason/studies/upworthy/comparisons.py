"""What regulating changes: over all tests, test by test, and by the spread of G.

The tests are the sample: games of one test share their decks, so every interval takes a test's
games together (a ratio of sums over tests).  The page views are those of one site, and fixed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from highseason.policies import Policy
from highseason.results import Estimate, Moments, ratio_gain, with_interval
from highseason.studies.upworthy.decks import DeckGames
from highseason.studies.upworthy.settings import GROUPS, HeadlineSetting

Chosen = NDArray[np.bool_] | None


@dataclass(frozen=True, eq=False)
class Played:
    """The reported games of one setting."""

    setting: HeadlineSetting  # How the tests were played
    # Which tests, on which days: those of the second half after those of the first
    games: DeckGames
    players: Mapping[str, Sequence[Policy]]  # The policies by label: one for each half
    totals: Mapping[str, NDArray[np.float64]]  # By metric, a row per policy and a column per game

    def row(self, label: str) -> int:
        """The row of a policy."""
        return list(self.players).index(label)

    @property
    def spreads(self) -> NDArray[np.float64]:
        """The greatest G over the mean G in each window."""
        return np.array([G.values.max() / G.values.mean() for G in self.games.seasons])


def per_test(
    played: Played, values: NDArray[np.float64], chosen: Chosen = None
) -> NDArray[np.float64]:
    """Sums over the games of each test; `values` has a row per policy and a column per game."""
    _, place = np.unique(played.games.tests, return_inverse=True)
    weights = values if chosen is None else values * chosen
    return np.stack([np.bincount(place.ravel(), row) for row in np.atleast_2d(weights)])


def change(played: Played, metric: str, policy: str, base: str, chosen: Chosen = None) -> Estimate:
    """By what share a metric of `policy` exceeds that of `base`, with its interval over tests."""
    rows = [played.row(policy), played.row(base)]
    return ratio_gain(Moments.of(per_test(played, played.totals[metric][rows], chosen)), 0, 1)


def reward_gain(played: Played, policy: str, base: str, chosen: Chosen = None) -> Estimate:
    """By what share the clicks of `policy` exceed those of `base`."""
    return change(played, "reward", policy, base, chosen)


def regret_saved(played: Played, policy: str, base: str) -> Estimate:
    """What share of the regret of `base` is saved."""
    more = change(played, "regret", policy, base)
    return Estimate(-more.value, more.error, -more.high, -more.low)


def share_of_best(played: Played, label: str) -> Estimate:
    """Clicks as a share of what the best headlines were worth."""
    both = np.stack([played.totals["reward"][played.row(label)], played.games.best_reward])
    less = ratio_gain(Moments.of(per_test(played, both)), 0, 1)
    return Estimate(1 + less.value, less.error, 1 + less.low, 1 + less.high)


def expected_share(played: Played, label: str) -> float:
    """The same in expectation: what the headlines shown are worth by their decks' means."""
    lost = played.totals["regret"][played.row(label)].sum()
    return float(1 - lost / played.games.best_reward.sum())


def overdrawn(played: Played, label: str) -> float:
    """The share of all cards that came from decks already used up."""
    dealt = played.games.cards[played.games.tests].sum()
    return float(played.totals["overdrawn"][played.row(label)].sum() / dealt)


def won_and_lost(played: Played, policy: str, base: str) -> tuple[float, float]:
    """The shares of tests over whose games `policy` loses less, and more, than `base`."""
    rows = [played.row(policy), played.row(base)]
    own, other = per_test(played, played.totals["regret"][rows])
    near = 1e-9 * np.maximum(1.0, other)
    return float((own < other - near).mean()), float((own > other + near).mean())


# -- by the spread of G ----------------------------------------------------------------------------


def groups(played: Played) -> list[NDArray[np.bool_]]:
    """Games by the spread of their window, in groups of nearly the same number of windows.

    Only windows that were played count; fewer of them than groups are a group each.
    """
    windows, own = np.unique(played.games.season, return_inverse=True)
    rank = np.empty(windows.size, np.int64)
    rank[np.argsort(played.spreads[windows], kind="stable")] = np.arange(windows.size)
    count = min(GROUPS, windows.size)
    group = (rank * count // windows.size)[own.ravel()]
    return [group == i for i in range(count)]


def in_all_groups(played: Played) -> int:
    """How many tests have games in every group: their windows are random."""
    there = [set(played.games.tests[group].tolist()) for group in groups(played)]
    return len(set.intersection(*there))


def dose_response(played: Played, policy: str, base: str) -> Estimate:
    """The gain where G spreads most less the gain where it spreads least, paired by test."""
    rows = [played.row(policy), played.row(base)]
    parts, values = [], []
    for group in (groups(played)[-1], groups(played)[0]):
        own, other = per_test(played, played.totals["reward"][rows], group)
        ratio = own.sum() / other.sum()
        values.append(ratio)
        parts.append((own - ratio * other) / other.mean())
    error = float(np.std(parts[0] - parts[1], ddof=1) / math.sqrt(parts[0].size))
    return with_interval(float(values[0] - values[1]), error)
