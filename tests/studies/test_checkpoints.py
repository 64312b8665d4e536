"""Finished pieces of a study: found again, and known by all that they depend on."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from studies.checkpoints import Checkpoint, Stored, fingerprint


def test_a_piece_is_read_by_the_same_work_alone(tmp_path: Path) -> None:
    finished = Checkpoint(tmp_path / "runs", "squares")
    assert finished.load("2") is None
    finished.save("2", 4)
    assert finished.load("2") == Stored(4)
    assert finished.load("3") is None
    assert Checkpoint(tmp_path / "runs", "other work").load("2") is None


def test_a_damaged_piece_is_not_read(tmp_path: Path) -> None:
    finished = Checkpoint(tmp_path, "squares")
    for n in range(4):
        finished.save(str(n), n * n)
    files = sorted(tmp_path.iterdir())
    files[0].write_bytes(files[0].read_bytes()[:-3])
    files[1].write_bytes(b"")
    files[2].write_bytes(files[3].read_bytes())  # another piece's
    assert sum(finished.load(str(n)) == Stored(n * n) for n in range(4)) == 1
    assert sum(finished.load(str(n)) is None for n in range(4)) == 3


def test_a_fingerprint_sees_numbers_and_code() -> None:
    def adder(n: float) -> Any:
        return lambda x: x + n

    assert fingerprint(adder(1.0)) == fingerprint(adder(1.0))
    assert fingerprint(adder(1.0)) != fingerprint(adder(2.0))
    assert fingerprint(lambda x: x + 1) != fingerprint(lambda x: x + 2)
    assert fingerprint(lambda x: x[..., 0]) != fingerprint(lambda x: x[..., 1])
    assert fingerprint({"a": [1]}) != fingerprint({"a": [2]})
    with pytest.raises(TypeError, match="cannot see"):
        fingerprint(threading.Lock())


def test_a_fingerprint_sees_sets_and_types() -> None:
    assert fingerprint({"b", "a"}) == fingerprint({"a", "b"}) != fingerprint({"a"})
    assert fingerprint(dict) == fingerprint(dict) != fingerprint(list)
