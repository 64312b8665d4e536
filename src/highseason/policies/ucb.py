"""The UCB family: play the arm whose estimate plus confidence radius is highest.

Plain, with a threshold (UCB-z), soft, by load (AdaUCB), and naive.  UCB is an index rule.  Such a
rule is its bonus; `index_rule` builds the rest around it, for the families in `mortal` and `kl_ucb`
and for your own.

References:
    Auer, Cesa-Bianchi and Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem", Machine
    Learning 47, 2002, https://doi.org/10.1023/A:1013689704352.
    Tracà, Rudin and Yan, "Regulating Greed Over Time in Multi-Armed Bandits", JMLR 22(3), 2021,
    https://jmlr.org/papers/v22/17-720.html (the paper).
    Wu, Guo and Liu, "Adaptive Exploration-Exploitation Tradeoff for Opportunistic Bandits", ICML
    2018, https://arxiv.org/abs/1709.04004 (AdaUCB).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.ordered import WithOne
from highseason.core.special import each
from highseason.policies.base import WeighingPolicy
from highseason.policies.parameters import LEAST_G, OnG, exploration, radius, threshold, unit_of_g
from highseason.policies.plan import View
from highseason.policies.ranking import (
    arm_to_try,
    estimates,
    highest_probabilities,
    leader,
    one_hot,
    precedes,
)
from highseason.policies.rule import (
    ArmState,
    Bonus,
    Floats,
    Intensity,
    Rule,
    RuleTraits,
    SetWeights,
    Turn,
    estimate,
    made_once,
    uniform_weights,
)
from highseason.traffic import Threshold


@jitable
def bonus(state: ArmState, turn: Turn, arm: int) -> float:
    """The confidence radius; the level stands under the root, over the pulls."""
    return math.sqrt(turn.level) * (1.0 / math.sqrt(state.pulls[arm]))


def intensity(levels: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """The radius of an arm that had its even share of the pulls, at most 1 (the whole range)."""
    return np.minimum(1.0, np.sqrt(levels * arms / turns))


@made_once
def index_rule(
    name: str,
    bonus: Bonus,
    intensity: Intensity,
    negligible: tuple[float, float] = (0.0, 0.0),
    zero_exploits: bool = False,
    set_weights: SetWeights = uniform_weights,
) -> Rule:
    """The rule that plays the highest estimate plus `bonus(state, turn, arm)`.

    Levels are finite and at least 0; the other arguments are those of `Rule`.
    """

    @jitable
    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        """Pick the highest index; it exploits if the arm also has the highest estimate."""
        first = arm_to_try(state, turn.level > 0.0 or not zero_exploits)
        if first >= 0:
            return first, False
        best, top, highest = -1, 0.0, -math.inf
        for arm in range(state.pulls.size):
            if state.available[arm] and state.pulls[arm] > 0:
                value = estimate(state, arm)
                index = value + bonus(state, turn, arm)
                highest = max(highest, value)
                if precedes(turn, arm, index, best, top):
                    best, top = arm, index
        if best < 0:
            return leader(state, turn), False
        return best, estimate(state, best) >= highest

    def probabilities(state: ArmState, turn: Turn) -> Floats:
        """One arm is certain, unless indices tie and ties are broken at random."""
        first = arm_to_try(state, turn.level > 0.0 or not zero_exploits)
        if first >= 0:
            return one_hot(first, state.pulls.size)
        index = estimates(state)
        for arm in np.flatnonzero(index > -np.inf).tolist():
            index[arm] += bonus(state, turn, arm)
        return highest_probabilities(state, turn, index)

    return Rule(
        name,
        choose,
        intensity,
        allowed=(0.0, math.inf),
        # It compares available arms, repeats itself until something changes, and wants rewards in
        # [0, 1], because its radius is measured in that range.
        traits=RuleTraits(
            local=True,
            own_arm_only=True,
            stable="until-change",
            unit_range=True,
            tries_each_arm=True,
            stochastic=False,
        ),
        probabilities=probabilities,
        negligible=negligible,
        bonus=bonus,
        set_weights=set_weights,
        zero_exploits=zero_exploits,
        exploits_at=0.0 if zero_exploits else None,
    )


def bonus_of(rule: Rule, wrapper: str) -> Bonus:
    """The bonus of an index rule; any other rule is refused."""
    if rule.bonus is None:
        raise ValueError(
            f"{wrapper} changes the bonus of an index rule (UCB, soft UCB mortal …), but the "
            f"{rule.name!r} rule has no bonus"
        )
    return rule.bonus


#: Below 0.01 even an arm tried only once has a radius below a tenth of the range of rewards.
UCB_RULE = index_rule("ucb", bonus, intensity, (0.0, 0.01), zero_exploits=True)


@dataclass(frozen=True)
class UCB(WeighingPolicy):
    """Play the highest upper confidence bound, whatever G is.

    The bound is estimate + sqrt(P log t / pulls); P = 2 is UCB1, and Algorithm 7 of the paper.

    >>> import highseason as hs
    >>> hs.UCB().plan(hs.traffic.wave(turns=100), arms=5).at(100)  # 2 log 100
    9.21...
    >>> hs.play(hs.UCB(), "bernoulli:means=0.2/0.8", [1] * 30).arms[:8]
    array([0, 1, 0, 1, 0, 1, 1, 1])
    """

    name = "ucb"
    rule = UCB_RULE
    carry_depends_on = "nothing"
    profiles = {"paper": {}}
    looks_at_g = False
    candidate = 4

    P: float = radius()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The number under the root, before it is divided by an arm's pulls."""
        return self.P * math.log(view.t), carry

    def steps(self, views: Any) -> Floats:
        """The number of every turn."""
        return self.P * each(math.log, views.t)


