"""When each arm of a game is there: its first and its last turn, both included."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

#: Given the games' keys and the number of turns: first and last turn by game and arm.
Draw = Callable[[NDArray[np.uint64], int], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """When each arm is there.  Made by `fixed`, `birth_and_death` or `articles`.

    Attributes:
        name: Its name in results.
        arms: How many arms a game has in all.
        draw: The lifetimes of each game.
        known: Whether policies know when an arm will end.
    """

    name: str
    arms: int
    draw: Draw
    known: bool = True

    def spans(self, keys: NDArray[np.uint64], turns: int) -> NDArray[np.int64]:
        """First and last turn of every arm, by game.

        Raises:
            ValueError: A turn has no arm.
        """
        spans = np.array(self.draw(keys, turns), np.int64)
        if spans.shape != (keys.size, self.arms, 2):
            raise ValueError(
                f"{self.name}: draw(keys, turns) must give an array of shape "
                f"{(keys.size, self.arms, 2)}, games × arms × (first and last turn), got "
                f"{spans.shape}"
            )
        spans[..., 0] = np.maximum(1, spans[..., 0])
        counts = alive_counts(spans, turns)
        if not counts.all():
            game, turn = (int(index[0]) for index in np.nonzero(counts == 0))
            where = "" if keys.size == 1 else f" of game {game}"
            raise ValueError(f"no arm is alive at turn {turn + 1}{where}")
        return spans

    def typical(self, turns: int) -> int:
        """How many arms are there at a time, on average: the m that plans are made for."""
        spans = self.spans(np.arange(1, 65, dtype=np.uint64), turns)
        return max(1, round(float(alive_counts(spans, turns).mean())))


def alive_counts(spans: NDArray[np.int64], turns: int) -> NDArray[np.int64]:
    """How many arms are there in each turn of each game.

    >>> alive_counts(np.array([[[1, 3], [2, 2]]]), turns=4).tolist()
    [[1, 2, 1, 0]]
    """
    first, last = spans[..., 0], np.minimum(turns, spans[..., 1])
    changes = np.zeros((spans.shape[0], turns + 2), np.int64)
    games = np.broadcast_to(np.arange(spans.shape[0])[:, None], spans.shape[:2])
    real = first <= last  # an arm that starts after the game is never there
    np.add.at(changes, (games[real], first[real]), 1)
    np.add.at(changes, (games[real], last[real] + 1), -1)
    return np.cumsum(changes, axis=1)[:, 1:-1]


def fixed(spans: Sequence[tuple[float, float]], known: bool = True) -> Lifetimes:
    """The same lifetimes in every game.

    Args:
        spans: First and last turn of each arm, both included; (1, inf) is there throughout.
        known: Whether policies know when an arm will end.

    >>> fixed([(1, math.inf), (5, 20)]).arms
    2
    """
    try:
        values = np.array(spans, dtype=np.float64)
    except (TypeError, ValueError):  # text, or rows of several lengths
        values = np.zeros(0)
    if values.ndim != 2 or values.shape[1:] != (2,) or values.shape[0] == 0:
        raise ValueError(
            "lifetimes must be a (first turn, last turn) for each arm, such as "
            f"[(1, 90), (30, inf)], got {spans!r}"
        )
    for arm, (first, last) in enumerate(values.tolist(), start=1):
        whole = first.is_integer() and (last.is_integer() or last == math.inf)
        if not (whole and 1 <= first <= last):
            raise ValueError(
                f"the lifetime of arm {arm} is ({first:g}, {last:g}): give its first turn, from 1, "
                "and its last, not before the first (inf if it stays)"
            )
    turns = np.minimum(values, 2.0**62).astype(np.int64)
    return Lifetimes("fixed", values.shape[0], partial(_repeat, turns), known)


def _repeat(spans: NDArray[np.int64], keys: NDArray[np.uint64], turns: int) -> NDArray[np.int64]:
    return np.tile(spans, (keys.size, 1, 1))


def running_worth(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Running sums of G, beginning with 0, in whole steps that are tiny beside its greatest value.

    Sums of whole numbers are exact.  So lifetimes whose turns are worth the same tie in rank; sums
    of floats would rank one above the other by their last bit.

    >>> worth = running_worth(np.full(9, 0.1))
    >>> bool(worth[5] - worth[1] == worth[8] - worth[4])
    True
    """
    steps = np.rint(values / values.max() * (2.0**52 / values.size))
    return np.concatenate([[0.0], np.cumsum(steps)])
