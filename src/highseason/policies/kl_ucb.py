"""KL-UCB: play the arm with the highest mean that what was seen of it does not rule out.

The index of an arm is the largest q with pulls · kl(estimate, q) <= level, kl the divergence of
Bernoulli variables.  For 0/1 rewards that is KL-UCB; for any other rewards in [0, 1] it is kl-UCB,
whose bound holds too, because among them 0/1 rewards vary most (Garivier and Cappé 2011).
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.special import bernoulli_kl, bernoulli_kl_upper
from highseason.policies.base import WeighingPolicy, exploration
from highseason.policies.plan import View
from highseason.policies.ranking import arm_to_try, leader, precedes
from highseason.policies.rule import ArmState, Floats, Rule, Turn, estimate, made_once
from highseason.policies.ucb import index_rule


@jitable
def bonus(state: ArmState, turn: Turn, arm: int) -> float:
    """How far the index lies above the estimate, which counts as the nearer end beyond [0, 1]."""
    value = estimate(state, arm)
    p = min(max(value, 0.0), 1.0)
    return bernoulli_kl_upper(p, turn.level / state.pulls[arm]) - p


@jitable
def beats(state: ArmState, turn: Turn, arm: int, value: float, index: float) -> bool:
    """Whether an arm's index is certainly above `index`, or may be: most arms need no solving.

    Above its estimate p, the index of an arm is below q exactly if pulls · kl(p, q) > level.  That
    is so if 2 · pulls · (q - p)² > level (Pinsker).
    """
    index = min(index, 1.0 - 1e-15)  # from there on an index may round to 1, and tie
    if value >= index:
        return True
    pulls, d = state.pulls[arm], index - value
    if 2.0 * pulls * d * d > turn.level:
        return False
    p = min(max(value, 0.0), 1.0)
    # Rounding must not lose an arm that ties: those are solved, and compared by their index.
    return bool(pulls * bernoulli_kl(p, index) <= turn.level * (1.0 + 1e-9) + 1e-12)


@jitable
def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """Pick the highest index; it exploits if the arm also has the highest estimate."""
    first = arm_to_try(state, turn.level > 0.0)
    if first >= 0:
        return first, False
    favourite = leader(state, turn)
    if turn.level <= 0.0 or state.pulls[favourite] <= 0.0:
        return favourite, state.pulls[favourite] > 0.0
    highest = estimate(state, favourite)
    best, top = favourite, highest + bonus(state, turn, favourite)
    for arm in range(state.pulls.size):
        if arm == favourite or not state.available[arm]:
            continue
        value = estimate(state, arm)
        if beats(state, turn, arm, value, top):
            index = value + bonus(state, turn, arm)
            if precedes(turn, arm, index, best, top):
                best, top = arm, index
    return best, estimate(state, best) >= highest


def intensity(levels: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """How far above 1/2 the index of an arm lies that had its even share, of the way to 1."""
    distances = levels * arms / turns
    return np.array([2.0 * bernoulli_kl_upper(0.5, d) - 1.0 for d in distances.tolist()])


@made_once
def kl_ucb_rule() -> Rule:
    """The index rule of that bonus, with a choice that skips the arms that cannot win."""
    # Below 0.02 even an arm tried only once has an index within a tenth of its estimate.
    rule = index_rule("kl-ucb", bonus, intensity, (0.0, 0.02), zero_exploits=True)
    return replace(rule, choose=choose)


KL_UCB_RULE = kl_ucb_rule()


@dataclass(frozen=True)
class KLUCB(WeighingPolicy):
    """UCB with bounds made for rewards in [0, 1].

    An arm's bound is the highest q for which pulls · kl(estimate, q) <= P log t.
    kl is the divergence of Bernoulli variables: for 0/1 rewards this is KL-UCB, for other rewards
    in [0, 1] kl-UCB (Garivier and Cappé 2011).  P = 1 is what they recommend in practice; the proof
    adds 3 log log t.  Where rates are low its bounds are far tighter than UCB's.

    >>> import highseason as hs
    >>> hs.KLUCB().plan(hs.traffic.wave(turns=100), arms=5).at(100)  # log 100
    4.60...
    """

    name = "kl-ucb"
    rule = KL_UCB_RULE
    carry_depends_on = "nothing"
    looks_at_g = False

    P: float = exploration(1.0, "the divergence is at most P log t / pulls; 1 is the textbook's")

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """What pulls · kl may be at most."""
        return self.P * math.log(view.t), carry
