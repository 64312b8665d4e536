"""What every bound keeps: its shape, its limits, its special cases, and what it refuses."""

from __future__ import annotations

import json
import math
import tracemalloc
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import highseason as hs
from highseason import bounds
from highseason.bounds.epsilon import safe_bound
from highseason.bounds.theorems import unregister

G = hs.traffic.wave(400)
MEANS = [0.3, 0.9, 0.55]

POLICIES = [
    hs.EpsilonGreedy(k=3),
    hs.EpsilonZGreedy(k=3, z=30),
    hs.SoftEpsilonGreedy(k=3, unit=5),
    hs.UCB(),
    hs.UCBZ(z=30),
    hs.SoftUCB(unit=5),
    hs.VariablePool(c=30, unit=5),
]
CAUSAL = [policy for policy in POLICIES if not policy.needs_whole_g]
each = pytest.mark.parametrize("policy", POLICIES, ids=str)


def regret(policy: hs.Policy, means=MEANS, stakes=G, **more):  # type: ignore[no-untyped-def]
    return bounds.regret(policy, means=means, multiplier=stakes, **more)


# -- shape -----------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("form", ["safe", "paper"])
def test_parts_add_up_and_curves_end_at_them(policy: hs.Policy, form: str) -> None:
    bound = regret(policy, form=form)
    assert bound.form == form
    assert sum(bound.parts.values()) == pytest.approx(bound.total)
    assert bound.curve.shape == (400,)
    assert bound.curve[-1] == pytest.approx(bound.total)
    assert set(bound.curves) == set(bound.parts) == set(bound.limits)
    for name, curve in bound.curves.items():
        assert curve[-1] == pytest.approx(bound.parts[name])
    assert bound.trivial == pytest.approx(bounds.Setting.of(MEANS, None, G).trivial[-1])


@each
def test_safe_bound_keeps_below_the_worst_case_and_rises(policy: hs.Policy) -> None:
    bound = regret(policy)
    assert bound.valid
    assert bound.total <= bound.trivial
    assert (np.diff(bound.curve) >= -1e-9).all()
    worst = bounds.Setting.of(None, [0.6, 0, 0.35], G).trivial
    assert (bound.curve <= worst + 1e-9).all()
    for name, value in bound.parts.items():
        assert 0 <= value <= bound.limits[name] * (1 + 1e-12) or name in bound.exact


@pytest.mark.parametrize("policy", CAUSAL, ids=str)
def test_curve_is_the_bound_of_the_game_stopped_there(policy: hs.Policy) -> None:
    curve = regret(policy).curve
    for n in (3, 4, 17, 200, 399):
        assert curve[n - 1] == pytest.approx(regret(policy, stakes=G.window(1, n)).total, rel=1e-9)


@each
def test_print_tells_what_it_is(policy: hs.Policy) -> None:
    for form in ("safe", "paper"):
        bound = regret(policy, form=form)
        text = str(bound)
        assert str(policy) in text
        assert form in text
        assert bound.sentence in " ".join(text.split())
        assert all(name in text for name in bound.parts)
        written = json.dumps(bound.to_dict())
        assert json.loads(written)["valid"] == bound.valid


def test_sentences() -> None:
    useful = regret(hs.EpsilonGreedy(k=50), [0.9, 0.1], hs.traffic.constant(20_000))
    assert useful.sentence.startswith("The mean regret is at most 253.7")
    vacuous = regret(hs.SoftUCB(unit=1), [0.9, 0.1], hs.traffic.christmas(1500))
    assert vacuous.sentence.startswith("The bound is vacuous: always playing the worst arm")
    flat = hs.traffic.constant(50_000)
    wrong = regret(hs.EpsilonGreedy(k=101), [0.9, 0.7], flat, form="paper")
    assert "is not a valid bound" in wrong.sentence
    none = regret(hs.UCB(), [0.5, 0.5], hs.traffic.constant(10))
    assert "there is no regret" in none.sentence
    partly = regret(hs.UCBZ(z=30), [0.9, 0.6], hs.traffic.step(20_000))
    assert partly.vacuous_parts == ("high",)
    assert "the part 'high' is vacuous" in partly.sentence


def test_numbers_that_json_lacks_are_text() -> None:
    bound = regret(hs.UCBZ(z=math.inf), form="paper")
    assert bound.total == math.inf
    assert not bound.valid
    assert bound.to_dict()["total"] is None
    json.dumps(bound.to_dict(), allow_nan=False)


