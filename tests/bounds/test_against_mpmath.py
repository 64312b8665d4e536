"""Every bound against its slow twin with fifty digits, on small games of all sorts."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.reference import bounds_mp as slow
from tests.reference.bounds_instances import mortal_bound
from tests.reference.bounds_mp import floats, mp, mpf

import highseason as hs
from highseason import bounds

pytestmark = pytest.mark.jit

CLOSE = 1e-9
few = settings(max_examples=20)


class Case(NamedTuple):
    gaps: list[float]
    G: list[float]
    r: float

    @property
    def D(self) -> list[mpf]:
        return floats(self.gaps)

    @property
    def weights(self) -> list[mpf]:
        return floats(self.G)


@st.composite
def cases(draw: st.DrawFn, most_arms: int = 4, most_turns: int = 40) -> Case:
    gaps = draw(
        st.lists(
            st.one_of(st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.floats(0.01, 1.0)),
            max_size=most_arms - 1,
        )
    )
    gaps.insert(draw(st.integers(0, len(gaps))), 0.0)
    G = draw(
        st.lists(
            st.one_of(st.sampled_from([1.0, 2.0, 40.0, 1000.0]), st.floats(0.05, 50.0)),
            min_size=len(gaps),
            max_size=most_turns,
        )
    )
    return Case(gaps, G, draw(st.sampled_from([1.0, 1.0, 1.5])))


def same(ours: float, theirs: mpf) -> bool:
    if mp.isinf(theirs) or mp.isnan(theirs):
        return not math.isfinite(ours)
    return ours == pytest.approx(float(theirs), rel=CLOSE, abs=1e-12)


def regret(policy: hs.Policy, case: Case, form: str = "safe", **more: object) -> bounds.RegretBound:
    return bounds.regret(policy, gaps=case.gaps, multiplier=case.G, form=form, r=case.r, **more)


# -- pieces ----------------------------------------------------------------------------------------


@given(st.floats(0.5, 400.0), st.floats(1e-6, 0.5))
def test_tail(lam: float, kappa: float) -> None:
    assert same(bounds.paper.tail(lam, kappa), slow.tail(mpf(lam), mpf(kappa)))


def test_tail_where_everything_vanishes() -> None:
    assert bounds.paper.tail(0.5, 0.0) == math.inf
    assert bounds.paper.tail(3.0, 1e-200) == math.inf or bounds.paper.tail(3.0, 1e-200) > 1e150
    assert bounds.paper.tail(1e5, 0.5) == 0.0
    tiny = [0.0, 1e-170]  # its square is 0 in floating point: the leader tells nothing
    G = [1.0, 1.0, 5.0, 5.0]
    for policy in (hs.EpsilonGreedy(k=1), hs.UCBZ(z=5), hs.VariablePool(c=2, unit=1)):
        bound = bounds.regret(policy, gaps=tiny, multiplier=G)
        assert bound.total <= bound.trivial
        assert bound.total > 0


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 2)), min_size=1, max_size=6))
def test_leader_regret(pairs: list[tuple[float, float]]) -> None:
    gaps, chances = zip(*pairs, strict=True)
    theirs = slow.leader_regret(floats(gaps), floats(chances))
    assert same(bounds.paper.leader_regret(gaps, chances), theirs)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6))
def test_leader_regret_is_the_optimum_of_its_linear_program(
    pairs: list[tuple[float, float]],
) -> None:
    """By duality: the least, over prices of probability, of price + what is worth more than it."""
    gaps, chances = zip(*pairs, strict=True)
    dual = min(price + sum(b * max(0.0, d - price) for d, b in pairs) for price in (0.0, *gaps))
    assert bounds.paper.leader_regret(gaps, chances) == pytest.approx(dual, abs=1e-12)


@given(cases())
def test_trivial(case: Case) -> None:
    assert same(setting(case).trivial[-1], slow.trivial(case.D, case.weights))


# -- ε policies ------------------------------------------------------------------------------------


@given(cases(), st.floats(0.0, 6.0))
@few
def test_epsilon_greedy(case: Case, k: float) -> None:
    m, n = len(case.gaps), len(case.G)
    eps = slow.epsilons_old(n, m, mpf(k))
    parts = slow.epsilon_safe(case.D, case.weights, eps, [True] * n, mpf(case.r))
    bound = regret(hs.EpsilonGreedy(k=k), case)
    assert same(bound.parts["exploration"], parts["exploration"])
    assert same(bound.parts["exploitation"], parts["low"])
    assert same(bound.total, sum(parts.values()))


@given(cases(), st.floats(0.0, 6.0), st.floats(0.5, 60.0))
@few
def test_epsilon_z_greedy(case: Case, k: float, z: float) -> None:
    m = len(case.gaps)
    eps = slow.epsilons_z(case.weights, m, mpf(k), mpf(z))
    low = [g < z for g in case.G]
    parts = slow.epsilon_safe(case.D, case.weights, eps, low, mpf(case.r))
    bound = regret(hs.EpsilonZGreedy(k=k, z=z), case)
    assert all(same(bound.parts[name], parts[name]) for name in parts)


@given(cases(), st.data())
@few
def test_epsilon_z_greedy_with_an_estimated_multiplier(case: Case, data: st.DataObject) -> None:
    n, m, k, z = len(case.G), len(case.gaps), 2.0, 10.0
    H = data.draw(st.lists(st.floats(1.0, 40.0), min_size=n, max_size=n))
    eps = slow.epsilons_z(floats(H), m, mpf(k), mpf(z))
    low = [h < z for h in H]
    bound = regret(hs.EpsilonZGreedy(k=k, z=z), case, H=H)
    parts = slow.epsilon_safe(case.D, case.weights, eps, low, mpf(case.r))
    assert all(same(bound.parts[name], parts[name]) for name in parts)
    # the cross terms, by setting the weights of all other turns to nothing
    for name, wrong in (
        ("high turns taken for low", [g >= z > h for g, h in zip(case.G, H, strict=True)]),
        ("low turns taken for high", [h >= z > g for g, h in zip(case.G, H, strict=True)]),
    ):
        only = [g if wrong[i] and i >= m else 0.0 for i, g in enumerate(case.G)]
        parts = slow.epsilon_safe(case.D, floats(only), eps, low, mpf(case.r))
        spent = float(sum(parts.values()))
        assert bound.cross_terms[name] == pytest.approx(spent, rel=1e-6, abs=1e-9)


@given(cases(), st.floats(0.0, 6.0), st.sampled_from([1.0, 7.5]))
@few
def test_soft_epsilon_greedy(case: Case, k: float, unit: float) -> None:
    m, n = len(case.gaps), len(case.G)
    eps = slow.epsilons_soft(case.weights, m, mpf(k), mpf(unit))
    parts = slow.epsilon_safe(case.D, case.weights, eps, [True] * n, mpf(case.r))
    assert same(regret(hs.SoftEpsilonGreedy(k=k, unit=unit), case).total, sum(parts.values()))


@given(cases(), st.floats(11.0, 60.0), st.floats(0.5, 60.0))
@example(Case([0.0, 1.0], [1.0, 1.0, 1.0, 1.0 - 2.0**-53], 1.0), 19.0, 1.0)
@few
def test_printed_forms_of_the_epsilon_policies(case: Case, k: float, z: float) -> None:
    m, n, r = len(case.gaps), len(case.G), mpf(case.r)
    turns = [mpf(t) for t in range(1, n + 1)]
    seen = slow.low_counts(case.weights, mpf(z))
    psi = slow.psis(case.weights, m, mpf(1))
    gamma = min(psi[m:], default=mpf(1))
    expected = [
        (hs.EpsilonGreedy(k=k), slow.epsilons_old(n, m, mpf(k)), turns),
        (hs.EpsilonZGreedy(k=k, z=z), slow.epsilons_z(case.weights, m, mpf(k), mpf(z)), seen),
        (hs.SoftEpsilonGreedy(k=k, unit=1), slow.epsilons_soft(case.weights, m, mpf(k), mpf(1)),
         [gamma * t for t in turns]),
    ]  # fmt: skip
    for policy, eps, clock in expected:
        bound = regret(policy, case, form="paper")
        undefined = any(e < 1 and s == 0 for e, s in zip(eps[m:], clock[m:], strict=True))
        if undefined and max(case.gaps) > 0:
            assert not math.isfinite(bound.total)
            assert not bound.valid
        elif max(case.gaps) > 0:
            theirs = slow.epsilon_paper(case.D, case.weights, eps, clock, mpf(k), r)
            # Where beta is huge, because its x is below 1, the last digit of ε shows.
            other = [e - (e < 1) * mpf(2) ** -52 for e in eps]
            blur = abs(slow.epsilon_paper(case.D, case.weights, other, clock, mpf(k), r) - theirs)
            near = same(bound.total, theirs) or abs(bound.total - theirs) <= blur
            assert near or abs(theirs) > 1e300
        else:
            assert bound.total == 0.0


# -- UCB policies ----------------------------------------------------------------------------------


@given(cases(most_turns=30), st.floats(0.5, 60.0), st.sampled_from([2.0, 4.5, 0.5, 0.0]))
@few
def test_ucb_z(case: Case, z: float, P: float) -> None:
    low = [g < z for g in case.G]
    parts = slow.ucb_z_safe(case.D, case.weights, low, mpf(P), mpf(case.r))
    bound = regret(hs.UCBZ(z=z, P=P), case)
    assert all(same(bound.parts[name], parts[name]) for name in parts)


@given(cases(most_turns=30), st.sampled_from([2.0, 0.7]))
@few
def test_ucb(case: Case, P: float) -> None:
    parts = slow.ucb_z_safe(case.D, case.weights, [True] * len(case.G), mpf(P), mpf(case.r))
    bound = regret(hs.UCB(P=P), case)
    assert same(bound.parts["learning"], parts["low"])
    assert same(bound.total, sum(parts.values()))


@given(cases(most_turns=60), st.floats(0.5, 60.0))
@few
def test_printed_form_of_ucb_z(case: Case, z: float) -> None:
    bound = regret(hs.UCBZ(z=z), case, form="paper")
    if max(case.gaps) == 0:
        assert bound.total == 0.0
    elif min(case.G) >= z:  # log 0
        assert not math.isfinite(bound.total)
    else:
        theirs = slow.ucb_z_paper(case.D, case.weights, case.weights, mpf(z), mpf(case.r))
        assert same(bound.total, theirs)


@given(cases(), st.sampled_from([1.0, 12.0]), st.sampled_from([2.0, 3.3]))
@few
def test_soft_ucb(case: Case, unit: float, P: float) -> None:
    xi = [1 + mpf(unit) * t / g for t, g in enumerate(case.weights, 1)]
    policy = hs.SoftUCB(unit=unit, P=P)
    theirs = slow.soft_ucb_safe(case.D, case.weights, xi, mpf(P), mpf(case.r))
    assert same(regret(policy, case).total, theirs)
    if len(case.G) > len(case.gaps):
        printed = slow.soft_ucb_paper(case.D, case.weights, xi)
        assert same(regret(policy, case, form="paper").total, printed)


# -- variable pool ---------------------------------------------------------------------------------


@given(cases(), st.floats(1.1, 60.0), st.sampled_from([1.0, 20.0]))
@few
def test_variable_pool(case: Case, c: float, unit: float) -> None:
    m = len(case.gaps)
    policy = hs.VariablePool(c=c, unit=unit)
    exact = slow.pool_sizes(case.weights, m, mpf(c), mpf(unit))
    sizes = [int(s) for s in bounds.read_plan(policy, setting(case)).levels]
    assert sum(a != b for a, b in zip(exact, sizes, strict=True)) <= 1  # floor of a rounded number
    theirs = slow.pool_safe(case.D, case.weights, sizes, mpf(case.r))
    assert same(regret(policy, case).total, theirs)
    printed = regret(policy, case, form="paper", Gamma=8.0)
    theirs = slow.pool_paper(case.D, case.weights, sizes, mpf(8), mpf(case.r))
    assert same(printed.total, theirs)
    assert not printed.valid or max(case.gaps) == 0


def setting(case: Case) -> bounds.Setting:
    return bounds.Setting.of(None, case.gaps, case.G, r=case.r)


# -- mortal arms -----------------------------------------------------------------------------------


@st.composite
def populations(draw: st.DrawFn) -> tuple[list[float], list[tuple[int, int]], list[float]]:
    n = draw(st.integers(3, 25))
    arms = draw(st.integers(1, 5))
    means = [x / 100 for x in draw(st.lists(st.integers(0, 100), min_size=arms, max_size=arms))]
    lifetimes = [(1, n)]
    for _ in range(arms - 1):
        first = draw(st.integers(1, n))
        lifetimes.append((first, draw(st.integers(first, n + 5))))
    return means, lifetimes, draw(st.lists(st.floats(0.1, 40.0), min_size=n, max_size=n))


@given(populations(), st.sampled_from([1.0, 2.0]), st.sampled_from([1.0, 1.5]))
@few
def test_mortal(
    population: tuple[list[float], list[tuple[int, int]], list[float]], c: float, unit: float
) -> None:
    means, lifetimes, G = population
    H = [g * (1 + 0.1 * (-1) ** t) for t, g in enumerate(G)]
    for form, safe in (("safe", True), ("paper", False)):
        bound = mortal_bound(means, lifetimes, G, c=c, form=form, H=H, unit=unit)
        theirs = slow.mortal(
            floats(means), lifetimes, floats(G), floats(H), mpf(c), mpf(1), mpf(unit), safe
        )
        assert same(bound.total, theirs)
        assert bound.curve[-1] == pytest.approx(bound.total)
