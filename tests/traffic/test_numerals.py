"""One number as people type it, by the conventions of any country."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from highseason.traffic import AmbiguousError, read_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.234,50", 1234.5),
        ("1,234.50", 1234.5),
        ("1756,03", 1756.03),
        ("1 234,5", 1234.5),
        ("1'234.5", 1234.5),
        ("1.234.567", 1234567.0),
        ("9,99 €", 9.99),
        ("−3", -3.0),
        ("0,999", 0.999),
        ("0.001", 0.001),
        ("1.234e-05", 1.234e-5),
        ("1.3980", 1.398),
        ("1_000", 1000.0),
    ],
)
def test_one_reading(text: str, number: float) -> None:
    assert read_number(text) == read_number(text, whole=True) == number


@pytest.mark.parametrize("text", ["1.398", "1,398", "-12.345", "1.398 €"])
def test_two_readings_are_both_named(text: str) -> None:
    """And what the message says to write is read as that."""
    with pytest.raises(AmbiguousError, match=r"could be .* or .*: write .* or ") as error:
        read_number(text)
    large, small = str(error.value).rpartition("write ")[2].split(" or ")
    assert read_number(large) == 1000 * read_number(small)
    assert read_number(text, whole=True) == read_number(large)  # visitors are whole


def test_what_may_be_two_whole_numbers_is_asked_about() -> None:
    with pytest.raises(AmbiguousError, match=r"'310\.000' could be 310000 or 310: write"):
        read_number("310.000", whole=True)


@pytest.mark.parametrize("text", ["", "abc", "5%", "1.2.3", "1,2,3", "--5", "nan"])
def test_no_number(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected a number, such as 1234\.5, got"):
        read_number(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_writes_is_read_back_or_asked_about(number: float) -> None:
    try:
        assert read_number(repr(number)) == number
    except AmbiguousError:
        assert len(repr(abs(number)).partition(".")[2]) == 3
