"""When each arm of a game is there: its first and its last turn, both included."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.names import public_names as _public_names
from highseason.core.random import DECISION, REWARD, TIES, UNIT, arm_uniforms
from highseason.core.specs import split_spec
from highseason.core.validation import finite_number, positive_number, whole_number

__all__ = ["Lifetimes", "articles", "birth_and_death", "fixed", "parse"]
__dir__ = _public_names(__name__)

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
        """First and last turn of every arm, by game; every turn must have an arm."""
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


Numbers = NDArray[np.float64]
#: The shares of all lifetimes at which their lengths are tabulated.
_GRID = (np.arange(4096) + 0.5) / 4096

#: Hours that articles of the contest's log were there: quantiles over 652 articles in 15 days …
ARTICLE_QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
ARTICLE_HOURS = (0.5, 3.8, 16.4, 21.9, 24.5, 31.4, 52.3)
#: … how many were there at a time …
ARTICLES_ALIVE = 36.5
#: … and when they started, mostly from 14h to 2h UTC: the share of starts in each hour of a day.
ARTICLE_STARTS = tuple(
    weight / 100.0 for weight in (6, 6, *([1.5] * 12), 7, 7, 7, 7, 7, 7, 7, 7, 7, 7)
)


@dataclass(frozen=True)
class _Flow:
    """How arms come and go."""

    pace: float  # how many start in a turn, on average
    life: Callable[[Numbers], Numbers]  # quantile function of a lifetime, in turns
    #: How a turn's starts compare with the average; also asked for turns before the first.
    rhythm: Callable[[Numbers], Numbers] = np.ones_like
    mark: int = 1  # starts fall on turns 1 + mark, 1 + 2·mark, …

    def lifetimes(self, name: str, turns: int, known: bool) -> Lifetimes:
        """The lifetimes of a game of `turns` turns; every game has the same number of arms."""
        old = max(1, round(self.pace * float(self._met()[1].sum())))
        new = round(self.pace * float(self.rhythm(np.arange(1.0, turns + 1.0)).sum()))
        return Lifetimes(name, old + new, partial(self._spans, turns, old, new), known)

    def _spans(
        self, turns: int, old: int, new: int, keys: NDArray[np.uint64], asked: int
    ) -> NDArray[np.int64]:
        """First and last turns by game and arm; those there at the start come first."""
        if asked != turns:  # the same number of starts would be spread over another time
            raise ValueError(f"these lifetimes are for {turns} turns, the game has {asked}")
        uses = DECISION, REWARD, TIES  # what arms are worth is drawn from another family
        starts, lengths, ages = (arm_uniforms(keys, old + new, use) for use in uses)
        first = np.ones(starts.shape, np.int64)
        first[:, old:] = self._starts(starts[:, old:], turns)
        life = self.life(lengths)
        life[:, :old] = self._left(ages[:, :old], lengths[:, :old])
        last = first + _whole_turns(life) - 1
        return _without_gaps(np.stack([first, last], axis=2), turns)

    def _starts(self, uniforms: Numbers, turns: int) -> NDArray[np.int64]:
        total = np.cumsum(self.rhythm(np.arange(1.0, turns + 1.0)))
        turn = np.searchsorted(total / total[-1], np.sort(uniforms, axis=1), side="right") + 1
        marked = (np.minimum(turn, turns) - 1) // self.mark * self.mark + 1
        # Those there at the first turn have been drawn already: the next come a mark later.
        return np.asarray(np.maximum(1 + self.mark, marked), np.int64)

    def _met(self) -> tuple[Numbers, Numbers]:
        """Ages in turns, and how common each is at the start: started then, and not ended yet."""
        longest = float(self.life(_GRID).max())
        step = max(1, math.ceil(longest / _GRID.size))
        ages = np.arange(0.0, max(1.0, longest), step)
        return ages, step * self.rhythm(1.0 - ages) * (1.0 - self._ended_by(ages))

    def _ended_by(self, age: Numbers) -> Numbers:
        """The share of lifetimes that are no longer than an age; every one has a turn."""
        return np.where(age > 0.0, np.interp(age, self.life(_GRID), _GRID, right=1.0), 0.0)

    def _left(self, uniforms: Numbers, lengths: Numbers) -> Numbers:
        """The turns that arms there at the start have left."""
        ages, common = self._met()
        total = np.cumsum(common)
        age = ages[np.searchsorted(total / total[-1], uniforms, side="right")]
        ended = self._ended_by(age)
        share = np.minimum(ended + lengths * (1.0 - ended), 1.0 - UNIT)  # rounded up, it may be 1
        return np.maximum(0.0, self.life(share) - age)


def birth_and_death(turns: int, alive: int, life: float, known: bool = True) -> Lifetimes:
    """An even flow of arms that end in each turn with the same probability, whatever their age.

    Args:
        turns: How long the game is: it decides how many arms there are in all.
        alive: How many arms are there at a time, on average.  Every turn has one: the last arm
            stays until another comes, so with 1 or 2 there are somewhat more than asked for.
        life: How many turns an arm lives, on average.
        known: Whether policies know when an arm will end.

    >>> flow = birth_and_death(turns=1000, alive=10, life=100)
    >>> flow.arms, flow.typical(1000)
    (110, 10)
    """
    turns = whole_number("turns", turns, at_least=1)
    alive = whole_number("alive", alive, at_least=1)
    life = finite_number("life", life)
    if life < 1:
        raise ValueError(f"life must be at least 1 turn, got {life}")
    # The whole turns above an exponential time are geometric; with this rate their mean is `life`.
    rate = -math.log1p(-1.0 / life) if life > 1 else math.inf
    flow = _Flow(alive / life, partial(_exponential, rate))
    return flow.lifetimes("birth-and-death", turns, known)


def articles(
    turns: int,
    turns_per_hour: float = 60.0,
    start_hour: float = 0.0,
    known: bool = True,
    hours: Sequence[float] = ARTICLE_HOURS,
) -> Lifetimes:
    """Lifetimes like those of the articles in the contest's log.

    Half of them live 16 to 25 hours, 36 are there at a time, most start from 14h to 2h UTC and on
    the five-minute marks.

    Args:
        turns: How long the game is.
        turns_per_hour: How many turns an hour has.
        start_hour: The hour of the day, UTC, at which the game begins.
        known: Whether policies know when an article will end.
        hours: Quantiles of the hours an article lives, at 0, 5, 25, 50, 75, 95 and 100%.

    >>> day = articles(turns=24 * 60)
    >>> day.arms, day.typical(24 * 60)
    (83, 37)
    """
    turns = whole_number("turns", turns, at_least=1)
    turns_per_hour = positive_number("turns_per_hour", turns_per_hour)
    start_hour = finite_number("start_hour", start_hour)
    lengths = turns_per_hour * _rising("hours", hours)
    quantile: Any = partial(np.interp, xp=ARTICLE_QUANTILES, fp=lengths)
    rhythm = partial(_daily, start_hour, turns_per_hour)
    pace = ARTICLES_ALIVE / float(_whole_turns(quantile(_GRID)).mean())
    mark = max(1, round(turns_per_hour / 12.0))
    return _Flow(pace, quantile, rhythm, mark).lifetimes("articles", turns, known)


#: Lifetimes that are drawn for every game: their parameters in a text.
_DRAWN = {"articles": ("turns_per_hour", "start_hour"), "flow": ("alive", "life")}


def parse(text: str, turns: int) -> Lifetimes:
    """Lifetimes from text: START-END of each arm, or `articles`, or `flow:alive=10,life=50`.

    >>> parse("1-90,30-", turns=100).arms, parse("flow:alive=10,life=50", turns=100).arms
    (2, 30)
    >>> parse("1-90,30-,known=false", turns=100).known
    False
    """
    described = re.sub("[,:]known=false$", "", text)
    name, known = described.partition(":")[0], described == text
    if name not in _DRAWN:
        return fixed([_span(part.strip()) for part in described.split(",")], known)
    numbers: dict[str, Any] = {}
    for key, value in split_spec(described)[1].items():
        if key not in _DRAWN[name]:
            raise ValueError(f"{name} has no parameter {key!r}; it has: {', '.join(_DRAWN[name])}")
        try:
            numbers[key] = float(value)
        except ValueError:
            raise ValueError(f"{name}: {key}: {value!r} is not a number") from None
    if name == "articles":
        return replace(articles(turns, **numbers), known=known)
    alive: Any = numbers.get("alive", 10.0)
    alive = int(alive) if alive.is_integer() else alive  # a share of an arm is refused as such
    return birth_and_death(turns, alive, numbers.get("life", turns / 5), known)


def _span(text: str) -> tuple[float, float]:
    try:
        start, end = text.split("-")
        return float(int(start)), float(int(end)) if end else math.inf
    except ValueError:
        raise ValueError(
            f"invalid lifetime {text!r}; expected START-END for each arm, such as 1-90,30-, or "
            "articles, or flow:alive=10,life=100"
        ) from None


def _exponential(rate: float, u: Numbers) -> Numbers:
    return np.asarray(-np.log1p(-u) / rate)


def _daily(start_hour: float, turns_per_hour: float, turn: Numbers) -> Numbers:
    hour = np.floor((start_hour + (turn - 1.0) / turns_per_hour) % 24.0).astype(np.int64)
    return 24.0 * np.asarray(ARTICLE_STARTS)[hour % 24]


def _rising(name: str, quantiles: Sequence[float]) -> Numbers:
    try:
        values = np.array(quantiles, np.float64)
    except (TypeError, ValueError):
        values = np.zeros(0)
    right = values.shape == (len(ARTICLE_QUANTILES),) and np.isfinite(values).all()
    if not right or values[0] < 0 or (np.diff(values) < 0).any():
        shares = ", ".join(f"{share:.0%}" for share in ARTICLE_QUANTILES)
        raise ValueError(
            f"{name} must be {len(ARTICLE_QUANTILES)} rising quantiles ({shares} live no longer "
            f"than that), got {quantiles!r}"
        )
    return values


def _whole_turns(life: Numbers) -> NDArray[np.int64]:
    """A turn that was begun counts."""
    return np.maximum(1, np.ceil(life)).astype(np.int64)


def _without_gaps(spans: NDArray[np.int64], turns: int) -> NDArray[np.int64]:
    """Where no arm is there, the arm that ended last stays until another comes."""
    for game in np.flatnonzero((alive_counts(spans, turns) == 0).any(axis=1)):
        lifetimes = spans[game]
        while (empty := np.flatnonzero(alive_counts(lifetimes[None], turns)[0] == 0)).size:
            gone = lifetimes[:, 1] <= empty[0]  # the empty turn is empty[0] + 1
            coming = lifetimes[lifetimes[:, 0] > empty[0], 0]
            last = np.flatnonzero(gone & (lifetimes[:, 1] == lifetimes[gone, 1].max()))[0]
            lifetimes[last, 1] = coming.min() - 1 if coming.size else turns
    return spans
