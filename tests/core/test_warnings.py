"""Warnings are silenced for the whole process, whatever its threads do meanwhile."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

import highseason as hs
from highseason.core.warnings import collected, quiet, warn_user
from highseason.traffic import FileNote


def test_a_note_on_a_table_points_at_the_line_that_reads_it() -> None:
    days = pd.date_range("2025-01-01", periods=5)
    with pytest.warns(FileNote) as caught:
        hs.traffic.read(pd.DataFrame({"visitors": range(10, 15), "revenue": 3.5}, index=days))
    assert {warning.filename for warning in caught} == {__file__}


def test_within_quiet_threads_leave_the_filters_alone() -> None:
    def work(_: int) -> list[object]:
        with quiet():
            warnings.warn("not shown", UserWarning, stacklevel=1)
            return warnings.filters  # type: ignore[return-value]

    before = warnings.filters
    with quiet(), ThreadPoolExecutor(4) as pool:
        outside = warnings.filters
        assert all(inside is outside for inside in pool.map(work, range(200)))
    assert warnings.filters is before


def test_other_categories_are_added_and_taken_back() -> None:
    with quiet(UserWarning):
        before = list(warnings.filters)
        with quiet(DeprecationWarning, FutureWarning):
            assert {entry[2] for entry in warnings.filters[:2]} == {
                DeprecationWarning,
                FutureWarning,
            }
        assert warnings.filters == before


def test_who_is_quiet_longer_stays_quiet() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = list(warnings.filters)
        first, second = quiet(), quiet()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        warnings.warn("not shown", UserWarning, stacklevel=1)
        second.__exit__(None, None, None)
        assert warnings.filters == before
        with pytest.raises(UserWarning, match="shown again"):
            warnings.warn("shown again", UserWarning, stacklevel=1)


def test_each_thread_collects_its_own() -> None:
    def work(n: int) -> list[str]:
        with collected() as notes:
            for _ in range(20):
                warn_user(f"note {n}", UserWarning)
        return notes

    with ThreadPoolExecutor(4) as pool:
        for n, notes in enumerate(pool.map(work, range(50))):
            assert notes == [f"note {n}"] * 20
    with pytest.warns(UserWarning, match="not collected"):
        warn_user("not collected", UserWarning)
