"""The remarks, the corollary, growth, and the comparisons with unregulated ε-greedy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import bounds_mp as slow
from tests.reference.bounds_mp import mpf

import highseason as hs
from highseason import bounds
from highseason.bounds.epsilon import blind_pulls, printed_x
from studies.simulated import side_results

# -- remarks ---------------------------------------------------------------------------------------


@given(st.integers(0, 3000), st.floats(0.3, 60.0), st.integers(1, 6))
def test_true_floor_is_below_what_was_explored(N: int, k: float, m: int) -> None:
    explored = sum(min(1.0, k * m / s) for s in range(1, N + 1)) / (2 * m)
    assert side_results.true_floor(N, k, m) <= explored + 1e-9
    if N <= k * m:
        assert side_results.true_floor(N, k, m) == pytest.approx(explored)
    assert bounds.paper.exploration_sum(N, k, m) >= explored * 2 * m - 1e-9


def test_the_remark_exceeds_what_was_explored_before_the_turn() -> None:
    """With t~ of the turn itself, by 1/(2m)."""
    k, m = 50.0, 2
    explored_before = 39 / (2 * m)
    assert side_results.remark_floor(40, k, m) - explored_before == pytest.approx(1 / (2 * m))


@given(st.floats(10.5, 80.0), st.floats(0.1, 1.0), st.floats(1.01, 50.0))
def test_printed_beta_is_the_remark_after_mke(k: float, gap: float, x: float) -> None:
    m = 2
    L = side_results.remark_floor(x * m * k * math.e, k, m)
    unclipped = 2 * (L * math.exp(-L / 5) + 2 / gap**2 * math.exp(-(gap**2) * L / 2))
    assert bounds.paper.printed_beta(np.array([x]), k, gap)[0] == pytest.approx(unclipped, rel=1e-9)
    assert side_results.beta_from_floor(L, gap) == pytest.approx(min(1.0, unclipped), rel=1e-9)
    theirs = slow.beta_printed(mpf(x), mpf(k), mpf(gap), mpf(1))
    assert bounds.paper.printed_beta(np.array([x]), k, gap)[0] == pytest.approx(
        float(theirs), rel=1e-9
    )


@given(st.floats(0.0, 200.0), st.floats(0.05, 1.0), st.floats(0.5, 3.0))
def test_beta_from_floor(floor: float, gap: float, r: float) -> None:
    L, d = mpf(floor), (mpf(gap) / mpf(r)) ** 2
    chance = 2 * (L * slow.mp.exp(-L / 5) + 2 / d * slow.mp.exp(-d * L / 2))
    assert side_results.beta_from_floor(floor, gap, r) == pytest.approx(float(min(mpf(1), chance)))


def test_a_floor_may_stand_for_lam() -> None:
    """Any lower bound of lam gives a chance that is no smaller, once it is not clipped."""
    k, m, gap = 50.0, 2, 0.8
    epsilons = np.minimum(1.0, k * m / np.arange(1, 5001))
    lams = blind_pulls(epsilons, m)
    for t in (500, 1000, 4000):
        from_floor = side_results.beta_from_floor(side_results.true_floor(t - 1 - m, k, m), gap)
        assert from_floor >= min(1.0, 2 * bounds.paper.tail(lams[t - 1 - m], gap**2 / 2)) * (
            1 - 1e-9
        )


# -- the corollary ---------------------------------------------------------------------------------


def test_corollary() -> None:
    G = hs.traffic.step(turns=20_000)
    policy = hs.EpsilonZGreedy(k=50, z=30)
    found = bounds.paper.two_values(policy, gaps=[0.0, 0.8], multiplier=G)
    assert (found.low, found.high, found.low_turns) == (1.0, 40.0, 9999)
    by_hand = 1.0 * 0.8 / 2 * 100 * (1 + math.log(9999 / 100))
    assert found.exploration == pytest.approx(by_hand)
    assert found.exploration >= found.bound.parts["exploration"]
    assert found.exploration == pytest.approx(found.bound.parts["exploration"], rel=0.01)
    assert found.bound.total == bounds.regret(policy, gaps=[0.0, 0.8], multiplier=G).total


def test_a_long_high_stretch_costs_its_length() -> None:
    """The same two values, arranged otherwise: the high part grows with the stretch."""
    policy = hs.EpsilonZGreedy(k=50, z=30)
    spread = np.tile([1.0, 40.0], 4000)
    early = np.concatenate([np.ones(300), np.full(4000, 40.0), np.ones(3700)])
    parts = [
        bounds.paper.two_values(policy, gaps=[0.0, 0.4], multiplier=G).bound.parts
        for G in (spread, early)
    ]
    assert parts[1]["exploration"] == pytest.approx(parts[0]["exploration"], rel=0.01)
    assert parts[1]["high"] > 1.5 * parts[0]["high"]
    chance = min(1.0, 2 * bounds.paper.tail((2 + 98) / 4, 0.08))  # after 98 sure explorations
    assert parts[1]["high"] <= 4000 * 40 * 0.4 * chance * (1 + 1e-9)


def test_corollary_refuses() -> None:
    policy = hs.EpsilonZGreedy(k=5, z=30)
    with pytest.raises(ValueError, match="G of two values, got one of"):
        bounds.paper.two_values(policy, gaps=[0, 1], multiplier=hs.traffic.wave(50))
    with pytest.raises(ValueError, match="z must lie between"):
        bounds.paper.two_values(policy, gaps=[0, 1], multiplier=[1.0, 20.0, 1.0])


# -- growth ----------------------------------------------------------------------------------------


def test_growth_of_epsilon_z_is_logarithmic_where_low_turns_keep_coming() -> None:
    found = side_results.growth(
        hs.EpsilonZGreedy(k=50, z=30), gaps=[0, 0.8], multiplier=hs.traffic.step,
        turns=(1_000, 10_000, 100_000),
    )  # fmt: skip
    exploration = found.part("exploration")
    per_log = np.diff(exploration) / np.diff(np.log(found.turns))
    assert per_log[1] == pytest.approx(50 * 2 * 0.8 / 2, rel=0.01)  # km · D/m per unit of log n
    assert found.exponents("total")[-1] < 0.3
    assert "turns" in str(found)
    assert "100,000" in str(found)


def test_growth_takes_the_first_turns_of_a_multiplier() -> None:
    G = hs.traffic.wave(3000)
    found = side_results.growth(hs.SoftUCB(unit=1), gaps=[0, 0.8], multiplier=G, turns=(1000, 3000))
    assert found.part("total")[0] == bounds.regret(
        hs.SoftUCB(unit=1), gaps=[0, 0.8], multiplier=G.window(1, 1000)
    ).total  # fmt: skip


# -- high turns ------------------------------------------------------------------------------------


def test_advantage_on_high_turns_by_hand() -> None:
    G = [1.0] * 400 + [40.0] * 3
    policy = hs.EpsilonZGreedy(k=40, z=30)
    found = side_results.high_turn_advantage(policy, gaps=[0.0, 0.9], multiplier=G)
    assert found.turns.tolist() == [401, 402, 403]
    for t, ours in zip(found.turns.tolist(), found.difference[0], strict=True):
        eps = 80 / t
        old = slow.beta_printed(mpf(t) / (80 * slow.mp.e), mpf(40), mpf(0.9), mpf(1))
        new = slow.beta_printed(mpf(400) / (80 * slow.mp.e), mpf(40), mpf(0.9), mpf(1))
        assert ours == pytest.approx(float(eps / 2 + (1 - eps) * old - new))
    safe = side_results.high_turn_advantage(policy, gaps=[0.0, 0.9], multiplier=G, form="safe")
    lam = (2 + sum(min(1, 80 / s) for s in range(3, 401))) / 4
    new = min(1, 2 * float(slow.tail(mpf(lam), mpf(0.405))))
    eps = 80 / 401
    assert safe.difference[0, 0] == pytest.approx(eps / 2 + (1 - eps) * new - new)
    assert safe.positive_from == 401


def test_no_advantage_before_anything_is_learned() -> None:
    """High turns first: the regulated policy plays the leader of a single round."""
    G = [40.0] * 50 + [1.0] * 50
    found = side_results.high_turn_advantage(
        hs.EpsilonZGreedy(k=11, z=30), gaps=[0.0, 0.9], multiplier=G, form="safe"
    )
    assert found.positive_from is None
    assert (found.difference < 0).all()


# -- the figure and the table ----------------------------------------------------------------------


def test_exploration_figure() -> None:
    figure = side_results.exploration_figure()
    assert (figure.n_prime, figure.w) == (22, 603)
    t = figure.turns
    assert t[0] == 3
    assert t[-1] == 1000
    psi = np.log1p(1 / (20 + 19 * np.sin(t / 2)))
    psi /= psi.max()
    assert figure.psi == pytest.approx(psi)
    assert figure.gamma == pytest.approx(psi.min())
    assert figure.old == pytest.approx(np.minimum(1, 22 / t))
    assert figure.soft == pytest.approx(np.minimum(psi, figure.old))
    assert (figure.old[t < 22] == 1).all()
    assert (figure.old[t >= figure.w] < figure.gamma).all()
    assert not (figure.old[t >= figure.w - 1] < figure.gamma).all()


def test_phases_of_a_constant_multiplier() -> None:
    """psi = 1 and gamma = 1, so w = n' + 1: there is no phase between them to speak of."""
    figure = side_results.exploration_figure(
        hs.SoftEpsilonGreedy(k=11, unit=1), hs.traffic.constant(200, 7.0)
    )
    assert (figure.n_prime, figure.w, figure.gamma) == (22, 23, 1.0)


