"""Candidates: where they lie, how two searches propose them, and how games score them.

An axis stands for a parameter, a space for all of them.  Successive halving judges many candidates
on few games and the best of them on more; a zoom looks around the best.  All candidates are
evaluated on the same games (common random numbers), so they differ by their parameters and not by
their luck.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np

from highseason.core.extras import require
from highseason.core.parallel import Executors
from highseason.core.warnings import quiet
from highseason.engine.simulate import simulate
from highseason.policies import Policy
from highseason.policies.parameters import EXPLORATION, SearchRange, search_range
from highseason.rewards import Rewards
from highseason.traffic import Multiplier

#: One candidate in three survives a round.
_FACTOR = 3
#: Fewer games than this do not separate candidates.
_LEAST_GAMES = 20
#: How many candidates Optuna proposes at a time; it learns in between.
_AT_A_TIME = 8
#: A place in this middle part of a range is inside: the range may shrink around it.
_INSIDE = (0.15, 0.85)
#: Natural ends: no constant is searched below this, and these shares of G decide alike beyond.
_LEAST, _QUANTILES, _SHARES = 1e-12, (0.0, 1.0), (1e-6, 1e3)
#: How many finalists of a zoom play more games, and how many times as many.
_FINALISTS, _MORE = 3, 4

Progress = Callable[[int, int], None]
#: Which parameters to tune, or a range for each.
Wanted = Mapping[str, tuple[float, float] | None] | Sequence[str] | None


@dataclass(frozen=True)
class Axis:
    """One parameter's range: a place in [0, 1] stands for a value.

    Attributes:
        name: The parameter.
        low: The value at 0.
        high: The value at 1.
        kind: "log" or "linear".
        whole: Whether only whole numbers make sense.
        form: For a value that is an expression on G, such as "q{:.2f}" or "{:.3g}*max".

    >>> Axis("k", 0.01, 100, "log").value(0.5), Axis("z", 0, 40, "linear").value(0.75)
    (1.0, 30.0)
    >>> Axis("z", 0, 1, "linear", form="q{:.2f}").setting(0.75)
    'q0.75'
    """

    name: str
    low: float
    high: float
    kind: str
    whole: bool = field(default=False, repr=False)
    form: str = field(default="", repr=False)

    def value(self, place: float) -> float:
        """The value at a place in [0, 1], to three figures: more would be false precision."""
        value = float(f"{self._exact(place):.3g}")
        return round(value) if self.whole else value

    def setting(self, place: float) -> float | str:
        """What the parameter is set to: the value, or the expression that holds it."""
        return self.form.format(self._exact(place)) if self.form else self.value(place)

    def place(self, setting: float | str) -> float:
        """Where a setting is: from 0 to 1 in the range, minus infinity for a 0 on a log axis.

        >>> Axis("k", 0.01, 100, "log").place(1)
        0.5
        >>> Axis("z", 0, 1, "linear", form="q{:.2f}").place("q0.3")
        0.3
        """
        number = float(str(setting).removeprefix("q").removesuffix("*max"))
        if self.kind == "linear":
            return (number - self.low) / (self.high - self.low)
        if number <= 0.0:
            return -math.inf
        return math.log(number / self.low) / math.log(self.high / self.low)

    def around(self, place: float, width: float, ends: tuple[float, float]) -> Self:
        """The axis with a range of `width` times the length around a place, but within the ends.

        >>> Axis("k", 0.01, 1, "log").around(0.0, 1.0, ends=(1e-9, math.inf))
        Axis(name='k', low=0.001, high=0.1, kind='log')
        """
        centre = max(0.0, place)
        low = max(ends[0], self._exact(centre - width / 2))
        high = min(ends[1], self._exact(centre + width / 2))
        return replace(self, low=low, high=high) if low < high else self

    def _exact(self, place: float) -> float:
        if self.kind == "log":
            return float(self.low * (self.high / self.low) ** place)
        return self.low + (self.high - self.low) * place


@dataclass(frozen=True)
class Space:
    """A policy to start from, and the axes along which it may change."""

    start: Policy
    axes: tuple[Axis, ...]

    @classmethod
    def of(cls, policy: Policy | type[Policy], G: Multiplier, space: Wanted = None) -> Self:
        """The usual axes of a policy, or those that `space` names.

        Parameters on the scale of G (z, unit) range from its least value to just above its
        greatest: at one end every turn is high, at the other none is.

        >>> import highseason as hs
        >>> G = hs.traffic.step(turns=100)
        >>> [(axis.name, axis.low, axis.high) for axis in Space.of(hs.UCBZ, G).axes]
        [('z', 1.0, 40.8), ('P', 0.001, 100.0)]
        >>> Space.of(hs.UCBZ, G, {"z": (10, 40)}).axes
        (Axis(name='z', low=10.0, high=40.0, kind='linear'),)
        """
        start = (policy() if isinstance(policy, type) else policy).resolve_thresholds(G.values)
        limits = start.tunable()
        names = list(limits) if space is None else [space] if isinstance(space, str) else space
        wanted = names if isinstance(names, Mapping) else dict.fromkeys(names)
        for name in wanted:
            if name not in limits:
                known = ", ".join(limits) or "none"
                raise ValueError(
                    f"{start.label} has no parameter {name!r} to tune; it has: {known}"
                )
        if not wanted:
            raise ValueError(f"{start.label} has no parameters: there is nothing to tune")
        axes = []
        for name, ends in wanted.items():
            if ends is None:
                search = search_range(limits[name], G.values)
            elif float(ends[0]) < float(ends[1]):
                search = SearchRange.between(float(ends[0]), float(ends[1]))
            else:
                raise ValueError(f"{name}: {ends} must be two rising numbers (low, high)")
            axes.append(Axis(name, search.low, search.high, search.scale, limits[name].whole))
        return cls(start, tuple(axes))

    def candidate(self, places: Sequence[float]) -> Policy:
        """The policy at a point of the unit cube."""
        values: dict[str, Any] = {
            axis.name: axis.setting(place) for axis, place in zip(self.axes, places, strict=True)
        }
        return self.start.with_values(values)

    def candidates(self, count: int) -> list[Policy]:
        """The anchors, and points that fill the space evenly: `count` in total, few or many.

        An additive recurrence on the generalised golden ratio: deterministic on every machine.
        """
        anchors = self.anchors()[:count]
        size, ratio = len(self.axes), 2.0
        for _ in range(50):
            ratio = (1 + ratio) ** (1 / (size + 1))
        steps = np.array([ratio ** -(i + 1) for i in range(size)])
        points = (0.5 + np.outer(np.arange(1, count - len(anchors) + 1), steps)) % 1.0
        return anchors + [self.candidate(point) for point in points.tolist()]

    def anchors(self) -> list[Policy]:
        """Two that are always tried: the policy as it is, and where it explores least."""
        least: dict[str, Any] = {}
        for axis in self.axes:
            if axis.kind == "log" and not axis.form:
                with suppress(ValueError):  # not every constant may be 0
                    self.start.with_values({axis.name: 0.0})
                    least[axis.name] = 0.0
        return [self.start, self.start.with_values(least)] if least else [self.start]


def axes(policy: Policy) -> tuple[Axis, ...]:
    """Axes for any G: constants of exploration in equal factors, the rest as shares of G."""
    found = []
    for name, limits in policy.tunable().items():
        if limits.role == "unit":
            found.append(Axis(name, 1e-3, 10.0, "log", form="{:.3g}*max"))
        elif limits.allows_expression:
            found.append(Axis(name, 0.0, 1.0, "linear", form="q{:.2f}"))
        elif limits.search is not None:
            low, high, kind = limits.search
            high = high / 10 if limits.search == EXPLORATION else high
            found.append(Axis(name, low, high, kind, whole=limits.whole))
    return tuple(found)


class Score(NamedTuple):
    """What a candidate lost on average, and the standard error; lower is better."""

    loss: float
    error: float


#: Scores candidates over the first games, as many as asked; all of them on the same ones.
Evaluate = Callable[[Sequence[Policy], int], Sequence[Score]]


@dataclass(frozen=True)
class Budget:
    """What one search may spend: `(candidates, games)` of each round.

    >>> Budget.halving(trials=27, games=360)
    Budget(rounds=((27, 40), (9, 120), (3, 360)))
    """

    rounds: tuple[tuple[int, int], ...]

    @classmethod
    def halving(cls, trials: int, games: int) -> Self:
        """Every round keeps the best third and triples the games, up to `games`."""
        counts, played, left = [trials], [games], trials
        while left > _FACTOR and played[0] // _FACTOR >= _LEAST_GAMES:
            played.insert(0, played[0] // _FACTOR)
            counts.append(max(2, counts[-1] // _FACTOR))
            left //= _FACTOR
        return cls(tuple(zip(counts, played, strict=True)))


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
        seed=seed % 2**32, n_startup_trials=_AT_A_TIME, constant_liar=True
    )
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)  # the caller decides what is printed
    try:
        study = optuna.create_study(sampler=sampler, direction="minimize")
        done = _trials(space.anchors()[:trials], evaluate, games)
        while len(done) < trials:
            asked = [study.ask(ranges) for _ in range(min(_AT_A_TIME, trials - len(done)))]
            places = [[each.params[axis.name] for axis in space.axes] for each in asked]
            new = _trials([space.candidate(place) for place in places], evaluate, games)
            for each, trial in zip(asked, new, strict=True):
                study.tell(each, trial.loss)
            done += new
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
        trials: Candidates in each step, for each axis; half as many near what was best elsewhere.
        games: Games of each candidate; three finalists play four times as many.
        narrow: How often the range shrinks to half.
        steps: The greatest number of steps, including those that only move the range.
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
        shrunk, trials = 0, self.trials
        if near is not None:
            space, shrunk, trials = _around(space, near, 0.5), 1, max(2, self.trials // 2)
        for _ in range(self.steps):
            tried = dict.fromkeys(space.candidates(trials * len(space.axes)))
            new = _trials((policy for policy in tried if policy not in done), evaluate, self.games)
            done |= {trial.policy: trial for trial in new}
            best = min(done.values(), key=_rank).policy
            inside = True  # away from both ends, or where a range can go no further
            for axis in space.axes:
                place, (least, most) = axis.place(getattr(best, axis.name)), ends_of(axis, best)
                inside &= place > _INSIDE[0] or axis.low <= least
                inside &= place < _INSIDE[1] or axis.high >= most
            shrunk += inside
            if shrunk > self.narrow:
                break
            space = _around(space, best, 0.5 if inside else 1.0)
        ranked = sorted(done.values(), key=_rank)
        finalists = (trial.policy for trial in ranked[:_FINALISTS])
        last = _trials(finalists, evaluate, _MORE * self.games)
        return (*sorted(last, key=_rank), *ranked[_FINALISTS:])


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
    """Score candidates by their regret in simulated games: the scores are those of `simulate`."""

    def evaluate(policies: Sequence[Policy], games: int) -> list[Score]:
        players = {str(i): policy for i, policy in enumerate(policies)}
        with quiet():
            result = simulate(players, rewards, G, games, seed, executor=executor, keep="summary")
        regret = result.moments["regret"]
        return list(map(Score, regret.mean.tolist(), regret.error.tolist()))

    return evaluate
