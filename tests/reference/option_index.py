"""The option index of every arm, solved one by one."""

import math

import numpy as np

from highseason.policies.option_index import (
    first_guess,
    life_of,
    posterior,
    price,
    solve,
    terms_of,
    typical_lifetime,
)
from highseason.policies.rule import ArmState, Floats, Turn


def indices(state: ArmState, turn: Turn) -> Floats:
    """The index of every available arm, -inf for the others: what `choose` finds the highest of."""
    life, terms = typical_lifetime(state, turn), terms_of(state, turn)
    out = np.full(state.available.size, -np.inf)
    for arm in np.flatnonzero(state.available).tolist():
        p, n = posterior(state, arm)
        own = life_of(state, turn, life, arm)
        rate = price(terms, n, own) if min(turn.level, own) > 0.0 else math.inf
        out[arm] = p if rate == math.inf else solve(p, n, rate, first_guess(p, n, rate), False)
    return out
