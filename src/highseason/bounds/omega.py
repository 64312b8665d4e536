"""The theorem that forced pulls grow with log n: every constant, and whether each step holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from highseason.bounds.pulls import PullForm, minimum_pulls, minimum_pulls_ranges, phi, tau

_CHOICE: dict[PullForm, Callable[..., float]] = {"safe": max, "paper": min}


@dataclass(frozen=True)
class LogarithmicGrowth:
    """What the theorem says for one n: x_n >= P log n / alpha_n >= (P beta / (c r²)) log n.

    Attributes:
        c: The constant of the proof, above (sqrt(P)/r + 1)².
        q: floor(n/(m-1)) / n.
        alpha: c r² / (beta log_n q + 2 beta); with several ranges the largest (printed: the least).
        y: floor(P log n / alpha), the pulls the proof aims at.
        tau: tau(r, y).
        phi: phi(r, y).
        tau_limit: The first step: tau <= ceil(n^(r²/alpha)).
        phi_limit: The second step: phi <= ceil(n^(c r²/alpha)).
        third: The third step: (m-1) ceil(n^(c r²/alpha)), which must not exceed n.
        log_q: The fourth step: log_n q, between -1 and 0.
        claim: P log n / alpha.
        floor: (P beta / (c r²)) log n.
        steps: Whether each step holds at this n.
        pulls: The lemma's least pulls, safe form.
        holds: Whether the claim is below what the safe lemma gives.
    """

    turns: int
    arms: int
    r: float
    P: float
    beta: float
    c: float
    q: float
    alpha: float
    y: int
    tau: float
    phi: float
    tau_limit: float
    phi_limit: float
    third: float
    log_q: float
    claim: float
    floor: float
    steps: dict[str, bool]
    pulls: int
    holds: bool


def logarithmic_growth(
    turns: int,
    arms: int,
    r: float | Sequence[float] = 1.0,
    P: float = 2.0,
    beta: float = 0.4,
    c: float | None = None,
    form: Literal["safe", "paper"] = "safe",
) -> LogarithmicGrowth:
    """Evaluate the theorem x_n in Omega(log n) with all its constants at one n.

    The proof's third step, (m-1) ceil(n^(c r²/alpha)) <= n, is said to hold for every n > m; it
    does so only for large n.

    Args:
        turns: n > m.
        arms: m >= 2.
        r: The range of the rewards; or, for arm j, the differences b_i - a_j to each rival i.
        P: The radius is sqrt(P log t / pulls).
        beta: Between 0 and 1/2.
        c: Above (sqrt(P)/r + 1)²; just above it by default.
        form: With several ranges, "safe" takes the largest alpha_i, "paper" the least, as printed.

    >>> logarithmic_growth(746, arms=10).steps["third"]
    False
    >>> growth = logarithmic_growth(747, arms=10)
    >>> growth.steps["third"], growth.y, growth.pulls
    (True, 1, 5)
    """
    ranges = [float(r)] * (arms - 1) if isinstance(r, int | float) else [float(x) for x in r]
    _check(turns, arms, ranges, beta)
    widest = max(ranges)
    least_c = max((math.sqrt(P) / x + 1.0) ** 2 for x in ranges)
    chosen = least_c * (1.0 + 1e-9) if c is None else c
    q = (turns // (arms - 1)) / turns
    log_n = math.log(turns)
    log_q = math.log(q) / log_n
    slope = beta * log_q + 2.0 * beta
    alpha = _CHOICE[form](chosen * x * x / slope for x in ranges)
    y = math.floor(P * log_n / alpha)
    tau_limit = _ceil_power(log_n * widest**2 / alpha)
    phi_limit = _ceil_power(log_n * chosen * widest**2 / alpha)
    first = tau(widest, y, P)
    second = phi(widest, y, P) if y >= 1 else 1
    third = (arms - 1) * phi_limit
    claim, floor = P * log_n / alpha, P * beta / (chosen * widest**2) * log_n
    pulls = _lemma(turns, arms, ranges, P)
    steps = {
        "first": first <= tau_limit,
        "second": second <= phi_limit,
        "third": third <= turns,
        "fourth": -1.0 <= log_q <= 0.0,
        "fifth": claim >= floor * (1.0 - 1e-12),
    }
    return LogarithmicGrowth(
        turns, arms, widest, P, beta, chosen, q, alpha, y, first, second, tau_limit, phi_limit,
        third, log_q, claim, floor, steps, pulls, claim <= pulls,
    )  # fmt: skip


def _lemma(turns: int, arms: int, ranges: Sequence[float], P: float) -> int:
    """The safe lemma for an arm whose rewards start at 0 and rivals that reach `ranges`."""
    if len(set(ranges)) == 1:
        return minimum_pulls(turns, arms, ranges[0], P)
    return minimum_pulls_ranges(turns, [(0.0, 0.0), *((0.0, x) for x in ranges)], P)[0]


def _ceil_power(exponent: float) -> float:
    return math.ceil(math.exp(exponent)) if exponent < 709.0 else math.inf


def _check(turns: int, arms: int, ranges: Sequence[float], beta: float) -> None:
    if arms < 2 or turns <= arms:
        raise ValueError(f"the theorem wants m >= 2 arms and n > m turns, not {arms} and {turns}")
    if len(ranges) != arms - 1:
        raise ValueError(f"{arms} arms have {arms - 1} ranges to rivals, not {len(ranges)}")
    if not min(ranges) > 0.0:
        raise ValueError(f"every range must be > 0 (c divides by it), not {min(ranges):g}")
    if not 0.0 < beta < 0.5:
        raise ValueError(f"beta must lie between 0 and 1/2, not {beta:g}")
