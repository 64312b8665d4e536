from __future__ import annotations

import copy
import math
import pickle
from dataclasses import FrozenInstanceError
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

from highseason.traffic import Multiplier, MultiplierError, from_series, from_values

DAYS = ["2013-12-24", "2013-12-25", "2013-12-27"]
HOURS = np.arange("2013-12-25", "2013-12-27", dtype="datetime64[h]")


@pytest.fixture
def christmas_days() -> Multiplier:
    return Multiplier([40, 10, 60], DAYS, "Leeds")  # type: ignore[arg-type]


@pytest.fixture
def christmas_hours() -> Multiplier:
    return Multiplier(np.arange(1.0, 49.0), HOURS)


# values


@pytest.mark.parametrize(
    "data",
    [
        [1, 2, 3],
        (1.0, 2.0, 3.0),
        range(1, 4),
        np.array([1, 2, 3], dtype=np.uint8),
        np.array([1, 2, 3], dtype=np.float32),
        [Decimal(1), Decimal(2), Decimal(3)],
        ["1", "2", "3"],
        np.ma.array([1, 2, 3]),
        Multiplier([1, 2, 3]),  # type: ignore[arg-type]
    ],
    ids=lambda data: type(data).__name__,
)
def test_any_sequence_of_numbers_will_do(data: Any) -> None:
    multiplier = from_values(data)
    assert multiplier.values.dtype == np.float64
    assert multiplier.values.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([1.0, math.nan], "turn 2 is nan: fill the gap, or drop the turn"),
        ([1.0, 2.0, math.inf], "turn 3 is inf: a multiplier must be finite"),
        ([-math.inf], "turn 1 is -inf: a multiplier must be finite"),
        ([1.0, 0.0, -1.0], r"turn 2 is 0: a multiplier must be > 0; for closed hours pass floor="),
        ([1.0, -2.5], "turn 2 is -2.5: a multiplier must be > 0, and a floor does not change neg"),
        ([], "needs at least one turn"),
        ([1e308] * 20, "the sum of the multiplier is not finite .* larger unit"),
        ([[1.0, 2.0]], "2 dimensions: pick one column"),
        (3.0, "0 dimensions"),
        ([[1.0], [1.0, 2.0]], "one number per turn"),
        ([1, "many"], "turn 2 is 'many', which is not a number"),
        ([1, None], "turn 2 is None, which is not a number"),
        ([1, 2 + 3j], "not complex128 data"),
        (np.array(["2013-12-26"], dtype="datetime64[D]"), r"not datetime64\[D\] data"),
        (np.ma.array([1.0, 2.0], mask=[False, True]), "turn 2 is nan"),
    ],
)
def test_bad_values_are_named(data: Any, message: str) -> None:
    with pytest.raises(MultiplierError, match=message):
        from_values(data)


def test_the_message_gives_the_time_of_the_turn() -> None:
    with pytest.raises(MultiplierError, match=r"turn 2 \(2013-12-25\) is 0:"):
        from_values([1, 0, 1], DAYS)


def test_floor_raises_closed_hours_and_nothing_else() -> None:
    assert from_values([0, -0.0, 0.5, 1, 7], floor=1).values.tolist() == [1, 1, 1, 1, 7]
    with pytest.raises(MultiplierError, match="turn 2 is -3: a multiplier must be > 0"):
        from_values([0, -3], floor=1)
    with pytest.raises(MultiplierError, match="turn 2 is nan"):
        from_values([0, math.nan], floor=1)
    with pytest.raises(MultiplierError, match="turn 1 is inf"):
        from_values([math.inf], floor=1)


@pytest.mark.parametrize("floor", [0, -1, math.nan, math.inf])
def test_floor_must_be_positive(floor: float) -> None:
    with pytest.raises(MultiplierError, match="floor must be a finite number above 0"):
        from_values([1, 2], floor=floor)
    with pytest.raises(MultiplierError, match="must be a finite number above 0"):
        from_values([1, 2]).floor(floor)


def test_errors_are_value_errors() -> None:
    assert issubclass(MultiplierError, ValueError)


# immutability and identity


def test_nothing_can_be_changed(christmas_days: Multiplier) -> None:
    with pytest.raises(FrozenInstanceError):
        christmas_days.name = "other"  # type: ignore[misc]
    for array in (christmas_days.values, christmas_days.calendar):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


def test_the_users_array_stays_the_users() -> None:
    mine, calendar = np.array([1.0, 2.0]), np.array(DAYS[:2], dtype="datetime64[D]")
    multiplier = Multiplier(mine, calendar)
    mine[0], calendar[0] = 99.0, calendar[0] - np.timedelta64(5, "D")
    assert multiplier.at(1) == 1.0
    assert multiplier.turn_of(DAYS[0]) == 1
    assert mine.flags.writeable


