"""What takes too long for the study's page: what is stored is what comes out.

After a change that is meant: `python -m tests.studies.test_recorded`, and look at what differs.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from studies.simulated import stored


def assert_stored(name: str, again: pd.DataFrame, by: str) -> None:
    recorded = stored.read(name)
    rows = recorded[recorded[by].isin(again[by])].reset_index(drop=True)
    assert len(rows) == len(again)
    pd.testing.assert_frame_equal(rows, again, check_dtype=False, rtol=1e-9)


def test_the_first_turns_of_table_2() -> None:
    assert_stored("simulated_table_2", stored.simulated_table_2([3, 9]), "turn")


def test_bounds_without_a_multiplier() -> None:
    assert_stored("constant_bounds", stored.constant_bounds(), "policy")


def test_the_longest_games_are_there() -> None:
    recorded = stored.read("longest_games")
    assert set(recorded.turns) == set(stored.LONGEST)
    assert np.isfinite(recorded.gain).all()


@pytest.mark.slow
def test_long_games() -> None:
    assert_stored("longest_games", stored.longest_games(stored.LONGEST[:1]), "turns")


@pytest.mark.soak
def test_all_of_it() -> None:
    assert_stored("longest_games", stored.longest_games(), "turns")
    assert_stored("simulated_table_2", stored.simulated_table_2(), "turn")


if __name__ == "__main__":
    stored.record()