def test_decay_table() -> None:
    soft = hs.SoftEpsilonGreedy(k=11, unit=1)
    table = side_results.decay_table(soft, 0.8, hs.traffic.sine(4000))
    assert [(e.phase, e.season) for e in table] == [
        (phase, season)
        for phase in ("t < n'", "n' <= t <= w", "t > w")
        for season in ("high", "low")
    ]
    figure = side_results.exploration_figure(soft, hs.traffic.sine(4000))
    for entry in table:
        i = entry.t - 3
        assert entry.soft_explores == pytest.approx(figure.soft[i] / 2)
        assert entry.soft >= entry.soft_explores  # the term that the paper's table leaves out
        assert 0 <= entry.old <= 1
    early = table[0]
    assert early.season == "high"
    assert early.old == 0.5  # 1/m: ε-greedy is blind before n'
    assert not early.faster  # and soft ε has no guarantee yet, whatever its rate
    # "high G, t < n'": the exploration term alone stays of the order psi/m
    assert early.soft_explores == pytest.approx(figure.gamma / 2, rel=0.2)
    assert "lower?" in str(table)
    assert max(map(len, str(table).splitlines())) <= 80


def test_decay_table_at_given_turns_and_in_print() -> None:
    soft = hs.SoftEpsilonGreedy(k=11, unit=1)
    G = hs.traffic.sine(4000)
    printed = side_results.decay_table(soft, 0.8, G, form="paper", turns=[3000, 3003])
    assert [e.t for e in printed] == [3000, 3003]
    gamma = side_results.exploration_figure(soft, G).gamma
    for e in printed:
        eps = 22 / e.t
        beta = bounds.paper.printed_beta(printed_x(np.array([gamma * e.t]), 11, 2), 11, 0.8)[0]
        assert e.soft == pytest.approx(eps / 2 + (1 - eps) * beta)
