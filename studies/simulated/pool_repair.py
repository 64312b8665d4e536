"""The variable pool's G repaired, so that the hypothesis of its theorem holds (Remark 11)."""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from highseason.core.validation import one_of, positive_number
from highseason.core.warnings import quiet
from highseason.policies import PlanWarning, VariablePool
from highseason.rewards import check_arms
from highseason.traffic import Multiplier, as_multiplier

Mode = Literal["block", "minimal"]


def required_c(arms: int, turns: int) -> float:
    """The least c for which some G >= 1 can meet the hypothesis: 10 m log n.

    A pool is full only while t G(t) <= c, so with G >= 1 there are at most c full turns.

    >>> round(required_c(arms=2, turns=20_000))
    198
    """
    return 10.0 * arms * math.log(turns)


@dataclass(frozen=True, eq=False)
class PoolRepair:
    """A repaired multiplier and what it achieves.

    Attributes:
        multiplier: G', to be passed to the policy as its forecast.
        lam: lam'_t = full turns up to t / (2m), the first round counted as full.
        holds_from: The turn from which lam' >= Gamma log t holds for good; None if it never does.
        changed: The number of turns that differ from G.
    """

    multiplier: Multiplier
    lam: NDArray[np.float64]
    holds_from: int | None
    changed: int


def repair(
    G: Any, arms: int, c: float, Gamma: float = 12.0, mode: Mode = "block", unit: float = 1.0
) -> PoolRepair:
    """Lower G where the pool would not explore enough: G'(t) = (c - 1)/t there, which fills it.

    The theorem requires that lam_t, half the full-pool turns per arm, keep up with Gamma log t.  A
    turn is repaired if its pool is not full and F/(2m) < Gamma log t, F the full turns before it,
    the first round included.  Rewards are still multiplied by G, so regret is weighted by G: play
    with `simulate(pool, …, G, forecast=repaired)`.  G' is that of Remark 11, read the other way
    round: it prints lam_t > ceil(Gamma log(t - 1)) for the turns to repair.

    Args:
        G: The multiplier.
        arms: The number of arms.
        c: The pool's c.
        Gamma: How fast lam is to grow; the theorem requires more than 5.
        mode: "minimal" changes that turn; "block", as in the paper, that turn and the 2m after it.
        unit: The pool's unit.

    >>> import highseason as hs
    >>> G = hs.traffic.wave(turns=20_000)
    >>> repair(G, arms=2, c=10, Gamma=12).changed
    475
    """
    multiplier, arms = as_multiplier(G), check_arms(arms)
    one_of("mode", mode, get_args(Mode))
    positive_number("Gamma", Gamma)
    with quiet(PlanWarning):  # a pool that never explores is why it is being repaired
        full = VariablePool(c=c, unit=unit).plan(multiplier, arms).levels == arms
    filled = _fill(full, arms, Gamma, mode)
    turns = np.arange(1, multiplier.turns + 1)
    lam = np.cumsum(filled | full | (turns <= arms)) / (2.0 * arms)
    values = np.where(filled, unit * (c - 1.0) / turns, multiplier.values)
    behind = np.flatnonzero(lam < Gamma * np.log(turns))
    holds_from = 1 if behind.size == 0 else int(behind[-1]) + 2
    return PoolRepair(
        replace(multiplier, values=values, name=f"{multiplier.name}, repaired"),
        lam,
        holds_from if holds_from <= multiplier.turns else None,
        int(np.count_nonzero(values != multiplier.values)),
    )


def _fill(full: NDArray[np.bool_], arms: int, Gamma: float, mode: Mode) -> NDArray[np.bool_]:
    """Which turns to fill."""
    required = (Gamma * np.log(np.arange(1, full.size + 1))).tolist()
    filled, count, block_ends = np.zeros(full.size, bool), arms, 0
    for i, already in enumerate(full[arms:].tolist(), start=arms):
        if i >= block_ends and not already and count / (2.0 * arms) < required[i]:
            block_ends = i + (2 * arms + 1 if mode == "block" else 1)
        filled[i] = i < block_ends
        count += already or i < block_ends
    return filled
