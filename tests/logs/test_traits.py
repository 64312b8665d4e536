"""What a rule declares decides how it is replayed, whatever module it lives in."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.logs.logs import mortal_log
from tests.reference import replay as reference

import highseason as hs
from highseason.logs.prepared_log import PreparedLog
from highseason.logs.replay_kernel import EventOrder, Player, ReplayOptions
from highseason.policies import ArmState, Policy, Rule, RuleTraits, Turn, jitable, untried


@jitable
def shrunk_leader(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """The highest estimate after shrinking to the mean over *all* arms, those not on offer too."""
    first = untried(state)
    if first >= 0:
        return first, False
    pooled = state.sums.sum() / state.pulls.sum()
    best, top = -1, -1.0
    for arm in range(state.pulls.size):
        if state.available[arm]:
            value = (state.sums[arm] + 20.0 * pooled) / (state.pulls[arm] + 20.0)
            if value > top:
                best, top = arm, value
    return best, True


TRAITS = RuleTraits(tries_each_arm=True, stochastic=False)
SHRINKING = Rule("shrinking", shrunk_leader, hs.policies.EPSILON.intensity, traits=TRAITS)


@dataclass(frozen=True)
class Shrinking(hs.Greedy):
    rule = SHRINKING


LOG = PreparedLog.of(mortal_log(3000))


def matches(policy: Policy, compiled: bool) -> list[int]:
    player = Player(policy, LOG, ReplayOptions())
    play = player.play if compiled else functools.partial(reference.replay, player)
    return play(EventOrder.whole(len(LOG.events)), seed=3).matched.tolist()


@pytest.mark.parametrize("module", ["somebody.elses", "highseason.policies.shrinking"])
def test_a_rule_that_pools_over_arms_replays_right_in_any_module(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shrunk_leader, "__module__", module)
    assert matches(Shrinking(), compiled=True) == matches(Shrinking(), compiled=False)


@pytest.mark.parametrize(
    "policy", [hs.UCB(), hs.EpsilonGreedy(), hs.VariablePool(), hs.policies.CapIndex()]
)
def test_what_our_rules_declare_changes_no_match(policy: Policy) -> None:
    @dataclass(frozen=True)
    class Undeclared(type(policy)):  # type: ignore[misc]  # of whatever kind it is
        def __post_init__(self) -> None:
            super().__post_init__()
            traits = RuleTraits(tries_each_arm=self.rule.traits.tries_each_arm)
            object.__setattr__(self, "rule", replace(self.rule, traits=traits))

    undeclared: Any = Undeclared()
    assert undeclared.rule.traits.stable == "never"
    assert matches(policy, compiled=True) == matches(undeclared, compiled=True)


def test_a_rule_that_declares_nothing_may_be_assumed_nothing() -> None:
    assert RuleTraits() == RuleTraits(
        local=False, stable="never", tries_each_arm=False, stochastic=True, needs_horizon=False
    )
