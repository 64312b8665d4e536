from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import highseason as hs
from highseason.policies import ArmState, Rule, Turn


def far_away(state: ArmState, turn: Turn) -> tuple[int, bool]:
    return (10_000_000 if turn.t == 7 else 0), False


def from_the_end(state: ArmState, turn: Turn) -> tuple[int, bool]:
    return -1, False


def playing(choose: Any) -> hs.Policy:
    @dataclass(frozen=True)
    class Wild(hs.Greedy):
        rule = Rule("wild", choose, hs.policies.EPSILON.intensity)

    return Wild()


@pytest.mark.parametrize(("choose", "message"), [
    (far_away, "the rule 'wild' chose arm 10000000 in turn 7, but the arms are 0 to 2"),
    (from_the_end, "the rule 'wild' chose arm -1 in turn 1, but the arms are 0 to 2"),
])  # fmt: skip
@pytest.mark.parametrize("run", [hs.play, hs.simulate])
def test_an_arm_that_does_not_exist_is_an_error_and_no_crash(
    choose: Any, message: str, run: Any
) -> None:
    with pytest.raises(ValueError, match=message):
        run(playing(choose), hs.rewards.bernoulli(arms=3), [1.0] * 9)


def test_a_subclass_does_not_take_its_parents_name() -> None:
    assert type(playing(far_away)).name == ""
    assert hs.policies.find("greedy") is hs.Greedy
