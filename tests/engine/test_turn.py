"""Small parts of a simulation: who is there, how games are cut into blocks, where curves stop."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import highseason as hs
from highseason.engine.simulate import Simulation, _checkpoints
from highseason.engine.turn import best_present


def test_the_best_arm_is_the_first_of_the_best_that_are_there() -> None:
    means = np.array([0.3, 0.9, 0.5, 0.5, 0.0])
    for there, best in (("11111", 1), ("10111", 2), ("00011", 3), ("00001", 4), ("00000", -1)):
        population: Any = SimpleNamespace(alive=np.array([arm == "1" for arm in there]))
        assert best_present(population.alive, means) == best


@pytest.mark.parametrize("turns", [120, 900, 7000])
@pytest.mark.parametrize("games", [1, 200_000, 700_000, 9_000_000])
def test_blocks_are_whole_multiples_of_64(turns: int, games: int) -> None:
    simulation = Simulation.prepare(
        hs.UCB(), hs.rewards.bernoulli(arms=5), hs.traffic.wave(turns), seed=3
    )
    size = np.clip(max(games / 256, 0.03 / simulation.seconds), 64, 4096)
    size = 64 * int(np.ceil(size / 64))
    assert simulation.blocks(games)[0] == range(min(size, games))


def test_curves_stop_at_turns_that_are_evenly_apart() -> None:
    assert _checkpoints(True, 120).tolist() == list(range(1, 121))
    assert _checkpoints(True, 1991).tolist() == list(range(1, 1992, 10))
    assert _checkpoints(5, 9).tolist() == [1, 3, 5, 7, 9]
    assert _checkpoints(1, 9).tolist() == [1]
    assert _checkpoints([9, 2, 2], 9).tolist() == [2, 9]
    for nothing in (False, 0):
        assert _checkpoints(nothing, 9).tolist() == []
    for wrong in ([], [0], [10], -1):
        with pytest.raises(ValueError, match="curves"):
            _checkpoints(wrong, 9)
