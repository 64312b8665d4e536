from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from highseason.traffic import (
    CalendarWarning,
    Multiplier,
    MultiplierError,
    concatenate,
    from_values,
)

quick = settings(deadline=None)
numbers = st.floats(1e-3, 1e6)
multipliers = st.lists(numbers, min_size=1, max_size=30).map(from_values)
DAYS = np.arange("2013-12-20", "2013-12-30", dtype="datetime64[D]")


@st.composite
def twins(draw: st.DrawFn) -> tuple[Multiplier, Multiplier]:
    turns = draw(st.integers(1, 30))
    lists = st.lists(numbers, min_size=turns, max_size=turns)
    return from_values(draw(lists)), from_values(draw(lists))


def dated(first: int, last: int) -> Multiplier:
    return from_values(np.arange(first, last) + 1.0, DAYS[first:last])


# laws


@quick
@given(twins(), numbers)
def test_sum_and_product_are_turn_by_turn(pair: tuple[Multiplier, Multiplier], x: float) -> None:
    one, other = pair
    rows = list(zip(one.values.tolist(), other.values.tolist(), strict=True))
    assert (one + other).values.tolist() == [a + b for a, b in rows]
    assert (one * other).values.tolist() == [a * b for a, b in rows]
    assert one + other == other + one
    assert one * other == other * one
    assert one * x == x * one == one.scale(x) == np.float64(x) * one
    assert one + other == one + other.values == other.values + one
    assert one * other == one * other.values == other.values * one
    assert one + x == x + one == np.float64(x) + one


@quick
@given(multipliers, st.integers(-100, 100), st.integers(-100, 100))
def test_shift_wraps_round(multiplier: Multiplier, a: int, b: int) -> None:
    n = multiplier.turns
    moved = multiplier.shift(a)
    assert moved.values.tolist() == [multiplier.at((t - a - 1) % n + 1) for t in range(1, n + 1)]
    assert moved.shift(b) == multiplier.shift(a + b)
    assert moved.shift(-a) == multiplier
    assert multiplier.shift(n) == multiplier


@quick
@given(multipliers, multipliers, multipliers)
def test_concatenation(a: Multiplier, b: Multiplier, c: Multiplier) -> None:
    assert a.then(b).then(c) == a.then(b.then(c)) == concatenate(a, b, c)
    assert a.then(b).values.tolist() == a.values.tolist() + b.values.tolist()
    assert a.then(b).window(1, a.turns) == a
    assert a.then(b).window(a.turns + 1, None) == b


@quick
@given(multipliers, numbers, numbers)
def test_clip_and_floor(multiplier: Multiplier, x: float, y: float) -> None:
    low, high = sorted((x, y))
    clipped = multiplier.clip(low, high)
    assert clipped.values.tolist() == [min(max(v, low), high) for v in multiplier.values.tolist()]
    assert clipped.clip(low, high) == clipped
    assert multiplier.clip() == multiplier
    assert multiplier.floor(x) == multiplier.clip(low=x)
    assert multiplier.floor(x).clip(high=y) == multiplier.clip(high=y).floor(min(x, y)) or x > y


@quick
@given(multipliers, numbers)
def test_every_turn_is_low_or_high(multiplier: Multiplier, z: float) -> None:
    assert (multiplier.low(z) ^ multiplier.high(z)).all()
    assert multiplier.high(z).tolist() == [v >= z for v in multiplier.values.tolist()]


@quick
@given(multipliers, st.data())
def test_windows(multiplier: Multiplier, data: st.DataObject) -> None:
    first = data.draw(st.integers(1, multiplier.turns))
    last = data.draw(st.integers(first, multiplier.turns))
    part = multiplier.window(first, last)
    assert part.values.tolist() == multiplier.values.tolist()[first - 1 : last]
    assert part.window(None, None) == part


# names


def test_names_tell_what_was_done() -> None:
    wave, step = from_values([1, 2], name="wave"), from_values([3, 4], name="step")
    assert (2 * (wave + step)).name == "2 * (wave + step)"
    assert (wave * 2 + step).name == "wave * 2 + step"
    assert (5 + wave).name == "5 + wave"
    assert wave.then(step).then(wave).name == "wave, step, wave"
    assert wave.then(wave).name == "wave"
    assert wave.shift(1).name == wave.clip(1, 2).name == wave.window(1, 1).name == "wave"


# calendars


def test_calendar_survives_composition() -> None:
    one = dated(0, 4)
    for other in (one + one, one * 3, one + from_values([1] * 4), from_values([1] * 4) * one):
        np.testing.assert_array_equal(other.calendar, one.calendar)
    np.testing.assert_array_equal(one.shift(1).calendar, one.calendar)
    np.testing.assert_array_equal(one.clip(2, 3).calendar, one.calendar)
    with pytest.warns(CalendarWarning, match="from 2013-12-23 .turn 4. to 2013-12-26 .turn 5.,"):
        joined = dated(0, 4).then(dated(6, 9))
    np.testing.assert_array_equal(joined.calendar, DAYS[[0, 1, 2, 3, 6, 7, 8]])


def test_window_by_dates_includes_both() -> None:
    days = dated(0, 10)
    assert days.window("2013-12-24", "2013-12-26") == dated(4, 7)
    assert days.window("2013-12-24") == dated(4, 10)
    assert days.window(last="2013-12-24") == dated(0, 5)
    assert days.window(2, "2013-12-24") == dated(1, 5)
    assert days.window("2013-11", "2013-12") == days


