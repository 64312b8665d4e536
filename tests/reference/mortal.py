"""A game with arms that come and go, as one would explain it at a blackboard.

Arms are listed in order of birth, each with the first and the last turn of its life.  Formulas are
those of the paper with the readings of section 11: sums are taken again in every turn, and nothing
here comes from the library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tests.reference.game import REWARD, Record, mean
from tests.reference.splitmix import Luck


class Life(NamedTuple):
    first: int
    last: float  # inf: beyond the end of the game

    @property
    def born(self) -> int:
        """Arms that are there at the first turn were born before it."""
        return 0 if self.first <= 1 else self.first


@dataclass
class Board:
    """What stands on the blackboard before a turn."""

    t: int
    G: Sequence[float]
    lifetimes: Sequence[Life]
    seen: list[list[float]]

    @property
    def n(self) -> int:
        return len(self.G)

    @property
    def alive(self) -> list[int]:
        return [j for j, life in enumerate(self.lifetimes) if life.first <= self.t <= life.last]

    def score(self, arm: int, since: int = 1) -> float:
        """The stakes of an arm's whole life (or of what is left of it), within the game."""
        life = self.lifetimes[arm]
        turns = range(max(1, life.first, since), int(min(life.last, self.n)) + 1)
        return math.fsum(self.G[t - 1] for t in turns)

    def rank(self, arm: int, remaining: bool) -> float:
        """Which share of the arms alive has no higher score than this one."""
        since = self.t if remaining else 1
        mine = self.score(arm, since)
        return sum(self.score(i, since) <= mine for i in self.alive) / len(self.alive)

    def age(self, arm: int) -> int:
        return self.t - self.lifetimes[arm].born


Bonus = Callable[[Board, int], float]


def soft_ucb_mortal(c: float, unit: float = 1.0, remaining: bool = False) -> Bonus:
    def bonus(board: Board, arm: int) -> float:
        xi = 1 + board.age(arm) / (board.G[board.t - 1] / unit)
        return c * board.rank(arm, remaining) * math.sqrt(2 * math.log(xi))

    return bonus


def ucb_l(c: float, unit: float = 1.0, xi: str = "soft") -> Bonus:
    def bonus(board: Board, arm: int) -> float:
        age = board.age(arm)
        if xi == "soft":
            log = math.log(1 + age / (board.G[board.t - 1] / unit))
        else:
            log = math.log(age) if age >= 1 else 0.0
        left = min(board.lifetimes[arm].last, board.n) - board.t + 1
        return c * math.log(left) * math.sqrt(2 * log)

    return bonus


def ucb() -> Bonus:
    return lambda board, arm: math.sqrt(2 * math.log(board.t))


def best_index(board: Board, bonus: Bonus) -> tuple[int, bool]:
    """The lowest arm of the highest index; an arm never played comes first."""
    top, chosen = -math.inf, -1
    for arm in board.alive:
        seen = board.seen[arm]
        index = mean(seen) + bonus(board, arm) / math.sqrt(len(seen)) if seen else math.inf
        if index > top:
            top, chosen = index, arm
    played = [mean(board.seen[j]) for j in board.alive if board.seen[j]]
    seen = board.seen[chosen]
    return chosen, bool(seen) and mean(seen) == max(played)


def initial_arms(G: Sequence[float], lifetimes: Sequence[Life], size: int | None) -> list[int]:
    """M_I: all arms of the first turn, or those of the highest scores, in the order of the list."""
    board = Board(1, G, lifetimes, [[] for _ in lifetimes])
    first = board.alive
    if size is None:
        return first
    by_score = sorted(first, key=lambda arm: (-board.score(arm), arm))
    return sorted(by_score[:size])


def play(
    bonus: Bonus,
    G: Sequence[float],
    lifetimes: Sequence[Life],
    pays: Sequence[Callable[[float], float]],
    seed: int,
    game: int = 0,
    initial: int | None = None,
) -> Record:
    """`pays[j](u)` is what arm j pays for the uniform number u."""
    luck = Luck(seed, game, len(G))
    board = Board(0, G, lifetimes, [[] for _ in lifetimes])
    waiting = initial_arms(G, lifetimes, initial)
    record = Record()
    for t in range(1, len(G) + 1):
        board.t = t
        waiting = [arm for arm in waiting if arm in board.alive]  # who died before its turn
        if waiting:
            arm, exploited = waiting.pop(0), False
        else:
            arm, exploited = best_index(board, bonus)
        x = pays[arm](luck.uniform(t, REWARD))
        board.seen[arm].append(G[t - 1] * x / G[t - 1])
        record.arms.append(arm)
        record.paid.append(x)
        record.exploited.append(exploited)
    return record
