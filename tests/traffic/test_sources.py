from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from highseason.traffic import SHAPES, MultiplierError, as_multiplier, from_values, wave


@pytest.mark.parametrize("data", [[1, 2], (1, 2), range(1, 3), np.array([1.0, 2.0])])
def test_sequences(data: Any) -> None:
    assert as_multiplier(data) == from_values([1, 2])
    assert as_multiplier(data, floor=2).values.tolist() == [2.0, 2.0]


def test_a_multiplier_passes_through() -> None:
    multiplier = wave(10)
    assert as_multiplier(multiplier) is multiplier
    assert as_multiplier(multiplier, turns=10) is multiplier
    assert as_multiplier(multiplier, floor=30) == multiplier.floor(30)


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_by_name(name: str) -> None:
    assert as_multiplier(name, turns=20) == SHAPES[name](20)
    assert as_multiplier(name, turns=20, floor=30) == SHAPES[name](20).floor(30)


def test_paths(tmp_path: Path) -> None:
    path = tmp_path / "shop.csv"
    path.write_text("0\n60\n")
    for given in (path, str(path)):
        assert as_multiplier(given, floor=1) == from_values([1, 60])


@pytest.mark.parametrize(
    ("x", "turns", "message"),
    [
        ("wave", None, "the shape 'wave' needs a number of turns: pass turns="),
        ("wav", 10, r"unknown shape 'wav'\. Did you mean 'wave'\?"),
        (
            "elephant",
            10,
            "unknown shape 'elephant'. Choose from: wave, .* A file is given by its path",
        ),
        ("wave.cvs", 10, r"cannot tell from its name what wave\.cvs holds"),
        ("none.csv", None, r"cannot read none\.csv: No such file"),
        (7, 10, r"7 is one number, not one per turn: .* constant\(turns, value=7\)"),
        (np.float64(7), 10, r"7.0 is one number, not one per turn"),
        (None, 10, "NoneType is not a multiplier: give a Multiplier, a Forecast, numbers"),
        (b"wave", 10, "bytes is not a multiplier"),
        ({"a": 1}, 10, "dict is not a multiplier"),
        ([1, 2, 3], 10, "the multiplier values has 3 turns, not 10: leave the number of turns out"),
        (wave(11), 10, "the multiplier wave has 11 turns, not 10"),
        ([1, 0], None, "turn 2 is 0"),
        ("wave", 0, "turns must be a whole number, at least 1, got 0"),
    ],
)
def test_refusals(x: Any, turns: int | None, message: str) -> None:
    with pytest.raises(MultiplierError, match=message):
        as_multiplier(x, turns=turns)
