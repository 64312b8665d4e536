"""A synthetic front page: articles with lifetimes and click rates, pools, and traffic.

It follows what is known of the Yahoo! front page in October 2011 and its 652 articles: the
quantiles of their lifetimes; most started between 14:00 and 02:00 UTC, all on marks of five
minutes; 20 to 51 were on offer at once, 36.5 on average.

Every number is a function of (seed, second, event): a second draws its number of events, an event
the article shown and the click.  So a log can be generated in pieces of any length, and they fit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import arm_uniforms, draw, hash_at, seed_key
from highseason.core.validation import finite_number, positive_number, share, whole_number
from highseason.logs import EventBatch, Pools
from highseason.policies.lifetimes import ARTICLE_HOURS, ARTICLE_QUANTILES

DAY = 86_400

#: The first second of 2 October 2011 (UTC), the day on which the real log begins.
START = 1_317_513_600

_MOST_DAYS, _MOST_LINES = 1000, 10**10  # that can be generated in reasonable time
_LINE = 450  # bytes, about

_MARK = 300  # seconds between the times at which articles start and end
_FEWEST, _MOST = 20, 51  # articles on offer at once
_STARTS = 42.0  # articles per day …
_BUSY_SHARE, _BUSY_FROM = 0.8, 14 * 3600  # … most of them in the half day from here on
_WARM_UP = 3 * DAY  # longer than any lifetime: articles on offer at the start have a past

_LOWEST_RATE, _HIGHEST_RATE = 0.013, 0.069  # with Beta(3, 4) between them: the mean is 3.7%

_PEAK = 36_000.0  # so that the paper's thirteen hours are as busy as they were
_BLOCK = 600  # the seconds of a burst

#: Poisson numbers with a larger mean are drawn in parts: exp(-mean) must not vanish.
_LARGEST = 64.0

#: What the numbers of a second are for: the first of them count its events …
_EVENTS_AT = 1 << 20
#: … and those of an event, which stand in a family of their own: what is shown, is it clicked.
_SHOWN, _CLICKED = 0, 1

#: Families of random numbers of a log.
_LIFETIMES, _RATES, _IDS, _BURSTS, _EVENTS, USERS = 1, 2, 3, 4, 5, 6


@dataclass(frozen=True)
class FrontPage:
    """The settings of a synthetic log like those of the Yahoo! front page.

    Attributes:
        days: The length of the log; `1 / 24` for an hour.
        seed: The same seed gives the same log.
        start: Its first second.
        events_per_second: The average rate of events.
        articles: The number of articles, all on offer throughout.  None: articles come and go.
        rates: Their click rates, one per article; all are on offer throughout.
        tilt: Shows an article in proportion to its click rate to this power.  0 is uniform;
            anything else is a log that replay must not trust.
        drift: The share of its click rate that an article loses over its lifetime: 0.3 takes it
            from 1.15 to 0.85 times its rate.  Articles that are always on offer do not age.
        rhythm: The daily wave: 0.45 makes the busiest hour 1.45 times the average.
        bursts: The probability that ten minutes bring up to three times as many events.
    """

    days: float = 1.0
    seed: int = 0
    start: int = START
    events_per_second: float = 21.0
    articles: int | None = None
    rates: Sequence[float] | None = None
    tilt: float = 0.0
    drift: float = 0.3
    rhythm: float = 0.45
    bursts: float = 0.02

    def __post_init__(self) -> None:
        positive_number("days", self.days)
        positive_number("events_per_second", self.events_per_second)
        finite_number("tilt", self.tilt)
        whole_number("start", self.start)
        for name in ("drift", "rhythm", "bursts"):
            share(name, getattr(self, name))
        if self.days > _MOST_DAYS:
            raise ValueError(f"days must be at most {_MOST_DAYS:,}, got {self.days:g}")
        if self.seconds < 1:
            raise ValueError(f"days must make at least one second, got {self.days!r}")
        lines = self.seconds * self.events_per_second
        if lines > _MOST_LINES:
            raise ValueError(
                f"{lines:.2g} lines, about {lines * _LINE / 1e12:.2g} TB, are too many: at most "
                f"{_MOST_LINES:.0e}; take fewer days or events per second"
            )
        if self.articles is not None:
            whole_number("articles", self.articles, at_least=1)
        if self.rates is None:
            return
        if len(self.rates) == 0 or not all(0 <= rate <= 1 for rate in self.rates):
            raise ValueError("rates must be numbers between 0 and 1, one per article")
        if self.articles not in (None, len(self.rates)):
            raise ValueError(f"articles={self.articles}, but {len(self.rates)} rates: omit it")

    @property
    def seconds(self) -> int:
        """The length of the log."""
        return round(self.days * DAY)

    def key(self, family: int) -> int:
        """The key of a family of this log's random numbers."""
        return int(hash_at(seed_key(self.seed), family))


