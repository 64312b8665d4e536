"""Calendars with a time zone: its days and hours are those of the clock on the wall."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import highseason as hs
from highseason.bandit import DocumentError
from highseason.traffic import (
    CalendarWarning,
    Multiplier,
    MultiplierError,
    concatenate,
    from_series,
    from_values,
    read,
)
from highseason.traffic.dates import check_zone, to_instants, to_wall

ROME = "Europe/Rome"
ZONES = [ROME, "America/St_Johns", "America/Havana", "Australia/Lord_Howe", "Asia/Beirut", "+05:30"]


def series(first: str, periods: int, freq: str = "D", tz: Any = ROME) -> Any:
    index = pd.date_range(first, periods=periods, freq=freq, tz=tz)
    return pd.Series(np.arange(1.0, periods + 1), index=index)


@pytest.fixture
def spring() -> Multiplier:
    """Six days; the clock is put forward on the third, 31 March."""
    return from_series(series("2024-03-29", 6))


@pytest.fixture
def autumn() -> Multiplier:
    """Six hours; the clock is put back after the fourth: 00, 01, 02, 02, 03, 04."""
    return from_series(series("2024-10-27", 6, "h"))


# lookups


@pytest.mark.parametrize("day", range(6))
def test_days_are_those_of_the_zone(spring: Multiplier, day: int) -> None:
    when = date(2024, 3, 29) + timedelta(days=day)
    midnight = datetime(when.year, when.month, when.day)
    names = (str(when), when, midnight, np.datetime64(when), f"{when} 00:00")
    aware = midnight.replace(tzinfo=ZoneInfo(ROME))
    elsewhere = [aware.astimezone(ZoneInfo(zone)) for zone in ("Asia/Tokyo", "UTC")]
    for name in (*names, aware, *elsewhere, aware.isoformat(), pd.Timestamp(aware)):
        assert spring.turn_of(name) == day + 1, name
        assert spring.at(name) == day + 1


def test_what_is_seen_is_the_clock_of_the_zone(spring: Multiplier) -> None:
    assert spring.zone == ROME
    assert spring.calendar is not None
    assert spring.calendar.astype(str).tolist()[1:3] == ["2024-03-30", "2024-03-31"]
    assert repr(spring).endswith("2024-03-29 to 2024-04-03 Europe/Rome>")
    with pytest.raises(MultiplierError, match=r"after the last turn, turn 6 \(2024-04-03\)"):
        spring.turn_of("2024-04-04")
    with pytest.raises(MultiplierError, match=r"turn 2 \(2024-03-30\) is 0"):
        from_series(series("2024-03-29", 6) * [1, 0, 1, 1, 1, 1])


def test_a_bandit_decides_the_day_that_was_named() -> None:
    bandit = hs.Bandit(["a", "b"], hs.Greedy(), series("2024-03-29", 6))
    bandit.pull("2024-03-31")
    assert [made.turn for made in bandit.decisions()] == [3]
    with pytest.raises(ValueError, match=r"'2024-04-04' is past .* turn 6 \(2024-04-03\)"):
        bandit.pull("2024-04-04")


def test_windows_by_the_clock(spring: Multiplier, autumn: Multiplier) -> None:
    assert spring.window("2024-03-30", "2024-03-31").values.tolist() == [2.0, 3.0]
    assert spring.window("2024-04").values.tolist() == [4.0, 5.0, 6.0]
    assert autumn.window("2024-10-27 02:00", "2024-10-27 02:00").values.tolist() == [3.0, 4.0]
    assert autumn.window(last="2024-10-27 01").values.tolist() == [1.0, 2.0]
    assert autumn.window("2024-10-27 03").values.tolist() == [5.0, 6.0]
    hours = from_series(series("2024-03-31", 4, "h"))  # 00, 01, 03, 04
    assert hours.window("2024-03-31 02:30").values.tolist() == [3.0, 4.0]
    assert hours.window(last="2024-03-31 02:30").values.tolist() == [1.0, 2.0]


def test_an_hour_that_comes_twice_must_say_which(autumn: Multiplier) -> None:
    both = r"several turns, from turn 3 \(2024-10-27 02:00\+02:00\) to turn 4 \(.* 02:00\+01:00\)"
    with pytest.raises(MultiplierError, match=both):
        autumn.turn_of("2024-10-27 02:00")
    assert autumn.turn_of("2024-10-27 02:00+02:00") == 3
    assert autumn.turn_of("2024-10-27 02:00+01:00") == 4
    second = datetime(2024, 10, 27, 2, tzinfo=ZoneInfo(ROME), fold=1)
    assert autumn.turn_of(second) == autumn.turn_of("2024-10-27 01:00Z") == 4
    assert [autumn.turn_of(f"2024-10-27 0{h}") for h in (0, 1, 3, 4)] == [1, 2, 5, 6]


def test_a_time_with_an_offset_names_a_whole_minute() -> None:
    G = from_values([1, 2], ["2024-10-27 02:00:30Z", "2024-10-27 02:01:30Z"])
    assert [G.turn_of(f"2024-10-27 0{h}:01{zone}") for h, zone in ((2, "Z"), (3, "+01:00"))] == [
        2,
        2,
    ]


def test_an_hour_that_is_skipped_holds_no_turn() -> None:
    hours = from_series(series("2024-03-31", 4, "h"))
    for when in ("2024-03-31 02", "2024-03-31 02:00", "2024-03-31 02:30"):
        with pytest.raises(MultiplierError, match="no turn falls on"):
            hours.turn_of(when)


def test_a_zoned_time_needs_a_zoned_calendar() -> None:
    plain = from_values([1, 2], ["2024-03-30", "2024-03-31"])
    with pytest.raises(MultiplierError, match="has a time zone and the calendar has none"):
        plain.turn_of(datetime(2024, 3, 30, tzinfo=UTC))
    assert from_series(series("2024-03-29", 6)).window(None, "9999-12-31").turns == 6


# where zones come from


@pytest.mark.parametrize(
    ("tz", "zone"),
    [
        (ROME, ROME),
        (ZoneInfo(ROME), ROME),
        ("UTC", "UTC"),
        (UTC, "UTC"),
        (timezone(timedelta(hours=-3, minutes=-30)), "-03:30"),
        ("+05:30", "+05:30"),
    ],
)
def test_zones_of_series(tz: Any, zone: str) -> None:
    G = from_series(series("2024-03-29", 3, tz=tz))
    assert (G.zone, G.turn_of("2024-03-30")) == (zone, 2)


@pytest.mark.parametrize("zone", [ROME, "+01:00", "UTC"])
def test_zones_of_parquet(zone: str, tmp_path: Path) -> None:
    path = tmp_path / "shop.parquet"
    data = series("2024-03-29", 6, tz=zone)
    pd.DataFrame({"day": data.index, "visitors": data.to_numpy()}).to_parquet(path)
    assert read(path) == from_series(data)
    assert read(path).zone == zone


def stamps(first: str, periods: int, freq: str = "h") -> list[str]:
    return [at.isoformat() for at in series(first, periods, freq).index]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[list[str]], Path]:
    def written(times: list[str]) -> Path:
        rows = [f"{at},{i + 1}" for i, at in enumerate(times)]
        path = tmp_path / "shop.csv"
        path.write_text("\n".join(["time,visitors", *rows]))
        return path

    return written


def test_csv_of_one_offset(write: Callable[[list[str]], Path]) -> None:
    G = read(write(stamps("2024-01-05", 72)))
    assert G.zone == "+01:00"
    assert G.resample("1D").values.tolist() == [300.0, 876.0, 1452.0]
    assert G.turn_of("2024-01-06 00:00") == 25


def test_csv_of_several_offsets(write: Callable[[list[str]], Path]) -> None:
    path = write(stamps("2024-03-30", 71))
    with pytest.warns(CalendarWarning, match=r"line 28, .* is in \+02:00 .* in UTC; .* zone="):
        mixed = read(path)
    assert mixed.zone == "UTC"
    assert mixed.turn_of("2024-03-30 00:00") == 2
    assert read(path, zone=ROME) == from_series(series("2024-03-30", 71, "h"))
    assert read(path, zone=ROME).resample("1D").turns == 3


def test_csv_of_the_wall_clock_and_of_unix_seconds(write: Callable[[list[str]], Path]) -> None:
    index = series("2024-10-26", 73, "h").index
    expected = from_series(series("2024-10-26", 73, "h"))
    wall = [str(at) for at in index.tz_localize(None)]  # 02:00 comes twice
    assert read(write(wall), zone=ROME) == expected
    unix = [str(int(at.timestamp())) for at in index]
    assert read(write(unix), zone=ROME) == expected
    assert read(write(unix)).zone == "UTC"
    with pytest.raises(MultiplierError, match="repeats the time 2024-10-27 02:00"):
        read(write(wall))


def test_a_zone_places_times_or_converts_them() -> None:
    days = ["2024-03-30", "2024-03-31"]
    G = from_values([1, 2], days, zone=ROME)
    assert G == from_values([1, 2], ["2024-03-29 23:00Z", "2024-03-30 23:00Z"], zone=ROME)
    assert G == Multiplier(G.values, G.calendar, zone=G.zone)
    assert G != from_values([1, 2], days)
    assert G != from_values([1, 2], days, zone="UTC")
    assert from_values([1, 2], G.timeline, zone="UTC").zone == "UTC"


@pytest.mark.parametrize("zone", ["Rome", "+25:00", "../etc", "", 1, "Europe"])
def test_what_is_no_zone(zone: Any) -> None:
    with pytest.raises(MultiplierError, match=r"is not a time zone|zone must be"):
        from_values([1], ["2024-03-30"], zone=zone)
    with pytest.raises(MultiplierError, match="without a calendar"):
        from_values([1], zone=ROME)


def test_one_way_to_write_a_zone() -> None:
    names = ["Z", "+00:00", "+01", "-0330", "+00:44:30", ROME]
    expected = ["UTC", "UTC", "+01:00", "-03:30", "+00:44:30", ROME]
    assert [check_zone(name) for name in names] == expected


# resampling


@pytest.mark.parametrize(
    ("first", "hours", "lengths"),
    [("2024-03-30", 71, [24, 23, 24]), ("2024-10-26", 73, [24, 25, 24])],
)
def test_days_of_23_and_25_hours(first: str, hours: int, lengths: list[int]) -> None:
    ones = from_series(series(first, hours, "h") ** 0)
    days = ones.resample("1D")
    assert days.values.tolist() == lengths
    assert days.calendar is not None
    assert days.calendar.dtype == "datetime64[D]"
    assert days.turn_of(first) == 1
    assert ones.window(1, hours - 1).resample("1D").turns == 2
    assert ones.window(2, None).resample("1D", partial="keep").values[0] == 23
    assert ones.resample("1h") == ones
    six = ones.resample("6h")
    assert six.turns == 12
    assert six.values[4] == lengths[1] - 18
    assert six.calendar is not None
    assert str(six.calendar[5]).endswith("06:00:00")


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Asia/Beirut", "2024-03-31", 23),  # there is no 00:00
        ("America/Havana", "2024-11-03", 25),  # there are two
        ("America/St_Johns", "2006-10-29", 25),  # at 00:01 back to 23:01, the day before
    ],
)
def test_clocks_that_change_at_midnight(zone: str, day: str, hours: int) -> None:
    noon = pd.Timestamp(f"{day} 12:00", tz=zone)
    index = pd.date_range(noon - pd.Timedelta("4D"), noon + pd.Timedelta("4D"), freq="h")
    days = from_series(pd.Series(1.0, index=index)).resample("1D")
    assert days.turn_of(day) == 4
    assert days.at(day) == hours
    assert days.total == 24 * 6 + hours


@pytest.mark.parametrize("day", ["2024-03-30", "2024-03-31", "2024-10-26", "2024-10-27"])
def test_days_stay_days(day: str) -> None:
    for periods in (1, 2, 3):
        days = from_series(series(day, periods))
        assert days.resample("1D") == days


@given(
    st.sampled_from([ROME, "America/St_Johns", "Australia/Lord_Howe", "+05:30"]),
    st.sampled_from(["D", "W-MON", "MS", "h", "30min"]),
    st.integers(0, 17_000),
    st.integers(24, 300),
)
def test_periods_are_those_of_pandas(zone: str, length: str, start: int, n: int) -> None:
    # Where clocks skip half an hour, hours of pandas begin at half past from then on.
    assume((zone, length) != ("Australia/Lord_Howe", "h"))
    index = pd.date_range("2023-01-01", periods=start + n, freq="30min", tz="UTC")[start:]
    data = pd.Series(1.0, index=index.tz_convert(zone))
    expected = data.resample(length, closed="left", label="left").sum()
    ours = {"D": "1D", "W-MON": "1W", "MS": "1M", "h": "1h", "30min": "30min"}[length]
    got = from_series(data).resample(ours, partial="keep")
    np.testing.assert_array_equal(got.values, expected.to_numpy())
    assert got == from_series(expected)


@given(
    st.sampled_from(ZONES),
    st.integers(-2_000_000_000, 2_000_000_000),
    st.integers(1, 5_000),
    st.integers(1, 80),
)
def test_the_clock_is_that_of_zoneinfo(zone: str, first: int, step: int, n: int) -> None:
    times = np.datetime64(first, "s") + step * np.arange(n)
    local = to_wall(times, zone)
    if zone[0] != "+":
        ats = (
            datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=s)
            for s in times.astype(int).tolist()
        )
        expected = [at.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for at in ats]
        assert local.tolist() == expected
    back = to_instants(local, zone)
    np.testing.assert_array_equal(to_wall(back, zone), local)
    if step <= 1800 and n * step > 40 * 3600:
        inner = slice(4 * 3600 // step, None)  # a lone second hour at the start is not seen
        np.testing.assert_array_equal(back[inner], times[inner])


# operations, copies, documents


def test_operations_keep_the_zone(spring: Multiplier, autumn: Multiplier) -> None:
    results = (spring + 1, 2 * spring, spring.shift(1), spring.clip(2), spring.window(2, 3))
    assert {G.zone for G in (*results, spring.resample(2), spring + spring)} == {ROME}
    second = autumn.window(4, None)  # begins in the second 2 o'clock
    assert repr(second).endswith("2024-10-27 02:00+01:00 to 2024-10-27 04:00 Europe/Rome>")
    for twin in (copy.deepcopy(second), pickle.loads(pickle.dumps(second)), second * 1):
        assert twin == second
        assert twin.turn_of("2024-10-27 01:00Z") == 1
    assert autumn.window(1, 3).then(second) == autumn


def test_zones_must_agree(spring: Multiplier) -> None:
    utc = from_values(spring.values, spring.timeline, zone="UTC")
    plain = from_values(spring.values, spring.calendar)
    with pytest.raises(MultiplierError, match="one calendar has Europe/Rome and the other UTC"):
        spring + utc
    with pytest.raises(MultiplierError, match="the other no time zone: give both the same"):
        spring + plain
    with pytest.raises(MultiplierError, match="one calendar has no time zone and the other Eur"):
        concatenate(plain, from_series(series("2024-04-04", 2)))


@pytest.mark.parametrize("cut", [1, 2, 3, 4])
def test_a_day_of_another_length_is_no_gap(spring: Multiplier, cut: int) -> None:
    assert spring.window(1, cut).then(spring.window(cut + 1, None)) == spring


def test_extend_names_a_gap() -> None:
    bandit = hs.Bandit(["a", "b"], hs.Greedy(), series("2024-03-29", 3))
    bandit.extend(series("2024-04-01", 2))
    with pytest.warns(CalendarWarning, match=r"from 2024-04-02 \(turn 5\) to 2024-04-05 \(turn 6"):
        bandit.extend(series("2024-04-05", 2))
    with pytest.raises(MultiplierError, match="the other no time zone"):
        bandit.extend(series("2024-04-07", 2, tz=None))


def test_a_document_keeps_the_zone() -> None:
    bandit = hs.Bandit(["a", "b"], hs.Greedy(), series("2024-10-27", 6, "h"))
    twin = hs.Bandit.from_json(bandit.to_json())
    assert twin.to_json() == bandit.to_json()
    assert twin.multiplier == bandit.multiplier
    twin.pull("2024-10-27 02:00+01:00")
    assert [made.turn for made in twin.decisions()] == [4]


def test_damaged_documents_are_refused() -> None:
    plain = hs.Bandit(["a", "b"], hs.Greedy(), series("2024-10-27", 3, tz=None))
    document = json.loads(plain.to_json())
    document["events"][0]["multiplier"]["zone"] = "Mars/Olympus"
    with pytest.raises(DocumentError, match="'Mars/Olympus' is not a time zone"):
        hs.Bandit.from_json(json.dumps(document))
