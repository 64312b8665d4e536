from __future__ import annotations

import math
import re
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import highseason as hs
from highseason.policies import Plan, PlanWarning, Policy
from highseason.policies.plan import View, all_levels
from highseason.traffic import Multiplier, MultiplierError, ThresholdWarning

WAVE = hs.traffic.wave(300)


def test_a_plan_is_an_array() -> None:
    plan = hs.SoftUCB(unit=1).plan([1, 1, 40, 1], arms=2)
    assert len(plan) == 4
    assert plan[2] == plan.levels[2] == list(plan)[2] == plan.at(3)
    assert plan[:2].tolist() == plan.levels[:2].tolist()
    assert np.array_equal(np.asarray(plan), plan.levels)
    assert np.asarray(plan, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        plan.levels[0] = 3


def test_a_plan_can_be_asked_by_date() -> None:
    G = Multiplier([1.0, 40.0, 2.0], calendar=["2025-12-24", "2025-12-25", "2025-12-26"])
    plan = hs.UCBZ(z=30, P=1).plan(G, arms=1)
    assert plan.at("2025-12-25") == plan.at(2) == 0.0
    with pytest.raises(MultiplierError, match="no turn 4"):
        plan.at(4)


def test_the_digest_is_that_of_the_numbers() -> None:
    plan = hs.UCB().plan(WAVE, 5)
    assert plan.digest == hs.policies.NaiveUCB().plan(WAVE, 7).digest
    assert plan.digest != hs.UCB(P=1).plan(WAVE, 5).digest
    assert len(plan.digest) == 16


def test_exploration_puts_all_policies_on_one_scale() -> None:
    for policy in (
        hs.EpsilonGreedy(k=1),
        hs.UCB(),
        hs.VariablePool(c=90, unit=1),
        hs.SoftUCB(unit=1),
    ):
        shares = policy.plan(WAVE, 5).exploration
        assert (shares[:5] == 1).all()  # every arm is tried once
        assert (shares >= 0).all()
        assert (shares <= 1).all()
        assert shares[5:].min() < 0.9
    high = hs.UCBZ(z=30).plan(WAVE, 5).exploration[5:]
    assert ((high == 0) == (WAVE.values[5:] >= 30)).all()


@pytest.mark.parametrize("arms", [0, -1, 2.0, True, None])
def test_arms_must_be_a_count(arms: object) -> None:
    with pytest.raises(ValueError, match="arms must be a whole number, at least 1"):
        hs.UCB().plan(WAVE, arms=arms)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="arms must be a whole number, at least 1"):
        hs.UCB().planner(arms=arms)  # type: ignore[arg-type]


# Plans that do not regulate anything get a warning.

#: Page views a day: 2.77 million on the mean, half as many on the quietest day (reference, D59).
MILLIONS = hs.traffic.from_values(2.77e6 * (1 + 0.5 * np.sin(np.arange(300) / 4)))


@pytest.mark.parametrize(
    "policy", [hs.SoftUCB(unit=1), hs.VariablePool(c=10, unit=1)], ids=lambda p: p.name
)
def test_page_views_in_millions_with_unit_1_never_explore(policy: Policy) -> None:
    with pytest.warns(PlanWarning, match=r"never explores \(G runs from .*unit=1.*unit='q0.5'"):
        plan = policy.plan(MILLIONS, 25)
    assert plan.exploration[25:].max() < 0.01


@pytest.mark.parametrize(
    "policy", [hs.SoftUCB(), hs.VariablePool(c=20), hs.SoftEpsilonGreedy(k=1)], ids=lambda p: p.name
)
def test_page_views_in_millions_explore_with_the_default_unit(policy: Policy) -> None:
    explored = policy.plan(MILLIONS, 5).exploration[5:]
    assert explored.max() > 0.05
    in_millions = policy.plan(MILLIONS * 2.0**-20, 5).exploration[5:]
    assert explored.tolist() == in_millions.tolist()


