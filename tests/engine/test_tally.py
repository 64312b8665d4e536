"""Statistics of blocks merge to those of all games, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from highseason.engine import METRICS, Curves, SimulationResult, Tally

TURNS, POLICIES = np.array([3, 9]), 2


def empty(keep: bool) -> Tally:
    curves = {
        metric: Curves.empty(TURNS, np.zeros(2), np.array([3.0, 9.0]), POLICIES)
        for metric in ("reward", "regret")
    }
    return Tally(keep, curves)


def fill(tally: Tally, block: int, games: int) -> None:
    random = np.random.default_rng(block)
    tally.add({metric: 1 + random.random((POLICIES, games)) for metric in METRICS})
    for policy in range(POLICIES):
        tally.add_curves(policy, 3 * random.random((games, TURNS.size, 2)))


def outcome(tally: Tally) -> SimulationResult:
    return tally.result(("a", "b"), {}, ("", ""))


@pytest.mark.parametrize("kept", [True, False])
def test_merging_tallies_of_blocks_is_adding_the_blocks(kept: bool) -> None:
    sizes = (8, 8, 3)
    one = empty(kept)
    merged = empty(kept)
    for block, games in enumerate(sizes):
        fill(one, block, games)
        part = empty(kept)
        fill(part, block, games)
        merged.merge(part)
    first, second = outcome(one), outcome(merged)
    for metric in METRICS:
        for name in ("count", "mean", "scatter"):
            wanted = getattr(first.moments[metric], name)
            assert np.array_equal(wanted, getattr(second.moments[metric], name))
        if kept:
            assert first.games is not None
            assert second.games is not None
            assert np.array_equal(first.games[metric], second.games[metric])
    for metric, curve in first.curves.items():
        assert np.array_equal(curve.sums, second.curves[metric].sums)
        assert np.array_equal(curve.counts, second.curves[metric].counts)
    assert np.array_equal(first.ratios.scatter, second.ratios.scatter)


def test_no_games_are_no_result() -> None:
    with pytest.raises(ValueError, match="no game was played"):
        outcome(empty(keep=False))
