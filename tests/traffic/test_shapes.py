from __future__ import annotations

import copy
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highseason.traffic import (
    SHAPES,
    Multiplier,
    MultiplierError,
    as_multiplier,
    christmas,
    constant,
    shape,
    sine,
    step,
    wave,
)

# Slow, obvious versions: intervals as the paper writes them, in exact fractions; `t` counts from 1.


def paper_wave(t: int, n: int) -> float:
    return 21 + 20 * math.sin(0.25 * t)


def paper_christmas(t: int, n: int) -> float:
    return 1000.0 if Fraction(8, 10) * n <= t <= Fraction(9, 10) * n else paper_wave(t, n)


def paper_step(t: int, n: int) -> float:
    tenth = Fraction(n, 10)
    for k in (1, 3, 5, 7):
        if k * tenth <= t < (k + 1) * tenth:
            return 40.0
    return 40.0 if 9 * tenth <= t <= n else 1.0


OBVIOUS: dict[str, Callable[[int, int], float]] = {
    "wave": paper_wave,
    "christmas": paper_christmas,
    "step": paper_step,
}


@pytest.mark.parametrize("name", OBVIOUS)
@given(turns=st.integers(1, 400))
def test_shape_is_the_obvious_one(name: str, turns: int) -> None:
    expected = [OBVIOUS[name](t, turns) for t in range(1, turns + 1)]
    np.testing.assert_allclose(SHAPES[name](turns).values, expected, rtol=1e-14)


@pytest.mark.parametrize("turns", [500, 1000, 1500])
def test_peaks_of_the_published_games(turns: int) -> None:
    peak = np.flatnonzero(christmas(turns).values == 1000) + 1
    assert (peak[0], peak[-1], peak.size) == (0.8 * turns, 0.9 * turns, turns // 10 + 1)
    assert set(step(turns).values) == {1.0, 40.0}


def test_sine_and_constant() -> None:
    expected = [20 + 19 * math.sin(t / 2) for t in range(1, 101)]
    np.testing.assert_allclose(sine(100).values, expected, rtol=1e-14)
    assert constant(4).values.tolist() == [1.0] * 4
    assert constant(2, value=7).values.tolist() == [7.0] * 2


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("turns", [1, 2, 3, 9, 10, 11])
def test_every_shape_is_a_multiplier_of_any_length(name: str, turns: int) -> None:
    multiplier = SHAPES[name](turns)
    assert multiplier.turns == turns
    assert multiplier.name == name
    assert multiplier.calendar is None


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("turns", [0, -1, 2.5, "ten", None])
def test_turns_must_be_a_count(name: str, turns: Any) -> None:
    with pytest.raises(MultiplierError, match=r"turns must be a whole number, at least 1, got"):
        SHAPES[name](turns)


def test_numpy_integers_count_as_turns() -> None:
    turns: Any = np.int64(5)
    assert wave(turns) == wave(5)


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_constant_refuses_what_is_no_multiplier(value: float) -> None:
    with pytest.raises(MultiplierError, match="value must be a finite number above 0"):
        constant(3, value=value)


def test_a_users_shape_is_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    @shape
    def ramp(turns: int) -> Multiplier:
        return Multiplier(np.arange(1.0, turns + 1))

    try:
        assert SHAPES["ramp"] is ramp
        assert SHAPES["ramp"](3).values.tolist() == [1, 2, 3]
    finally:
        del SHAPES["ramp"]


def test_a_shape_stays_one_until_it_meets_another_number() -> None:
    """Numbers of your own may count visitors, whatever they are called."""
    G = wave(turns=12)
    for same in (G, G.window(2, 9), G.shift(3), G.floor(9), G.resample(2), copy.copy(G)):
        assert same.is_shape
        assert same.name == "wave"
    for data in (100 * G, G + G, Multiplier(G.values, name="wave"), as_multiplier(G.to_pandas())):
        assert not data.is_shape
