"""UCB for arms that come and go: soft UCB mortal and UCB-L.

Their level is the turn's stakes, G(t) in the policy's unit.  An arm of age a has the radius
factor · sqrt(2 log(1 + a / stakes) / pulls), or factor · sqrt(2 log a / pulls) with stakes of 0,
where the policy ignores G.  The factor is the arm's weight (soft UCB mortal), or that times the
logarithm of its remaining lifetime (UCB-L).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.policies.base import OnG, WeighingPolicy, exploration, parameter, unit_of_g
from highseason.policies.plan import View
from highseason.policies.ranking import age, count_available
from highseason.policies.rule import ArmState, Floats, LifetimeOptions, Turn
from highseason.policies.ucb import index_rule, intensity


@jitable
def root_at_age(turns: int, stakes: float) -> float:
    """sqrt(2 log xi) of an arm of this age.

    A reading: the paper's xi(t - s_j) is literally 1 + (t - s_j)/G(t - s_j), with G at the age.
    """
    if stakes > 0.0:
        return math.sqrt(2.0 * math.log1p(turns / stakes))
    return math.sqrt(2.0 * math.log(turns)) if turns >= 1 else 0.0


@jitable
def weighted_bonus(state: ArmState, turn: Turn, arm: int) -> float:
    """psi · sqrt(2 log xi / pulls)."""
    root = root_at_age(age(state, turn, arm), turn.level)
    return float(state.weight[arm] * root * (1.0 / math.sqrt(state.pulls[arm])))


@jitable
def life_bonus(state: ArmState, turn: Turn, arm: int) -> float:
    """c · log(remaining lifetime + 1) · sqrt(2 log xi / pulls)."""
    left = max(0, state.end[arm] - turn.clock)
    return math.log1p(left) * weighted_bonus(state, turn, arm)


@jitable
def rank_weights(state: ArmState, clock: int, scores: Floats, scale: float) -> None:
    """psi: `scale` times the share of the available arms whose score is at most the arm's own."""
    count = count_available(state)
    for arm in range(scores.size):
        if state.available[arm]:
            lower = 0
            for other in range(scores.size):
                if state.available[other] and scores[other] <= scores[arm]:
                    lower += 1
            state.weight[arm] = scale * (lower / count)


def mortal_intensity(stakes: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """That of UCB, with the radius of an arm that was there from the start."""
    with np.errstate(divide="ignore"):
        under_root = np.where(stakes > 0.0, 2.0 * np.log1p(turns / stakes), 2.0 * np.log(turns))
    return intensity(under_root, turns, arms)


#: Stakes so high that even at age 1,000 what stands under UCB's root is below 0.01.
HIGH_STAKES = (1000.0 / math.expm1(0.005), math.inf)
MORTAL = index_rule(
    "mortal", weighted_bonus, mortal_intensity, HIGH_STAKES, set_weights=rank_weights
)
LIFE = index_rule("life", life_bonus, mortal_intensity, HIGH_STAKES)


@dataclass(frozen=True)
class SoftUCBMortal(WeighingPolicy):
    """Soft UCB for arms that come and go.

    The bound is estimate + psi_j · sqrt(2 log xi_j / pulls).
    xi_j = 1 + u·age/G(t): the older the arm and the quieter the turn, the wider its radius.
    Algorithm 8 of the paper has xi(t - s_j), which would be G at the arm's age; we read G(t).
    s_j is 0, not 1, for an arm that is there from the start, so that it has the age t.
    psi_j is c times the share of the arms present whose score is at most its own; an arm's score is
    the sum of G over its lifetime, so arms that will be there when it counts are explored most.
    Untried arms come first.  With arms that never end and c = 1 this is soft UCB; the paper's c is
    2, which explores too much for most games (decision 0006).

    An arm with an unknown end is taken to live to the end.  Ages and lifetimes are counted in turns
    (in a replayed log, in its time bins).

    >>> import highseason as hs
    >>> G = hs.traffic.wave(turns=400)
    >>> two_lifetimes = hs.lifetimes.fixed([(1, 400), (1, 200), (201, 400)])
    >>> arms = hs.rewards.bernoulli(means=[0.3, 0.6, 0.5])
    >>> game = hs.play(hs.SoftUCBMortal(), arms, G, lifetimes=two_lifetimes)
    >>> 1 in game.arms[200:]  # it has ended
    False
    """

    name = "soft-ucb-mortal"
    rule = MORTAL
    carry_depends_on = "nothing"
    profiles = {"paper": {"c": 2.0, "unit": 1.0}}

    c: float = exploration(0.1, "the most that psi can be")
    unit: OnG = unit_of_g("q0.5")
    remaining: bool = parameter(
        False, "rank arms by their remaining lifetime, not by the whole", flag=True
    )
    initial: int = exploration(
        0, "how many arms to try first, those of highest psi; 0 for all", whole=True
    )

    @property
    def lifetime_options(self) -> LifetimeOptions:
        """`c` scales psi, and `initial` is the size of the paper's M_I.

        Present arms share what is to come up to the first end, so the last to end has most left.
        """
        return LifetimeOptions(
            ranks_by_end=self.remaining, weight_scale=self.c, initial_arms=self.initial
        )

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The turn's stakes; nothing is carried."""
        return view.G / self.unit, carry


@dataclass(frozen=True)
class UCBL(WeighingPolicy):
    """UCB that explores arms with a long remaining lifetime.

    The bound is estimate + c · log(l_j - t + 1) · sqrt(2 log xi_j / pulls).
    Algorithm 9 of the paper.  l_j is the arm's last turn, so it must be known.  `xi="soft"`: xi_j =
    1 + u·age/G(t), our reading of its xi(t - s_j), regulated by G (see `SoftUCBMortal`).
    `xi="age"`: xi_j is the age itself and G plays no part, the original UCB-L and the fair
    baseline.  Untried arms come first.

    The published c = 0.011 belongs to lifetimes counted in seconds.  log(l_j - t + 1) grows with
    the unit of time, but slowly: c = 0.01 is best for turns of a day, too.

    >>> import highseason as hs
    >>> hs.UCBL(xi="age").plan([1, 9, 9], arms=2).levels  # the stakes play no part
    array([0., 0., 0.])
    """

    name = "ucb-l"
    rule = LIFE
    carry_depends_on = "nothing"
    profiles = {"paper": {"c": 0.011, "unit": 1.0}}

    c: float = exploration(0.01, "how much the logarithm of the remaining lifetime counts")
    xi: str = parameter(
        "soft", "regulated by G, or by the arm's age alone", choices=("soft", "age")
    )
    unit: OnG = unit_of_g("q0.1")

    def _check_rule(self) -> None:
        super()._check_rule()
        object.__setattr__(self, "looks_at_g", self.xi == "soft")

    @property
    def lifetime_options(self) -> LifetimeOptions:
        """C is the weight of every arm."""
        return LifetimeOptions(needs_end=True, weight_scale=self.c)

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The turn's stakes, or 0 where they play no part."""
        return (0.0 if self.xi == "age" else view.G / self.unit), carry
