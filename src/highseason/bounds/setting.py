"""What a bound is asked about: the gaps between the arms, the stakes, what is believed of them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.bounds.tails import trivial_curve
from highseason.engine.lifetimes import Lifetimes
from highseason.multipliers import Multiplier, ThresholdWarning, as_multiplier
from highseason.policies import PlanWarning, Policy
from highseason.policies.view import Outlook
from highseason.rewards import Rewards

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: How good the arms are: a mean for each of them, or a reward model whose arms are fixed.
Means = Sequence[float] | Numbers | Rewards


@dataclass(frozen=True, eq=False)
class Setting:
    """The arms and the stakes of a game, before it is played.

    Attributes:
        gaps: For each arm, in the order of the first round, how far its mean is below the best.
        multiplier: G, which weighs the regret.
        forecast: H, by which the policy regulates itself; None if it knows G.
        r: The range of the rewards: highest minus lowest.
        Gamma: The constant above 5 in the theorem of the variable pool, printed form.
        spans: First and last turn of each arm; None if all are there throughout.
        told: Whether the policy is told when arms die.
    """

    gaps: Numbers
    multiplier: Multiplier
    forecast: Multiplier | None = None
    r: float = 1.0
    Gamma: float = 12.0
    spans: Sequence[tuple[float, float]] | None = None
    told: bool = True

    @classmethod
    def of(
        cls,
        means: Means | None,
        gaps: Sequence[float] | Numbers | None,
        multiplier: Any,
        H: Any = None,
        r: float = 1.0,
        Gamma: float = 12.0,
        lifetimes: Lifetimes | None = None,
    ) -> Setting:
        """Check what a user gave; a `ValueError` says what was wrong and what to do."""
        spread = _positive("r", r)
        if multiplier is None:
            raise ValueError("a bound needs the stakes: pass multiplier=, one number per turn")
        given = as_multiplier(multiplier)
        gap = _gaps(means, gaps)
        if gap.max() > spread * (1.0 + 1e-9):
            raise ValueError(
                f"a gap of {gap.max():g} is wider than the range of the rewards, r={spread:g}: "
                "pass r=, the highest reward less the lowest"
            )
        spans, told = _spans(lifetimes, gap.size, given.turns), lifetimes is None or lifetimes.known
        if spans is None and given.turns < gap.size:
            raise ValueError(
                f"{gap.size} arms and {given.turns} turns: every arm is tried once, so a bound "
                "needs at least as many turns as arms"
            )
        forecast = None if H is None else as_multiplier(H, turns=given.turns)
        return cls(gap, given, forecast, spread, _positive("Gamma", Gamma), spans, told)

    @property
    def arms(self) -> int:
        """How many arms."""
        return int(self.gaps.size)

    @property
    def turns(self) -> int:
        """How many turns."""
        return self.multiplier.turns

    @property
    def G(self) -> Numbers:
        """The multiplier's values."""
        return self.multiplier.values

    @property
    def H(self) -> Numbers:
        """What the policy believes of each turn: the forecast, or G itself."""
        return self.G if self.forecast is None else self.forecast.values

    @cached_property
    def worst_first(self) -> Numbers:
        """The gaps of the suboptimal arms, falling."""
        return np.sort(self.gaps[self.gaps > 0])[::-1]

    @property
    def largest_gap(self) -> float:
        """D_max."""
        return float(self.gaps.max())

    @property
    def smallest_gap(self) -> float:
        """D_min, over suboptimal arms only; infinite if there is none."""
        return float(self.worst_first[-1]) if self.worst_first.size else math.inf

    @property
    def clock(self) -> Numbers:
        """The turns after the first round."""
        return np.arange(self.arms + 1, self.turns + 1, dtype=np.float64)

    @property
    def weights(self) -> Numbers:
        """G after the first round."""
        return self.G[self.arms :]

    def kappas(self, gaps: Numbers) -> Numbers:
        """D²/(2r²): how fast an average of so many pulls settles on its side of the middle."""
        return np.asarray((gaps / self.r) ** 2 / 2.0)

    @cached_property
    def first_round(self) -> Numbers:
        """What the first round has cost by each turn; it is exact."""
        costs = np.zeros(self.turns)
        costs[: self.arms] = self.G[: self.arms] * self.gaps
        return np.cumsum(costs)

    @cached_property
    def trivial(self) -> Numbers:
        """The worst case by each turn."""
        return trivial_curve(self.gaps, self.G)

    def from_first_turn(self, costs: Numbers) -> Numbers:
        """Running totals over all turns of costs that begin after the first round."""
        return np.concatenate([np.zeros(self.arms), np.cumsum(costs)])


