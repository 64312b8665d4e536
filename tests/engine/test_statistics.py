from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from highseason.engine import Moments, ratio_gain, with_interval

Table = NDArray[np.float64]


def table(seed: int, rows: int, games: int, offset: float = 0.0) -> Table:
    """Paired rows: a common part and a part of their own."""
    generator = np.random.default_rng(seed)
    common = generator.normal(size=games)
    return (
        offset + 5 + common + generator.normal(size=(rows, games)) * np.arange(1, rows + 1)[:, None]
    )


@given(
    seed=st.integers(0, 1000),
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=6),
    offset=st.sampled_from([0.0, 1e6]),
)
def test_blocks_merge_to_the_whole(seed: int, sizes: list[int], offset: float) -> None:
    values = table(seed, 3, sum(sizes), offset)
    merged = Moments.of(values[:, : sizes[0]])
    at = sizes[0]
    for size in sizes[1:]:
        merged = merged.merge(Moments.of(values[:, at : at + size]))
        at += size
    assert merged.count == sum(sizes)
    np.testing.assert_allclose(merged.mean, values.mean(axis=1), rtol=1e-12)
    if merged.count > 1:
        np.testing.assert_allclose(merged.covariance, np.cov(values), rtol=1e-8, atol=1e-8)
        error = values.std(axis=1, ddof=1) / math.sqrt(merged.count)
        np.testing.assert_allclose(merged.error, error, rtol=1e-8, atol=1e-9)


def test_one_game_has_no_error() -> None:
    moments = Moments.of(np.array([[3.0], [4.0]]))
    assert moments.mean.tolist() == [3.0, 4.0]
    assert np.isnan(moments.error).all()
    gain = ratio_gain(moments, 1, 0)
    assert gain.value == pytest.approx(1 / 3)
    assert math.isnan(gain.error)


def test_a_large_mean_does_not_drown_the_variance() -> None:
    values = table(1, 2, 1000) + 1e9
    merged = Moments.of(values[:, :400]).merge(Moments.of(values[:, 400:]))
    np.testing.assert_allclose(merged.covariance, np.cov(values - 1e9), rtol=1e-4)


def test_the_ratio_gain_is_that_of_the_bootstrap() -> None:
    values = table(3, 2, 2000) + 10
    gain = ratio_gain(Moments.of(values), 1, 0)
    assert gain.value == pytest.approx(values[1].mean() / values[0].mean() - 1, rel=1e-12)
    generator = np.random.default_rng(0)
    picks = generator.integers(0, 2000, size=(4000, 2000))
    drawn = values[1][picks].mean(axis=1) / values[0][picks].mean(axis=1) - 1
    assert gain.error == pytest.approx(drawn.std(), rel=0.05)
    assert gain.low == pytest.approx(np.quantile(drawn, 0.025), abs=0.15 * gain.error)
    assert gain.high == pytest.approx(np.quantile(drawn, 0.975), abs=0.15 * gain.error)


def test_the_interval_covers_as_often_as_it_says() -> None:
    # True gain 0.5: E[b] / E[a] - 1 with means 10 and 15.
    generator = np.random.default_rng(5)
    covered = 0
    for _ in range(2000):
        common = generator.normal(size=60)
        values = np.stack([10 + common + generator.normal(size=60), 15 + common])
        gain = ratio_gain(Moments.of(values), 1, 0, confidence=0.9)
        covered += gain.low <= 0.5 <= gain.high
    assert 0.87 < covered / 2000 < 0.93


def test_pairing_counts() -> None:
    values = table(3, 1, 500)
    twins = np.vstack([values, 1.1 * values])
    gain = ratio_gain(Moments.of(twins), 1, 0)
    assert gain.value == pytest.approx(0.1)
    assert gain.error < 1e-9


def test_nothing_over_nothing_is_unknown() -> None:
    gain = ratio_gain(Moments.of(np.array([[0.0, 0.0], [1.0, 2.0]])), 1, 0)
    assert all(math.isnan(x) for x in (gain.value, gain.error, gain.low, gain.high))


@given(st.floats(-10, 10), st.floats(0, 10), st.floats(0.01, 0.99))
def test_intervals_are_normal(value: float, error: float, level: float) -> None:
    estimate = with_interval(value, error, level)
    width = NormalDist().inv_cdf((1 + level) / 2) * error
    assert estimate.low == pytest.approx(value - width)
    assert estimate.high == pytest.approx(value + width)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1, such as 0\.95"):
        with_interval(1.0, 0.1, confidence)