@dataclass(frozen=True)
class GeneratedWorld:
    """What a log is generated from.

    Articles are in the order of their starts.  Article j is on offer from second `starts[j]` to the
    second before `ends[j]`, pool i from `since[i]` on.  In the middle of its lifetime its click
    rate is `rates[j]`.  `reach` is the running sum of the propensities within each pool.
    """

    page: FrontPage
    end: int
    ids: tuple[str, ...]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    pools: Pools
    since: NDArray[np.int64]
    reach: NDArray[np.float64]
    rates: NDArray[np.float64]
    drift: float

    @classmethod
    def of(cls, page: FrontPage) -> Self:
        """The world behind a log."""
        end = page.start + page.seconds
        fixed = page.articles if page.rates is None else len(page.rates)
        if fixed is None:  # articles come and go
            starts, ends = _lifetimes(page.key(_LIFETIMES), page.start, end)
        else:
            starts, ends = np.full(fixed, page.start, np.int64), np.full(fixed, end, np.int64)
        if page.rates is None:  # of six uniform numbers, the third smallest is Beta(3, 4)
            keys = hash_at(page.key(_RATES), np.arange(starts.size, dtype=np.uint64))
            third = np.sort(arm_uniforms(keys, 6), axis=1)[:, 2]
            rates = np.asarray(_LOWEST_RATE + (_HIGHEST_RATE - _LOWEST_RATE) * third)
        else:
            rates = np.array(page.rates, np.float64)
        changes = np.unique(np.concatenate([starts, ends]))
        inside = changes[(changes > page.start) & (changes < end)]
        since = np.concatenate([[page.start], inside]).astype(np.int64)
        pools = Pools.of([np.flatnonzero((starts <= s) & (s < ends)) for s in since])
        # Ids as Yahoo! gave them: numbers that rise with the starts, with gaps.
        key = np.array([page.key(_IDS)], np.uint64)
        gaps = 1 + (arm_uniforms(key, starts.size)[0] * 25).astype(np.int64)
        ids = tuple(f"id-{number}" for number in 550_000 + np.cumsum(gaps))
        reach, drift = _reach(pools, rates, page.tilt), 0.0 if fixed else page.drift
        return cls(page, end, ids, starts, ends, pools, since, reach, rates, drift)

    def events(self, begin: int, until: int) -> EventBatch:
        """The events from second `begin` to the one before `until`, with their propensities."""
        seconds = np.arange(begin, until)
        luck = hash_at(self.page.key(_EVENTS), seconds.astype(np.uint64))
        counts = _count_events(self.page, seconds, luck)
        time, before = np.repeat(seconds, counts), np.repeat(np.cumsum(counts) - counts, counts)
        number = (_EVENTS_AT + np.arange(time.size) - before).astype(np.uint64)
        key = hash_at(np.repeat(luck, counts), number)
        pool = np.searchsorted(self.since, time, side="right") - 1
        # The place of the article shown among the members of all pools, one pool after the other.
        reach = np.repeat(np.arange(len(self.pools)), self.pools.sizes) + self.reach
        place = np.searchsorted(reach, pool + draw(key, _SHOWN), side="right")
        place = np.minimum(place, self.pools.offsets[pool + 1] - 1)
        arm = self.pools.members[place]
        rate = click_rate(arm, time, self.rates, self.starts, self.ends, self.drift)
        click = (draw(key, _CLICKED) < rate).astype(np.uint8)
        chance, first = np.diff(self.reach, prepend=0.0), self.pools.offsets[:-1]
        chance[first] = self.reach[first]
        return EventBatch(time, arm, click, pool.astype(np.int32), chance[place])


