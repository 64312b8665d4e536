"""The paper's six estimators, written down as they are defined, one belief at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def random_walk(seen: Sequence[float]) -> float:
    return seen[-1]


def simple_average(seen: Sequence[float]) -> float:
    return sum(seen) / len(seen)


def moving_average(seen: Sequence[float], window: int = 5) -> float:
    last = seen[-window:]
    return sum(last) / len(last)


def weighted_moving_average(seen: Sequence[float], window: int = 5) -> float:
    last = seen[-window:]
    weights = range(1, len(last) + 1)
    return sum(w * g for w, g in zip(weights, last, strict=True)) / sum(weights)


def exponential_smoothing(seen: Sequence[float], alpha: float = 0.5) -> float:
    level = seen[0]
    for g in seen[1:]:
        level = alpha * g + (1 - alpha) * level
    return level


def double_exponential_smoothing(
    seen: Sequence[float], alpha: float = 0.5, beta: float = 0.5
) -> float:
    level, trend = seen[0], 0.0
    for g in seen[1:]:
        new = alpha * g + (1 - alpha) * (level + trend)
        level, trend = new, beta * (new - level) + (1 - beta) * trend
    return level + trend


def beliefs(G: Sequence[float], estimate: Callable[[Sequence[float]], float]) -> list[float]:
    """H(1) = G(1); H(t) from G(1..t-1), never below the least of them."""
    return [G[0], *(max(estimate(G[:t]), min(G[:t])) for t in range(1, len(G)))]
