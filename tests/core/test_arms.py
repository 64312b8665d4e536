"""Arms as people type them: kept as they are meant, or refused with the way out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from highseason.core import parse_arm, parse_arms
from highseason_service.model import Arm

SEVERAL = ["9.99,10.99", "9,99,10,99", "9.99, 10.99", "9,99 10,99", "9;10", "1,2,3", "9,999"]


@pytest.mark.parametrize("text", SEVERAL)
def test_several_arms_are_not_one(text: str) -> None:
    with pytest.raises(ValueError, match="looks like more than one arm: give --arm twice"):
        parse_arm(text)


@pytest.mark.parametrize(
    ("text", "arm", "label"),
    [
        ("9,9", "9.9", "9,9"),
        ("9,99 €", "9.99", "9,99 €"),
        ("9,99, premium", "9.99", "premium"),
        ("9,99 = cheap", "9.99", "cheap"),
        ("1.234,50", "1234.50", "1.234,50"),
        ("100,000 happy customers", "100 000 happy customers", "100,000 happy customers"),
        ("3, 2, 1, go", "3 2 1 go", "3, 2, 1, go"),
        ("red,green", "red green", "red,green"),
        ("50 % off", "50 off", "50 % off"),
        ("a=b=c", "a", "b=c"),
        (" tea ", "tea", ""),
    ],
)
def test_a_name_keeps_what_its_id_cannot_hold(text: str, arm: str, label: str) -> None:
    assert parse_arm(text) == (arm, label)


@given(st.text(min_size=1, max_size=150))
def test_every_arm_is_one_that_the_service_takes(text: str) -> None:
    """Its id is one for addresses, and what was typed is its id or its label."""
    try:
        arm, label = parse_arm(text)
    except ValueError:
        return
    [pattern] = (m.pattern for m in Arm.__annotations__["id"].__metadata__[0].metadata)
    assert re.fullmatch(pattern, arm)
    assert parse_arm(arm) == (arm, "")
    shown = label or arm  # "tea=" has an empty label
    assert (
        shown == text.strip().removesuffix("=") or shown in re.split("[=,]", text, maxsplit=1)[-1]
    )


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ([], "at least two arms, got none: give --arm twice"),
        (["9,99"], "at least two arms, got 9,99: give --arm twice"),
        (["9,99", "9.99"], "the arm '9.99' is there twice"),
        (["a=tea", "b=tea"], "the arm 'tea' is there twice"),
        (["tea", "=milk"], "expected an arm such as 9.99 or b=Blue, got '=milk'"),
        (["tea", "茶"], "got '茶': the part before = needs a letter"),
    ],
)
def test_a_choice_has_two_arms_that_people_can_tell_apart(texts: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        parse_arms(texts)
