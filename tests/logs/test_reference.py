"""The compiled replay against the readable one, event by event."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from tests.engine import settings
from tests.logs.logs import mortal_log, with_chances
from tests.reference import replay as reference

import highseason as hs
from highseason.logs import Events, PreparedLog
from highseason.logs.replay_kernel import EventOrder, Player, ReplayOptions, ReplayTrace
from highseason.policies import (
    UCB_RULE,
    UNKNOWN_END,
    ArmState,
    Policy,
    Rule,
    RuleTraits,
    Turn,
    draw,
    hash_at,
    jitable,
    registry,
)
from highseason.policies.plan import View, compiled_plan
from highseason.policies.rule import LifetimeOptions

LOG = mortal_log(400)
POLICIES = settings.POLICIES | {
    "mortal": hs.SoftUCBMortal(unit=1),
    "mortal-opening": hs.SoftUCBMortal(initial=2, remaining=True),
    "life": hs.UCBL(),
    "capped": hs.policies.CapIndex(hs.SoftUCBMortal(initial=2), cap=0.8),
    "sparing": hs.policies.SpareOldArms(hs.UCB()),
    "peak": hs.policies.PeakGrabber(hs.EpsilonGreedy(), window=4, trigger=3.0),
    "dynamic": hs.policies.DynamicPeakGrabber(hs.SoftUCB(), window=5),
    "discounted": hs.Discounted(hs.EpsilonZGreedy(z=2), discount=0.9),
    "windowed": hs.Windowed(hs.VariablePool(), window=6),
}
OPTIONS = {
    "usual": ReplayOptions(),
    "strict": ReplayOptions(init="rule"),
    "short": ReplayOptions(turns=25),
    "blind": ReplayOptions(known_lifetimes=False),
    "thinned": ReplayOptions(reweigh="accept"),
}


def both(
    policy: Policy, course: PreparedLog, order: EventOrder, options: ReplayOptions, seed: int
) -> tuple[ReplayTrace, ReplayTrace]:
    player = Player(policy, course, options)
    return player.play(order, seed), reference.replay(player, order, seed)


def assert_same(
    policy: Policy, course: PreparedLog, order: EventOrder, options: ReplayOptions, seed: int
) -> None:
    fast, slow = both(policy, course, order, options, seed)
    assert fast.counts.tolist() == slow.counts.tolist()
    assert fast.matched.tolist() == slow.matched.tolist()
    assert fast.kind.tolist() == slow.kind.tolist()


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", POLICIES)
def test_the_kernel_matches_the_reference(name: str, options: str) -> None:
    course = PreparedLog.of(replace(LOG, propensity=with_chances(LOG)))
    if POLICIES[name].lifetime_options.needs_end and not OPTIONS[options].known_lifetimes:
        with pytest.raises(ValueError, match="needs to know when they end"):
            Player(POLICIES[name], course, OPTIONS[options])
        return
    assert_same(
        POLICIES[name], course, EventOrder.whole(len(course.events)), OPTIONS[options], seed=3
    )


@pytest.mark.jit
@pytest.mark.parametrize("name", ["epsilon-z", "ucb-z", "pool"])
def test_without_the_jit(name: str) -> None:
    course = PreparedLog.of(mortal_log(120), arms=["arm0", "arm2", "arm3", "arm5", "arm7"])
    assert_same(
        POLICIES[name], course, EventOrder.whole(len(course.events)), ReplayOptions(), seed=1
    )


@pytest.mark.parametrize("ties", ["lowest", "random"])
@pytest.mark.parametrize("policy", [hs.UCB, hs.EpsilonGreedy, hs.VariablePool])
def test_studied_arms_windows_orders_and_ties(policy: type[Policy], ties: str) -> None:
    course = PreparedLog.of(LOG, bin=3, arms=["arm1", "arm2", "arm4", "arm6", "arm7"])
    order = np.random.default_rng(5).permutation(np.tile(np.arange(len(LOG)), 2))
    for chosen in (
        EventOrder.window(120, 150),
        EventOrder.whole(len(LOG), times=2),
        EventOrder.shuffled(order),
    ):
        assert_same(policy(ties=ties), course, chosen, ReplayOptions(), seed=9)


def test_every_registered_policys_step_compiles_to_the_same_numbers() -> None:
    for name, cls in registry().items():
        if not cls.__module__.startswith("highseason."):
            continue
        for profile in cls.profiles:
            policy = cls.profile(profile).resolve_thresholds(np.array([1.0, 3.0, 8.0, 20.0]))
            policy = policy.unwrapped
            plan, parameters, carry = compiled_plan(policy)
            for t, G in ((1, 3.0), (2, 8.0), (90, 20.0), (4000, 1.0)):
                view = View(t, G, 7, 1.0, 1.0, float("nan"), -1)
                number, after = policy.step(int(carry[0]), view)
                assert plan(parameters, carry, view) == number, name
                assert carry[1] == after
                carry[0] = carry[1]


@jitable
def by_lot(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """A user's rule that looks at the numbers of arms, the clock and ages."""
    best, top = -1, -1.0
    for arm in range(state.available.size):
        lot = draw(hash_at(turn.key, 3), arm) + 0.01 * (turn.clock - state.start[arm])
        lot += 0.1 * state.weight[arm]
        if state.available[arm] and lot > top:
            best, top = arm, lot
    return best, False


