"""The one tuner: successive halving over candidates, whatever evaluates them.

All candidates are evaluated on the same games (common random numbers), so they differ by their
parameters and not by their luck.  Candidates that survive a round are judged in the next by its
games too, which `on_games` does not play again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from highseason.advice.space import Space
from highseason.core.extras import require
from highseason.policies import Policy

#: One candidate in three survives a round.
_FACTOR = 3
#: Fewer games than this do not separate candidates.
_LEAST_GAMES = 20
#: How many candidates Optuna proposes at a time; it learns in between.
_BATCH = 8

Progress = Callable[[int, int], None]


class Score(NamedTuple):
    """What a candidate lost on average, and the standard error; lower is better."""

    loss: float
    error: float


#: Scores candidates over the first so many games, all of them on the same ones.
Evaluate = Callable[[Sequence[Policy], int], Sequence[Score]]


@dataclass(frozen=True)
class Budget:
    """What one search may spend: `(candidates, games)` of each round.

    >>> Budget.halving(trials=27, games=360)
    Budget(rounds=((27, 40), (9, 120), (3, 360)))
    """

    rounds: tuple[tuple[int, int], ...]

    @classmethod
    def halving(cls, trials: int, games: int) -> Budget:
        """Every round keeps the best third and triples the games, up to `games`."""
        counts, played, left = [trials], [games], trials
        while left > _FACTOR and played[0] // _FACTOR >= _LEAST_GAMES:
            played.insert(0, played[0] // _FACTOR)
            counts.append(max(2, counts[-1] // _FACTOR))
            left //= _FACTOR
        return cls(tuple(zip(counts, played, strict=True)))

    @property
    def trials(self) -> int:
        """How many candidates there are."""
        return self.rounds[0][0]

    @property
    def games(self) -> int:
        """How many games the finalists play."""
        return self.rounds[-1][1]


@dataclass(frozen=True)
class Trial:
    """A candidate, and what it lost over the games it played: lower is better."""

    policy: Policy
    games: int
    loss: float
    error: float


def search(
    space: Space,
    evaluate: Evaluate,
    budget: Budget,
    *,
    method: str = "spread",
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[Trial, ...]:
    """Find the candidate of `space` that loses least.

    Args:
        space: The candidates.
        evaluate: Scores candidates: on simulated games (`on_games`), a replayed log, or anything
            else.
        budget: How many candidates and games each round has.
        method: "tpe" lets Optuna propose candidates, "spread" covers the space evenly.
        seed: Optuna's seed.
        progress: Called with (rounds done, rounds in total).

    Returns:
        Every candidate, the best first.
    """
    if method not in METHODS:
        raise ValueError(f"search={method!r} must be one of {', '.join(METHODS)}")
    report = progress or (lambda done, total: None)
    trials, games = budget.rounds[0]
    done = METHODS[method](space, evaluate, trials, games, seed)
    for number, (count, more) in enumerate(budget.rounds[1:], start=1):
        report(number, len(budget.rounds))
        done.sort(key=_rank)
        done[:count] = _trials([trial.policy for trial in done[:count]], evaluate, more)
    report(len(budget.rounds), len(budget.rounds))
    return tuple(sorted(done, key=_rank))


def _rank(trial: Trial) -> tuple[int, float]:
    """Candidates that survived longest come first; among those, the lowest loss."""
    return -trial.games, trial.loss


def _trials(policies: Sequence[Policy], evaluate: Evaluate, games: int) -> list[Trial]:
    scores = evaluate(policies, games)
    return [Trial(p, games, *score) for p, score in zip(policies, scores, strict=True)]


def _tpe(space: Space, evaluate: Evaluate, trials: int, games: int, seed: int) -> list[Trial]:
    optuna = require(
        "optuna", extra="tuning", purpose="search='tpe' (search='spread' needs no extra)"
    )
    ranges = {axis.name: optuna.distributions.FloatDistribution(0.0, 1.0) for axis in space.axes}
    sampler = optuna.samplers.TPESampler(
        seed=seed % 2**32, n_startup_trials=_BATCH, constant_liar=True
    )
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)  # the caller decides what is printed
    try:
        study = optuna.create_study(sampler=sampler, direction="minimize")
        done = _trials(space.anchors()[:trials], evaluate, games)
        while len(done) < trials:
            asked = [study.ask(ranges) for _ in range(min(_BATCH, trials - len(done)))]
            places = [[each.params[axis.name] for axis in space.axes] for each in asked]
            batch = _trials([space.candidate(place) for place in places], evaluate, games)
            for each, trial in zip(asked, batch, strict=True):
                study.tell(each, trial.loss)
            done += batch
    finally:
        optuna.logging.set_verbosity(verbosity)
    return done


#: Ways to propose candidates.
METHODS: dict[str, Callable[[Space, Evaluate, int, int, int], list[Trial]]] = {
    "tpe": _tpe,
    "spread": lambda space, evaluate, trials, games, seed: _trials(
        space.candidates(trials), evaluate, games
    ),
}


def derive_seed(seed: int, use: str) -> int:
    """A seed for games that no report shows."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{use}".encode()).digest()[:6], "big")