def click_rate(
    arm: NDArray[np.int32],
    time: NDArray[np.int64],
    rates: NDArray[np.float64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    drift: float,
) -> NDArray[np.float64]:
    """The click rate of arms at given times: it falls by `drift` over an arm's lifetime."""
    lost = drift * rates[arm] / (ends - starts)[arm]
    return np.asarray(rates[arm] - lost * (time - (starts + ends)[arm] / 2))


def _lifetimes(key: int, start: int, end: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts and ends of the articles on offer at some time from `start` to `end`."""
    spans: list[tuple[int, int]] = []
    on_offer: list[int] = []  # the ends of the articles on offer
    marks = np.arange((start - _WARM_UP) // _MARK * _MARK, end, _MARK)
    is_busy = (marks - _BUSY_FROM) % DAY < DAY / 2
    means = _STARTS * np.where(is_busy, _BUSY_SHARE, 1 - _BUSY_SHARE) * 2 * _MARK / DAY
    keys = hash_at(key, (marks // _MARK).astype(np.uint64))
    columns = (column.tolist() for column in (marks, keys, poisson(keys, 0, means)))
    for mark, luck, new in zip(*columns, strict=True):
        on_offer = [last for last in on_offer if last > mark]
        wanted = len(on_offer) + new
        for fresh in range(min(max(wanted, _FEWEST), _MOST) - len(on_offer)):
            hours = np.interp(float(draw(luck, fresh + 1)), ARTICLE_QUANTILES, ARTICLE_HOURS)
            last = mark + round(float(hours) * 3600 / _MARK) * _MARK
            on_offer.append(last)
            if last > start:
                spans.append((mark, last))
    starts, ends = np.array(spans, np.int64).T.copy()
    return starts, ends


def _reach(pools: Pools, rates: NDArray[np.float64], tilt: float) -> NDArray[np.float64]:
    """The running sum of the propensities within each pool."""
    if tilt < 0 and not rates.all():
        raise ValueError("a negative tilt needs click rates above 0")
    weights: NDArray[np.float64] = (rates / max(rates.mean(), 1e-300)) ** tilt
    if not weights.sum() > 0:
        raise ValueError("a positive tilt needs a click rate above 0")
    if (weights == 1).all():
        return np.concatenate([np.arange(1, size + 1) / size for size in pools.sizes])
    sums = [np.cumsum(weights[pools[i]]) for i in range(len(pools))]
    return np.concatenate([total / total[-1] for total in sums])


def poisson(
    keys: NDArray[np.uint64], position: int, mean: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Poisson numbers with these means, by inversion of the random numbers at `position`."""
    chance = np.exp(-mean)
    reached, u, count = chance.copy(), draw(keys, position), np.zeros(mean.size, np.int64)
    step = 0
    while (is_more := (u >= reached) & (chance > 0.0)).any():
        step += 1
        count += is_more
        chance *= mean / step
        reached += chance
    return count


def _count_events(
    page: FrontPage, seconds: NDArray[np.int64], luck: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """The number of events of each second: a daily wave with bursts."""
    angle = 2.0 * math.pi * (seconds % DAY - _PEAK) / DAY
    mean = page.events_per_second / (1.0 + page.bursts) * (1.0 + page.rhythm * np.cos(angle))
    block, key = 2 * (seconds // _BLOCK).astype(np.uint64), page.key(_BURSTS)
    is_burst = draw(key, block) < page.bursts
    mean *= np.where(is_burst, 1.0 + 2.0 * draw(key, block + np.uint64(1)), 1.0)
    parts = np.maximum(1.0, np.ceil(mean / _LARGEST))
    counts = np.zeros(seconds.size, np.int64)
    for part in range(int(parts.max())):
        counts += np.where(part < parts, poisson(luck, part, mean / parts), 0)
    return counts
