"""The setting of a bound, and what every theorem is built from: tails, leaders, the worst case."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.bounds.regret_bound import Form, RegretBound
from highseason.core.validation import positive_number
from highseason.policies import PlanWarning, Policy
from highseason.policies.lifetimes import Lifetimes
from highseason.rewards import Rewards
from highseason.traffic import Multiplier, ThresholdWarning, as_multiplier

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: A mean for each arm, or a reward model with fixed arms.
Means = Sequence[float] | Numbers | Rewards


@dataclass(frozen=True, eq=False)
class Setting:
    """The arms and the multiplier of a game.

    Attributes:
        gaps: How far each arm's mean is below the best, in the order of the first round.
        multiplier: G, which weights the regret.
        forecast: H, which regulates the policy; None if it knows G.
        r: The range of the rewards: highest minus lowest.
        Gamma: The constant above 5 in the theorem of the variable pool, printed form.
        spans: Start and end of each arm's lifetime; None if all arms stay.
        ends_known: Whether the policy knows when lifetimes end.
    """

    gaps: Numbers
    multiplier: Multiplier
    forecast: Multiplier | None = None
    r: float = 1.0
    Gamma: float = 12.0
    spans: Sequence[tuple[float, float]] | None = None
    ends_known: bool = True

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
    ) -> Self:
        """Check and convert what the user passed."""
        spread = positive_number("r", r)
        if multiplier is None:
            raise ValueError("a bound needs the multiplier: pass multiplier=, one number per turn")
        given = as_multiplier(multiplier)
        gap = _gaps(means, gaps)
        if gap.max() > spread * (1.0 + 1e-9):
            raise ValueError(
                f"a gap of {gap.max():g} exceeds the range of the rewards, r={spread:g}: pass r=, "
                "the highest reward minus the lowest"
            )
        spans = _spans(lifetimes, gap.size, given.turns)
        if spans is None and given.turns < gap.size:
            raise ValueError(
                f"{gap.size} arms but {given.turns} turns: every arm is tried once, so a game "
                "needs at least as many turns as arms"
            )
        forecast = None if H is None else as_multiplier(H, turns=given.turns)
        known = lifetimes is None or lifetimes.known
        return cls(gap, given, forecast, spread, positive_number("Gamma", Gamma), spans, known)

    @property
    def arms(self) -> int:
        """The number of arms."""
        return int(self.gaps.size)

    @property
    def turns(self) -> int:
        """The number of turns."""
        return self.multiplier.turns

    @property
    def G(self) -> Numbers:
        """The multiplier's values."""
        return self.multiplier.values

    @property
    def H(self) -> Numbers:
        """The forecast, or G itself if it is known."""
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
        """D²/(2r²): the rate, per pull, at which estimates separate."""
        return np.asarray((gaps / self.r) ** 2 / 2.0)

    @cached_property
    def first_round(self) -> Numbers:
        """The cost of the first round by each turn; it is exact."""
        costs = np.zeros(self.turns)
        costs[: self.arms] = self.G[: self.arms] * self.gaps
        return np.cumsum(costs)

    @cached_property
    def trivial(self) -> Numbers:
        """The worst case by each turn."""
        costs = np.full(self.turns, self.gaps.max())
        costs[: self.arms] = self.gaps[: self.turns]
        return np.cumsum(self.G * costs)

    def bound(
        self,
        policy: object,
        form: Form,
        curves: Mapping[str, Numbers],
        limits: Mapping[str, float],
        exact: Sequence[str] = (),
        **details: Any,
    ) -> RegretBound:
        """A bound with the first round as its first part; the others may begin after it."""
        first, n = self.first_round, self.turns
        return RegretBound(
            str(policy), form, self.arms,
            {"initialisation": first} | {k: np.pad(c, (n - c.size, 0)) for k, c in curves.items()},
            {"initialisation": float(first[-1]), **limits}, self.trivial,
            frozenset(("initialisation", *exact)), **details,
        )  # fmt: skip


class PlanRead(NamedTuple):
    """A policy's exploration level for every turn, and the plan's warnings."""

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
    """Which turns the policy treats as low (H < z), and the z of each turn.

    With a forecast and an expression such as `q0.75`, z is recomputed in each turn from the turns
    seen so far.
    """
    if setting.forecast is None:
        z = np.full(setting.turns, policy.resolve_thresholds(setting.G).z)
    elif not policy.needs_g_ahead:
        z = np.full(setting.turns, policy.z)
    else:
        planner, z = policy.planner(setting.arms), np.empty(setting.turns)
        pairs = zip(setting.G.tolist(), setting.H.tolist(), strict=True)
        for i, (actual, belief) in enumerate(pairs):
            z[i] = policy.resolve_thresholds(planner.values(belief)).z
            planner.saw(actual)
    return setting.H < z, z


def regret_in(bound: RegretBound, turns: Mask, *parts: str) -> float:
    """What some turns after the first round add to these parts."""
    with np.errstate(all="ignore"):
        steps = (np.diff(bound.curves[part], prepend=0.0)[bound.arms :] for part in parts)
        return float(sum(step[turns].sum() for step in steps))


def _spans(lifetimes: Lifetimes | None, arms: int, turns: int) -> list[tuple[float, float]] | None:
    if lifetimes is None:
        return None
    if lifetimes.name != "fixed":
        raise ValueError(
            f"the lifetimes of {lifetimes.name} are drawn in every game, but a bound needs given "
            "ones: use hs.lifetimes.fixed([(1, 90), (30, inf)])"
        )
    if lifetimes.arms != arms:
        raise ValueError(f"there are {arms} arms but {lifetimes.arms} lifetimes")
    spans = lifetimes.spans(np.zeros(1, np.uint64), turns)[0].tolist()
    return [(start, end) for start, end in spans]


def _gaps(means: Means | None, gaps: Sequence[float] | Numbers | None) -> Numbers:
    if (means is None) == (gaps is None):
        raise ValueError("pass either means=, such as [0.9, 0.5], or gaps=, such as [0, 0.4]")
    if gaps is not None:
        distances = _vector("gaps", gaps)
        if distances.min() != 0.0:
            raise ValueError(
                f"the smallest gap is {distances.min():g} but must be 0, the best arm's own: gaps "
                "are distances to the best arm"
            )
        return distances
    assert means is not None  # one of the two was given
    if isinstance(means, Rewards):
        if means.fixed is None:
            raise ValueError(
                f"the arms of {means.name} are drawn in every game, but a bound needs given ones: "
                "pass their means"
            )
        means = means.means(means.fixed)
    values = _vector("means", means)
    return np.asarray(values.max() - values)


def _vector(name: str, values: ArrayLike) -> Numbers:
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
        raise ValueError(f"{name} must be a list of finite numbers, one per arm")
    return array


def leader_regret(
    gaps: Sequence[float] | Numbers, probabilities: Sequence[float] | Numbers
) -> float:
    """The maximum of sum D_j p_j with 0 <= p_j <= probabilities_j and sum p_j <= 1.

    Only one arm leads at a time, so probabilities that sum to more than 1 go to the largest gaps
    first.

    >>> leader_regret([0.5, 0.25, 0.0], [0.6, 0.8, 1.0])
    0.4
    """
    gap, most = np.asarray(gaps, np.float64), np.asarray(probabilities, np.float64)
    order = np.argsort(-gap, kind="stable")
    shares = np.diff(np.minimum(1.0, np.cumsum(np.minimum(1.0, most[order]))), prepend=0.0)
    return float(shares @ gap[order])