@pytest.mark.parametrize(
    "clone", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_are_equal_and_locked(clone: Any, christmas_days: Multiplier) -> None:
    twin = clone(christmas_days)
    assert twin == christmas_days
    assert twin.name == "Leeds"
    assert not twin.values.flags.writeable
    assert not twin.calendar.flags.writeable


def test_equality_and_hash_are_of_values_and_calendar() -> None:
    plain = from_values([1, 2])
    dated = from_values([1, 2], DAYS[:2])
    assert plain == from_values([1.0, 2.0], name="another label")
    assert hash(plain) == hash(from_values([1.0, 2.0]))
    assert plain != from_values([1, 3])
    assert plain != from_values([1, 2, 3])
    assert plain != dated
    assert dated != from_values([1, 2], DAYS[1:])
    assert dated == from_values([1, 2], np.array(DAYS[:2], dtype="datetime64[ns]"))
    assert hash(dated) == hash(plain)
    assert plain != [1, 2]
    assert len({plain, from_values([1, 2]), dated}) == 2


def test_digest_is_of_the_values_alone() -> None:
    expected = sha256(np.array([1.0, 2.0], dtype="<f8").tobytes()).hexdigest()
    assert expected.startswith(from_values([1, 2]).digest())
    assert from_values([1, 2]).digest() == from_values([1, 2], DAYS[:2], name="x").digest()
    assert from_values([1, 2]).digest() != from_values([2, 1]).digest()


def test_what_numpy_sees() -> None:
    multiplier = from_values([1, 2])
    assert np.asarray(multiplier) is multiplier.values
    assert np.array(multiplier).flags.writeable
    assert np.asarray(multiplier, dtype=np.float32).dtype == np.float32
    np.testing.assert_array_equal(np.log(multiplier), np.log([1.0, 2.0]))


def test_length_total_and_repr(christmas_days: Multiplier) -> None:
    assert (len(christmas_days), christmas_days.turns, christmas_days.total) == (3, 3, 110.0)
    assert repr(christmas_days) == (
        "<Multiplier Leeds: 3 turns, 10 to 60, 2013-12-24 to 2013-12-27>"
    )
    assert len(repr(from_values([1, 2e7], name="a very long name " * 20))) < 90


def test_to_pandas(christmas_days: Multiplier) -> None:
    series = christmas_days.to_pandas()
    assert series.name == "Leeds"
    assert series.index.astype(str).tolist() == DAYS
    assert from_series(series) == christmas_days
    assert from_values([1, 2]).to_pandas().index.tolist() == [1, 2]
    rome = from_values([1, 2], DAYS[:2], zone="Europe/Rome")
    assert str(rome.to_pandas().index.tz) == "Europe/Rome"
    assert from_series(rome.to_pandas()) == rome


# calendar


@pytest.mark.parametrize(
    "calendar",
    [
        ["2013-12-24", "2013-12-25"],
        [date(2013, 12, 24), date(2013, 12, 25)],
        [datetime(2013, 12, 24), datetime(2013, 12, 25)],
        [datetime(2013, 12, 24, tzinfo=UTC), datetime(2013, 12, 25, tzinfo=UTC)],
        ["2013-12-24T00:00Z", "2013-12-25 00:00:00+00:00"],
        ["2013-12-24 00:00-0500", "2013-12-25 00:00:00.000-05:00"],
        [np.datetime64("2013-12-24", "ns"), np.datetime64("2013-12-25", "s")],
        np.array(["2013-12-24", "2013-12-25"], dtype="datetime64[us]"),
    ],
    ids=repr,
)
def test_calendars_come_in_many_forms(calendar: object) -> None:
    multiplier = from_values([1, 2], calendar)
    assert multiplier.calendar is not None
    assert multiplier.calendar.dtype == "datetime64[D]"
    assert multiplier.calendar.astype(str).tolist() == ["2013-12-24", "2013-12-25"]


@pytest.mark.parametrize(
    ("calendar", "unit"),
    [
        (["2013-11", "2013-12"], "D"),
        (["2013-12-24", "2013-12-24 12:00"], "s"),
        (["2013-12-24 12:00:00", "2013-12-24 12:00:00.5"], "us"),
        (["2013-12-24 12:00:00", "2013-12-24 12:00:00.000000001"], "ns"),
    ],
)
def test_calendar_keeps_what_it_needs(calendar: list[str], unit: str) -> None:
    multiplier = from_values([1, 2], calendar)
    assert multiplier.calendar is not None
    assert multiplier.calendar.dtype == f"datetime64[{unit}]"


@pytest.mark.parametrize(
    ("calendar", "message"),
    [
        (["2013-12-24"], "1 times for 2 values: give one time per value"),
        ([], "0 times for 2 values"),
        (["2013-12-25", "2013-12-24"], r"calendar row 2 is at 2013-12-24, before .* sort the rows"),
        (["2013-12-25", "2013-12-25"], "calendar row 2 repeats the time 2013-12-25"),
        (["2013-12-25", "NaT"], "calendar row 2: 'NaT' is not a time"),
        (np.array(["2013-12-25", "NaT"], dtype="datetime64[D]"), "calendar row 2 has no time"),
        (["2013-12-25", "26/12/2013"], "calendar row 2: '26/12/2013' is not a time"),
        (["2013-12-25", "2013-02-30"], "'2013-02-30' is not a time"),
        (["2013-12-25 00:00Z", "2013-12-26 00:00"], "calendar row 2 has no time zone"),
        (["2013-12-25 00:00", "2013-12-26 00:00Z"], "calendar row 2 has a time zone"),
        ([1, 2], "calendar row 1: 1 is not a time"),
        ([["2013-12-25", "2013-12-26"]], "got 2 dimensions"),
        ("2013-12-25", "got 0 dimensions"),
    ],
)
def test_bad_calendars_are_named(calendar: Any, message: str) -> None:
    with pytest.raises(MultiplierError, match=message):
        from_values([1, 2], calendar)


# lookup


def test_at_and_turn_of_by_turn(christmas_days: Multiplier) -> None:
    assert [christmas_days.at(t) for t in (1, 2, np.int64(3))] == [40.0, 10.0, 60.0]  # type: ignore[arg-type]
    assert christmas_days.turn_of(2) == 2


@pytest.mark.parametrize("t", [0, 4, -1])
def test_turns_outside_the_game(t: int, christmas_days: Multiplier) -> None:
    with pytest.raises(MultiplierError, match=f"there is no turn {t}: turns go from 1 to 3"):
        christmas_days.at(t)


@pytest.mark.parametrize("t", [1.5, None, [1]])
def test_what_is_neither_turn_nor_time(t: Any, christmas_days: Multiplier) -> None:
    with pytest.raises(MultiplierError, match="neither a turn"):
        christmas_days.at(t)


@pytest.mark.parametrize(
    "when",
    [
        "2013-12-25",
        date(2013, 12, 25),
        datetime(2013, 12, 25),
        np.datetime64("2013-12-25"),
        "2013-12-25 00:00:00",
    ],
    ids=repr,
)
def test_at_by_time(when: Any, christmas_days: Multiplier) -> None:
    assert christmas_days.turn_of(when) == 2
    assert christmas_days.at(when) == 10.0


@pytest.mark.parametrize("when", ["2013-12-26 12", "2013-12-26 12:00", datetime(2013, 12, 26, 12)])
def test_an_hour_is_found_at_any_precision(when: Any, christmas_hours: Multiplier) -> None:
    assert christmas_hours.turn_of(when) == 37


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ("2013-12-26", r"between turn 2 \(2013-12-25\) and turn 3 \(2013-12-27\)"),
        ("2013-12-25 12:00", "no turn falls on '2013-12-25 12:00'"),
        ("2013-12-01", r"before the first turn, turn 1 \(2013-12-24\)"),
        ("9999-12-31", r"after the last turn, turn 3 \(2013-12-27\)"),
        ("2013-12", r"several turns, from turn 1 \(2013-12-24\) to turn 3"),
        ("2013", "'2013' is not a time: write it as"),
        ("Boxing Day", "'Boxing Day' is not a time"),
        (np.datetime64("NaT", "s"), "is not a time"),
    ],
)
def test_times_that_name_no_single_turn(
    when: Any, message: str, christmas_days: Multiplier
) -> None:
    with pytest.raises(MultiplierError, match=message):
        christmas_days.turn_of(when)


def test_a_far_date_does_not_wrap_round_against_nanoseconds() -> None:
    multiplier = from_values([1, 2], ["2013-12-24 12:00:00", "2013-12-24 12:00:00.000000001"])
    with pytest.raises(MultiplierError, match="after the last turn"):
        multiplier.turn_of("9999-12-31")
    assert multiplier.window(None, "9999-12-31") == multiplier
    assert multiplier.turn_of("2013-12-24 12:00:00.000000001") == 2


def test_time_without_a_calendar() -> None:
    with pytest.raises(MultiplierError, match="no calendar, so it cannot find '2013-12-26'"):
        from_values([1, 2]).at("2013-12-26")


# low and high


def test_a_turn_at_the_threshold_is_high(christmas_days: Multiplier) -> None:
    assert christmas_days.high(40).tolist() == [True, False, True]
    assert christmas_days.low(40).tolist() == [False, True, False]
    assert christmas_days.high("q0.5").tolist() == [True, False, True]
    assert not christmas_days.high(math.inf).any()
    assert christmas_days.high(-math.inf).all()
