"""Soft UCB: the radius is sqrt(P log xi(t) / pulls) with xi(t) = 1 + t/G(t)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from highseason.bounds.kernels.build import top_sums
from highseason.bounds.regret_bound import Form, RegretBound
from highseason.bounds.setting import Numbers, Setting, read_plan
from highseason.bounds.theorems import theorem
from highseason.bounds.ucb_family import other_radius
from highseason.policies import SoftUCB


@theorem(SoftUCB)
def soft_ucb(policy: SoftUCB, setting: Setting, form: Form) -> RegretBound:
    """Initialisation + learning + misjudging.

    The safe form depends only on the levels b_t under the root, whatever unit, P or forecast they
    came from.  An arm is distinguished from the best after u_j = ceil(4 max b / D_j²) pulls, which
    cost at most the u_j - 1 heaviest turns.  An average leaves its radius with probability
    exp(-2 b_t/r²) per pull count, so a turn is misjudged with probability at most
    2 (t - m) exp(-2 b_t/r²).  With P = 2, r = 1 and unit 1 these are the theorem's
    8 log max xi / D² and 2 (t - m)/xi⁴.

    >>> import highseason as hs
    >>> from highseason.bounds import regret
    >>> G = hs.multipliers.wave(turns=1500)
    >>> bound = regret(hs.SoftUCB(unit=1), means=[0.9, 0.1], multiplier=G)
    >>> round(bound.total), round(bound.trivial)
    (5358, 25262)
    """
    plan = read_plan(policy, setting)
    safe = safe_bound(str(policy), setting, plan.levels[setting.arms :], plan.notes)
    return safe if form == "safe" else paper_bound(policy, setting, plan.levels, safe)


def safe_bound(
    policy: str, setting: Setting, radii: Numbers, notes: tuple[str, ...]
) -> RegretBound:
    """The corrected theorem, for any levels under the root."""
    gaps, weights = setting.worst_first, setting.weights
    everything = np.cumsum(weights)
    cap = setting.largest_gap * everything
    probability = 2.0 * (setting.clock - setting.arms) * np.exp(-2.0 * radii / setting.r**2)
    series = np.cumsum(weights * np.minimum(1.0, probability))
    widest = np.maximum.accumulate(radii)
    with np.errstate(divide="ignore", over="ignore"):
        factors = np.minimum(4.0 / gaps**2, 1e300)  # finite, as 0 · inf would be nan
    tried, both = top_sums(gaps, factors, weights, widest, series)
    together = np.minimum(cap, both)
    learning = np.minimum(together, tried)
    zeros = np.zeros(setting.arms)
    curves = {
        "learning": np.concatenate([zeros, learning]),
        "misjudging": np.concatenate([zeros, together - learning]),
    }
    limits = dict.fromkeys(curves, float(cap[-1:].sum()))
    return setting.assemble(policy, "safe", curves, limits, notes=notes)


def paper_bound(
    policy: SoftUCB, setting: Setting, levels: Numbers, safe: RegretBound
) -> RegretBound:
    """The formula as printed: max G times [8 log max xi / D_j + D_j (1 + series)]."""
    gaps, t, m = setting.worst_first, setting.clock, setting.arms
    logs = _log_xi(policy, setting, levels)[m:]
    with np.errstate(all="ignore"):
        series = np.cumsum(2.0 * (t - 1.0 - m) ** 2 * np.exp(-4.0 * logs))
        heaviest = np.maximum.accumulate(setting.weights)
        learning = heaviest * 8.0 * np.sum(1.0 / gaps) * np.maximum.accumulate(logs)
        misjudging = heaviest * gaps.sum() * (1.0 + series)
    zeros = np.zeros(m)
    curves = {
        "learning": np.concatenate([zeros, learning]),
        "misjudging": np.concatenate([zeros, misjudging]),
    }
    notes = (*other_radius(policy.P), *safe.notes)
    bound = setting.assemble(str(policy), "paper", curves, safe.limits, notes=notes)
    if not math.isfinite(bound.total) or bound.total < safe.total:
        why = f"it is below the safe form, {safe.total:,.6g}, or not a number."
        return replace(bound, valid=False, notes=[why, *bound.notes])
    return bound


def _log_xi(policy: SoftUCB, setting: Setting, levels: Numbers) -> Numbers:
    """log xi(t), which the plan multiplies by P."""
    if policy.P > 0:
        return levels / policy.P
    return read_plan(replace(policy, P=1.0), setting).levels
