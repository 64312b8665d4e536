"""The one kernel with an idea of its own: the heaviest turns so far, in one pass backwards."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import highseason as hs
from highseason import bounds
from highseason.bounds import kernels
from highseason.bounds.kernels import leader_kernel, pool_cost, tail, top_sums

pytestmark = pytest.mark.jit


@given(
    st.lists(st.one_of(st.integers(1, 4).map(float), st.floats(0.01, 100)), max_size=40),
    st.lists(st.tuples(st.floats(0.01, 1.0), st.floats(0.0, 30.0)), max_size=4),
    st.data(),
)
def test_top_sums(
    weights: list[float], arms: list[tuple[float, float]], data: st.DataObject
) -> None:
    n = len(weights)
    steps = st.lists(st.floats(0, 0.5), min_size=n, max_size=n)
    radii, series = np.cumsum(data.draw(steps)), np.cumsum(data.draw(steps))
    gaps, factors = (np.array([arm[i] for arm in arms]) for i in (0, 1))
    tried, total = top_sums(gaps, factors, np.array(weights), radii, series)
    for t in range(n):
        falling = sorted(weights[: t + 1], reverse=True)
        expected = [0.0, 0.0]
        for gap, factor in arms:
            top = sum(falling[: max(1, math.ceil(factor * radii[t])) - 1])
            expected[0] += gap * min(sum(falling), top)
            expected[1] += gap * min(sum(falling), top + series[t])
        assert [tried[t], total[t]] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("lam", [0.5, 3.0, 40.0, 90.0])
def test_a_turn_costs_most_where_the_worst_arms_are_as_likely_as_they_may_be(lam: float) -> None:
    gaps = np.array([0.9, 0.7, 0.4, 0.0])

    def most(chances: list[float]) -> float:
        taken = np.minimum(1.0, np.cumsum(np.minimum(1.0, chances)))
        return float(gaps @ np.diff(taken, prepend=0.0))

    out = np.empty(1)
    leader_kernel(gaps, gaps**2 / 2, np.array([lam]), out)
    assert out[0] == pytest.approx(most([2 * tail(lam, gap**2 / 2) for gap in gaps]))
    size = 2  # arms behind the second best may be in the pool by mistake; it draws evenly
    inside = [min(1.0, 3 * tail(lam, (gap - 0.4) ** 2 / 2)) if gap > 0.4 else 1.0 for gap in gaps]
    assert pool_cost(gaps, size, lam, 2.0) == pytest.approx(most([p / size for p in inside]))


def test_the_curve_of_soft_ucb_at_every_turn_of_a_telling_game() -> None:
    G = hs.traffic.wave(300)
    soft = hs.SoftUCB(unit=20.0)
    bound = bounds.regret(soft, means=[1.0, 0.0], multiplier=G)
    assert not bound.vacuous
    for n in range(2, 301, 7):
        stopped = bounds.regret(soft, means=[1.0, 0.0], multiplier=G.window(1, n))
        assert bound.curve[n - 1] == pytest.approx(stopped.total, rel=1e-9)
        for name, curve in bound.curves.items():
            assert curve[n - 1] == pytest.approx(stopped.parts[name], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "policy",
    [hs.EpsilonGreedy(k=5), hs.VariablePool(c=60, unit=1), hs.SoftUCB(), hs.SoftUCBMortal(unit=1)],
    ids=str,
)
def test_compiled_loops_give_what_python_gives(
    policy: hs.Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    lives = [(1, 120), (1, 70), (30, 110)] if isinstance(policy, hs.SoftUCBMortal) else None
    lifetimes = None if lives is None else hs.lifetimes.fixed(lives)

    def curve() -> NDArray[np.float64]:
        G, means = hs.traffic.wave(120), [0.9, 0.5, 0.2]
        return bounds.regret(policy, means, multiplier=G, lifetimes=lifetimes).curve

    compiled = curve()
    monkeypatch.setattr(kernels, "compiled", lambda kernel, signature: kernel)
    assert curve() == pytest.approx(compiled, rel=1e-12)
