"""Parts of a simulation: which games a worker plays at a time, and how the parts are put together.

Statistics are computed block by block, whatever the workers, and blocks are merged in a tree.  A
worker's task is a power of two of blocks or, where blocks are few, a block divided by a power of
two: so every task is a node of the same tree, and its size changes no bit.  An only block, which
has no tree, is divided evenly.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from highseason.core.parallel import merge_tree
from highseason.core.random import game_keys
from highseason.engine.kernels.arguments import OUT, TRACE, Arms
from highseason.engine.results import REALISED, Tally
from highseason.policies.lifetimes import spans_of

if TYPE_CHECKING:
    from highseason.engine.simulate import Run

#: Gives the keys and arms of some games of a run.
Meet: TypeAlias = Callable[["Run", range], tuple[NDArray[np.uint64], Arms]]

#: Seconds that a task is worth at most, and those that are worth handing out.
_MOST, _LEAST = 1.0, 0.005
#: Tasks for each worker, so that all end at about the same time: this many if they are worth it,
#: and some in any case.
_TASKS, _FEWEST = 8, 2
#: A block is divided by a power of two that divides the 64 games it is a multiple of.
_DIVISORS = (1, 2, 4, 8, 16, 32, 64)


class Cut(NamedTuple):
    """How games are divided."""

    games: int  # How many there are
    block: int  # How many make a block, whose statistics are computed together
    task: int  # How many a worker plays at a time

    @classmethod
    def of(cls, games: int, block: int, seconds: float, workers: int | None) -> Cut:
        """Tasks of about a second, fewer where workers would be idle; `seconds` is one game's."""
        task = block
        while task * 2 * seconds <= _MOST and task < games:
            task *= 2
        if workers is None:
            return cls(games, block, task)
        while task > block and games < _TASKS * workers * task:
            task //= 2
        if task == block and workers > 1:
            task = _divided(games, min(games, block), seconds, workers)
        return cls(games, block, task)

    @property
    def tasks(self) -> list[range]:
        """The games of each task."""
        return pieces(range(self.games), self.task)

    def is_whole(self, games: range) -> bool:
        """Whether these games of one block are all games of it."""
        stop = min(self.games, games.start + self.block)
        return games.start % self.block == 0 and games.stop == stop


def _divided(games: int, block: int, seconds: float, workers: int) -> int:
    """How many games of a block a worker plays at a time; an only block is divided as it comes."""
    task = block
    for divisor in _DIVISORS:
        task = math.ceil(block / divisor)
        tasks = games / task
        if tasks >= _TASKS * workers or (tasks >= _FEWEST * workers and task * seconds <= _LEAST):
            break
    return task


def pieces(games: range, size: int) -> list[range]:
    """Consecutive pieces of at most `size` games."""
    return [
        range(start, min(start + size, games.stop))
        for start in range(games.start, games.stop, size)
    ]


class Played(NamedTuple):
    """What happened in some games: axes are policies (not in `best`), games, and what is noted.

    `best` is what the best arm paid, and empty where realised regret is not measured.
    """

    totals: NDArray[np.float64]
    best: NDArray[np.float64]
    traces: NDArray[np.float64]

    @classmethod
    def together(cls, parts: Sequence[Played]) -> Played:
        """The games of all parts, in their order."""
        if len(parts) == 1:
            return parts[0]
        totals, best, traces = zip(*parts, strict=True)
        return cls(np.concatenate(totals, 1), np.concatenate(best), np.concatenate(traces, 1))

    def metrics(self) -> dict[str, NDArray[np.float64]]:
        """A row per policy and a column per game, by name of the metric."""
        metrics = {name: self.totals[:, :, i] for i, name in enumerate(OUT)}
        return metrics | ({REALISED: self.best - metrics["reward"]} if self.best.size else {})


@dataclass
class Part:
    """Some games that were played: their statistics, or the games if they are not a whole block."""

    games: range
    tally: Tally | None = None
    pieces: list[Played] = field(default_factory=list)

    def finished(self) -> Tally:
        """The statistics of whole blocks."""
        assert self.tally is not None
        return self.tally


