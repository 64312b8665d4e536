"""Successive halving: every candidate plays a few games, the best third plays three times as many.

All candidates meet the same games (common random numbers), so they differ by their parameters and
not by their luck.  Those who go on play the first games again: a game is a function of its seed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from highseason.games import simulate
from highseason.multipliers import Multiplier
from highseason.policies import Policy
from highseason.rewards import Rewards
from highseason.tuning.space import Space

#: Of so many candidates one goes on.
_PART = 3
#: Fewer games than this tell nobody from anybody.
_FEWEST = 20
#: How many candidates Optuna proposes at a time; it learns in between.
_BATCH = 8

Told = Callable[[int, int], None]


@dataclass(frozen=True)
class Trial:
    """A candidate, and what it cost over the games it was allowed: lower regret is better."""

    policy: Policy
    games: int
    regret: float
    error: float


@dataclass(frozen=True)
class Table:
    """The table at which candidates play: the arms, the stakes, the seed."""

    rewards: Rewards
    G: Multiplier
    seed: int
    threads: int | None = None

    def play(self, candidates: Sequence[Policy], games: int) -> list[Trial]:
        """One trial each."""
        players = {str(place): policy for place, policy in enumerate(candidates)}
        with quiet_plans():
            result = simulate(
                players,
                self.rewards,
                self.G,
                games,
                self.seed,
                threads=self.threads,
                keep="summary",
            )
        return [
            Trial(policy, games, result.mean("regret", i), result.error("regret", i))
            for i, policy in enumerate(candidates)
        ]


def search(
    space: Space, table: Table, trials: int, games: int, how: str = "tpe", told: Told | None = None
) -> tuple[Trial, ...]:
    """Try `trials` candidates; the last ones left play `games` games.  The best comes first.

    Args:
        space: Where to look.
        table: What they play.
        trials: How many candidates.
        games: How many games the finalists play; each round before has a third of the next.
        how: "tpe" lets Optuna propose, "spread" covers the space evenly.
        told: Called with (rounds done, rounds in all).
    """
    if how not in SEARCHES:
        raise ValueError(f"search={how!r} must be one of {', '.join(SEARCHES)}")
    rounds = _rounds(trials, games)
    done = SEARCHES[how](space, table, trials, rounds[0])
    for number, more in enumerate(rounds[1:], start=1):
        if told is not None:
            told(number, len(rounds))
        done.sort(key=_merit)
        keep = max(2, len([t for t in done if t.games == rounds[number - 1]]) // _PART)
        done[:keep] = table.play([trial.policy for trial in done[:keep]], more)
    if told is not None:
        told(len(rounds), len(rounds))
    return tuple(sorted(done, key=_merit))


def _merit(trial: Trial) -> tuple[int, float]:
    """Who played longest comes first; among those, who lost least."""
    return -trial.games, trial.regret


def _rounds(trials: int, games: int) -> list[int]:
    """The games of each round, rising to `games`.

    >>> _rounds(27, 360)
    [40, 120, 360]
    """
    found = [games]
    left = trials
    while left > _PART and found[0] // _PART >= _FEWEST:
        found.insert(0, found[0] // _PART)
        left = left // _PART
    return found


def _spread(space: Space, table: Table, trials: int, games: int) -> list[Trial]:
    anchors = space.anchors()[:trials]
    points = space.spread(max(0, trials - len(anchors)))
    return table.play([*anchors, *map(space.candidate, points)], games)


def _tpe(space: Space, table: Table, trials: int, games: int) -> list[Trial]:
    optuna = _optuna()
    ranges = {axis.name: optuna.distributions.FloatDistribution(0.0, 1.0) for axis in space.axes}
    with _hushed(optuna):
        sampler = optuna.samplers.TPESampler(
            seed=table.seed % 2**32, n_startup_trials=_BATCH, constant_liar=True
        )
        study = optuna.create_study(sampler=sampler, direction="minimize")
        done = table.play(space.anchors()[:trials], games)
        while len(done) < trials:
            asked = [study.ask(ranges) for _ in range(min(_BATCH, trials - len(done)))]
            places = [[each.params[axis.name] for axis in space.axes] for each in asked]
            found = table.play([space.candidate(place) for place in places], games)
            for each, trial in zip(asked, found, strict=True):
                study.tell(each, trial.regret)
            done += found
    return done


#: Ways to propose candidates.
SEARCHES: dict[str, Callable[[Space, Table, int, int], list[Trial]]] = {
    "tpe": _tpe,
    "spread": _spread,
}


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise ImportError(
            "search='tpe' needs Optuna, which is not installed: pip install 'highseason[tuning]', "
            "or search='spread', which needs nothing"
        ) from None
    return optuna


@contextmanager
def _hushed(optuna: Any) -> Iterator[None]:
    """Optuna announces every study; the program that asked decides what is said."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


@contextmanager
def quiet_plans() -> Iterator[None]:
    """Candidates that never explore, or always do, are part of the search."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