def test_exploration_is_reported_apart_from_what_is_bounded() -> None:
    """Where exploring is exact, the part after it may be vacuous although the total is not."""
    bound = regret(hs.EpsilonGreedy(k=1), [0.6, 0.5], hs.traffic.constant(2000))
    assert not bound.vacuous
    assert bound.vacuous_parts == ("exploitation",)


# -- special cases ---------------------------------------------------------------------------------


@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=5), st.integers(200, 20_000))
@settings(max_examples=30)
def test_auer_exactly(gaps: list[float], n: int) -> None:
    auer = 8 * sum(math.log(n) / d for d in gaps) + (1 + math.pi**2 / 3) * sum(gaps)
    stakes = np.ones(n)
    for policy in (hs.UCBZ(z=2), hs.UCBZ(z=math.inf), hs.UCB()):
        bound = bounds.regret(policy, gaps=[0.0, *gaps], multiplier=stakes)
        assert bound.total == pytest.approx(min(auer, bound.trivial), rel=1e-12)
    barely = hs.UCBZ(z=1.0 + 1e-12)
    printed = bounds.regret(barely, gaps=[0.0, *gaps], multiplier=stakes, form="paper")
    assert printed.total == pytest.approx(auer + sum(gaps))  # the first pull is counted twice


@each
@pytest.mark.parametrize("form", ["safe", "paper"])
def test_nothing_to_regret(policy: hs.Policy, form: str) -> None:
    for means in ([0.4], [0.4, 0.4, 0.4]):
        bound = regret(policy, means, form=form)
        assert bound.total == 0.0
        assert bound.valid


@each
def test_a_game_of_one_round_is_exact(policy: hs.Policy) -> None:
    bound = regret(policy, stakes=[2.0, 3.0, 5.0])
    assert bound.total == pytest.approx(2 * 0.6 + 5 * 0.35)


def test_constant_multiplier_makes_soft_epsilon_epsilon_greedy() -> None:
    for level in (1.0, 20.0):
        stakes = hs.traffic.constant(3000, level)
        for form in ("safe", "paper"):
            soft = regret(hs.SoftEpsilonGreedy(k=20, unit=1), stakes=stakes, form=form)
            old = regret(hs.EpsilonGreedy(k=20), stakes=stakes, form=form)
            assert soft.total == pytest.approx(old.total, rel=1e-12)


@pytest.mark.parametrize("policy", CAUSAL, ids=str)
@pytest.mark.parametrize("form", ["safe", "paper"])
def test_a_forecast_that_is_right_changes_nothing(policy: hs.Policy, form: str) -> None:
    known, believed = regret(policy, form=form), regret(policy, form=form, H=G)
    assert believed.total == pytest.approx(known.total, rel=1e-12)
    if believed.cross_terms and form == "safe":
        assert set(believed.cross_terms.values()) == {0.0}


def test_a_forecast_moves_turns_to_the_other_side() -> None:
    H = G.values * np.where(np.arange(400) % 3 == 0, 1.8, 0.7)
    for policy in (hs.EpsilonZGreedy(k=3, z=30), hs.UCBZ(z=30)):
        bound = regret(policy, H=H)
        assert all(value >= 0 for value in bound.cross_terms.values())
        assert bound.cross_terms["low turns taken for high"] > 0
    assert regret(hs.EpsilonZGreedy(k=3, z=30), H=H).cross_terms["high turns taken for low"] > 0
    spent = regret(hs.EpsilonZGreedy(k=3, z=30), H=H)
    assert spent.cross_terms["low turns taken for high"] <= spent.parts["high"]


def test_a_threshold_rule_is_read_from_what_was_seen() -> None:
    """With a forecast, q0.75 is resolved again each turn, as in the plan itself."""
    H = G.shift(1)
    policy = hs.EpsilonZGreedy(k=1000)
    bound = regret(policy, H=H)
    numbers = policy.plan(G, 3, H).levels
    per_turn = numbers * G.values * np.mean([0.6, 0, 0.35])
    explored = np.cumsum(np.where(np.arange(400) >= 3, per_turn, 0))
    assert bound.curves["exploration"] == pytest.approx(explored)
    assert bound.limits["low"] == 0.0  # k is so large that every low turn explores for sure


def test_scaling_g_and_z_scales_the_bound() -> None:
    for policy in (hs.EpsilonZGreedy(k=3, z=30), hs.UCBZ(z=30)):
        scaled = replace(policy, z=300.0)
        assert regret(scaled, stakes=10 * G).total == pytest.approx(10 * regret(policy).total)


