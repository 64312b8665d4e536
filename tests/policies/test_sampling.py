"""Posterior sampling: its draws, its limits, and the propensities of its choices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.policies.states import states, turn, turns

from highseason.core.random import game_key
from highseason.policies import BETA_SAMPLING, NORMAL_SAMPLING, ArmState, Turn
from highseason.policies.sampling import greatest_of_beta, greatest_of_normal


def state_of(rule, pulls, sums) -> ArmState:
    state = rule.fresh_state(len(pulls))
    state.selections[:], state.pulls[:], state.sums[:] = pulls, pulls, sums
    return state


def turn_of(level: float, key: int = 0) -> Turn:
    return turn(level, key=game_key(key, 0))


def test_one_success_against_an_untried_arm_by_hand() -> None:
    """Posteriors Beta(2, 1) and uniform: means of 2/3 and 1/2, and P(X > U) = E X = 2/3."""
    state = state_of(BETA_SAMPLING, [1, 0], [1.0, 0.0])
    assert [BETA_SAMPLING.leads_by(state, arm) for arm in (0, 1)] == [2 / 3, 1 / 2]
    assert BETA_SAMPLING.probabilities is not None
    found = BETA_SAMPLING.probabilities(state, turn_of(1.0))
    assert found == pytest.approx([2 / 3, 1 / 3], abs=2e-5)


@given(states(observed=True), turns(st.just(0.0)))
def test_without_noise_it_plays_the_highest_posterior_mean(state: ArmState, turn: Turn) -> None:
    prepared = BETA_SAMPLING.fresh_state(state.pulls.size)
    for name in ("selections", "pulls", "sums", "available"):
        getattr(prepared, name)[:] = getattr(state, name)
    arm, exploited = BETA_SAMPLING.choose(prepared, turn)
    means = [BETA_SAMPLING.leads_by(prepared, arm) for arm in np.flatnonzero(state.available)]
    assert exploited
    assert state.available[arm]
    assert BETA_SAMPLING.leads_by(prepared, arm) == max(means)
    assert BETA_SAMPLING.probabilities is not None
    assert BETA_SAMPLING.probabilities(prepared, turn)[arm] > 0.0


def test_an_arm_without_a_reward_does_not_lead() -> None:
    state = state_of(BETA_SAMPLING, [9, 0], [1.0, 0.0])  # a mean of 2/11, and a prior of 1/2
    assert BETA_SAMPLING.choose(state, turn_of(0.0)) == (0, True)
    state.available[0] = False
    assert BETA_SAMPLING.choose(state, turn_of(0.0)) == (1, False)


def test_two_normal_draws_have_a_formula() -> None:
    state = state_of(NORMAL_SAMPLING, [4, 25], [2.0, 15.0])
    chance = stats.norm.cdf((0.5 - 0.6) / math.sqrt(0.25 * (1 / 4 + 1 / 25)))
    assert NORMAL_SAMPLING.probabilities is not None
    found = NORMAL_SAMPLING.probabilities(state, turn_of(0.25))
    assert found == pytest.approx([chance, 1 - chance], abs=2e-5)


@pytest.mark.parametrize(
    ("deviations"), [(1.0, 1.0), (1e-6, 1.0), (1.0, 1e-9), (30.0, 1.0)], ids=str
)
def test_narrow_and_wide_normal_variables(deviations: tuple[float, float]) -> None:
    s, r = deviations
    chance = stats.norm.cdf(0.3 / math.hypot(s, r))
    found = greatest_of_normal(np.array([0.3, 0.0]), np.array([s, r]))
    assert found == pytest.approx([chance, 1 - chance], abs=1e-4)


def test_two_beta_variables_against_quadrature() -> None:
    a, b = np.array([3.0, 1.0]), np.array([5.0, 1.0])
    # P(X > U) = E X for a uniform U
    assert greatest_of_beta(a, b, 1.0) == pytest.approx([3 / 8, 5 / 8], abs=2e-5)


SHAPES = {
    "early": ([4.3, 6.2, 3.7, 1.04], [3.3, 4.4, 1.01, 7.6]),
    "narrow and wide": ([6425.0, 1.9, 9231.0, 40.0], [9986.0, 2.6, 14547.0, 70.0]),
    "rates near 1": ([8158.0, 465.0, 73.0], [18.0, 1.6, 1.28]),
    "Jeffreys": ([2.5, 0.5, 1.5, 0.5], [0.5, 1.5, 0.5, 3.5]),
    "a prior of a tenth": ([2.1, 1.1, 3.1], [0.1, 1.1, 2.1]),
    "no success yet, and a prior of a tenth": ([1.1, 0.1, 0.1], [3.1, 1.1, 4.1]),
}


@pytest.mark.parametrize("width", [1.0, 0.4, 1.7])
@pytest.mark.parametrize("shapes", SHAPES.values(), ids=list(SHAPES))
def test_beta_variables_against_sums_over_quantiles(
    shapes: tuple[list[float], list[float]], width: float
) -> None:
    """The mean, over the quantiles of one variable, of how likely all others are below it."""
    a, b = map(np.array, shapes)
    mean = a / (a + b)
    u = (np.arange(20_000) + 0.5) / 20_000
    chances = []
    for arm in range(a.size):
        at = mean[arm] + width * (stats.beta.ppf(u, a[arm], b[arm]) - mean[arm])
        x = np.clip(mean[:, None] + (at - mean[:, None]) / width, 0.0, 1.0)
        below = stats.beta.cdf(x, a[:, None], b[:, None])
        chances.append(np.delete(below, arm, axis=0).prod(0).mean())
    assert greatest_of_beta(a, b, width) == pytest.approx(chances, abs=3e-4)


def test_equal_posteriors_are_equally_likely_and_many_add_up_to_1() -> None:
    found = greatest_of_beta(np.full(200, 3.0), np.full(200, 9.0), 0.3)
    assert found == pytest.approx(np.full(200, 1 / 200), abs=1e-9)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("level", [1.0, 0.09])
def test_propensities_are_frequencies(level: float) -> None:
    state = state_of(BETA_SAMPLING, [0, 3, 40, 200], [0.0, 1.0, 15.0, 90.0])
    assert BETA_SAMPLING.probabilities is not None
    declared = BETA_SAMPLING.probabilities(state, turn_of(level))
    times = 4000
    chosen = [BETA_SAMPLING.choose(state, turn_of(level, key))[0] for key in range(times)]
    error = np.sqrt(declared * (1 - declared) / times)
    assert (np.abs(np.bincount(chosen, minlength=4) / times - declared) < 4.5 * error + 1e-9).all()


def test_the_level_scales_the_variance_of_the_draws() -> None:
    """Two arms with the same posterior mean; less noise makes the wide one win as often."""
    wide, narrow = greatest_of_beta(np.array([2.0, 200.0]), np.array([2.0, 200.0]), 0.1)
    assert wide == pytest.approx(0.5, abs=1e-4)
    assert narrow == pytest.approx(0.5, abs=1e-4)
    # An arm that looks worse is drawn less with less noise.
    a, b = np.array([4.0, 40.0]), np.array([6.0, 40.0])
    shares = [greatest_of_beta(a, b, width)[0] for width in (1.0, 0.5, 0.1)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.2
    assert shares[-1] < 0.01


def test_of_equal_draws_the_first_arm_is_played() -> None:
    """Where the prior has next to no failures, every draw is 1."""
    state = state_of(BETA_SAMPLING, [2, 2, 0], [2.0, 2.0, 0.0])
    state.shared[:] = 5.0, 1e-300
    assert {BETA_SAMPLING.choose(state, turn_of(1.0, key))[0] for key in range(9)} == {0}
    state.available[0] = False
    assert {BETA_SAMPLING.choose(state, turn_of(1.0, key))[0] for key in range(9)} == {1}
    state = state_of(NORMAL_SAMPLING, [2, 2, 2], [2e9, 2e9, 2e9])  # its noise is below a bit
    assert {NORMAL_SAMPLING.choose(state, turn_of(1e-20, key))[0] for key in range(9)} == {0}
