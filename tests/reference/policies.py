"""The plans, straight from the formulas of the paper and of its authors' simulation code.

Every function takes G as a list (G[0] is turn 1) and the number of arms m, and gives a number for
every turn.  Sums and minima are taken again in every turn.
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor, log

Numbers = list[float]


def each_turn(G: Numbers, formula: Callable[[int], float]) -> Numbers:
    return [formula(t) for t in range(1, len(G) + 1)]


def greedy(G: Numbers, m: int) -> Numbers:
    return [0.0 for _ in G]


def uniform(G: Numbers, m: int) -> Numbers:
    return [1.0 for _ in G]


def epsilon_greedy(G: Numbers, m: int, k: float) -> Numbers:
    return each_turn(G, lambda t: min(1, k * m / t))


def epsilon_z(G: Numbers, m: int, k: float, z: float) -> Numbers:
    def low_turns(t: int) -> int:
        return sum(1 for s in range(1, t + 1) if G[s - 1] < z)

    return each_turn(G, lambda t: 0 if G[t - 1] >= z else min(1, k * m / low_turns(t)))


def epsilon_z_authors(G: Numbers, m: int, k: float, z: float) -> Numbers:
    return each_turn(G, lambda t: 0 if G[t - 1] > z else min(1, k * m / t))


def psi(G: Numbers, t: int, least: float, unit: float) -> float:
    return log(1 + 1 / (G[t - 1] / unit)) / log(1 + 1 / (least / unit))


def soft_epsilon(G: Numbers, m: int, k: float, unit: float) -> Numbers:
    least = min(G[m:] or G)  # turns m+1 … n
    return each_turn(G, lambda t: min(1, psi(G, t, least, unit), k * m / t))


def soft_epsilon_authors(G: Numbers, m: int, k: float, unit: float) -> Numbers:
    return each_turn(G, lambda t: min(1, psi(G, t, min(G), unit), k * m / t))


def soft_epsilon_forecast(H: Numbers, m: int, k: float, unit: float) -> Numbers:
    """D15: the minimum of H over m+1 … t, which is all there is at turn t."""

    def epsilon(t: int) -> float:
        least = min(H[m:t]) if t > m else H[t - 1]
        return min(1, psi(H, t, least, unit), k * m / t)

    return each_turn(H, epsilon)


def ucb(G: Numbers, m: int, P: float) -> Numbers:
    return each_turn(G, lambda t: P * log(t))


def ucb_authors(G: Numbers, m: int, P: float) -> Numbers:
    # log of a turn counted from 0; the first two turns, where that is not a number or 0, give 0
    return each_turn(G, lambda t: P * log(t - 1) if t > 2 else 0)


def ucb_z(G: Numbers, m: int, P: float, z: float) -> Numbers:
    return each_turn(G, lambda t: 0 if G[t - 1] >= z else P * log(t))


def ucb_z_authors(G: Numbers, m: int, P: float, z: float) -> Numbers:
    return [0 if g > z else b for g, b in zip(G, ucb_authors(G, m, P), strict=True)]


def soft_ucb(G: Numbers, m: int, P: float, unit: float) -> Numbers:
    return each_turn(G, lambda t: P * log(1 + t / (G[t - 1] / unit)))


def ada_ucb(G: Numbers, m: int, P: float, low: float, high: float) -> Numbers:
    def load(g: float) -> float:
        return float(g > high) if low == high else min(1, max(0, (g - low) / (high - low)))

    return each_turn(G, lambda t: P * (1 - load(G[t - 1])) * log(t))


def pool(G: Numbers, m: int, c: float, unit: float) -> Numbers:
    return each_turn(G, lambda t: min(m, max(1, floor(c * m / (t * (G[t - 1] / unit))))))


def pool_authors(G: Numbers, m: int, c: float, unit: float) -> Numbers:
    return each_turn(G, lambda t: min(m, max(1, floor(c * m / t * (G[t - 1] / unit)))))


def soft_ucb_authors(G: Numbers, m: int, P: float, unit: float) -> Numbers:
    return each_turn(G, lambda t: P * log(1 + (t - 1) / (G[t - 1] / unit)))