@pytest.mark.parametrize(
    "policy", [hs.SoftEpsilonGreedy(k=3, unit=1), hs.SoftUCB(unit=1), hs.VariablePool(c=90, unit=1)]
)
def test_soft_policies_scale_with_their_unit_only(policy: hs.Policy) -> None:
    stakes, means = hs.traffic.wave(1500), [0.9, 0.1]
    once = regret(policy, means, stakes).total
    in_unit = regret(replace(policy, unit=10.0), means, 10 * stakes).total
    assert in_unit == pytest.approx(10 * once)
    assert regret(policy, means, 10 * stakes).total != pytest.approx(10 * once)


@each
def test_wider_rewards_with_wider_gaps_are_the_same_game(policy: hs.Policy) -> None:
    """Twice the range and twice the gaps cost twice as much; UCB then needs four times the P."""
    gaps = np.array([0.6, 0.0, 0.35])
    wider = replace(policy, P=8.0) if hasattr(policy, "P") else policy
    once = bounds.regret(policy, gaps=gaps, multiplier=G)
    twice = bounds.regret(wider, gaps=2 * gaps, multiplier=G, r=2.0)
    assert twice.total == pytest.approx(2 * once.total)


def test_narrow_radii_get_a_note() -> None:
    bound = regret(hs.UCB(P=0.5))
    assert bound.valid
    assert any("radius is narrow" in note for note in bound.notes)
    assert not regret(hs.UCB()).notes
    for policy in (hs.UCB(P=3.0), hs.UCBZ(z=30, P=3.0), hs.SoftUCB(P=3.0)):
        assert any("stated for P = 2" in note for note in regret(policy, form="paper").notes)


def test_greater_gaps_alone_settle_the_order_of_arms() -> None:
    """Only the first round depends on the order in which arms are given."""
    for policy in POLICIES:
        one, other = regret(policy, [0.9, 0.3, 0.55]), regret(policy, [0.3, 0.55, 0.9])
        first = one.parts["initialisation"] - other.parts["initialisation"]
        assert one.total - other.total == pytest.approx(first)


def test_plan_warnings_become_notes() -> None:
    bound = regret(hs.UCBZ(z=100))
    assert any("above every G" in note for note in bound.notes)
    bound = regret(hs.VariablePool(c=2, unit=0.001))
    assert any("never explores" in note for note in bound.notes)


def test_reward_models_bring_their_true_means() -> None:
    model = hs.rewards.truncated_normal(centres=[1.0, 0.0], sigma=1.0)
    bound = bounds.regret(hs.UCB(), means=model, multiplier=G)
    same = regret(hs.UCB(), [0.6843731, 0.3156269])
    assert bound.total == pytest.approx(same.total, rel=1e-5)


def test_hypothesis_of_the_pool() -> None:
    sizes = np.array([2, 2, 1, 2, 2, 2, 1])
    check = bounds.paper.pool_hypothesis(sizes, arms=2, Gamma=6.0)
    assert check.lam.tolist() == [0.25, 0.5, 0.5, 0.75, 1.0, 1.25, 1.25]
    assert check.required == pytest.approx([6 * math.log(t) for t in range(1, 8)])
    assert (check.holds, check.first_failure, check.failing) == (False, 2, 6)
    assert bounds.paper.pool_hypothesis([2], arms=2).holds


# -- printed forms never raise ---------------------------------------------------------------------


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=4),
    st.lists(st.floats(1e-6, 1e6), min_size=4, max_size=30),
    st.floats(0, 2000),
    st.floats(1e-3, 1e7),
)
@settings(max_examples=25)
def test_no_input_makes_a_bound_raise(
    means: list[float], stakes: list[float], k: float, z: float
) -> None:
    for policy in (
        hs.EpsilonGreedy(k=k), hs.EpsilonZGreedy(k=k, z=z), hs.SoftEpsilonGreedy(k=k, unit=z),
        hs.UCB(), hs.UCBZ(z=z), hs.SoftUCB(unit=z), hs.SoftUCB(P=0.0), hs.UCB(P=0.0),
        hs.VariablePool(c=1 + z, unit=z),
    ):  # fmt: skip
        for form in ("safe", "paper"):
            bound = regret(policy, means, stakes, form=form)
            assert not bound.valid or math.isfinite(bound.total)
            assert str(bound)
            if form == "safe":
                assert 0 <= bound.total <= bound.trivial


