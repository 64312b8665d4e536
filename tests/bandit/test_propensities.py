"""The chance of each arm: exact, summing to 1, and kept with the decision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import highseason as hs
from highseason.bandit.ledger import pack
from highseason.core.random import DECISION, draw, game_key, turn_key
from highseason.policies import (
    EPSILON,
    POOL,
    UCB_RULE,
    ArmState,
    Rule,
    RuleTraits,
    Turn,
    fresh_state,
)

RULES = {rule.name: rule for rule in (EPSILON, UCB_RULE, POOL)}
NUMBERS = {
    "epsilon": st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    "ucb": st.sampled_from([0.0, 0.5, 3.0]),
    "pool": st.sampled_from([1.0, 2.0, 3.0, 9.0]),
}
#: Ours, for arms that are mere names; a policy that some other test defines is not.
OURS = [
    name
    for name, cls in hs.policies.registry().items()
    if "highseason." in cls.__module__ and not cls().rule.constants
]
TRIALS = 2000


@st.composite
def states(draw: st.DrawFn) -> ArmState:
    """Few arms and few distinct values: ties, unobserved, untried and missing arms all occur."""
    arms = draw(st.integers(1, 5))
    state = fresh_state(arms)
    for arm in range(arms):
        state.selections[arm] = draw(st.integers(0 if draw(st.booleans()) else 1, 3))
        state.pulls[arm] = draw(st.integers(0, int(state.selections[arm])))
        state.sums[arm] = state.pulls[arm] * draw(st.sampled_from([0.0, 0.5, 1.0]))
        state.available[arm] = draw(st.booleans())
    state.available[draw(st.integers(0, arms - 1))] = True
    return state


def shares(rule: Rule, state: ArmState, turn: Turn) -> np.ndarray:
    counts = np.zeros(state.available.size)
    game = game_key(seed=5, game=1)
    for t in range(TRIALS):
        counts[rule.choose(state, turn._replace(key=turn_key(game, t)))[0]] += 1
    return counts / TRIALS


@pytest.mark.parametrize("name", RULES)
@given(data=st.data())
def test_chances_are_those_of_the_choices(name: str, data: st.DataObject) -> None:
    rule, state = RULES[name], data.draw(states())
    turn = Turn(9, data.draw(NUMBERS[name]), 1.0, math.nan, -1, 0, data.draw(st.booleans()), 9)
    assert rule.probabilities is not None
    chances = rule.probabilities(state, turn)
    assert math.isclose(chances.sum(), 1.0)
    assert (chances[~state.available] == 0).all()
    seen = shares(rule, state, turn)
    assert (seen[chances == 0.0] == 0).all()
    assert (seen[chances == 1.0] == 1).all()
    error = np.sqrt(chances * (1 - chances) / TRIALS)
    assert (np.abs(seen - chances) <= 6 * error).all()


def test_known_answers() -> None:
    state = fresh_state(4)
    state.selections[:] = state.pulls[:] = 2
    state.sums[:] = [2.0, 0.0, 2.0, 1.0]

    def chances(rule: Rule, number: float, random_ties: bool = True) -> list[float]:
        assert rule.probabilities is not None
        return rule.probabilities(
            state, Turn(9, number, 1.0, math.nan, -1, 0, random_ties, 9)
        ).tolist()

    assert chances(EPSILON, 0.2) == pytest.approx([0.45, 0.05, 0.45, 0.05])
    assert chances(EPSILON, 0.2, random_ties=False) == pytest.approx([0.85, 0.05, 0.05, 0.05])
    assert chances(UCB_RULE, 1.0) == [0.5, 0.0, 0.5, 0.0]
    assert chances(UCB_RULE, 1.0, random_ties=False) == [1.0, 0.0, 0.0, 0.0]
    assert chances(POOL, 1.0) == [0.5, 0.0, 0.5, 0.0]
    assert chances(POOL, 3.0) == pytest.approx([1 / 3, 0.0, 1 / 3, 1 / 3])
    state.sums[:] = [1.0, 1.0, 2.0, 1.0]
    assert chances(POOL, 2.0) == pytest.approx([1 / 6, 1 / 6, 1 / 2, 1 / 6])
    assert chances(POOL, 2.0, random_ties=False) == [0.5, 0.0, 0.5, 0.0]


@given(st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.3]), min_size=1, max_size=30))
def test_packing_loses_nothing(values: list[float]) -> None:
    packed = pack(np.array(values))
    assert packed is not None
    assert [packed.of(arm) for arm in range(len(values))] == values
    assert packed.of(len(values)) == 0.0


# in the bandit


def shop(policy: hs.Policy, **options: Any) -> hs.Bandit:
    bandit = hs.Bandit(list("abcd"), policy, [5.0] * 50, reward_range=(0, 1), **options)
    for t, reward in enumerate((2.0, 4.0, 2.0, 4.0), start=1):
        bandit.update(bandit.pull(t), reward, visitors=5.0)
    return bandit


@pytest.mark.filterwarnings("ignore::highseason.traffic.ThresholdWarning")
@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("ties", ["lowest", "random"])
@pytest.mark.parametrize("name", OURS)
def test_what_was_likely_stays_on_record(name: str, ties: str) -> None:
    bandit = shop(hs.policies.registry()[name](ties=ties))
    before = {t: bandit.probabilities(t) for t in range(5, 30)}
    assert len(bandit.decisions()) == 4  # asking decides nothing
    for t, chances in before.items():
        now = bandit.probabilities(t)
        assert math.isclose(sum(now.values()), 1.0)
        decision = bandit.decide(t)
        assert bandit.probabilities(t) == now
        assert decision.probability == now[decision.arm] > 0
        assert set(chances) == set("abcd")
        bandit.update(decision.arm, 0.1 * (t % 7), t, visitors=1.0)
    kept = {t: bandit.probabilities(t) for t in before}
    bandit.add_arm("e", when="now")
    bandit.remove_arm("a")
    for t, chances in kept.items():
        shown = {arm: chance for arm, chance in chances.items() if arm != "a" or chance > 0}
        assert bandit.probabilities(t) == {**shown, "e": 0.0}


def test_available_arms_share_the_chance() -> None:
    bandit = shop(hs.UniformRandom())
    assert bandit.probabilities(available=["b", "d"]) == {"a": 0.0, "b": 0.5, "c": 0.0, "d": 0.5}
    decision = bandit.decide(available=["b", "d"])
    assert decision.probability == 0.5


def test_propensities_weigh_the_log_to_the_truth() -> None:
    """What they are for: inverse propensity scores estimate an arm that was seldom played."""
    bandit = hs.Bandit(list("ab"), hs.EpsilonGreedy(k=1000), [1.0] * 3000, seed=4)
    rng = np.random.default_rng(0)
    with np.errstate(all="raise"):
        for _ in range(3000):
            decision = bandit.decide()
            mean = 0.7 if decision.arm == "b" else 0.3
            bandit.update(decision.arm, float(rng.random() < mean), decision.turn, visitors=1)
    log = [d for d in bandit.decisions() if d.turn > 2]
    scores = [(d.reward or 0.0) / d.probability if d.arm == "b" else 0.0 for d in log]
    assert abs(np.mean(scores) - 0.7) < 4 * np.std(scores) / math.sqrt(len(scores))


def lottery(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """It cannot say its chances: 1/4 for the first available arm, the rest for the last."""
    arms = np.flatnonzero(state.available)
    return int(arms[0 if draw(turn.key, DECISION) < 0.25 else -1]), False


@dataclass(frozen=True)
class Lottery(hs.Policy):
    rule = Rule("lottery", lottery, lambda b, t, m: 0.0 * b)
    suppress_plan_warning = True

    def step(self, carry: Any, view: Any) -> tuple[float, Any]:
        return 1.0, carry


def test_chances_are_estimated_where_a_rule_cannot_say() -> None:
    bandit = hs.Bandit(list("abc"), Lottery(), [1.0] * 5, seed=1)
    chances = bandit.probabilities(3)
    assert chances == bandit.probabilities(3)
    assert sum(chances.values()) == 1.0
    assert abs(chances["a"] - 0.25) < 5 * math.sqrt(0.25 * 0.75 / 4096)
    assert chances["b"] == 0.0
    decision = bandit.decide(3)
    assert decision.probability == chances[decision.arm]


def test_the_decided_arm_is_never_impossible() -> None:
    once = turn_key(game_key(1, 0), 2)

    def needle(state: ArmState, turn: Turn) -> tuple[int, bool]:
        return int(turn.key == once), False

    @dataclass(frozen=True)
    class Needle(hs.Policy):
        rule = Rule("needle", needle, lambda b, t, m: 0.0 * b)
        suppress_plan_warning = True

        def step(self, carry: Any, view: Any) -> tuple[float, Any]:
            return 1.0, carry

    decision = hs.Bandit(list("ab"), Needle(), [1.0] * 5, seed=1).decide(2)
    assert (decision.arm, decision.probability) == ("b", 1 / 4096)


def test_a_deterministic_choice_is_made_once_and_certain() -> None:
    asked = []

    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        asked.append(turn.t)
        return int(np.flatnonzero(state.available)[-1]), True

    @dataclass(frozen=True)
    class Last(hs.Policy):
        rule = Rule("last", choose, lambda b, t, m: 0.0 * b, traits=RuleTraits(stochastic=False))
        suppress_plan_warning = True

        def step(self, carry: Any, view: Any) -> tuple[float, Any]:
            return 1.0, carry

    bandit = hs.Bandit(list("abc"), Last(), [1.0] * 5, seed=1)
    assert (bandit.decide().probability, asked) == (1.0, [1])
    assert bandit.probabilities(1) == bandit.probabilities(2) == {"a": 0.0, "b": 0.0, "c": 1.0}
