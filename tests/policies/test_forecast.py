"""Plans for a G that is known only as it goes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import policies as paper

import highseason as hs
from highseason.policies import FutureUnknownError, Policy, View
from highseason.policies.plan import KnownViews

pytestmark = [
    pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning"),
    pytest.mark.filterwarnings("ignore::highseason.traffic.ThresholdWarning"),
]

ARMS = 3
multipliers = st.lists(st.floats(0.01, 1000), min_size=1, max_size=30)
two = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.floats(0.01, 1000), min_size=n, max_size=n)] * 2)
)

CAUSAL: list[Policy] = [
    hs.EpsilonGreedy(k=2), hs.EpsilonZGreedy(k=2, z=30), hs.UCB(), hs.UCBZ(z=30), hs.Greedy(),
    hs.SoftUCB(unit=1), hs.VariablePool(c=9, unit=1), hs.UniformRandom(), hs.policies.NaiveUCB(),
]  # fmt: skip


@pytest.mark.parametrize("policy", CAUSAL, ids=str)
@given(G=multipliers)
def test_a_perfect_forecast_is_knowledge(policy: Policy, G: list[float]) -> None:
    known, forecast = policy.plan(G, ARMS), policy.plan(G, ARMS, forecast=G)
    assert forecast.levels.tolist() == known.levels.tolist()


@pytest.mark.parametrize("policy", CAUSAL, ids=str)
@given(both=two)
def test_what_is_believed_steers(policy: Policy, both: tuple[list[float], list[float]]) -> None:
    # D: low and high, psi, xi and pool sizes come from H; G is only what pays.
    G, H = both
    assert policy.plan(G, ARMS, forecast=H).levels.tolist() == policy.plan(H, ARMS).levels.tolist()


@given(two, st.floats(0.05, 50), st.floats(0.05, 50))
def test_soft_epsilon_uses_the_running_minimum(
    both: tuple[list[float], list[float]], k: float, unit: float
) -> None:
    G, H = both
    numbers = hs.SoftEpsilonGreedy(k=k, unit=unit).plan(G, ARMS, forecast=H).levels
    expected = paper.soft_epsilon_forecast(H, ARMS, k, unit)
    np.testing.assert_allclose(numbers, expected, rtol=1e-11)


@given(two)
def test_rules_on_G_are_read_from_what_was_seen(both: tuple[list[float], list[float]]) -> None:
    G, H = both
    numbers = hs.UCBZ(z="q0.75").plan(G, ARMS, forecast=H).levels
    for t in range(1, len(G) + 1):
        z = np.quantile([*G[: t - 1], H[t - 1]], 0.75)
        assert numbers[t - 1] == (0.0 if H[t - 1] >= z else 2.0 * math.log(t))


def test_a_planner_goes_turn_by_turn() -> None:
    planner = hs.EpsilonZGreedy(k=0.5, z=30).planner(arms=2)
    numbers = []
    for believed, came in ((10, 50), (50, 10), (10, 10), (10, 10)):
        numbers.append(planner.level(believed))
        planner.saw(came)
    assert numbers == [1.0, 0.0, 0.5, 1 / 3]


def test_a_forecast_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="the forecast has 2 turns, the multiplier 3"):
        hs.UCB().plan([1, 2, 3], arms=1, forecast=[1, 2])


def test_the_plan_of_a_forecast_keeps_the_actual_multiplier() -> None:
    plan = hs.SoftUCB(unit=1).plan([1, 2, 3], arms=1, forecast=[3, 2, 1])
    assert plan.multiplier.values.tolist() == [1, 2, 3]
    assert not plan.levels.flags.writeable


@given(multipliers, st.integers(1, 5))
def test_views_of_a_known_multiplier(G: list[float], arms: int) -> None:
    views = list(KnownViews(np.array(G)).all(arms))
    for t, view in enumerate(views, start=1):
        assert (view.t, view.G, view.arms) == (t, G[t - 1], arms)
        assert view.lowest == min(G)
        assert view.floor == min(G[arms:] or G)
        assert view.future == pytest.approx(math.fsum(G[t:]), rel=1e-12, abs=1e-9)


@given(multipliers, st.integers(1, 5))
def test_views_of_an_unknown_multiplier(G: list[float], arms: int) -> None:
    planner = hs.UCB().planner(arms)
    for t, believed in enumerate(G, start=1):
        view = planner.view(believed)
        planner.expect(believed)
        assert view[:3] == (t, believed, arms)
        assert view.lowest == min(G[:t])
        assert view.floor == (min(G[arms:t]) if t > arms else believed)
        with pytest.raises(FutureUnknownError, match="does not know the turns to come"):
            _ = view.future
        with pytest.raises(FutureUnknownError):
            _ = view.turns_left
        planner.saw(2.0 * believed)
        assert np.asarray(planner.values(7.0)).tolist() == [*sorted(2.0 * g for g in G[:t]), 7.0]


class Savings(Policy):
    """A look-ahead policy of one line: explore while much is still to come."""

    rule = hs.policies.EPSILON
    needs_horizon = True

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        return (1.0 if view.future > 10 else 0.0), carry


def test_the_future_is_the_weight_still_to_come() -> None:
    assert Savings().plan([5, 5, 5, 5], arms=1).levels.tolist() == [1, 0, 0, 0]
    with pytest.raises(FutureUnknownError, match="Savings looks ahead"):
        Savings().plan([5, 5, 5, 5], arms=1, forecast=[5] * 4)