class PlanRead(NamedTuple):
    """A policy's numbers for every turn, and what the plan warned of."""

    levels: Numbers
    notes: tuple[str, ...]


def read_plan(policy: Policy, setting: Setting) -> PlanRead:
    """The plan that `simulate` would play; its warnings become notes of the bound."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", PlanWarning)
        warnings.simplefilter("always", ThresholdWarning)
        plan = policy.plan(setting.multiplier, setting.arms, setting.forecast)
    return PlanRead(plan.levels, tuple(f"{entry.message}." for entry in caught))


def low_turns(policy: Any, setting: Setting) -> tuple[Mask, Numbers]:
    """Which turns the policy takes for low (H < z), and the z of each turn.

    With a forecast and a rule such as `q0.75`, z is read anew in each turn from what was seen.
    """
    if setting.forecast is None:
        z = np.full(setting.turns, policy.resolve_thresholds(setting.G).z)
    elif policy.requires_full_g:
        z = _growing_thresholds(policy, setting)
    else:
        z = np.full(setting.turns, policy.z)
    return setting.H < z, z


def _growing_thresholds(policy: Any, setting: Setting) -> Numbers:
    outlook = Outlook(setting.arms)
    z = np.empty(setting.turns)
    pairs = zip(setting.G.tolist(), setting.H.tolist(), strict=True)
    for i, (actual, belief) in enumerate(pairs):
        outlook.expect(belief)
        z[i] = policy.resolve_thresholds(outlook.values(belief)).z
        outlook.saw(actual)
    return z


def _spans(lifetimes: Lifetimes | None, arms: int, turns: int) -> list[tuple[float, float]] | None:
    if lifetimes is None:
        return None
    if lifetimes.name != "fixed":
        raise ValueError(
            f"the lifetimes of {lifetimes.name} are drawn anew in every game: a bound is about given arms, "
            "so write hs.lifetimes.fixed([(1, 90), (30, inf)])"
        )
    if lifetimes.arms != arms:
        raise ValueError(f"there are {arms} arms, but the lifetimes of {lifetimes.arms}")
    found = lifetimes.spans(np.zeros(1, np.uint64), turns)[0].tolist()
    return [(first, last) for first, last in found]


def _gaps(means: Means | None, gaps: Sequence[float] | Numbers | None) -> Numbers:
    if (means is None) == (gaps is None):
        raise ValueError("say how good the arms are: either means=[0.9, 0.5] or gaps=[0, 0.4]")
    if gaps is not None:
        return _checked_gaps(_vector("gaps", gaps))
    assert means is not None  # one of the two was given
    if isinstance(means, Rewards):
        if means.fixed is None:
            raise ValueError(
                f"the arms of {means.name} are drawn anew in every game: a bound is about given "
                "arms, so pass their means"
            )
        means = means.means(means.fixed)
    values = _vector("means", means)
    return np.asarray(values.max() - values)


def _checked_gaps(gaps: Numbers) -> Numbers:
    if gaps.min() != 0.0:
        raise ValueError(
            f"the smallest gap is {gaps.min():g}: gaps are distances to the best arm, and the best "
            "arm's own gap, 0, is one of them"
        )
    return gaps


def _vector(name: str, values: ArrayLike) -> Numbers:
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
        raise ValueError(f"{name} must be a list of finite numbers, one for each arm")
    return array


def _positive(name: str, value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a finite number > 0, not {value!r}")
    return float(value)
