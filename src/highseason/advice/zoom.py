"""A search that does not stop at an end of its range: it moves on until the best lies inside."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from highseason.advice.halving import Evaluate, Trial
from highseason.advice.space import Axis, Space
from highseason.policies import Policy

#: A place in this middle part of a range is inside: the range may shrink around it.
_INSIDE = (0.15, 0.85)
#: Natural ends: no constant is searched below this, and these shares of G decide alike beyond.
_LEAST, _QUANTILES, _SHARES = 1e-12, (0.0, 1.0), (1e-6, 1e3)
#: How many finalists play more games, and how many times as many.
_FINALISTS, _MORE = 3, 4


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
            tried = space.candidates(self.trials * len(space.axes))
            done |= _play((policy for policy in tried if policy not in done), evaluate, self.games)
            best = min(done.values(), key=_loss).policy
            inside = all(_is_inside(axis, best) for axis in space.axes)
            shrunk += inside
            if shrunk > self.narrow:
                break
            space = _around(space, best, 0.5 if inside else 1.0)
        ranked = sorted(done.values(), key=_loss)
        finalists = (trial.policy for trial in ranked[:_FINALISTS])
        last = _play(finalists, evaluate, _MORE * self.games)
        return (*sorted(last.values(), key=_loss), *ranked[_FINALISTS:])


def _loss(trial: Trial) -> float:
    return trial.loss


def _play(policies: Iterable[Policy], evaluate: Evaluate, games: int) -> dict[Policy, Trial]:
    players = list(dict.fromkeys(policies))
    if not players:
        return {}
    scores = evaluate(players, games)
    return {p: Trial(p, games, *score) for p, score in zip(players, scores, strict=True)}


def _is_inside(axis: Axis, policy: Policy) -> bool:
    """Whether the best value is away from both ends, as far as the range could go on there."""
    low, high = _INSIDE
    place = axis.place(getattr(policy, axis.name))
    least, most = _ends(axis, policy)
    return (place > low or axis.low <= least) and (place < high or axis.high >= most)


def _around(space: Space, best: Policy, width: float) -> Space:
    axes = (
        axis.around(axis.place(getattr(best, axis.name)), width, _ends(axis, best))
        for axis in space.axes
    )
    values = {axis.name: getattr(best, axis.name) for axis in space.axes}
    return Space(space.start.with_values(values), tuple(axes))


def _ends(axis: Axis, policy: Policy) -> tuple[float, float]:
    """The ends beyond which no value is valid or makes a difference."""
    if axis.form:
        return _QUANTILES if axis.form.startswith("q") else _SHARES
    if axis.kind == "linear":
        return axis.low, axis.high
    limits = policy.tunable()[axis.name]
    least = max(_LEAST, 1.01 * max(limits.above or 0.0, limits.at_least or 0.0))
    return least, math.inf if limits.at_most is None else limits.at_most
