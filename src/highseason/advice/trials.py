"""The two searches, whatever evaluates candidates: successive halving, and a zoom on the best.

All candidates are evaluated on the same games (common random numbers), so they differ by their
parameters and not by their luck.  Candidates that survive a round are judged in the next by its
games too, which `on_games` does not play again.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.advice.space import Axis, Space
from highseason.core.executors import Executors, Pool, opened
from highseason.core.extras import require
from highseason.core.random import game_keys
from highseason.core.warnings import quiet
from highseason.engine import Moments
from highseason.engine.kernels.arguments import Arms
from highseason.engine.kernels.build import has_own_kernel
from highseason.engine.parts import arms_of
from highseason.engine.simulate import Run, regrets_of, simulate
from highseason.policies import Plan, Policy
from highseason.rewards import Rewards
from highseason.traffic import Multiplier

#: One candidate in three survives a round.
_FACTOR = 3
#: Fewer games than this do not separate candidates.
_LEAST_GAMES = 20
#: How many candidates Optuna proposes at a time; it learns in between.
_BATCH = 8
#: A place in this middle part of a range is inside: the range may shrink around it.
_INSIDE = (0.15, 0.85)
#: Natural ends: no constant is searched below this, and these shares of G decide alike beyond.
_LEAST, _QUANTILES, _SHARES = 1e-12, (0.0, 1.0), (1e-6, 1e3)
#: How many finalists of a zoom play more games, and how many times as many.
_FINALISTS, _MORE = 3, 4

_NONE = np.empty(0)

Numbers = NDArray[np.float64]
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
    if method not in ("tpe", "spread"):
        raise ValueError(f"search={method!r} must be one of tpe, spread")
    report = progress or (lambda done, total: None)
    trials, games = budget.rounds[0]
    if method == "tpe":
        done = _tpe(space, evaluate, trials, games, seed)
    else:
        done = _trials(space.candidates(trials), evaluate, games)
    for number, (count, more) in enumerate(budget.rounds[1:], start=1):
        report(number, len(budget.rounds))
        done.sort(key=_rank)
        done[:count] = _trials([trial.policy for trial in done[:count]], evaluate, more)
    report(len(budget.rounds), len(budget.rounds))
    return tuple(sorted(done, key=_rank))


def _rank(trial: Trial) -> tuple[int, float]:
    """Candidates that survived longest come first; among those, the lowest loss."""
    return -trial.games, trial.loss


def _trials(policies: Iterable[Policy], evaluate: Evaluate, games: int) -> list[Trial]:
    players = list(policies)
    scores = evaluate(players, games) if players else ()
    return [Trial(p, games, *score) for p, score in zip(players, scores, strict=True)]


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


def derive_seed(seed: int, use: str) -> int:
    """A seed for games that no report shows."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{use}".encode()).digest()[:6], "big")


@dataclass(frozen=True)
class Zoom:
    """A search in steps: candidates all over the range, then around the best of them.

    While the best is at an end of the range, the range moves on; once it is inside, it shrinks.

    Attributes:
        trials: Candidates in each step, for each axis.
        games: Games of each candidate; three finalists play four times as many.
        narrow: How often the range shrinks to half.
        steps: At most so many steps, those included that only move the range.
    """

    trials: int = 8
    games: int = 60
    narrow: int = 2
    steps: int = 8

    def search(
        self, space: Space, evaluate: Evaluate, near: Policy | None = None
    ) -> tuple[Trial, ...]:
        """Every candidate, the best first; `near` was the best in similar games."""
        if not space.axes:  # nothing to search, so nothing to play
            return (Trial(space.start, 0, math.nan, math.nan),)
        done: dict[Policy, Trial] = {}
        shrunk = 0
        if near is not None:
            space, shrunk = _around(space, near, 0.5), 1
        for _ in range(self.steps):
            tried = dict.fromkeys(space.candidates(self.trials * len(space.axes)))
            new = _trials((policy for policy in tried if policy not in done), evaluate, self.games)
            done |= {trial.policy: trial for trial in new}
            best = min(done.values(), key=_rank).policy
            inside = all(_is_inside(axis, best) for axis in space.axes)
            shrunk += inside
            if shrunk > self.narrow:
                break
            space = _around(space, best, 0.5 if inside else 1.0)
        ranked = sorted(done.values(), key=_rank)
        finalists = (trial.policy for trial in ranked[:_FINALISTS])
        last = _trials(finalists, evaluate, _MORE * self.games)
        return (*sorted(last, key=_rank), *ranked[_FINALISTS:])


