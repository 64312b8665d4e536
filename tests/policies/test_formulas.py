"""Every plan against the paper's formula, written down once more and slowly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.reference import policies as paper

import highseason as hs
from highseason.policies import Policy

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


@given(multipliers, arms)
def test_greedy_and_uniform(G: Plan, m: int) -> None:
    same(hs.Greedy(), G, m, paper.greedy(G, m))
    same(hs.UniformRandom(), G, m, paper.uniform(G, m))


@given(multipliers, arms, positive)
def test_epsilon_greedy(G: Plan, m: int, k: float) -> None:
    same(hs.EpsilonGreedy(k=k), G, m, paper.epsilon_greedy(G, m, k))
    same(hs.policies.NaiveEpsilonGreedy(k=k), G, m, paper.epsilon_greedy(G, m, k))


@given(multipliers, arms, positive, positive)
def test_epsilon_z(G: Plan, m: int, k: float, z: float) -> None:
    same(hs.EpsilonZGreedy(k=k, z=z), G, m, paper.epsilon_z(G, m, k, z))


@given(multipliers, arms, positive, positive)
def test_soft_epsilon(G: Plan, m: int, k: float, unit: float) -> None:
    same(hs.SoftEpsilonGreedy(k=k, unit=unit), G, m, paper.soft_epsilon(G, m, k, unit))


@given(multipliers, arms, positive)
def test_ucb(G: Plan, m: int, P: float) -> None:
    same(hs.UCB(P=P), G, m, paper.ucb(G, m, P))
    same(hs.policies.NaiveUCB(P=P), G, m, paper.ucb(G, m, P))


@given(multipliers, arms, positive, positive)
def test_ucb_z(G: Plan, m: int, P: float, z: float) -> None:
    same(hs.UCBZ(P=P, z=z), G, m, paper.ucb_z(G, m, P, z))


@given(multipliers, arms, positive, positive)
def test_soft_ucb(G: Plan, m: int, P: float, unit: float) -> None:
    same(hs.SoftUCB(P=P, unit=unit), G, m, paper.soft_ucb(G, m, P, unit))


@given(multipliers, arms, positive, positive, positive)
def test_ada_ucb(G: Plan, m: int, P: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    policy = hs.AdaUCB(low=low, high=high, P=P)
    same(policy, G, m, paper.ada_ucb(G, m, P, low, high))
    step, other = replace(policy, low=high), hs.UCBZ(z=math.nextafter(high, math.inf), P=P)
    assert step.plan(G, m).levels.tolist() == other.plan(G, m).levels.tolist()
    assert policy.with_values({"low": high, "high": low}) == policy


@given(multipliers, arms, st.floats(1.01, 500), positive)
def test_variable_pool(G: Plan, m: int, c: float, unit: float) -> None:
    same(hs.VariablePool(c=c, unit=unit), G, m, paper.pool(G, m, c, unit))


# Rules on G are worked out from the whole of it.


@pytest.mark.parametrize(
    ("z", "value"),
    [
        ("q0.75", lambda G: np.quantile(G, 0.75)),
        ("0.75*max", lambda G: 0.75 * max(G)),
        ("q0", min),
        (17, lambda G: 17.0),
    ],
)
@given(G=multipliers)
def test_thresholds_may_be_rules(G: Plan, z: Any, value: Callable[[Plan], float]) -> None:
    same(hs.UCBZ(z=z), G, 2, paper.ucb_z(G, 2, 2.0, value(G)))
    same(hs.EpsilonZGreedy(k=3, z=z), G, 2, paper.epsilon_z(G, 2, 3.0, value(G)))


@given(multipliers)
def test_a_low_threshold_that_crosses_the_high_one_makes_a_step(G: Plan) -> None:
    low, high = np.quantile(G, [0.05, 0.95])
    same(hs.AdaUCB(), G, 2, paper.ada_ucb(G, 2, 0.51, low, high))
    crossed, half = hs.AdaUCB(low="2*max", high="q0.5"), float(np.quantile(G, 0.5))
    same(crossed, G, 2, paper.ada_ucb(G, 2, 0.51, half, half))


@given(multipliers)
def test_units_may_be_rules(G: Plan) -> None:
    median = float(np.quantile(G, 0.5))
    same(hs.SoftUCB(unit="q0.5"), G, 2, paper.soft_ucb(G, 2, 2.0, median))
    same(hs.VariablePool(c=5, unit="q0.5"), G, 2, paper.pool(G, 2, 5.0, median))
    same(hs.SoftEpsilonGreedy(k=3, unit="q0.5"), G, 2, paper.soft_epsilon(G, 2, 3.0, median))


# Properties of the parts (reference, section 17), seen through the plans.


@given(multipliers, st.integers(1, 5))
def test_psi_is_at_most_one_and_one_at_the_minimum(G: Plan, m: int) -> None:
    assume(len(G) > m)
    # With k so large that k·m/t never binds, the plan is psi itself.
    psi = hs.SoftEpsilonGreedy(k=1e9, unit=1).plan(G, m).levels
    assert (psi > 0).all()
    assert (psi <= 1).all()
    quietest = m + int(np.argmin(G[m:]))
    assert psi[quietest] == 1.0


@given(multipliers)
def test_xi_is_at_least_one(G: Plan) -> None:
    assert (np.exp(hs.SoftUCB(P=1, unit=1).plan(G, 1).levels) >= 1).all()


@given(multipliers, arms, positive)
def test_low_turns_never_run_backwards(G: Plan, m: int, z: float) -> None:
    epsilon = hs.EpsilonZGreedy(k=0.01, z=z).plan(G, m).levels
    low = epsilon[np.asarray(G) < z]
    assert (np.diff(low) <= 0).all()
    assert (epsilon[np.asarray(G) >= z] == 0).all()


@given(multipliers, arms, st.floats(1.01, 100))
def test_a_pool_has_between_one_and_all_arms(G: Plan, m: int, c: float) -> None:
    sizes = hs.VariablePool(c=c, unit=1).plan(G, m).levels
    assert ((sizes >= 1) & (sizes <= m) & (sizes == np.floor(sizes))).all()


def test_the_floor_has_no_tolerance() -> None:
    # D17: 1.1·3/(1·1.1) is 2.9999999999999996 or 3.0000000000000004, and is taken as it comes.
    c, m, t, G = 1.1, 3, 1, 1.1
    expected = max(1, min(m, int(c * m / (t * G))))
    assert hs.VariablePool(c=c, unit=1).plan([G], m).levels[0] == expected


def test_the_published_pool_is_nearly_always_one() -> None:
    # D16: c = 10, 25 arms, Wave of 1500 turns: more than one arm in only 7 of them.
    sizes = hs.VariablePool(c=10, unit=1).plan(hs.traffic.wave(1500), 25).levels
    assert (sizes[25:] > 1).sum() == 7
