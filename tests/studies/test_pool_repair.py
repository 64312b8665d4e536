"""The repaired multiplier keeps lam in step with Gamma log t, and nature's weights as they are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import highseason as hs
from highseason import bounds
from studies.simulated.pool_repair import repair, required_c

multipliers = st.lists(st.floats(0.01, 50.0), min_size=1, max_size=120)


def slow_repair(
    G: list[float], m: int, c: float, Gamma: float, mode: str, unit: float
) -> list[float]:
    """Turn by turn, as the paper describes it."""
    repaired, F, left = list(G), m, 0
    for t in range(m + 1, len(G) + 1):
        size = min(m, max(1, math.floor(c * m / (t * (G[t - 1] / unit)))))
        full = size == m
        if left == 0 and not full and F / (2 * m) < Gamma * math.log(t):
            left = 1 if mode == "minimal" else 2 * m + 1
        if left:
            repaired[t - 1] = unit * (c - 1) / t
            full, left = True, left - 1
        F += full
    return repaired


@given(
    multipliers, st.integers(1, 5), st.floats(1.05, 300.0), st.floats(0.5, 15.0),
    st.sampled_from(["minimal", "block"]), st.sampled_from([1.0, 7.0]),
)  # fmt: skip
def test_repair(G: list[float], m: int, c: float, Gamma: float, mode: str, unit: float) -> None:
    found = repair(G, m, c, Gamma, mode, unit)
    assert found.multiplier.values == pytest.approx(slow_repair(G, m, c, Gamma, mode, unit))
    assert found.changed == np.count_nonzero(found.multiplier.values != np.array(G))
    # lam' is what a pool given G' would really do
    n = len(G)
    sizes = np.array([
        min(m, max(1, math.floor(c * m / (t * (g / unit)))))
        for t, g in enumerate(found.multiplier.values, start=1)
    ])  # fmt: skip
    counted = np.cumsum((sizes == m) | (np.arange(1, n + 1) <= m)) / (2 * m)
    assert found.lam == pytest.approx(counted)
    required = Gamma * np.log(np.arange(1, n + 1))
    if found.holds_from is None:
        assert found.lam[-1] < required[-1]
    else:
        assert (found.lam >= required)[found.holds_from - 1 :].all()
        assert (
            found.holds_from == 1
            or found.lam[found.holds_from - 2] < required[found.holds_from - 2]
        )


@given(multipliers, st.integers(1, 4), st.floats(1.05, 100.0), st.floats(0.5, 15.0))
def test_minimal_repair_is_idempotent(G: list[float], m: int, c: float, Gamma: float) -> None:
    once = repair(G, m, c, Gamma, "minimal")
    twice = repair(once.multiplier, m, c, Gamma, "minimal")
    assert np.array_equal(once.multiplier.values, twice.multiplier.values)
    assert twice.changed == 0


def test_repaired_pools_are_full_for_any_c() -> None:
    G = hs.traffic.constant(1000, 50.0)
    for c in (1.0001, 1.1, 2.0, 10.0, 1000.0):
        found = repair(G, 3, c)
        sizes = hs.VariablePool(c=c, unit=1).plan(G, 3, found.multiplier).levels
        assert (sizes[found.multiplier.values != 50.0] == 3).all()


def test_the_first_round_is_left_alone() -> None:
    found = repair([9.0] * 50, 4, 2.0)
    assert (found.multiplier.values[:4] == 9.0).all()
    assert found.lam[:4].tolist() == [0.125, 0.25, 0.375, 0.5]


def test_calendar_is_kept() -> None:
    days = np.arange("2024-12-01", "2024-12-21", dtype="datetime64[D]")
    G = hs.traffic.Multiplier(np.full(20, 9.0), days)
    assert repair(G, 2, 3.0).multiplier.calendar is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "all"}, "'block' or 'minimal'"),
        ({"Gamma": 0.0}, "Gamma"),
        ({"c": 1.0}, "above 1"),
        ({"arms": 0}, "arms"),
    ],
)
def test_refusals(arguments: dict[str, object], message: str) -> None:
    given = {"G": [1.0, 2.0, 3.0], "arms": 2, "c": 2.0} | arguments
    with pytest.raises(ValueError, match=message):
        repair(**given)


@pytest.mark.parametrize(("share", "enough"), [(0.99, False), (1.02, True)])
def test_with_a_small_c_no_G_of_1_or_more_meets_the_hypothesis(share: float, enough: bool) -> None:
    n, m = 5000, 3
    policy = hs.VariablePool(c=required_c(m, n) * share, unit=1)
    check = bounds.paper.pool_hypothesis(policy.plan(hs.traffic.constant(n), m).levels, m, Gamma=5)
    assert (check.lam[-1] >= check.required[-1]) == enough
    assert not check.holds
