"""The remarks beside the theorems: the leader's chance from any lower bound on blind pulls."""

from __future__ import annotations

import math


def beta_from_floor(floor: float, gap: float, r: float = 1.0) -> float:
    """The leader's chance from a lower bound L of lam: min(1, 2 (L e^(-L/5) + (2/D²) e^(-D² L/2))).

    The remark before n' and the printed beta after m·k·e are this, at `remark_floor`.

    >>> round(beta_from_floor(60.0, gap=0.8), 6)
    0.000737
    """
    d = (gap / r) ** 2
    chance = floor * math.exp(-floor / 5.0) + 2.0 / d * math.exp(-d * floor / 2.0)
    return min(1.0, 2.0 * chance)


def remark_floor(low_turns: float, k: float, arms: int) -> float:
    """The lower bound of lam that the paper uses at t~.

    t~/(2m) up to n' = floor(km), then (k/2) log(t~/(mke)), which is negative until t~ = mke.
    With t~ of the turn itself the first exceeds lam by up to 1/(2m).

    >>> remark_floor(40, k=50, arms=2), round(remark_floor(1000, k=50, arms=2), 2)
    (10.0, 32.56)
    """
    if low_turns <= math.floor(k * arms):
        return low_turns / (2.0 * arms)
    return k / 2.0 * math.log(low_turns / (arms * k * math.e))


def true_floor(low_turns_before: int, k: float, arms: int) -> float:
    """A lower bound of lam that holds everywhere, N the low turns *before* this one.

    N/(2m) for N <= km, and (k/2)(1 + log((N+1)/(km))) - 1/(2m) from there on.

    >>> true_floor(40, k=50, arms=2), round(true_floor(1000, k=50, arms=2), 2)
    (10.0, 82.34)
    """
    N, reach = low_turns_before, k * arms
    if N <= reach:
        return N / (2.0 * arms)
    return k / 2.0 * (1.0 + math.log((N + 1) / reach)) - 1.0 / (2.0 * arms)


def exploration_sum(low_turns: int, k: float, arms: int) -> float:
    """S(N) <= N up to km, then km (1 + log(N/(km))): the ε of N low turns, summed, in closed form.

    >>> exploration_sum(80, k=50, arms=2), round(exploration_sum(1000, k=50, arms=2), 2)
    (80.0, 330.26)
    """
    reach = k * arms
    if low_turns <= reach:
        return float(low_turns)
    return reach * (1.0 + math.log(low_turns / reach)) if reach > 0 else 0.0
