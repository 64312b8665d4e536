"""Policies of one's own: what is forgotten is said, and a new file needs no entry elsewhere."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import highseason as hs
from highseason.core.validation import declared
from highseason.policies import Policy, View, find, parse
from highseason.policies.base import _policies, discover
from highseason.policies.parameters import threshold


@dataclass(frozen=True)
class NoCarry(Policy):
    rule = hs.policies.EPSILON

    def step(self, carry: Any, view: View) -> Any:
        return 0.5


@dataclass(frozen=True)
class NoStep(Policy):
    rule = hs.policies.EPSILON


@dataclass(frozen=True)
class NoRule(Policy):
    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        return 0.5, carry


def test_a_forgotten_carry() -> None:
    message = (
        r"NoCarry\.step\(carry, view\) must return \(level, carry\), got 0\.5: return the carry"
    )
    for plan in (
        lambda: NoCarry().plan([1.0] * 4, arms=2),
        lambda: NoCarry().plan([1.0] * 4, arms=2, forecast=[1.0] * 4),
        lambda: NoCarry().plan([1.0] * 4, 2, hs.traffic.Forecast([1.0] * 4)),
        lambda: NoCarry().planner(2).level(3.0),
    ):
        with pytest.raises(TypeError, match=message):
            plan()


def test_a_forgotten_plan() -> None:
    with pytest.raises(TypeError, match=r"NoStep has no plan: define step\(self, carry, view\)"):
        NoStep().plan([1.0], arms=2)


def test_a_forgotten_rule() -> None:
    with pytest.raises(
        TypeError, match=r"NoRule\.rule must be a Rule, got None: set it in the class"
    ):
        NoRule()


@dataclass(frozen=True)
class Cautious(Policy):
    """Its threshold has another name than z."""

    rule = hs.policies.EPSILON
    busy: Any = threshold(30.0)  # noqa: RUF009  # a parameter is a field made by a function

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        return (0.0 if view.G >= self.busy else 0.5), carry


def test_a_threshold_is_declared_and_not_guessed() -> None:
    assert Cautious().threshold == 30.0
    assert hs.Discounted(Cautious(busy="q0.5")).threshold == "q0.5"
    assert hs.UCB().threshold is None
    with pytest.warns(UserWarning, match=r"its z is busy\): z = 30 is above every G"):
        Cautious().plan([1.0, 2.0], arms=1)


def test_a_policy_in_a_new_file_needs_no_entry_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        "from dataclasses import dataclass\n"
        "from highseason.policies.epsilon import Greedy\n"
        "@dataclass(frozen=True)\n"
        "class Frugal(Greedy):\n"
        '    """Greedy by another name."""\n'
        '    name = "frugal"\n'
    )
    (tmp_path / "frugal.py").write_text(source)
    monkeypatch.setattr(hs.policies, "__path__", [*hs.policies.__path__, str(tmp_path)])
    try:
        discover(hs.policies.__name__, hs.policies.__path__)
        assert find("frugal").__module__ == "highseason.policies.frugal"
        assert str(parse("frugal:ties=random")) == "frugal:ties=random"
        assert declared(find("frugal")).keys() == {"ties", "count", "rho"}
    finally:
        _policies.pop("frugal", None)
        sys.modules.pop("highseason.policies.frugal", None)


def test_discovery_finds_all_of_ours() -> None:
    assert {"UCBZ", "CapIndex", "Windowed", "SoftUCBMortal"} <= set(dir(hs.policies))
    assert hs.policies.UCBZ is hs.UCBZ