def _is_inside(axis: Axis, policy: Policy) -> bool:
    """Whether the best value is away from both ends, as far as the range could go on there."""
    low, high = _INSIDE
    place = axis.place(getattr(policy, axis.name))
    least, most = ends_of(axis, policy)
    return (place > low or axis.low <= least) and (place < high or axis.high >= most)


def _around(space: Space, best: Policy, width: float) -> Space:
    axes = (
        axis.around(axis.place(getattr(best, axis.name)), width, ends_of(axis, best))
        for axis in space.axes
    )
    values = {axis.name: getattr(best, axis.name) for axis in space.axes}
    return Space(space.start.with_values(values), tuple(axes))


def ends_of(axis: Axis, policy: Policy) -> tuple[float, float]:
    """The ends beyond which no value is valid or makes a difference."""
    if axis.form:
        return _QUANTILES if axis.form.startswith("q") else _SHARES
    if axis.kind == "linear":
        return axis.low, axis.high
    limits = policy.tunable()[axis.name]
    least = max(_LEAST, 1.01 * max(limits.above or 0.0, limits.at_least or 0.0))
    return least, math.inf if limits.at_most is None else limits.at_most


def on_games(rewards: Rewards, G: Multiplier, seed: int, executor: Executors = None) -> Evaluate:
    """Score candidates by their regret in simulated games.

    What is played in this process is kept: candidates that go on play only the games that are new
    to them, and those whose plans are the same play once.  The scores are those of `simulate`.
    """
    known = _KnownRegrets()

    def evaluate(policies: Sequence[Policy], games: int) -> list[Score]:
        players = {str(i): policy for i, policy in enumerate(policies)}
        with quiet(), opened(executor) as pool:
            run = Run.prepare(players, rewards, G, seed, None, False, None)
            if pool.in_process and not pool.on_gpu and games <= run.block:
                regret = Moments.of(known.of(run, games, pool))
            else:
                result = simulate(players, rewards, G, games, seed, executor=pool, keep="summary")
                regret = result.moments["regret"]
        return list(map(Score, regret.mean.tolist(), regret.error.tolist()))

    return evaluate


@dataclass(eq=False)
class _KnownRegrets:
    """The regrets of the games that were played so far, by what decides them."""

    _played: dict[Hashable, Numbers] = field(default_factory=dict)
    _arms: dict[range, tuple[NDArray[np.uint64], Arms]] = field(default_factory=dict)

    def of(self, run: Run, games: int, pool: Pool) -> Numbers:
        """The regrets of the first games: a row per policy of the run."""
        keys = [_key(plan, run.rewards) for plan in run.plans]
        new: dict[int, dict[Hashable, Plan]] = {}  # by how many games were played
        for key, plan in zip(keys, run.plans, strict=True):
            done = self._played.get(key, _NONE).size
            if done < games:
                new.setdefault(done, {})[key] = plan
        for done, plans in new.items():
            some = replace(run, labels=run.labels[: len(plans)], plans=tuple(plans.values()))
            regrets = regrets_of(some, range(done, games), self._meet, pool)
            for key, row in zip(plans, regrets, strict=True):
                self._played[key] = np.concatenate((self._played.get(key, _NONE), row))
        return np.array([self._played[key][:games] for key in keys])

    def _meet(self, run: Run, games: range) -> tuple[NDArray[np.uint64], Arms]:
        """The keys and arms of some games, which all candidates meet."""
        if games not in self._arms:
            keys = game_keys(run.seed, games)
            self._arms[games] = keys, arms_of(run, keys)
        return self._arms[games]


def _key(plan: Plan, rewards: Rewards) -> Hashable:
    """What decides how a policy plays: its levels, if the kernel looks at nothing else."""
    policy = plan.policy
    if has_own_kernel(policy, rewards, None):
        return policy.rule, policy.learns_scaled, plan.levels[plan.arms :].tobytes()
    try:
        hash(policy)
    except TypeError:  # a user's policy may have parameters that cannot be hashed
        return object()
    return policy
