"""The work of a decision does not grow with the turns that were played."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

import numpy as np
import pytest

import highseason as hs
from highseason.policies import EPSILON, Policy, View
from highseason.policies.plan import Planner

OURS = [name for name, cls in hs.policies.registry().items() if "highseason." in cls.__module__]


def lines_of(work: Callable[[], Any]) -> int:
    """How many lines of this library run: a measure of work that no machine's load disturbs."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if "highseason" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def corner(policy: str, turns: int) -> hs.Bandit:
    bandit = hs.Bandit(["a", "b", "c"], policy, reward_range=(0, 1), seed=7)
    for t in range(1, turns + 1):
        came = 20.0 + (7 * t) % 23
        bandit.update(bandit.pull(expected=came), 0.3 * came, t=t, visitors=came)
    return bandit


@pytest.mark.parametrize("policy", ["ucb-z", "soft-ucb", "epsilon-z:k=1", "soft-epsilon"])
@pytest.mark.parametrize(
    "before",
    [
        lambda bandit: bandit,
        lambda bandit: bandit.probabilities(expected=35.0) and bandit,
        lambda bandit: bandit.add_arm("d") or bandit,
        lambda bandit: bandit.remove_arm("a") or bandit,
    ],
    ids=["as it is", "asked with another belief", "an arm more", "an arm less"],
)
def test_a_decision_without_a_multiplier(policy: str, before: Any) -> None:
    bandits = [before(corner(policy, turns)) for turns in (90, 900)]
    work = [lines_of(partial(bandit.pull, expected=30.0)) for bandit in bandits]
    assert work[1] < 1.5 * work[0] + 50


@pytest.mark.parametrize("policy", ["ucb-z", "soft-ucb", "epsilon-z:k=1"])
def test_a_decision_after_loading(policy: str) -> None:
    twins = [hs.Bandit.from_json(corner(policy, turns).to_json()) for turns in (90, 900)]
    for twin in twins:  # the first decision after loading takes the plan's steps up to here
        twin.pull(expected=30.0)
    work = [lines_of(partial(twin.pull, expected=30.0)) for twin in twins]
    assert work[1] < 1.5 * work[0] + 50


@pytest.mark.parametrize("policy", ["ucb-z", "soft-ucb", "epsilon-greedy"])
def test_arms_that_come_and_go_with_a_multiplier(policy: str) -> None:
    work = []
    for turns in (90, 900):
        G = hs.traffic.wave(turns=turns)
        bandit = hs.Bandit(["a", "b", "c"], hs.policies.parse(policy), G, reward_range=(0, 1))
        bandit.pull()
        bandit.add_arm("d", when="now")
        bandit.pull()
        bandit.remove_arm("a")
        work.append(lines_of(bandit.pull))
    assert work[1] < 1.5 * work[0] + 50


# what makes it possible, and that it changes nothing


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("name", OURS)
def test_levels_asked_for_one_by_one_are_those_of_the_plan(name: str) -> None:
    policy = hs.policies.registry()[name]()
    assert policy.carry_depends_on in ("nothing", "G")
    G = hs.traffic.wave(turns=30)
    plan = policy.plan(G, 5).levels
    if policy.rule.constants:
        bandit = hs.Bandit(prices=[1, 2], policy=policy, multiplier=G)
    else:
        bandit = hs.Bandit([1, 2], policy, G, reward_range=(0, 1))
    for arm in (3, 4, 5):
        bandit.add_arm(arm, when="now")
    assert [bandit.decide(t).level for t in range(1, 31)] == plan.tolist()


@pytest.mark.parametrize("name", OURS)
def test_a_planner_that_is_taken_up_again_goes_on(name: str) -> None:
    policy = hs.policies.registry()[name]()
    G = np.random.default_rng(7).integers(5, 90, 40).astype(float).tolist()
    planner = policy.planner(4)
    for i, value in enumerate(G):
        if i == 20:
            twin = Planner(policy, 4, G[:i], [2.0 * g for g in G[:i]], planner.carry)
        assert planner.peek(value) == planner.peek(value)  # looking changes nothing
        level = planner.level(value)
        assert i < 20 or twin.level(value) == level
        planner.saw(2.0 * value)
        if i >= 20:
            twin.saw(2.0 * value)


@dataclass(frozen=True)
class CountsArms(Policy):
    """A policy whose carry depends on the number of arms, and is a list that it changes."""

    rule = EPSILON

    def begin(self) -> list[float]:
        return [0.0]

    def step(self, carry: list[float], view: View) -> tuple[float, list[float]]:
        carry[0] += view.arms / view.G
        return 1.0 / (1.0 + carry[0]), carry


def test_a_carry_that_depends_on_the_arms_is_computed_again() -> None:
    bandit = hs.Bandit(["a", "b"], CountsArms(), seed=7)
    for t in (1, 2, 3):
        bandit.pull(t, expected=10.0)
    bandit.probabilities(4, expected=99.0)
    bandit.add_arm("c", when="now")
    expected = 1.0 / (1.0 + 4 * 3 / 10.0)
    assert bandit.decide(4, expected=10.0).level == pytest.approx(expected)
    twin = hs.Bandit.from_json(bandit.to_json(), CountsArms())
    assert twin.decide(5, expected=10.0).level == bandit.decide(5, expected=10.0).level


def test_a_step_of_its_own_declares_what_it_carries() -> None:
    class Mine(hs.UCBZ):
        def step(self, carry: Any, view: View) -> tuple[float, Any]:
            return super().step(carry, view)

    class Renamed(hs.UCBZ):
        pass

    assert (Mine.carry_depends_on, Renamed.carry_depends_on) == ("arms", "nothing")
    assert hs.policies.PeakGrabber(Mine()).carry_depends_on == "arms"
    assert hs.policies.PeakGrabber(hs.EpsilonZGreedy(k=1)).carry_depends_on == "G"
