"""The authors' simulation code: its formulas and shapes, written down once more and slowly."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import policies as reference

import highseason as hs
from highseason import bounds
from highseason.policies import Policy
from highseason.traffic import Threshold
from highseason.traffic.series import warn_if_one_sided
from studies import authors_code as code
from studies.authors_code import published

pytestmark = [
    pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning"),
    pytest.mark.filterwarnings("ignore::highseason.traffic.ThresholdWarning"),
]

multipliers = st.lists(st.floats(0.01, 1000), min_size=1, max_size=40)
arms = st.integers(1, 12)
positive = st.floats(0.05, 500)
Plan = list[float]


def same(policy: Policy, G: Plan, m: int, expected: Plan) -> None:
    np.testing.assert_allclose(policy.plan(G, m).levels, expected, rtol=1e-11, atol=1e-14)


@given(multipliers, arms, positive, positive)
def test_epsilon_z(G: Plan, m: int, k: float, z: float) -> None:
    same(code.AuthorsEpsilonZGreedy(k=k, z=z), G, m, reference.epsilon_z_authors(G, m, k, z))


@given(multipliers, arms, positive, positive)
def test_soft_epsilon(G: Plan, m: int, k: float, unit: float) -> None:
    policy = code.AuthorsSoftEpsilonGreedy(k=k, unit=unit)
    same(policy, G, m, reference.soft_epsilon_authors(G, m, k, unit))


@given(multipliers, arms, positive, positive)
def test_ucb_and_ucb_z(G: Plan, m: int, P: float, z: float) -> None:
    same(code.AuthorsUCB(P=P), G, m, reference.ucb_authors(G, m, P))
    same(code.AuthorsUCBZ(P=P, z=z), G, m, reference.ucb_z_authors(G, m, P, z))


def test_a_stale_index_is_that_of_the_arms_last_pull() -> None:
    G, m = [5.0, 1.0, 9.0, 40.0, 2.0] * 8, 3
    for base in (hs.UCB(), hs.UCBZ(z=30), hs.SoftUCB(unit=1)):
        game = hs.play(code.StaleIndex(base), hs.rewards.bernoulli(means=[0.6, 0.5, 0.4]), G)
        levels = base.plan(G, m).levels
        sums, pulls, kept = np.zeros(m), np.zeros(m), np.zeros(m)
        for t, (arm, value) in enumerate(zip(game.arms, game.paid, strict=True), start=1):
            level = levels[t - 1]
            if t > m:
                assert arm == (sums / pulls + (kept if level > 0 else 0.0)).argmax()
            pulls[arm] += 1
            sums[arm] += value
            kept[arm] = math.sqrt((level or 2 * math.log(t)) / pulls[arm])


@given(multipliers, arms, positive, positive)
def test_soft_ucb(G: Plan, m: int, P: float, unit: float) -> None:
    # The authors' turn 0 is the first round's, where no number is used.
    levels = code.AuthorsSoftUCB(P=P, unit=unit).plan(G, m).levels
    expected = reference.soft_ucb_authors(G, m, P, unit)
    np.testing.assert_allclose(levels[1:], expected[1:], rtol=1e-11)


@given(multipliers, arms, st.floats(1.01, 500), positive)
def test_variable_pool(G: Plan, m: int, c: float, unit: float) -> None:
    policy = code.AuthorsVariablePool(c=c, unit=unit)
    same(policy, G, m, reference.pool_authors(G, m, c, unit))
    sizes = policy.plan(G, m).levels
    assert ((sizes >= 1) & (sizes <= m) & (sizes == np.floor(sizes))).all()


@given(st.integers(2, 60), arms)
def test_the_published_pool_shrinks_with_stakes_and_the_codes_grows(n: int, m: int) -> None:
    quiet, busy = [1.0] * n, [40.0] * n
    for policy, sign in (
        (hs.VariablePool(c=10, unit=1), 1),
        (code.AuthorsVariablePool(c=10, unit=1), -1),
    ):
        assert (sign * (policy.plan(quiet, m).levels - policy.plan(busy, m).levels) >= 0).all()


@pytest.mark.parametrize("name", ["epsilon-z", "soft-epsilon", "variable-pool"])
def test_it_keeps_the_promises_of_every_policy(name: str) -> None:
    hs.checks.check_policy(code.POLICIES[name])


@pytest.mark.parametrize("name", code.POLICIES)
def test_a_profile_is_of_the_text_or_of_the_code(name: str) -> None:
    kind = hs.policies.registry()[name]
    assert published(kind, "authors_code") is code.POLICIES[name]
    assert published(kind, "paper") == kind.profile("paper")
    assert isinstance(code.POLICIES[name], kind)
    assert "authors_code" not in kind.profiles


@pytest.mark.parametrize("name", [name for name in code.POLICIES if name != "epsilon-greedy"])
def test_no_theorem_is_about_it(name: str) -> None:
    with pytest.raises(bounds.NoTheoremError, match="no theorem covers Authors"):
        bounds.regret(code.POLICIES[name], means=[0.9, 0.5], multiplier=hs.traffic.wave(100))


def test_a_turn_is_high_above_the_threshold() -> None:
    policy = code.AuthorsUCBZ(z=3)
    assert policy.threshold is not None
    assert 3 < float(policy.threshold) < 3.000001
    assert hs.UCBZ(z=3).threshold == 3
    assert policy.plan([3, 3, 3, 4], arms=2).levels[2:].tolist() == [2 * math.log(2), 0]


# -- shapes ----------------------------------------------------------------------------------------

# Intervals in exact fractions; `t` is the paper's turn, from 1.


def wave(t: int, n: int) -> float:
    return 21 + 20 * math.sin(0.25 * (t - 1))


def christmas(t: int, n: int) -> float:
    return 1000.0 if Fraction(n, 2) <= t - 1 < Fraction(6, 10) * n else wave(t, n)


def step(t: int, n: int) -> float:
    quarter = Fraction(n, 4)
    second = quarter <= t - 1 < 2 * quarter
    fourth = t - 1 >= 3 * quarter
    return 40.0 if second or fourth else 20.0


@pytest.mark.parametrize("obvious", [wave, christmas, step])
@given(turns=st.integers(1, 400))
def test_a_shape_is_the_obvious_one(obvious: Callable[[int, int], float], turns: int) -> None:
    expected = [obvious(t, turns) for t in range(1, turns + 1)]
    got = code.SHAPES[obvious.__name__](turns)
    np.testing.assert_allclose(got.values, expected, rtol=1e-14)
    assert (got.name, got.is_shape) == (obvious.__name__, True)


@pytest.mark.parametrize("turns", [500, 1000, 1500])
def test_peaks_of_the_simulated_games(turns: int) -> None:
    peak = np.flatnonzero(code.christmas(turns).values == 1000)
    assert (peak[0], peak[-1] + 1) == (turns // 2, 6 * turns // 10)
    assert set(code.step(turns).values) == {20.0, 40.0}


def test_the_percentile_falls_on_the_upper_level_of_the_step() -> None:
    # D8: the 65th percentile is 40: with G > z no turn is high, with G >= z half of them are.
    G = code.step(1000)
    assert (code.POLICIES["ucb-z"].plan(G, 5).levels[5:] > 0).all()
    z = Threshold.of("q0.65").resolve(G)
    assert z == 40.0
    assert G.high(z).mean() == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_one_sided(G, z)


def test_the_k_of_the_code_explores_for_ever() -> None:
    # D14: with k = 110 and 25 arms km = 2750, so in 1500 turns ε never falls below 1.
    plan = code.POLICIES["epsilon-greedy"].plan(hs.traffic.wave(1500), 25)
    assert (plan.levels == 1).all()
