"""A game as one would explain it at a blackboard: a list of rewards for every arm, and three rules.

Nothing here comes from the library, so that it can be wrong only in ways of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.reference.splitmix import Luck

DECISION, REWARD = 0, 1


@dataclass
class Record:
    arms: list[int] = field(default_factory=list)
    paid: list[float] = field(default_factory=list)
    exploited: list[bool] = field(default_factory=list)


def mean(values: Sequence[float]) -> float:
    total = 0.0
    for value in values:
        total = total + value
    return total / len(values)


def best(scores: Sequence[float]) -> int:
    """The lowest of the arms with the highest score."""
    return scores.index(max(scores))


def choose_epsilon(seen: list[list[float]], epsilon: float, u: float) -> tuple[int, bool]:
    if u < epsilon:
        return min(math.floor(u / epsilon * len(seen)), len(seen) - 1), False
    return best([mean(values) for values in seen]), True


def choose_ucb(seen: list[list[float]], b: float, u: float) -> tuple[int, bool]:
    means = [mean(values) for values in seen]
    indices = [
        x + math.sqrt(b) * (1 / math.sqrt(len(values)))
        for x, values in zip(means, seen, strict=True)
    ]
    arm = best(indices)
    return arm, means[arm] == max(means)


def choose_pool(seen: list[list[float]], size: float, u: float) -> tuple[int, bool]:
    by_rank = sorted(range(len(seen)), key=lambda arm: (-mean(seen[arm]), arm))
    return by_rank[min(math.floor(u * size), int(size) - 1)], size == 1


RULES = {"epsilon": choose_epsilon, "ucb": choose_ucb, "pool": choose_pool}


def play(
    rule: str,
    numbers: Sequence[float],
    G: Sequence[float],
    pays: Sequence[Callable[[float], float]],
    seed: int,
    game: int = 0,
    naive: bool = False,
) -> Record:
    """`pays[j](u)` is what arm j pays for the uniform number u."""
    luck = Luck(seed, game, len(G))
    seen: list[list[float]] = [[] for _ in pays]
    record = Record()
    for t in range(1, len(G) + 1):
        if t <= len(pays):
            arm, exploited = t - 1, False
        else:
            arm, exploited = RULES[rule](seen, numbers[t - 1], luck.uniform(t, DECISION))
        x = pays[arm](luck.uniform(t, REWARD))
        scaled = G[t - 1] * x
        seen[arm].append(scaled if naive else scaled / G[t - 1])
        record.arms.append(arm)
        record.paid.append(x)
        record.exploited.append(exploited)
    return record
