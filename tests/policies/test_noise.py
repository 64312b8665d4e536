"""Rho's rows, wherever a rule keeps them: in Python with arrays, in a kernel with loops."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from highseason.core.compile import compiled
from highseason.policies.noise import (
    PER_ARM,
    PER_RULE,
    NoiseRows,
    add_to_rows,
    effective,
    estimate_rho,
    fill_rows,
    put_sums,
)
from highseason.policies.rule import ArmState, fresh_state

RHOS = (*(2.0**-power for power in range(12)), 0.0)
TOUCHED = -7.0


def learn(state: ArmState, rows: NoiseRows, arms: np.ndarray, numbers: np.ndarray) -> float:
    """Learn from some turns of 50 visitors, and give the arms their sums in columns 0 and 1."""
    fill_rows(state, rows, 1.0)
    for i in range(arms.size):
        state.pulls[arms[i]] += 1.0
        add_to_rows(state, arms[i], rows, 50.0, numbers[i])
    rho, g, share = estimate_rho(state, rows, float(arms.size))
    put_sums(state, rows, g, share, 0)
    return rho


def played(rho: float, own: int, shared: int, native: bool) -> tuple[float, ArmState]:
    """Rho as learned from 400 turns, where its rows begin at these places, and the state."""
    rng, mean, weight = np.random.default_rng(3), 0.3, (1.0 - rho) / max(rho, 1e-9)
    rates = np.full(400, mean) if rho == 0.0 else rng.beta(mean * weight, (1 - mean) * weight, 400)
    arms, numbers = rng.integers(0, 3, 400), rng.binomial(50, rates) / 50.0
    rows = NoiseRows(RHOS, own, shared)
    state = fresh_state(3, own + PER_ARM * len(RHOS) + 1, shared + PER_RULE * len(RHOS) + 1)
    state.memory[:], state.shared[:] = TOUCHED, TOUCHED
    run = learn
    if native:
        types = map(numba.typeof, (state, rows, arms, numbers))
        run = compiled(learn, numba.float64(*types))
    return run(state, rows, arms, numbers), state


@pytest.mark.parametrize("rho", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("native", [False, True])
def test_rho_is_the_correlation_of_the_visitors_of_a_turn(rho: float, native: bool) -> None:
    found, state = played(rho, 2, 0, native)
    assert found == pytest.approx(rho, rel=0.3, abs=0.003)
    # A turn of 50 visitors is worth as many trials as that says.
    trials, successes = state.memory[:, 0], state.memory[:, 1]
    np.testing.assert_allclose(trials, state.pulls * effective(found, 50.0), rtol=0.05)
    np.testing.assert_allclose(successes / trials, 0.3, atol=0.1)


def test_kernels_and_python_learn_the_same_bits_at_any_place() -> None:
    one, first = played(0.02, 2, 0, False)
    for own, shared, native in ((5, 9, False), (2, 0, True), (5, 9, True)):
        rho, state = played(0.02, own, shared, native)
        assert rho == one
        assert state.memory[:, :2].tolist() == first.memory[:, :2].tolist()
        assert state.memory[:, own:].tolist() == first.memory[:, 2:].tolist()
        assert state.shared[shared:].tolist() == first.shared.tolist()
        # What is before the rows, and after them, is not theirs.
        assert (state.memory[:, 2:own] == TOUCHED).all()
        assert (state.shared[:shared] == TOUCHED).all()
        assert state.shared[-1] == TOUCHED
        assert (state.memory[:, -1] == TOUCHED).all()
