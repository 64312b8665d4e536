"""The ε family: an arm at random with probability ε_t, otherwise the leader.

Plain, with a threshold (ε-z), soft, constant and naive; and the ends, never and always.  An arm
first tried on a busy day looks better than it is to the naive policy: it averages rewards as they
come, multiplied by G, and shows that bias.

To read a family, or to write one: `choose` says how an arm is chosen, on the comparisons of
`ranking.py`, and the `step` of a class how much its turns explore.  What a rule and a policy may
declare is in `rule.py` and `base.py`.

References:
    Tracà, Rudin and Yan, "Regulating Greed Over Time in Multi-Armed Bandits", JMLR 22(3), 2021,
    https://jmlr.org/papers/v22/17-720.html (the paper).
    Auer, Cesa-Bianchi and Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem", Machine
    Learning 47, 2002, https://doi.org/10.1023/A:1013689704352.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import DECISION, draw
from highseason.core.special import each
from highseason.policies.base import Policy, WeighingPolicy
from highseason.policies.parameters import OnG, epsilon_constant, parameter, threshold, unit_of_g
from highseason.policies.plan import View
from highseason.policies.ranking import (
    leader,
    leader_probabilities,
    one_hot,
    pick_available,
    untried,
)
from highseason.policies.rule import ArmState, Floats, Rule, RuleTraits, Turn

#: k of the profile `paper`, which is our choice: the paper asks for k > 10 and k > 4 / min Δ², and
#: states no value.  With 14 its two printed gains come out (`python -m studies simulated`).
PAPERS_K = 14.0


@jitable
def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """Toss a coin; the uniform number that says *explore* also says which arm."""
    first = untried(state)
    if first >= 0:
        return first, False
    epsilon = turn.level
    coin = draw(turn.key, DECISION)
    if coin < epsilon:  # explore
        return pick_available(state, coin / epsilon), False
    arm = leader(state, turn)  # exploit
    return arm, state.pulls[arm] > 0.0


def intensity(epsilons: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """The probability of exploring."""
    return epsilons


def probabilities(state: ArmState, turn: Turn) -> Floats:
    """ε shared by all available arms, and the rest on the leader."""
    first = untried(state)
    if first >= 0:
        return one_hot(first, state.pulls.size)
    epsilon = min(1.0, max(0.0, turn.level))
    everyone = state.available / state.available.sum()
    return np.asarray(epsilon * everyone + (1.0 - epsilon) * leader_probabilities(state, turn))


EPSILON = Rule(
    "epsilon",
    choose,
    intensity,
    allowed=(0.0, 1.0),
    traits=RuleTraits(
        local=True, own_arm_only=True, stable="unless-coin-explores", tries_each_arm=True
    ),
    probabilities=probabilities,
    negligible=(0.0, 0.01),  # less than once in a hundred turns
    exploits_at=0.0,
)


@jitable
def decaying_epsilon(k: float, arms: int, t: float) -> float:
    """min(1, k·arms / t), the exploration of every ε policy before it is regulated."""
    return min(1.0, k * arms / t)


@dataclass(frozen=True)
class EpsilonGreedy(WeighingPolicy):
    """Explore with probability ε, which falls over time whatever G is; else play the leader.

    ε_t = min(1, k·m / t), m the number of arms.
    It divides each reward by G(t), so its estimates are right, but it explores on busy turns as
    much as on quiet ones.  Algorithm 6 of the paper writes k = c/d², with c > 10 and d below the
    smallest gap; it states no value, so the profile `paper` has a k of our choice.

    >>> import highseason as hs
    >>> hs.EpsilonGreedy(k=2).plan(hs.traffic.wave(turns=100), arms=5).at(100)
    0.1
    >>> hs.play(hs.EpsilonGreedy(), "bernoulli:means=0.2/0.8", [1] * 50, seed=5).arms[:8]
    array([0, 1, 0, 1, 1, 1, 1, 0])
    """

    name = "epsilon-greedy"
    rule = EPSILON
    carry_depends_on = "nothing"
    profiles = {"paper": {"k": PAPERS_K}}
    looks_at_g = False
    candidate = 3

    k: float = epsilon_constant(1.0)

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """ε depends on the turn alone."""
        return decaying_epsilon(self.k, view.arms, view.t), carry

    def steps(self, views: Any) -> Floats:
        """ε of every turn."""
        return np.asarray(np.fmin(1.0, self.k * views.arms / views.t))


@dataclass(frozen=True)
class EpsilonZGreedy(WeighingPolicy):
    """Play the leader on high turns (G >= z); on low turns as ε-greedy.

    Low turns: ε_t = min(1, k·m / t~).  t~ counts the low turns up to and including this one, those
    of the first round too, so a multiplier that is always low gives ε-greedy.  Algorithm 1 of the
    paper, which has two rules of thumb for z that differ: 75% of the maximum of G (Section 3.2;
    here `0.75*max`) and, on its log, the 75th quantile of G (Appendix H.2; `q0.75`, our default).

    >>> import highseason as hs
    >>> hs.EpsilonZGreedy(k=1, z=30).plan([1, 1, 40, 1], arms=2).levels
    array([1.        , 1.        , 0.        , 0.66666667])
    >>> hs.play(hs.EpsilonZGreedy(k=1, z=30), "bernoulli:means=0.2/0.8", [1, 1, 1, 40, 1, 1]).arms
    array([0, 1, 0, 0, 0, 1])
    """

    name = "epsilon-z"
    rule = EPSILON
    carry_depends_on = "G"
    profiles = {"paper": {"k": PAPERS_K, "z": 30.0}}
    candidate = 6

    k: float = epsilon_constant(1.0)
    z: OnG = threshold("q0.75")

    def step(self, carry: int, view: View) -> tuple[float, int]:
        """The carry counts low turns."""
        if view.G >= self.z:
            return 0.0, carry
        carry += 1
        return decaying_epsilon(self.k, view.arms, carry), carry

    def steps(self, views: Any) -> Floats:
        """ε of every turn; the low turns up to it are counted."""
        low = views.G < self.z
        epsilon = self.k * views.arms / np.maximum(1.0, np.cumsum(low))
        return np.where(low, np.fmin(1.0, epsilon), 0.0)


@dataclass(frozen=True)
class SoftEpsilonGreedy(WeighingPolicy):
    """ε-greedy that explores less as G rises.

    ε_t = min(psi(t), k·m / t) with psi(t) = log(1 + u/G(t)) / log(1 + u/min G), u the unit.
    psi is 1 on the quietest turn and small on busy ones.  The minimum is over the turns after the
    first round; where G is not known ahead, over what was expected so far.  Algorithm 2.

    >>> import highseason as hs
    >>> hs.SoftEpsilonGreedy(k=2, unit=1).plan([9, 9, 1, 3], arms=2).levels[2:].round(3)
    array([1.   , 0.415])
    >>> hs.play(hs.SoftEpsilonGreedy(), "bernoulli:means=0.2/0.8", [1, 1, 1, 40, 1, 1], seed=1).arms
    array([0, 1, 1, 1, 1, 1])
    """

    name = "soft-epsilon"
    rule = EPSILON
    carry_depends_on = "nothing"
    needs_whole_g = True
    profiles = {"paper": {"k": PAPERS_K, "unit": 1.0}}
    candidate = 8

    k: float = epsilon_constant(0.5)
    unit: OnG = unit_of_g("q0.5")

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Nothing is carried."""
        psi = math.log1p(self.unit / view.G) / math.log1p(self.unit / view.floor)
        return min(1.0, psi, decaying_epsilon(self.k, view.arms, view.t)), carry

    def steps(self, views: Any) -> Floats:
        """ε of every turn."""
        psi = each(math.log1p, self.unit / views.G) / math.log1p(self.unit / views.floor)
        return np.asarray(np.fmin(np.fmin(1.0, psi), self.k * views.arms / views.t))