def test_printed_epsilon_says_what_fails() -> None:
    notes = regret(hs.EpsilonZGreedy(k=9, z=30), form="paper").notes
    assert any("not above 10" in note for note in notes)
    assert any("4/D_min²" in note for note in notes)
    assert any("m·k·e" in note for note in notes)
    # everything in order: many turns, a clear winner, nothing played before t~ > mke but for sure
    means, stakes = [1.0, 0.0], hs.traffic.constant(60)
    valid = regret(hs.EpsilonGreedy(k=31), means, stakes, form="paper")
    assert valid.valid
    assert valid.total >= regret(hs.EpsilonGreedy(k=31), means, stakes).total - 1e-9


# -- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "policy",
    [hs.Greedy(), hs.UniformRandom(), hs.policies.NaiveEpsilonGreedy(), hs.policies.NaiveUCB()],
    ids=str,
)
def test_no_theorem(policy: hs.Policy) -> None:
    with pytest.raises(bounds.NoTheoremError, match="no theorem covers"):
        regret(policy)


@pytest.mark.parametrize("name", ["epsilon-z", "ucb", "soft-ucb"])
def test_policies_that_count_visitors_are_refused(name: str) -> None:
    policy = hs.policies.parse(f"{name}:count=visitors")
    with pytest.raises(bounds.NoTheoremError, match="policies that count turns"):
        regret(policy)
    shop, follows = hs.rewards.visitors(rates=[0.3, 0.1]), hs.policies.parse(name)
    with pytest.raises(bounds.NoTheoremError, match="policies that count turns"):
        bounds.regret(follows, shop, multiplier=G)
    told = bounds.regret(follows.counting("turns"), shop, multiplier=G)
    assert told.total == bounds.regret(follows, means=[0.3, 0.1], multiplier=G).total


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"multiplier": G}, "either means"),
        ({"means": [1, 0], "gaps": [0, 1], "multiplier": G}, "either means"),
        ({"means": [1, 0]}, "multiplier="),
        ({"gaps": [0.1, 0.2], "multiplier": G}, "must be 0, the best arm's own"),
        ({"gaps": [0.0, -0.2], "multiplier": G}, "must be 0, the best arm's own"),
        ({"means": [0.1, math.nan], "multiplier": G}, "finite numbers"),
        ({"means": [[0.1, 0.2]], "multiplier": G}, "finite numbers"),
        ({"means": [], "multiplier": G}, "finite numbers"),
        ({"means": [3, 0], "multiplier": G}, "exceeds the range"),
        ({"means": [1, 0], "multiplier": G, "r": 0}, "r must be"),
        ({"means": [1, 0, 0.5], "multiplier": [1.0, 2.0]}, "at least as many turns as arms"),
        ({"means": [1, 0], "multiplier": G, "H": [1.0]}, "turns"),
        ({"means": [1, 0], "multiplier": G, "form": "printed"}, "'safe' or 'paper'"),
        ({"means": hs.rewards.bernoulli(arms=3), "multiplier": G}, "drawn in every game"),
    ],
)
def test_bad_questions_are_answered_plainly(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bounds.regret(hs.UCB(), **arguments)


def test_wide_rewards_are_allowed_if_said() -> None:
    assert regret(hs.EpsilonGreedy(k=3), [12.0, 3.0], r=12.0).valid


# -- one's own theorem -----------------------------------------------------------------------------


def test_a_policy_of_ones_own_can_enter_a_theorem() -> None:
    @dataclass(frozen=True)
    class Half(hs.Policy):
        rule = hs.policies.EPSILON

        def step(self, carry: object, view: object) -> tuple[float, object]:
            return 0.5, carry

    with pytest.raises(bounds.NoTheoremError):
        regret(Half())

    @bounds.theorem(Half)
    def half(policy: Half, setting: bounds.Setting, form: str) -> bounds.RegretBound:
        return safe_bound(policy, setting, bounds.read_plan(policy, setting))

    try:
        assert Half in bounds.provable()
        assert regret(Half()).parts["exploration"] == pytest.approx(
            0.5 * G.values[3:].sum() * np.mean([0.6, 0, 0.35])
        )
    finally:
        unregister(Half)


# -- memory ----------------------------------------------------------------------------------------


@each
def test_memory_is_linear_in_turns(policy: hs.Policy) -> None:
    means = np.linspace(0, 1, 200)
    turns = 40_000
    stakes = hs.traffic.wave(turns)
    regret(policy, means, stakes)
    tracemalloc.start()
    regret(policy, means, stakes)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 400 * turns  # bytes: some dozens of arrays, none of them turns x arms
