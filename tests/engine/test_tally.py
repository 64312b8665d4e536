"""Blocks add up to all games."""

from __future__ import annotations

import numpy as np
import pytest

from highseason.engine import METRICS, Curves, Moments, SimulationResult
from highseason.engine.results import BlockSummary, Tally

TURNS, POLICIES, GAMES = np.array([3, 9]), 2, 100


def tallied(keep: bool, *blocks: range) -> SimulationResult:
    """The result of a hundred games in these blocks."""
    random = np.random.default_rng(1)
    games = 1 + random.random((len(METRICS), POLICIES, GAMES))
    traces = 3 * random.random((2, POLICIES, GAMES, TURNS.size))
    curves = {
        metric: Curves.empty(TURNS, np.zeros(2), np.array([3.0, 9.0]), POLICIES)
        for metric in ("reward", "regret")
    }
    tally = Tally(METRICS, curves)
    for block in blocks:
        some = traces[:, :, block]
        bins = [list(map(curve.binned, some[i])) for i, curve in enumerate(curves.values())]
        tally.add(BlockSummary.of(games[:, :, block], some.sum(axis=2), np.array(bins), keep))
    return tally.result(("a", "b"), {}, ("", ""))


@pytest.mark.parametrize("kept", [True, False])
def test_blocks_add_up_to_all_games(kept: bool) -> None:
    first = tallied(kept, range(GAMES))
    second = tallied(kept, range(40), range(40, 80), range(80, GAMES))
    moments = [*first.moments.values(), first.ratios]
    for one, other in zip(moments, [*second.moments.values(), second.ratios], strict=True):
        assert one.count == other.count == GAMES
        np.testing.assert_allclose(one.mean, other.mean, rtol=1e-13)
        np.testing.assert_allclose(one.scatter, other.scatter, rtol=1e-10)
    assert list(first.moments) == list(second.moments) == list(METRICS)
    assert (first.games is not None) == (second.games is not None) == kept
    for metric, values in (first.games or {}).items():
        assert second.games is not None
        assert np.array_equal(values, second.games[metric])
    for metric, curve in first.curves.items():
        np.testing.assert_allclose(curve.sums, second.curves[metric].sums, rtol=1e-13)
        assert np.array_equal(curve.counts, second.curves[metric].counts)
        assert (curve.counts.sum(axis=2) == GAMES).all()


def test_several_tables_have_the_moments_of_each() -> None:
    values = np.random.default_rng(2).random((3, 2, 50))
    together = Moments.of(values[..., :30]).merge(Moments.of(values[..., 30:]))
    for i, table in enumerate(values):
        alone = Moments.of(table[:, :30]).merge(Moments.of(table[:, 30:]))
        assert np.array_equal(together.mean[i], alone.mean)
        assert np.array_equal(together.scatter[i], alone.scatter)


def test_no_games_are_no_result() -> None:
    with pytest.raises(ValueError, match="no game was played"):
        tallied(False)