def by_rank(state: ArmState, clock: int, scores: Any, scale: float) -> None:
    for arm in range(scores.size):
        state.weight[arm] = 0.0
        for other in range(scores.size):
            if state.available[other] and scores[other] <= scores[arm]:
                state.weight[arm] += scale


LOTS = Rule("by-lot", by_lot, UCB_RULE.intensity, set_weights=by_rank)


@dataclass(frozen=True)
class ByLot(hs.Policy):
    rule = LOTS
    lifetime_options = LifetimeOptions(weight_scale=2.0, initial_arms=2)

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        return view.G * view.arms, carry


@dataclass(frozen=True)
class TriesTwo(ByLot):
    rule = replace(LOTS, traits=RuleTraits(tries_each_arm=True))
    lifetime_options = LifetimeOptions(ranks_by_end=True, weight_scale=2.0, initial_arms=2)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("policy", [ByLot(), TriesTwo()])
def test_a_custom_rule_that_reads_everything(policy: Policy, options: str) -> None:
    course = PreparedLog.of(replace(LOG, propensity=with_chances(LOG)))
    assert_same(policy, course, EventOrder.whole(len(course.events)), OPTIONS[options], seed=2)


@jitable
def shrunk(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """The highest mean, shrunk to the mean of all arms, those outside the pool included."""
    pulls, total = 1.0, 0.5
    for arm in range(state.pulls.size):
        pulls, total = pulls + state.pulls[arm], total + state.sums[arm]
    best, top = -1, -1.0
    for arm in range(state.pulls.size):
        value = (state.sums[arm] + 5.0 * total / pulls) / (state.pulls[arm] + 5.0)
        if state.available[arm] and value > top:
            best, top = arm, value
    return best, True


shrunk.__module__ = "highseason.policies.shrunk"  # nothing may follow from where a rule lives


@dataclass(frozen=True)
class Shrunk(hs.UCB):
    rule = Rule("shrunk", shrunk, UCB_RULE.intensity)


def test_a_rule_with_statistics_pooled_over_arms() -> None:
    log = PreparedLog.of(mortal_log(1500))
    assert_same(Shrunk(), log, EventOrder.whole(1500), ReplayOptions(), seed=4)


@dataclass(frozen=True)
class Remembers(hs.UCB):
    """Carries a list: it cannot be compiled."""

    def begin(self) -> Any:
        return ()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        return 2.0 * len({*carry, view.G}), (*carry, view.G)


def test_what_cannot_be_compiled_runs_in_python_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    result = hs.replay({"memory": Remembers(), "ucb": hs.UCB()}, LOG)
    assert "Remembers cannot be compiled and is replayed in slow Python" in caplog.text
    assert result["memory"].turns > 50
    assert_same(Remembers(), PreparedLog.of(LOG), EventOrder.whole(len(LOG)), ReplayOptions(), 1)


@dataclass(frozen=True)
class Astray(hs.UCB):
    where: float = 0.0

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        return (float("nan") if view.t > 7 else 1.0), carry


def test_an_invalid_level_is_an_error_that_names_the_turn() -> None:
    with pytest.raises(ValueError, match=r"level at turn 8 is nan, but the ucb rule"):
        hs.replay(Astray(), LOG)


def wrong(state: ArmState, turn: Turn) -> tuple[int, bool]:
    return 0, False


@dataclass(frozen=True)
class Wrong(hs.UCB):
    rule = replace(LOTS, name="wrong", choose=wrong)


def test_choosing_an_unavailable_arm_is_an_error() -> None:
    with pytest.raises(
        ValueError, match=r"'wrong' chose arm 0 in turn \d+, but it is not available"
    ):
        hs.replay(Wrong(), LOG)


def tiny(shown: str, init: str = "first-shown", **more: Any) -> list[int]:
    """The numbers of the matched events of greedy, which plays c once it has seen it pay."""
    pool = [["a", "b", "c", "z"]] * len(shown)
    log = Events.of(range(len(shown)), list(shown), [arm == "c" for arm in shown], pool)
    course = PreparedLog.of(log)
    player = Player(hs.Greedy(), course, ReplayOptions(init=init, **more))  # type: ignore[arg-type]
    return player.play(EventOrder.whole(len(course.events))).matched.tolist()


def test_the_first_display_of_an_untried_arm_is_its_first_turn() -> None:
    assert tiny("bbaaccba") == [0, 2, 4, 5]


def test_a_strict_start_waits_for_the_arm_that_the_rule_asks_for() -> None:
    assert tiny("bbaaccbacc", init="rule") == [2, 6, 8, 9]


def test_a_new_arm_holds_up_everything_until_it_is_shown() -> None:
    shown, pools = "abbbaccbb", ["ab"] * 3 + ["abc"] * 6
    log = Events.of(range(9), list(shown), [arm == "b" for arm in shown], [list(p) for p in pools])
    course = PreparedLog.of(log)
    trace = Player(hs.Greedy(), course, ReplayOptions()).play(EventOrder.whole(len(course.events)))
    assert trace.matched.tolist() == [0, 1, 2, 5, 7, 8]
    assert trace.kind.tolist() == [2, 2, 1, 2, 1, 1]


def test_an_unknown_end_is_unknown_until_it_has_passed() -> None:
    course = PreparedLog.of(LOG)
    blind, sighted = (course.lifetimes(1, 400, known=known) for known in (False, True))
    assert set(blind.known_end.tolist()) == {UNKNOWN_END}
    assert sighted.known_end.max() < UNKNOWN_END
    assert blind.end.tolist() == sighted.end.tolist()
