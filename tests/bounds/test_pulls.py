"""The least number of pulls: against slow scans, and against runs that do their worst."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.reference import bounds_mp as slow
from tests.reference.bounds_games import forced_pulls
from tests.reference.bounds_mp import mp, mpf

import highseason as hs
from highseason import bounds
from highseason.bounds.minimum_pulls import first_true

ranges = st.floats(0.2, 2.0)
widths = st.sampled_from([2.0, 0.5, 4.0])


def least(steps: np.ndarray, turns: np.ndarray) -> np.ndarray:
    return 1 + np.searchsorted(steps, turns, side="right")


# -- against slow scans ----------------------------------------------------------------------------


@given(st.integers(2, 10**6), ranges, st.integers(1, 30), widths)
def test_need(t: int, r: float, y: int, P: float) -> None:
    L = mpf(P) * mp.log(t)
    theirs = slow.need(L, L, mpf(r), y)
    ours = bounds.paper.need(t, r, y, P)
    assert ours == math.inf if mp.isinf(theirs) else ours == pytest.approx(float(theirs), rel=1e-6)


@given(ranges, st.integers(1, 8), widths)
@settings(max_examples=20)
def test_tau_and_phi(r: float, y: int, P: float) -> None:
    limit = 3000
    if bounds.paper.tau(r, y, P) <= limit:
        assert bounds.paper.tau(r, y, P) == slow.tau(mpf(r), y, mpf(P))
    found = bounds.paper.phi(r, y, P)
    scanned = slow.phi(mpf(r), y, mpf(P), limit)
    assert found == scanned if scanned <= limit else found > limit
    assert found >= bounds.paper.tau(r, y, P)


@given(st.integers(2, 5), st.integers(5, 400), ranges, widths)
@settings(max_examples=20)
def test_minimum_pulls(m: int, n: int, r: float, P: float) -> None:
    for form, safe in (("safe", True), ("paper", False)):
        theirs = slow.least_pulls(n, m, lambda y: slow.phi(mpf(r), y, mpf(P), n), safe)
        assert bounds.minimum_pulls(n, m, r, P, form=form) == theirs
        assert least(bounds.pull_steps(n, m, r, P, form=form), n) == theirs


@given(
    st.integers(2, 4), st.integers(5, 400), ranges, widths, st.floats(0.5, 40), st.floats(1.0, 20)
)
@settings(max_examples=20)
def test_soft_minimum_pulls(m: int, n: int, r: float, P: float, low: float, times: float) -> None:
    high = low * times
    safe = slow.least_pulls(
        n, m, lambda y: slow.soft_phi(mpf(r), y, mpf(P), mpf(high), None, n), True
    )
    printed = slow.least_pulls(
        n, m, lambda y: slow.soft_phi(mpf(r), y, mpf(P), mpf(high), mpf(low), n), False
    )
    assert bounds.paper.soft_minimum_pulls(n, m, high, low, r, P) == safe
    assert bounds.paper.soft_minimum_pulls(n, m, high, low, r, P, form="paper") == printed


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 1)), min_size=2, max_size=4))
@settings(max_examples=20)
def test_different_ranges(spans: list[tuple[float, float]]) -> None:
    given_ranges = [(a, a + w) for a, w in spans]
    n, m = 120, len(spans)
    for j, ours in enumerate(bounds.paper.minimum_pulls_ranges(n, given_ranges)):
        a = mpf(given_ranges[j][0])
        y = 0
        while True:
            rivals = [mpf(b) - a for i, (_, b) in enumerate(given_ranges) if i != j]
            spent = sum(slow.phi(r, y + 1, mpf(2), n) for r in rivals) + y + 2
            if spent > n:
                break
            y += 1
        assert ours == y + 1
    same = bounds.paper.minimum_pulls_ranges(n, [(0.0, 1.0)] * m)
    assert same == (bounds.minimum_pulls(n, m),) * m


# -- by hand, and at the ends ----------------------------------------------------------------------


def test_by_hand() -> None:
    # r = 1, y = 2, P = 2: at t the roots are sqrt(log t); it exceeds 1 from t = 3 = ceil(e) on.
    assert bounds.paper.tau(1.0, 2) == 3
    # need(t) = 2 log t / (sqrt(log t) - 1)²: 2·16/(4-1)² at log t = 16
    assert bounds.paper.need(math.exp(16), 1.0, 2) == pytest.approx(32 / 9)
    # and without a range the rival needs just as many pulls as the arm has
    assert bounds.paper.need(1000, 0.0, 5) == pytest.approx(5.0)


def test_no_range_and_no_radius() -> None:
    assert bounds.paper.tau(-1.0, 5) == 1
    assert bounds.paper.phi(-0.5, 7) == 8
    assert bounds.paper.phi(0.0, 7) == 8
    assert bounds.paper.tau(1.0, 1, P=0.0) == math.inf
    assert bounds.paper.phi(1.0, 1, P=0.0) == math.inf
    assert bounds.minimum_pulls(10**6, 3, P=0.0) == 1


def test_huge_numbers_are_found_and_not_scanned_for() -> None:
    assert bounds.paper.tau(1.0, 1000) == math.ceil(math.exp(500.0))
    assert bounds.paper.tau(1.0, 2000) == math.inf
    assert bounds.paper.phi(1.0, 2000) == math.inf
    assert 10**12 < bounds.paper.phi(1.0, 60) < 10**14
    x = bounds.minimum_pulls(10**12, 10)
    assert (
        (10 - 1) * bounds.paper.phi(1.0, x - 1) + x <= 10**12 < 9 * bounds.paper.phi(1.0, x) + x + 1
    )
    assert bounds.minimum_pulls(10**12, 2, r=1e-3) > 10**7
    assert bounds.paper.soft_minimum_pulls(10**12, 10, highest=1e6) <= x


def test_one_arm_is_pulled_in_every_turn() -> None:
    assert bounds.minimum_pulls(17, 1) == 17
    assert least(bounds.pull_steps(17, 1), np.array([1, 17])).tolist() == [1, 17]
    with pytest.raises(ValueError, match="2 turns are too few to try 3 arms"):
        bounds.minimum_pulls(2, 3)


@given(ranges, st.integers(1, 40), widths)
@settings(max_examples=25)
def test_monotone(r: float, y: int, P: float) -> None:
    assert bounds.paper.tau(r, y, P) <= bounds.paper.tau(r, y + 1, P)
    assert bounds.paper.phi(r, y, P) <= bounds.paper.phi(r, y + 1, P)
    assert bounds.paper.phi(r, y, P) <= bounds.paper.phi(r * 1.1, y, P)
    n = np.unique(np.geomspace(5, 1e9, 30).astype(int))
    safe = [bounds.minimum_pulls(int(k), 3, r, P) for k in n]
    printed = [bounds.minimum_pulls(int(k), 3, r, P, form="paper") for k in n]
    assert safe == sorted(safe)
    assert all(a <= b for a, b in zip(safe, printed, strict=True))


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_search(start: int, target: int) -> None:
    assert first_true(lambda t: t >= target, start) == max(start, target)


# -- the worst case --------------------------------------------------------------------------------


@pytest.mark.parametrize("P", [0.5, 2.0, 4.0])
@pytest.mark.parametrize("r", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("m", [2, 3, 10])
def test_safe_lemma_never_exceeds_the_worst_case(m: int, r: float, P: float) -> None:
    n = 30_000
    t = np.arange(1, n + 1)
    pulls = forced_pulls(P * np.log(t), [r] * (m - 1) + [0.0])
    assert (least(bounds.pull_steps(n, m, r, P), t) <= pulls)[m - 1 :].all()


def test_safe_lemma_with_different_ranges_in_the_worst_case() -> None:
    rng = np.random.default_rng(5)
    n = 3000
    t = np.arange(1, n + 1)
    for _ in range(25):
        m = int(rng.integers(2, 6))
        low = rng.uniform(-0.5, 0.5, m)
        spans = [(float(a), float(a + w)) for a, w in zip(low, rng.uniform(0, 1, m), strict=True)]
        payoffs = [b for _, b in spans[:-1]] + [spans[-1][0]]
        pulls = forced_pulls(2 * np.log(t), payoffs)
        for turns in (m, 2 * m, 50, 500, n):
            assert bounds.paper.minimum_pulls_ranges(turns, spans)[-1] <= pulls[turns - 1]


def test_safe_lemma_under_soft_ucb_in_the_worst_case() -> None:
    rng = np.random.default_rng(6)
    n = 5000
    t = np.arange(1, n + 1)
    for _ in range(20):
        m, r = int(rng.integers(2, 6)), float(rng.uniform(0.3, 1.5))
        G = np.exp(rng.normal(0, rng.uniform(0, 2), n))
        pulls = forced_pulls(2 * np.log1p(t / G), [r] * (m - 1) + [0.0])
        for turns in (50, 500, n):
            highest = float(G[m:turns].max())
            x = bounds.paper.soft_minimum_pulls(turns, m, highest, r=r)
            assert x <= pulls[turns - 1]


def test_forced_pulls_before_high_turns_of_ucb_z() -> None:
    """Counting only the turns in which UCB chose; with the calendar the printed lemma fails."""
    n, m = 30_000, 2
    t = np.arange(1, n + 1)
    high = (t > 100) & (t <= 25_000)
    pulls = forced_pulls(2 * np.log(t), [0.5, 0.0], high)
    before = np.concatenate([[0], pulls[:-1]])
    chosen = np.concatenate([[0], np.cumsum(~high)[:-1]])  # turns before t in which UCB chose
    safe = least(bounds.pull_steps(n, m, 0.5), chosen)
    printed = least(bounds.pull_steps(n, m, 0.5, form="paper"), t)
    assert (safe <= before)[m:].all()
    assert (printed > before)[high].sum() > 10_000


# -- what the reference measured -------------------------------------------------------------------


def test_printed_lemma_is_false() -> None:
    """Two arms that always pay 0 and 2: after 24 turns the worse one has been pulled once."""
    t = np.arange(1, 25)
    assert forced_pulls(2 * np.log(t), [2.0, 0.0])[-1] == 1
    assert bounds.minimum_pulls(24, 2, r=2.0, form="paper") == 2
    assert bounds.minimum_pulls(24, 2, r=2.0) == 1


@pytest.mark.parametrize(("m", "failures"), [(2, 1957), (3, 5)])
def test_how_often_the_printed_lemma_fails(m: int, failures: int) -> None:
    n = 200_000
    t = np.arange(1, n + 1)
    pulls = forced_pulls(2 * np.log(t), [0.5] * (m - 1) + [0.0])
    printed = least(bounds.pull_steps(n, m, 0.5, form="paper"), t)
    assert (printed > pulls)[m - 1 :].sum() == failures


def test_two_logarithms_are_useless() -> None:
    n = 300_000
    assert bounds.paper.soft_minimum_pulls(n, 2, 1.0, 1.0, form="literal") == 6
    assert bounds.paper.soft_minimum_pulls(n, 2, 1.0) == 25
    worst = forced_pulls(2 * np.log1p(np.arange(1, n + 1)), [1.0, 0.0])[-1]
    assert worst == 25


def test_two_logarithms_are_also_false_for_small_ranges() -> None:
    n = 20_000
    pulls = forced_pulls(2 * np.log1p(np.arange(1, n + 1)), [0.01, 0.0])
    claims = {
        k: bounds.paper.soft_minimum_pulls(k, 2, 1.0, 1.0, r=0.01, form="literal")
        for k in range(100, n, 100)
    }
    assert any(x > pulls[k - 1] for k, x in claims.items())


def test_soft_safe_can_exceed_soft_printed() -> None:
    assert bounds.paper.soft_minimum_pulls(50, 2, 41.0, 1.0, form="paper") == 1
    assert bounds.paper.soft_minimum_pulls(50, 2, 41.0, 1.0) == 2
    spans = [(0.0, 1.0), (0.0, 1.0)]
    assert bounds.paper.soft_minimum_pulls(50, 2, 41.0, ranges=spans) == (2, 2)


# -- logarithmic growth ----------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "first"), [(10, 747), (50, 117_747)])
def test_third_step_holds_only_for_large_n(m: int, first: int) -> None:
    holds = [
        bounds.paper.logarithmic_growth(n, m, beta=0.4).steps["third"] for n in range(m + 1, 900)
    ]
    before = bounds.paper.logarithmic_growth(first - 1, m, beta=0.4)
    after = bounds.paper.logarithmic_growth(first, m, beta=0.4)
    assert not before.steps["third"]
    assert after.steps["third"]
    assert not all(holds)
    for n in np.unique(np.geomspace(first, 10**12, 60).astype(int)):
        assert bounds.paper.logarithmic_growth(int(n), m, beta=0.4).steps["third"]


def test_final_inequality_fails_just_after_m() -> None:
    found = bounds.paper.logarithmic_growth(1002, 1000, beta=0.49, c=5.83)
    assert found.floor == pytest.approx(1.16, abs=0.005)
    assert found.pulls == 1
    assert not found.holds
    assert bounds.minimum_pulls(1002, 1000, form="paper") == 1


def test_different_ranges_need_the_largest_alpha() -> None:
    spans = [0.1, 3.0]
    printed = bounds.paper.logarithmic_growth(10**6, 3, r=spans, beta=0.25, form="paper")
    assert printed.claim == pytest.approx(5.87, abs=0.005)
    assert printed.pulls == 4
    assert not printed.holds
    safe = bounds.paper.logarithmic_growth(10**6, 3, r=spans, beta=0.25)
    assert safe.holds
    assert safe.floor == printed.floor


@given(st.integers(2, 40), st.floats(0.3, 2.0), widths, st.floats(0.05, 0.49), st.integers(1, 12))
@example(39, 1.0, 2.0, 0.25, 1)  # log_n q = -1, which rounding must not push below
def test_where_all_steps_hold_the_theorem_holds(
    m: int, r: float, P: float, beta: float, magnitude: int
) -> None:
    found = bounds.paper.logarithmic_growth(m + 10**magnitude, m, r=r, P=P, beta=beta)
    assert found.steps["first"]
    assert found.steps["second"]
    assert found.steps["fourth"]
    assert found.steps["fifth"]
    printed = bounds.minimum_pulls(found.turns, m, r, P, form="paper")
    if found.steps["third"]:
        assert printed >= found.claim >= found.floor * (1 - 1e-12)
    by_hand = P * math.log(found.turns) * beta / (found.c * r**2)
    assert found.floor == pytest.approx(by_hand)
    slope = beta * math.log(found.turns // (m - 1) / found.turns) / math.log(found.turns) + 2 * beta
    assert found.alpha == pytest.approx(found.c * r**2 / slope)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"turns": 10, "arms": 1}, "m >= 2"),
        ({"turns": 5, "arms": 5}, "n > m"),
        ({"turns": 50, "arms": 5, "beta": 0.5}, "beta"),
        ({"turns": 50, "arms": 3, "r": [1.0]}, "2 ranges"),
        ({"turns": 50, "arms": 3, "r": [1.0, 0.0]}, "above 0"),
    ],
)
def test_growth_refuses(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bounds.paper.logarithmic_growth(**arguments)


def test_ucb_pulls_as_often_as_forced_in_a_real_game() -> None:
    """The library's own UCB, on arms that always pay 1 and 0."""
    n = 3000
    rewards = hs.rewards.bernoulli(means=[1.0, 0.0])
    pulls = hs.play(hs.UCB(), rewards, hs.traffic.constant(n), seed=1).arms
    worst = np.cumsum(np.asarray(pulls) == 1)
    assert (least(bounds.pull_steps(n, 2), np.arange(1, n + 1)) <= worst)[1:].all()
