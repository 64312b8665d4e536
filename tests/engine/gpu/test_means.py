"""Means that are NumPy code are computed by all cores, in the order of the games."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from tests.engine.gpu.devices import Noting
from tests.engine.gpu.runs import games_of

import highseason as hs


def pays(u: float, parameter: float, scale: float) -> float:
    """1 or 0."""
    return 1.0 if u < parameter else 0.0


def test_the_first_piece_is_computed_before_threads_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several threads that import numba at once break it."""
    callers: list[str] = []

    def mean(parameters: np.ndarray) -> np.ndarray:
        callers.append(threading.current_thread().name)
        return parameters * 0.5

    monkeypatch.setattr("highseason.engine.gpu.play._MEANS_PIECE", 4)
    monkeypatch.setattr("highseason.core.parallel.worker_count", lambda workers: 2)
    games = games_of(Noting(), [hs.UCB()], hs.rewards.custom(pays, mean, arms=3))
    callers.clear()
    parameters = np.arange(33.0).reshape(11, 3)
    np.testing.assert_array_equal(games._means(parameters), parameters * 0.5)
    assert len(callers) == 3
    assert callers[0] == threading.current_thread().name != callers[1]