@dataclass(frozen=True)
class UCBZ(WeighingPolicy):
    """Play the leader on high turns (G >= z); on low turns as UCB.

    The t in its bound is the calendar turn, not the number of low turns.  Algorithm 3 of the paper;
    of its rules of thumb for z, see `EpsilonZGreedy`.

    >>> import highseason as hs
    >>> hs.UCBZ(z=30).plan([1, 1, 40, 1], arms=2).levels.round(2)
    array([0.  , 1.39, 0.  , 2.77])
    >>> hs.play(hs.UCBZ(z=30), "bernoulli:means=0.2/0.8", [1, 1, 1, 40, 1, 1]).arms
    array([0, 1, 0, 0, 1, 1])
    """

    name = "ucb-z"
    rule = UCB_RULE
    carry_depends_on = "nothing"
    profiles = {"paper": {"z": 30.0}}
    candidate = 7

    z: OnG = threshold("q0.75")
    P: float = radius()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """0 on a high turn: the index is then the estimate itself."""
        return (0.0 if view.G >= self.z else self.P * math.log(view.t)), carry

    def steps(self, views: Any) -> Floats:
        """The number of every turn."""
        return np.where(views.G >= self.z, 0.0, self.P * each(math.log, views.t))


@dataclass(frozen=True)
class SoftUCB(WeighingPolicy):
    """UCB whose confidence radius shrinks as G rises.

    The bound is estimate + sqrt(P log xi(t) / pulls), xi(t) = 1 + u·t/G(t).
    u is the unit in which G is measured: with page views in millions and unit=1 the radius would
    all but vanish.  Algorithm 4 of the paper.

    >>> import highseason as hs
    >>> hs.SoftUCB(unit=1).plan([1, 1, 40, 1], arms=2).levels.round(2)
    array([1.39, 2.2 , 0.14, 3.22])
    >>> hs.play(hs.SoftUCB(unit=1), "bernoulli:means=0.2/0.8", [1, 1, 1, 40, 1, 1]).arms
    array([0, 1, 0, 1, 0, 1])
    """

    name = "soft-ucb"
    rule = UCB_RULE
    carry_depends_on = "nothing"
    profiles = {"paper": {"unit": 1.0}}
    candidate = 9

    unit: OnG = unit_of_g("q0.1")
    P: float = radius()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Nothing is carried."""
        scaled = max(view.G / self.unit, LEAST_G)
        return self.P * math.log1p(view.t / scaled), carry

    def steps(self, views: Any) -> Floats:
        """The number of every turn."""
        return self.P * each(math.log1p, views.t / np.maximum(views.G / self.unit, LEAST_G))


@dataclass(frozen=True)
class AdaUCB(WeighingPolicy):
    """UCB whose confidence radius shrinks in a straight line from quiet turns to busy ones.

    The bound is estimate + sqrt(P (1 - L(t)) log t / pulls).  The load L(t) is 0 up to G = low,
    where it plays as UCB; from G = high on it is 1, and the leader is played; between them it is
    (G(t) - low) / (high - low).  With low = high it is UCB-z that explores at z itself: where all
    turns are alike it plays as UCB.

    Wu, Guo and Liu made it for network load; they write alpha for P.  Its regret is O(log t), and
    O(1) if exploring costs nothing while the load is below a threshold.  The defaults are ours, and
    `hs.bounds` has no bound for it.

    >>> import highseason as hs
    >>> hs.AdaUCB(low=1, high=41, P=2).plan([1, 1, 21, 41, 1], arms=2).levels.round(2)
    array([0.  , 1.39, 1.1 , 0.  , 3.22])
    >>> hs.play(hs.AdaUCB(low=1, high=40), "bernoulli:means=0.2/0.8", [1, 1, 1, 40, 1, 1]).arms
    array([0, 1, 0, 0, 1, 1])
    """

    name = "ada-ucb"
    rule = UCB_RULE
    carry_depends_on = "nothing"

    low: OnG = threshold("q0.05", doc="up to this G it explores as UCB does", role="load")
    high: OnG = threshold("q0.95", doc="from this G on it plays the leader")
    P: float = exploration(0.51, "the radius is sqrt(P (1 - L) log t / pulls); 2 is UCB1's")

    def __post_init__(self) -> None:
        super().__post_init__()
        if _crossed(self.low, self.high):
            raise ValueError(f"{self.label}: low={self.low} must be at most high={self.high}")

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """UCB's number, less in proportion to the load."""
        if view.G <= self.low:
            share = 1.0
        elif view.G >= self.high:
            share = 0.0
        else:
            share = 1.0 - (view.G - self.low) / (self.high - self.low)
        return share * self.P * math.log(view.t), carry

    def resolve_thresholds(self, values: NDArray[np.float64] | WithOne) -> Self:
        """In numbers; a `low` that is then above `high`, as 0.5*max may be, becomes `high`."""
        if not self.unresolved_thresholds():
            return self
        low, high = (Threshold.of(end).resolve(values) for end in (self.low, self.high))
        return replace(self, low=min(low, high), high=high)

    def with_values(self, values: Mapping[str, Any]) -> Self:
        """Tuning may propose the two thresholds in any order."""
        low, high = (values.get(name, getattr(self, name)) for name in ("low", "high"))
        low, high = (high, low) if _crossed(low, high) else (low, high)
        return super().with_values({**values, "low": low, "high": high})


def _crossed(low: OnG, high: OnG) -> bool:
    """Whether two thresholds are in the wrong order, as far as one can see without G."""
    first, last = Threshold.of(low), Threshold.of(high)
    return first.kind == last.kind and first.amount > last.amount


@dataclass(frozen=True)
class NaiveUCB(UCB):
    """UCB that does not divide its rewards by G(t), so that its radius no longer fits them.

    >>> import highseason as hs
    >>> hs.play("naive-ucb:P=0.2", "bernoulli:means=0.2/0.8", [1, 1, 1, 40, 1, 1]).arms
    array([0, 1, 0, 1, 0, 1])
    """

    name = "naive-ucb"
    learns_scaled = True
