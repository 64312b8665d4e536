"""What the option index learns of all arms, against NumPy and SciPy; and the root it solves for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, special, stats
from tests.policies.test_option_visitors import learned

from highseason.policies import option_prior as prior
from highseason.policies.option_index import first_guess, solve
from highseason.policies.rule import ArmState

Floats = NDArray[np.float64]
STEPS = np.arange(12) - 5.5
STRENGTHS = 2.0 ** np.array([0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13])


def grid_of(state: ArmState) -> tuple[Floats, Floats]:
    """The locations and the logarithms of the weights, from their definition."""
    centre, spacing = state.shared[prior.CENTRE], state.shared[prior.SPACING]
    pi = special.expit(centre + STEPS * spacing)
    nu = STRENGTHS[:, None]
    logs = np.log(pi * (1 - pi)) - 0.5 * np.abs(np.log2(nu / 2)) + np.log(np.where(nu > 128, 2, 1))
    for row in state.memory:
        n, s = row[prior.SEEN_TRIALS], row[prior.SEEN_SUCCESSES]
        if n > 0:
            a, b = nu * pi, nu * (1 - pi)
            logs = logs + special.betaln(a + s, b + n - s) - special.betaln(a, b)
    return pi, logs


GRIDS = [(-1.4, 0.3), (-1.4, 1.0), (-1.4, 0.02), (2.5, 0.7)]


@pytest.mark.parametrize(("centre", "spacing"), GRIDS)
@pytest.mark.parametrize("turns", [0, 4, 60])
def test_the_grid_and_its_summary(centre: float, spacing: float, turns: int) -> None:
    state = learned(0.02, 50, turns)
    state.shared[prior.CENTRE], state.shared[prior.SPACING] = centre, spacing
    prior.rebuild(state)
    pi, logs = grid_of(state)
    weights = np.exp(logs - logs.max())
    found = state.shared[prior.WEIGHTS : prior.WEIGHTS + prior.POINTS].reshape(11, 12)
    np.testing.assert_allclose(found, weights, rtol=1e-9, atol=1e-25)

    prior.summarize(state)
    weights /= weights.sum()
    mean = (weights * pi).sum()
    within = (weights * pi * (1 - pi) / (STRENGTHS[:, None] + 1)).sum()
    variance = within + (weights * (pi - mean) ** 2).sum()
    share = min(0.9, variance / (mean * (1 - mean)))
    assert state.shared[prior.PI] == pytest.approx(mean)
    assert state.shared[prior.NU] == pytest.approx(1 / share - 1)
    place = (weights * STEPS).sum()
    sd = np.sqrt((weights * (STEPS - place) ** 2).sum())
    changed = min(1.0, spacing * (0.5 if sd < 0.8 else 1.6 if sd > 2.2 else 1.0))
    moved = changed != spacing or abs(place) > 2
    assert state.shared[prior.SPACING] == changed
    assert state.shared[prior.CENTRE] == pytest.approx(centre + place * spacing * moved)
    pi, _ = grid_of(state)
    np.testing.assert_allclose(state.shared[prior.LOCATIONS : prior.LOCATIONS + 12], pi)


def test_one_more_trial_is_the_likelihood_of_one_more_trial() -> None:
    state = learned(0.02, 50, 9)
    for arm, success in ((0, True), (2, False), (0, False)):
        before = grid_of(state)[1]
        held = state.shared[prior.WEIGHTS : prior.WEIGHTS + prior.POINTS].reshape(11, 12).copy()
        prior.add_trial(state, arm, success)
        after = state.shared[prior.WEIGHTS : prior.WEIGHTS + prior.POINTS].reshape(11, 12)
        likelihood = np.exp(grid_of(state)[1] - before)
        np.testing.assert_allclose(after, held * likelihood, rtol=1e-9)


MEANS, TRIALS, RATES = (0.03, 0.3, 0.8), (2.0, 25.0, 700.0), (1e-4, 0.02, 1.0, 30.0)


@pytest.mark.parametrize(("p", "n", "rate"), list(itertools.product(MEANS, TRIALS, RATES)))
def test_the_root_by_bisection(p: float, n: float, rate: float) -> None:
    a, b = p * n, (1 - p) * n

    def surplus(x: float) -> float:
        call = p * stats.beta.sf(x, a + 1, b) - x * stats.beta.sf(x, a, b)
        return float(call - rate * (x - p))

    root = optimize.brentq(surplus, p, 1.0, xtol=1e-14)
    near = 1e-5 * (root - p)
    assert solve(p, n, rate, first_guess(p, n, rate), False) == pytest.approx(root, abs=near)
    # A challenger whose root is not above the start gets just that.
    for start in (p + 0.1 * (root - p), p + 0.9 * (root - p)):
        assert solve(p, n, rate, start, True) == pytest.approx(root, abs=near)
    above = root + 0.1 * (1 - root)
    assert solve(p, n, rate, above, True) == above
    assert solve(p, n, rate, above, False) == pytest.approx(root, abs=near)