@dataclass(frozen=True)
class ConstantEpsilon(WeighingPolicy):
    """Explore with the same probability ε in every turn; else play the leader.

    The ε-greedy of most programs.  Its regret grows with the number of turns for ever, and it never
    stops testing.

    >>> import highseason as hs
    >>> hs.ConstantEpsilon(0.05).plan([1, 1, 1], arms=2).levels
    array([0.05, 0.05, 0.05])
    >>> hs.play(hs.ConstantEpsilon(0.5), "bernoulli:means=0.2/0.8", [1] * 8, seed=5).arms
    array([0, 1, 0, 1, 1, 1, 1, 0])
    """

    name = "constant-epsilon"
    rule = EPSILON
    carry_depends_on = "nothing"
    looks_at_g = False
    candidate = 2

    epsilon: float = parameter(
        0.1,
        "the probability of an arm at random",
        at_least=0.0,
        at_most=1.0,
        search=(1e-3, 1.0, "log"),
    )

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The same in every turn."""
        return self.epsilon, carry


@dataclass(frozen=True)
class NaiveEpsilonGreedy(EpsilonGreedy):
    """ε-greedy that does not divide its rewards by G(t).

    >>> import highseason as hs
    >>> hs.play("naive-epsilon:k=0.2", "bernoulli:means=0.2/0.8", [1, 1, 1, 40, 1, 1]).arms
    array([0, 1, 0, 0, 1, 1])
    """

    name = "naive-epsilon"
    learns_scaled = True


@dataclass(frozen=True)
class Greedy(WeighingPolicy):
    """Try every arm once, then always play the leader.

    Not in the paper, and a necessary baseline: in its simulated settings greedy ties with the best.

    >>> import highseason as hs
    >>> hs.play(hs.Greedy(), "bernoulli:means=0.2/0.8", [1] * 8, seed=2).arms
    array([0, 1, 1, 1, 1, 1, 1, 1])
    """

    name = "greedy"
    rule = EPSILON
    carry_depends_on = "nothing"
    profiles = {"paper": {}}
    suppress_plan_warning = True
    looks_at_g = False
    explores = False
    candidate = 0

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Never explore."""
        return 0.0, carry


@dataclass(frozen=True)
class UniformRandom(Policy):
    """Try every arm once, then play any arm with equal probability: the worst baseline.

    >>> import highseason as hs
    >>> hs.play(hs.UniformRandom(), "bernoulli:means=0.2/0.8", [1] * 8).arms
    array([0, 1, 0, 1, 0, 0, 1, 0])
    """

    name = "uniform"
    rule = EPSILON
    carry_depends_on = "nothing"
    profiles = {"paper": {}}
    suppress_plan_warning = True
    looks_at_g = False

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Always explore."""
        return 1.0, carry