def test_soft_epsilon_depends_on_the_unit_more_gently() -> None:
    # psi is a quotient of two logarithms: with tiny u/G it tends to min G / G, and still explores.
    plan = hs.SoftEpsilonGreedy(k=1, unit=1).plan(MILLIONS, 5)
    assert plan.exploration[5:].max() > 0.1


def test_exploring_always_is_said() -> None:
    with pytest.warns(
        PlanWarning, match="explores fully in every turn: with 25 arms and 300 turns"
    ):
        hs.EpsilonGreedy(k=110).plan(WAVE, 25)
    with pytest.warns(PlanWarning, match="never explores: it plays greedily"):
        hs.EpsilonGreedy(k=0).plan(WAVE, 25)


NEVER, ALWAYS = "never explores", "explores fully in every turn"


@pytest.mark.parametrize(
    ("policy", "what", "remedy"),
    [
        (hs.AdaUCB(low=1, high=1.5), NEVER, r"\(G >= 1\.5\)\. Raise high$"),
        (hs.AdaUCB(P=0), NEVER, "A larger P lets"),
        (hs.ConstantEpsilon(epsilon=0), NEVER, "A larger epsilon lets"),
        (hs.ConstantEpsilon(epsilon=1), ALWAYS, "A smaller epsilon, or"),
        (hs.Thompson(width=0), NEVER, "A larger width lets"),
        (hs.EpsilonGreedy(k=110), ALWAYS, "A smaller k, or"),
        (hs.VariablePool(c=1e6, unit=1), ALWAYS, "A smaller c, or"),
        (hs.Windowed(base="ada-ucb:low=1,high=1.5"), NEVER, "Raise high$"),
    ],
    ids=str,
)
def test_a_warning_names_a_parameter_of_the_policy(policy: Policy, what: str, remedy: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        policy.plan(2.0 + hs.traffic.wave(turns=60).values, 5)
    (only,) = [str(each.message) for each in caught]
    assert re.search(f"the plan {what}.*{remedy}", only)


#: Quotients of these with a unit, or with each other, round to 0 or are too large for a number.
EXTREMES = [[1e-300] * 9 + [1e300] * 9, [1e300] * 9 + [1e-300] * 9, [5e-324] * 18, [1e-310, 1.0]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*hs.policies.registry(), *(
    f"{name}:unit={unit}" for unit in ("1", "1e300", "1e-300")
    for name in ("soft-epsilon", "soft-ucb", "variable-pool", "soft-ucb-mortal", "ucb-l", "soft")
)])  # fmt: skip
@pytest.mark.parametrize("G", EXTREMES, ids=lambda G: f"{G[0]:g}, {G[-1]:g}")
def test_an_extreme_G_is_planned_or_refused_in_words(name: str, G: list[float]) -> None:
    policy = hs.policies.parse(name)
    for values in (G, G * 40):  # few turns are planned one by one, many together
        refused = ""
        try:
            assert np.isfinite(policy.plan(values, 3).levels).all()
            shelf = hs.rewards.prices([2, 3, 5], rates=[0.2, 0.8, 0.3])
            hs.play(policy, shelf if policy.rule.constants else "bernoulli:means=0.2/0.8/0.3", G)
        except ValueError as reason:
            refused = str(reason)
        assert not refused or "takes finite levels from" in refused