def play_part(run: Run, cut: Cut, keep: bool, games: range) -> Part:
    """Play the games of a task with every policy: a function of its arguments alone."""
    if cut.task < cut.block and not cut.is_whole(games):
        return Part(games, None, [play_games(run, games)])
    receive = Receiver()
    blocks = (receive(_play_block(run, keep, b)) for b in pieces(games, cut.block))
    return merge_tree(blocks, functools.partial(merge_parts, run, cut, keep))


def merge_parts(run: Run, cut: Cut, keep: bool, first: Part, later: Part) -> Part:
    """Put together two parts, one beginning where the other ends."""
    games = range(first.games.start, later.games.stop)
    if first.tally is not None:
        return Part(games, first.tally.merge(later.finished()))
    part = Part(games, None, first.pieces + later.pieces)
    if not cut.is_whole(games):
        return part
    return Part(games, tally_of(run, keep, Played.together(part.pieces)))


def tally_of(run: Run, keep: bool, played: Played) -> Tally:
    """The statistics of the games of a block."""
    tally = Tally(keep, run.empty_curves())
    tally.add(played.metrics())
    for i, trace in enumerate(played.traces):
        tally.add_curves(i, trace)
    return tally


def _play_block(run: Run, keep: bool, block: range) -> Part:
    tally = Tally(keep, run.empty_curves())
    tally.add(play_games(run, block, tally.add_curves).metrics())
    return Part(block, tally)


class Receiver:
    """Lets parts that wait to be merged hold the counts of their curves together, in the first."""

    def __init__(self) -> None:
        self._first: Tally | None = None

    def __call__(self, part: Part) -> Part:
        """The same part."""
        if self._first is None:
            self._first = part.tally
        elif part.tally is not None:
            part.tally.share_counts(self._first)
        return part


def play_games(
    run: Run, games: range, take: Callable[[int, NDArray[np.float64]], None] | None = None
) -> Played:
    """Play some games with every policy; a function of the run and the games alone.

    `take` is given the traces of one policy after the other, in memory that the next one uses
    again, so that they need not be held for all policies.
    """
    keys = game_keys(run.seed, games)
    arms = arms_of(run, keys)
    policies = len(run.plans)
    played = Played(
        totals=np.empty((policies, keys.size, len(OUT))),
        best=np.empty(keys.size if run.realised else 0),
        traces=np.empty((1 if take else policies, keys.size, run.checkpoints.size, len(TRACE))),
    )
    if run.realised:
        run.oracle(keys, arms, played.best)
    for i, play in enumerate(run.players):
        trace = played.traces[0 if take else i]
        play(keys, arms, played.totals[i], trace)
        if take:
            take(i, trace)
    return played


def play_regrets(run: Run, meet: Meet, games: range) -> NDArray[np.float64]:
    """The regret of every policy (a row) in some games, and nothing else about them."""
    keys, arms = meet(run, games)
    totals, none = np.empty((len(run.plans), keys.size, len(OUT))), np.empty((keys.size, 0, 2))
    for play, out in zip(run.players, totals, strict=True):
        play(keys, arms, out, none)
    return totals[:, :, OUT.index("regret")]


def arms_of(run: Run, keys: NDArray[np.uint64]) -> Arms:
    """The arms of some games; where their means change by turn, `means` is scratch memory."""
    rewards = run.rewards
    parameters = for_kernel(rewards.parameters(keys))
    means = np.zeros((1, rewards.arms)) if rewards.varies else for_kernel(rewards.means(parameters))
    kept = keys if run.lifetimes is not None else keys[:1]  # without lifetimes games share one row
    spans = spans_of(run.lifetimes, kept, rewards.arms, run.G.turns)
    first, last = spans[..., 0].copy(), spans[..., 1].copy()
    return Arms(parameters.reshape(keys.size, -1), means, first, last)


def for_kernel(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values in one piece and writable: to numba a read-only array is of another type."""
    return np.require(values, np.float64, ["C", "W"])
