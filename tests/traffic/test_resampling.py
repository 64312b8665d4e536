from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from highseason.traffic import CalendarWarning, Multiplier, MultiplierError, from_values

quick = settings(deadline=None)
numbers = st.floats(1e-3, 1e6)
MINUTE = np.timedelta64(1, "m")


def hours(first: str, last: str) -> Multiplier:
    calendar = np.arange(first, last, dtype="datetime64[h]")
    return from_values(np.arange(calendar.size) + 1.0, calendar)


@st.composite
def with_gaps(draw: st.DrawFn) -> Multiplier:
    """Half-hourly data that starts anywhere and misses turns anywhere."""
    start = np.datetime64("2013-12-01T00:00", "m") + 30 * draw(st.integers(0, 3000)) * MINUTE
    steps = draw(st.lists(st.sampled_from([1, 1, 1, 1, 2, 7, 200]), min_size=1, max_size=60))
    calendar = start + 30 * np.cumsum([0, 1, *steps, 1]) * MINUTE
    values = draw(st.lists(numbers, min_size=calendar.size, max_size=calendar.size))
    return from_values(values, calendar)


# by a number of turns


@quick
@given(st.lists(numbers, min_size=1, max_size=50), st.integers(1, 12))
def test_groups_of_turns(values: list[float], length: int) -> None:
    groups = [values[i : i + length] for i in range(0, len(values), length)]
    kept = from_values(values).resample(length, partial="keep")
    np.testing.assert_allclose(kept.values, [sum(group) for group in groups])
    np.testing.assert_allclose(kept.total, sum(values))
    means = from_values(values).resample(length, how="mean", partial="keep")
    np.testing.assert_allclose(means.values, [sum(group) / len(group) for group in groups])
    assume(len(values) >= length)
    whole = from_values(values).resample(length)
    assert whole == kept.window(1, len(values) // length)


def test_groups_take_the_time_of_their_first_turn() -> None:
    got = hours("2013-12-25T05", "2013-12-25T11").resample(4, partial="keep")
    assert got.values.tolist() == [10.0, 11.0]
    assert got.calendar is not None
    assert got.calendar.astype(str).tolist() == ["2013-12-25T05:00:00", "2013-12-25T09:00:00"]


# by the calendar


@quick
@given(with_gaps(), st.sampled_from(["30min", "1h", "5h", "6h", "1D", "3D", "1W", "2W", "1M"]))
def test_the_sum_is_conserved(multiplier: Multiplier, length: str) -> None:
    kept = multiplier.resample(length, partial="keep")
    np.testing.assert_allclose(kept.total, multiplier.total)
    assert kept.turns <= multiplier.turns


@quick
@given(with_gaps(), st.sampled_from([("1h", "h"), ("6h", "6h"), ("1D", "D"), ("1W", "W-MON")]))
def test_periods_are_those_of_pandas(multiplier: Multiplier, length: tuple[str, str]) -> None:
    ours, theirs = length
    series = pd.Series(multiplier.values, index=multiplier.calendar)
    expected = series.resample(theirs, closed="left", label="left").sum(min_count=1).dropna()
    got = multiplier.resample(ours, partial="keep")
    np.testing.assert_array_equal(got.calendar, expected.index.to_numpy())
    np.testing.assert_allclose(got.values, expected.to_numpy())


@quick
@given(with_gaps(), st.sampled_from(["1h", "5h", "1D", "3D", "2W", "1M"]), st.data())
def test_a_part_falls_into_the_periods_of_the_whole(
    multiplier: Multiplier, length: str, data: st.DataObject
) -> None:
    first = data.draw(st.integers(1, multiplier.turns - 1))
    part = multiplier.window(first, None)
    assert set(part.resample(length, partial="keep").calendar) <= set(  # type: ignore[arg-type]
        multiplier.resample(length, partial="keep").calendar  # type: ignore[arg-type]
    )


def test_unfilled_ends_are_dropped_or_kept() -> None:
    data = hours("2013-12-24T07", "2013-12-27T13")
    assert data.resample("1D").calendar.astype(str).tolist() == ["2013-12-25", "2013-12-26"]  # type: ignore[union-attr]
    kept = data.resample("1D", partial="keep")
    assert kept.turns == 4
    assert kept.at("2013-12-24") == sum(range(1, 18))
    assert data.resample("1D", how="mean", partial="keep").at(1) == 9.0


def test_filled_ends_are_kept() -> None:
    assert hours("2013-12-24", "2013-12-27").resample("1D").turns == 3
    weeks = np.arange("2013-12-02", "2013-12-30", dtype="datetime64[D]")  # Monday to Sunday
    assert from_values(np.ones(28), weeks).resample("1W").values.tolist() == [7.0] * 4
    assert from_values(np.ones(28), weeks).resample("7D").values.tolist() == [7.0] * 4
    later = weeks + np.timedelta64(1, "D")
    assert from_values(np.ones(28), later).resample("1W").turns == 3


def test_gaps_inside_are_skipped_not_filled_with_zeros() -> None:
    with pytest.warns(CalendarWarning, match="but its turns are usually 1:00:00 apart"):
        data = hours("2013-12-24", "2013-12-25").then(hours("2013-12-27", "2013-12-28"))
    days = data.resample("1D")
    assert days.values.tolist() == [300.0, 300.0]
    assert days.calendar.astype(str).tolist() == ["2013-12-24", "2013-12-27"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("first", "last", "quarters"),
    [
        ("2013-01", "2014-01", ["2013-01-01", "2013-04-01", "2013-07-01", "2013-10-01"]),
        ("2013-02", "2013-12", ["2013-04-01", "2013-07-01"]),
        ("2013-05", "2014-03", ["2013-07-01", "2013-10-01"]),
        ("2012-12", "2013-06", ["2013-01-01"]),
    ],
)
def test_months_to_quarters(first: str, last: str, quarters: list[str]) -> None:
    months = np.arange(first, last, dtype="datetime64[M]")
    got = from_values(np.ones(months.size), months).resample("3M")
    assert got.calendar.astype(str).tolist() == quarters  # type: ignore[union-attr]
    assert got.values.tolist() == [3.0] * len(quarters)


def test_days_to_months() -> None:
    days = np.arange("2013-01-15", "2013-04-01", dtype="datetime64[D]")
    assert from_values(np.ones(days.size), days).resample("1M").values.tolist() == [28.0, 31.0]


def test_one_turn_is_taken_as_it_is() -> None:
    one = from_values([5], ["2013-12-25 07:00"])
    assert one.resample("1D").calendar.astype(str).tolist() == ["2013-12-25"]  # type: ignore[union-attr]


def test_before_1970() -> None:
    days = np.arange("1969-12-22", "1970-01-05", dtype="datetime64[D]")
    weeks = from_values(np.ones(14), days).resample("W")
    assert weeks.calendar.astype(str).tolist() == ["1969-12-22", "1969-12-29"]  # type: ignore[union-attr]


@pytest.mark.parametrize("length", ["1H", "1 h", "h", "60min", "3600s"])
def test_ways_to_write_an_hour(length: str) -> None:
    data = hours("2013-12-24", "2013-12-25")
    assert data.resample(length) == data


# refusals


@pytest.mark.parametrize(
    ("length", "options", "message"),
    [
        (0, {}, "length must be a whole number, at least 1, got 0"),
        (-2, {}, "length must be a whole number, at least 1, got -2"),
        (1.5, {}, "length must be a whole number, at least 1, got 1.5"),
        (True, {}, "length must be a whole number, at least 1, got True"),
        ("1 fortnight", {}, "'1 fortnight' is not a length of time: write a whole number and one"),
        ("1m", {}, "'1m' is not a length of time"),
        ("0D", {}, "'0D' is not a length of time"),
        ("9999999h", {}, "'9999999h' is not a length of time"),
        ("", {}, "'' is not a length of time"),
        ("10min", {}, "turns are at least 3600 seconds apart, more than '10min'"),
        ("1W", {}, "does not fill a single turn of length '1W': shorten it, or pass partial="),
        (100, {}, "does not fill a single turn of length 100"),
        (2, {"how": "max"}, "how must be 'sum' or 'mean', got 'max'"),
        (2, {"partial": "dropp"}, "partial must be 'drop' or 'keep', got 'dropp'"),
    ],
)
def test_refusals(length: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(MultiplierError, match=message):
        hours("2013-12-24", "2013-12-26").resample(length, **options)


def test_times_need_a_calendar() -> None:
    with pytest.raises(MultiplierError, match="no calendar, so '1D' has no meaning"):
        from_values([1, 2]).resample("1D")
