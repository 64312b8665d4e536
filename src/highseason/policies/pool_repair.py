"""The repair of a multiplier for the variable pool: full pools often enough to learn by.

The pool's theorem asks that lam_t, half the full-pool turns per arm, keep up with Gamma log t.  A
multiplier that is never low enough is replaced, *in the policy's eyes only*, by one that is: nature
still pays G, so regret is weighed by G.  Play it with `simulate(pool, …, G, forecast=repaired)`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from highseason.multipliers import Multiplier, as_multiplier
from highseason.policies.plan import PlanWarning
from highseason.policies.variable_pool import VariablePool
from highseason.rewards import check_arms

Mode = Literal["block", "minimal"]


@dataclass(frozen=True, eq=False)
class PoolRepair:
    """A repaired multiplier and what it achieves.

    Attributes:
        multiplier: G', what the policy is to be told.
        lam: lam'_t = full turns up to t / (2m), the first round counted as full.
        holds_from: The first turn from which lam' >= Gamma log t for good; None if it never does.
        changed: How many turns differ from G.
    """

    multiplier: Multiplier
    lam: NDArray[np.float64]
    holds_from: int | None
    changed: int


def repair(
    G: Any, arms: int, c: float, Gamma: float = 12.0, mode: Mode = "block", unit: float = 1.0
) -> PoolRepair:
    """Lower G where the pool would not explore enough: G'(t) = (c - 1)/t there, which fills it.

    A turn needs it if its pool is not full and F/(2m) < Gamma log t, F the full turns before it,
    the first round included.

    Args:
        G: The multiplier.
        arms: How many arms.
        c: The pool's c.
        Gamma: How fast lam is to grow; the theorem wants more than 5.
        mode: "minimal" changes that turn; "block", the paper's idea, that turn and the 2m after it.
        unit: The pool's unit.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=20_000)
    >>> repair(G, arms=2, c=10, Gamma=12).changed
    475
    """
    multiplier, arms = as_multiplier(G), check_arms(arms)
    if mode not in ("block", "minimal"):
        raise ValueError(f"mode={mode!r} must be 'block' or 'minimal'")
    if not Gamma > 0:
        raise ValueError(f"Gamma={Gamma!r} must be above 0")
    full = _sizes(multiplier, arms, c, unit) == arms
    filled, lam = _fill(full, arms, Gamma, mode)
    turns = np.arange(1, multiplier.turns + 1)
    values = np.where(filled, unit * (c - 1.0) / turns, multiplier.values)
    behind = np.flatnonzero(lam < Gamma * np.log(turns))
    holds_from = 1 if behind.size == 0 else int(behind[-1]) + 2
    return PoolRepair(
        replace(multiplier, values=values, name=f"{multiplier.name}, repaired"),
        lam,
        holds_from if holds_from <= multiplier.turns else None,
        int(np.count_nonzero(values != multiplier.values)),
    )


def _sizes(multiplier: Multiplier, arms: int, c: float, unit: float) -> NDArray[np.float64]:
    with warnings.catch_warnings():  # that it never explores is why it is being repaired
        warnings.simplefilter("ignore", PlanWarning)
        return VariablePool(c=c, unit=unit).plan(multiplier, arms).levels


def _fill(
    full: NDArray[np.bool_], arms: int, Gamma: float, mode: Mode
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which turns to fill, and lam after every turn."""
    turns = full.size
    required = (Gamma * np.log(np.arange(1, turns + 1))).tolist()
    already = full.tolist()
    filled = np.zeros(turns, bool)
    lam = np.minimum(np.arange(1, turns + 1), arms) / (2.0 * arms)
    count, block_ends = arms, 0
    for i in range(arms, turns):
        if i >= block_ends and not already[i] and count / (2.0 * arms) < required[i]:
            block_ends = i + (2 * arms + 1 if mode == "block" else 1)
        filled[i] = i < block_ends
        count += bool(filled[i] or already[i])
        lam[i] = count / (2.0 * arms)
    return filled, lam
