"""Variable arm pool: an arm at random among the m_t arms with the highest estimates.

References:
    Tracà, Rudin and Yan, "Regulating Greed Over Time in Multi-Armed Bandits", JMLR 22(3), 2021,
    https://jmlr.org/papers/v22/17-720.html (the paper).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import DECISION, TIES, draw, hash_at
from highseason.policies.base import Policy
from highseason.policies.parameters import LEAST_G, OnG, parameter, unit_of_g
from highseason.policies.plan import View
from highseason.policies.ranking import (
    count_available,
    estimates,
    leader,
    leader_probabilities,
    one_hot,
    precedes,
    untried,
)
from highseason.policies.rule import ArmState, Floats, Rule, RuleTraits, Turn, estimate


@jitable
def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """Draw a rank below m_t, and play the arm of that rank."""
    first = untried(state)
    if first >= 0:
        return first, False
    if turn.level <= 1.0:
        arm = leader(state, turn)
        return arm, state.pulls[arm] > 0.0
    size = min(int(turn.level), count_available(state))
    rank = min(int(draw(turn.key, DECISION) * size), size - 1)
    return arm_at_rank(state, turn, rank), False


@jitable
def arm_at_rank(state: ArmState, turn: Turn, rank: int) -> int:
    """The available arm of this rank, from 0, by falling estimate: each round finds the next."""
    best, top = -1, math.inf
    for _ in range(rank + 1):
        before, least = best, top
        best, top = -1, -math.inf
        for arm in range(state.available.size):
            if state.available[arm]:
                value = estimate(state, arm) if state.pulls[arm] > 0 else -math.inf
                left = before < 0 or precedes(turn, before, least, arm, value)
                if left and precedes(turn, arm, value, best, top):
                    best, top = arm, value
    return best


def intensity(sizes: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """The size of the pool between one arm (0) and all arms (1)."""
    return (sizes - 1.0) / max(arms - 1.0, 1.0)


def probabilities(state: ArmState, turn: Turn) -> Floats:
    """The same for every arm in the pool; arms that tie at its edge share the places left there."""
    first = untried(state)
    if first >= 0:
        return one_hot(first, state.pulls.size)
    if turn.level <= 1.0:
        return leader_probabilities(state, turn)
    order = best_first(state, turn)
    size = min(int(turn.level), order.size)
    out = np.zeros(state.available.size)
    out[order[:size]] = 1.0
    if turn.random_ties:
        values = estimates(state)
        edge = state.available & (values == values[order[size - 1]])
        out[edge] = out[edge].sum() / edge.sum()
    return np.asarray(out / size)


def best_first(state: ArmState, turn: Turn) -> NDArray[np.int64]:
    """All ranks of `arm_at_rank` at once, sorted."""
    arms = np.flatnonzero(state.available)
    values = -estimates(state)[arms]
    if not turn.random_ties:
        return np.asarray(arms[np.argsort(values, kind="stable")])
    ties = [draw(hash_at(turn.key, TIES), arm) for arm in arms.tolist()]
    return np.asarray(arms[np.lexsort((ties, values))])


POOL = Rule(
    "pool",
    choose,
    intensity,
    allowed=(1.0, math.inf),
    traits=RuleTraits(
        local=True,
        own_arm_only=True,
        stable="while-level-at-most-1",
        integer_level=True,
        tries_each_arm=True,
    ),
    probabilities=probabilities,
    negligible=(1.0, 2.0),  # a pool of one
    exploits_at=1.0,
)


@dataclass(frozen=True)
class VariablePool(Policy):
    """Draw from a pool of the best arms that shrinks as G rises.

    Each of the m_t best arms is equally likely, m_t = min(m, max(1, floor(c·m·u / (t·G(t))))).
    u is the unit in which G is measured.  Algorithm 5 of the paper.

    >>> import highseason as hs
    >>> hs.VariablePool(c=4, unit=1).plan([1, 1, 1, 40, 1], arms=2).levels
    array([2., 2., 2., 1., 1.])
    >>> hs.play(hs.VariablePool(), "bernoulli:means=0.2/0.8", [1] * 50, seed=4).arms[:8]
    array([0, 1, 1, 1, 1, 0, 1, 0])
    """

    name = "variable-pool"
    rule = POOL
    carry_depends_on = "nothing"
    profiles = {"paper": {"c": 10.0, "unit": 1.0}}
    candidate = 10

    c: float = parameter(
        20.0, "size of the pool; larger explores longer", above=1.0, search=(1.01, 1e3, "log")
    )
    unit: OnG = unit_of_g("q0.5")

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The floor is taken in double precision, without a tolerance."""
        scaled = max(view.G / self.unit, LEAST_G)
        size = self.c * view.arms / (view.t * scaled)
        return max(1.0, math.floor(min(size, view.arms))), carry

    def steps(self, views: Any) -> Floats:
        """The size at every turn."""
        sizes = self.c * views.arms / (views.t * np.maximum(views.G / self.unit, LEAST_G))
        return np.asarray(np.maximum(1.0, np.floor(np.fmin(sizes, views.arms))))