def test_simulate_and_play_warn_too() -> None:
    rewards = hs.rewards.bernoulli(arms=25)
    with pytest.warns(PlanWarning, match="never explores"):
        hs.play(hs.SoftUCB(unit=1), rewards, MILLIONS)
    with pytest.warns(PlanWarning, match="never explores"):
        hs.simulate(hs.SoftUCB(unit=1), rewards, MILLIONS, games=2)


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("z", [42, 0.5])
def test_a_threshold_that_parts_nothing_is_said(z: float) -> None:
    with pytest.warns(ThresholdWarning, match=f"ucb-z:z={z:g}: z = {z:g} is"):
        hs.UCBZ(z=z).plan(WAVE, 2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("policy", [hs.Greedy(), hs.UniformRandom()], ids=lambda p: p.name)
def test_a_declared_intention_gets_no_warning(policy: Policy) -> None:
    policy.plan(WAVE, 25)


@pytest.mark.filterwarnings("error")
def test_games_that_end_in_their_first_round_are_left_alone() -> None:
    hs.SoftUCB(unit=1).plan([1e6, 2e6], arms=2)
    hs.UCBZ(z=1.5).plan([1, 2], arms=2)


def test_plans_tell_whether_they_need_the_whole_of_G() -> None:
    for policy in (hs.UCB(), hs.EpsilonGreedy(), hs.UCBZ(z=30), hs.SoftUCB(unit=1), hs.Greedy()):
        assert not policy.needs_g_ahead
    for policy in (hs.UCBZ(), hs.UCBZ(z="0.75*max"), hs.SoftUCB(), hs.SoftEpsilonGreedy(unit=1)):
        assert policy.needs_g_ahead


def test_settling_turns_rules_into_numbers() -> None:
    resolved = hs.EpsilonZGreedy(z="q0.5").resolve_thresholds(np.array([1.0, 2.0, 10.0]))
    assert resolved == hs.EpsilonZGreedy(z=2.0)
    assert hs.UCB().resolve_thresholds(np.ones(3)) == hs.UCB()


def test_a_plan_remembers_what_it_is_for() -> None:
    plan = hs.UCB().plan(WAVE, 4)
    assert isinstance(plan, Plan)
    assert (plan.policy, plan.arms) == (hs.UCB(), 4)
    assert plan.multiplier is WAVE


@pytest.mark.parametrize(
    "policy",
    [
        hs.EpsilonGreedy(k=0.7), hs.EpsilonGreedy(k=0.0), hs.EpsilonGreedy(k=1e300),
        hs.EpsilonZGreedy(k=1.3, z=30.0), hs.EpsilonZGreedy(z=math.inf),
        hs.SoftEpsilonGreedy(k=3.0, unit=0.2), hs.SoftEpsilonGreedy(k=3.0, unit=1e300),
        hs.VariablePool(c=3.0, unit=2.0), hs.UCB(P=0.3), hs.UCBZ(P=0.3, z=30.0),
        hs.SoftUCB(P=0.7, unit=3.0),
        hs.policies.NaiveUCB(P=0.3), hs.policies.LimitSwitching(base=hs.UCBZ(z=30.0)),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("G", [WAVE.values, WAVE.values * 1e-290, np.array([1e-300, 1e300])])
def test_all_levels_at_once_have_the_bits_of_steps(
    policy: Policy, G: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = all_levels(policy, G, arms=7)
    monkeypatch.setattr(type(policy.unwrapped), "steps", Policy.steps)
    assert at_once.tobytes() == all_levels(policy, G, arms=7).tobytes()


def test_a_known_plan_is_made_at_once() -> None:
    step = "the whole plan is made in steps"

    class Steps(hs.UCB):
        def step(self, carry: Any, view: View) -> tuple[float, Any]:
            raise AssertionError(step)

    class AtOnce(Steps):
        steps = hs.UCB.steps

    assert AtOnce().plan(WAVE, arms=5).levels.tolist() == hs.UCB().plan(WAVE, 5).levels.tolist()
    with pytest.raises(AssertionError, match=step):  # the formula of a class is that of its step
        Steps().plan(WAVE, arms=5)


@given(st.lists(st.tuples(st.floats(0.1, 9.0), st.integers(1, 6)), max_size=30))
def test_a_planner_knows_the_least_it_expected(turns: list[tuple[float, int]]) -> None:
    planner, beliefs = hs.UCB().planner(3), list[float]()
    for belief, arms in turns:
        planner.arms = arms  # in a live bandit, arms come and go
        view = planner.view(belief)
        assert view.lowest == min([*beliefs, belief])
        assert view.floor == min([*beliefs[arms:], belief])
        planner.expect(belief)
        beliefs.append(belief)
