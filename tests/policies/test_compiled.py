"""A rule means the same as Python and as machine code."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest

from highseason.core.compile import compiled
from highseason.core.random import game_key, turn_key
from highseason.engine.kernels.interface import state_type, turn_type
from highseason.policies import (
    BETA_SAMPLING,
    EPSILON,
    KL_UCB_RULE,
    LIFE,
    MORTAL,
    NO_END,
    NORMAL_SAMPLING,
    POOL,
    UCB_RULE,
    ArmState,
    Rule,
    Turn,
)
from highseason.policies.contest import capped, peak_grabber, sparing_old_arms

NUMBERS = {
    EPSILON: (0.0, 0.3, 1.0),
    UCB_RULE: (0.0, 0.7, 9.0),
    POOL: (1.0, 3.0, 7.0),
    MORTAL: (0.5, 30.0),
    LIFE: (0.0, 1.0, 30.0),
    KL_UCB_RULE: (0.0, 0.7, 9.0),
    BETA_SAMPLING: (0.0, 0.3, 1.0),
    NORMAL_SAMPLING: (0.0, 0.3, 1.0),
    capped(UCB_RULE, 0.88): (0.0, 0.7),
    sparing_old_arms(UCB_RULE): (0.0, 0.7),
    peak_grabber(UCB_RULE, 100, 9.0): (0.0, 0.7),
}


def state_at_random(rule: Rule, generator: np.random.Generator) -> ArmState:
    state = rule.fresh_state(7)
    state.pulls[:] = generator.integers(0, 4, 7)
    state.selections[:] = state.pulls + generator.integers(0, 2, 7)
    state.sums[:] = state.pulls * generator.integers(0, 3, 7) / 2
    state.available[:] = generator.random(7) < 0.8
    state.available[3] = True
    state.start[:] = generator.integers(0, 60, 7)
    state.end[:] = state.start + generator.integers(0, 200, 7)
    state.end[generator.random(7) < 0.3] = NO_END
    state.weight[:] = generator.integers(1, 8, 7) / 7
    if rule.memory:  # the grabber's: three of seven arms have displays, and one is held
        state.memory[:3, 1:21] = generator.integers(0, 2, (3, 20))
        state.memory[:3, 0] = 20
    if rule.memory or rule.bonus is not None:  # who is held, or how long the dead have lived
        state.shared[:1] = generator.integers(0, 8)
    return state


@pytest.mark.jit
@pytest.mark.parametrize("random_ties", [False, True])
@pytest.mark.parametrize("rule", NUMBERS, ids=lambda rule: rule.name)
def test_the_compiled_rule_chooses_the_same(rule: Rule, random_ties: bool) -> None:
    types = numba.types
    signature = types.Tuple((types.int64, types.boolean))(state_type(), turn_type())
    choose = compiled(rule.choose, signature)
    generator = np.random.default_rng(7)
    for i in range(200):
        state = state_at_random(rule, generator)
        for number in NUMBERS[rule]:
            key = turn_key(game_key(3, i), i + 1)
            found: Any = choose(
                state, Turn(i + 1, number, 1.0, math.nan, -1, np.uint64(key), random_ties, i + 1)
            )
            assert tuple(found) == rule.choose(
                state, Turn(i + 1, number, 1.0, math.nan, -1, key, random_ties, i + 1)
            )