def test_a_day_of_hours_is_taken_whole() -> None:
    hours = np.arange("2013-12-24", "2013-12-28", dtype="datetime64[h]")
    part = from_values(np.ones(hours.size), hours).window("2013-12-25", "2013-12-26")
    np.testing.assert_array_equal(part.calendar, hours[24:72])


# gaps


def test_a_list_of_multipliers_can_be_concatenated() -> None:
    one = from_values([1, 2])
    assert concatenate([one, one]) == concatenate((one, one)) == concatenate(one, one)


@pytest.mark.parametrize(
    ("stamps", "cut"),
    [
        (DAYS, 5),
        (DAYS[:2], 1),  # no step is known
        (np.arange("2013-01", "2014-02", dtype="datetime64[M]"), 2),
        (np.arange("2013-01", "2014-02", dtype="datetime64[M]"), 12),
        (np.busday_offset("2013-12-02", np.arange(30)), 10),  # from a Friday to a Monday
    ],
)
def test_no_gap_no_warning(stamps: Any, cut: int) -> None:
    whole = from_values(np.ones(stamps.size), stamps)
    assert whole.window(1, cut).then(whole.window(cut + 1, None)) == whole


@pytest.mark.parametrize(
    ("before", "after"), [((0, 3), (4, 8)), ((0, 1), (4, 8)), ((0, 5), (9, 10))]
)
def test_a_gap_is_named(before: tuple[int, int], after: tuple[int, int]) -> None:
    last, first = DAYS[before[1] - 1], DAYS[after[0]]
    expected = f"from {last} .turn {before[1]}. to {first} .* usually 1 day apart"
    with pytest.warns(CalendarWarning, match=expected):
        dated(*before).then(dated(*after))


def test_a_step_that_is_too_short_is_named() -> None:
    more = from_values([1, 2], ["2013-12-22 12:00", "2013-12-23 12:00"])
    with pytest.warns(CalendarWarning, match="to 2013-12-22 12:00"):
        dated(0, 3).then(more)


# refusals


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: from_values([1, 2]) + from_values([1]), "of 2 turns and one of 1 cannot be comb"),
        (lambda: from_values([1]) * from_values([1, 2]), "cut the longer one with window"),
        (lambda: from_values([1]) * np.array([1, 2]), "of 1 turns and one of 2 cannot be combined"),
        (lambda: np.ones((2, 2)) * from_values([1, 2]), "2 dimensions"),
        (lambda: dated(0, 3) + dated(1, 4), "differ at turn 1: 2013-12-20 and 2013-12-21; take"),
        (lambda: from_values([1, 5]) + -2, "turn 1 is -1: a multiplier must be > 0"),
        (lambda: from_values([1, 5]) * 0, "turn 1 is 0"),
        (lambda: from_values([1, 1e300]) * 1e300, "turn 2 is inf: a multiplier must be finite"),
        (lambda: from_values([1e-300]) * from_values([1e-300]), "turn 1 is 0"),
        (lambda: from_values([1]).scale(0), "factor must be a finite number above 0, got 0"),
        (lambda: from_values([1]).clip(5, 2), r"low \(5\) must not be above high \(2\)"),
        (lambda: from_values([1]).clip(-1, 2), "low must be a finite number above 0"),
        (lambda: from_values([1]).clip(high=0), "high must be a finite number above 0"),
        (lambda: concatenate(), "at least one multiplier"),
        (lambda: concatenate([]), "at least one multiplier"),
        (lambda: concatenate([1, 2]), r"takes multipliers, such as concatenate\(G, H\), not int"),
        (lambda: concatenate(from_values([1]), [1]), "not list: convert it with as_multiplier"),
        (lambda: from_values([1e308]).then(from_values([1e308])), "sum .* is not finite"),
        (lambda: dated(0, 2).then(from_values([1])), "some have none: give all of them one"),
        (
            lambda: dated(3, 5).then(dated(0, 2)),
            "ends at 2013-12-24 cannot be followed by",
        ),
        (lambda: dated(0, 3).then(dated(2, 5)), "without overlap"),
        (lambda: from_values([1, 2]).window(0, 1), "there is no turn 0: turns go from 1 to 2"),
        (lambda: from_values([1, 2]).window(1, 3), "there is no turn 3"),
        (lambda: from_values([1, 2]).window(2, 1), "no turn lies between 2 and 1"),
        (
            lambda: dated(0, 3).window("2014-01-01", "2014-02-01"),
            "no turn lies between '2014-01-01'",
        ),
        (lambda: from_values([1]).window("2014-01-01"), "has no calendar"),
    ],
)
def test_what_does_not_fit_is_refused(attempt: Any, message: str) -> None:
    with pytest.raises(MultiplierError, match=message):
        attempt()


@pytest.mark.parametrize("other", ["2", None, [1, 2], {1: 2}])
def test_only_numbers_and_multipliers_combine(other: Any) -> None:
    multiplier = from_values([1, 2])
    for operation in (operator.add, operator.mul):
        with pytest.raises(TypeError):
            operation(multiplier, other)
        with pytest.raises(TypeError):
            operation(other, multiplier)
