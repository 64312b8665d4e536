"""Synthetic logs: in memory with their ground truth, or as files in the format R6B."""

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.atomic import atomic_write
from highseason.core.random import hash_at
from highseason.logs import EventBatch, Events, Pools
from highseason.logs.conversion import concatenated
from studies.logged.front_page import DAY, USERS, FrontPage, GeneratedWorld, click_rate

_PIECE = 3600  # seconds generated at a time
_LEVEL = 1  # of compression; more takes ten times as long for a third less
_FEATURES = 136  # of which a user has some; the first always


@dataclass(frozen=True, eq=False)
class Generated:
    """A synthetic log and its ground truth.

    Attributes:
        events: The log.
        rates: The click rate of each arm in the middle of its lifetime; `events.arms` has the ids.
        starts: The first second in which each arm was on offer; may lie before the log.
        ends: The second after its last; may lie after the log.
        propensity: The probability with which each event's arm was shown: one over the size of its
            pool, unless the log is tilted.
        drift: The share of its rate that an arm loses over its lifetime.
    """

    events: Events
    rates: NDArray[np.float64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    propensity: NDArray[np.float64]
    drift: float = 0.0

    def rate(self, arm: NDArray[np.int32], time: NDArray[np.int64]) -> NDArray[np.float64]:
        """The true click rate of arms at given times: the probability of a click.

        >>> log = generate_events(1 / 24, seed=3, rates=[0.05, 0.02])
        >>> log.rate(np.array([0, 1]), log.events.time[:2]).tolist()
        [0.05, 0.02]
        """
        return click_rate(arm, time, self.rates, self.starts, self.ends, self.drift)


def generate_events(days: float = 1.0, seed: int = 0, **settings: Any) -> Generated:
    """Generate a click log like those of the Yahoo! front page, or a small one for tests.

    Args:
        days: The length of the log; `1 / 24` for an hour.
        seed: The same seed gives the same log.
        settings: Any other setting of `FrontPage`: `articles` or `rates` for a pool that stays the
            same, `tilt` for a log that is not uniform, `events_per_second`, `drift`, `rhythm`, …

    >>> log = generate_events(1 / 24, seed=3, rates=[0.05, 0.02, 0.9], rhythm=0, bursts=0).events
    >>> len(log.arms), len(log.pools), bool(abs(len(log) / 3600 - 21) < 0.5)
    (3, 1, True)
    >>> round(float(log.reward[log.arm == 2].mean()), 1)
    0.9
    """
    world = GeneratedWorld.of(FrontPage(days, seed, **settings))
    return _compact(world, concatenated([piece for piece, _ in _pieces(world)]))


def _pieces(world: GeneratedWorld) -> Iterator[tuple[EventBatch, int]]:
    """The log in pieces that end on the hour, each with the second before which it ends."""
    begin = world.page.start
    while begin < world.end:
        until = min(begin // _PIECE * _PIECE + _PIECE, world.end)
        yield world.events(begin, until), until
        begin = until


def _compact(world: GeneratedWorld, log: EventBatch) -> Generated:
    """Leave out pools without events and arms of no other pool: a reader cannot know of them."""
    used = np.unique(log.pool)  # ascending, and so in the order of their first events
    pools = [world.pools[i] for i in used]
    seen = np.unique(np.concatenate([*pools, np.zeros(0, np.int32)]))
    index = np.zeros(len(world.ids), np.int32)
    index[seen] = np.arange(seen.size)
    events = Events(
        time=log.time,
        arm=index[log.arm],
        reward=log.reward,
        pool=np.searchsorted(used, log.pool).astype(np.int32),
        arms=tuple(world.ids[i] for i in seen),
        pools=Pools.of([index[pool] for pool in pools]),
    )
    rates, starts, ends = world.rates[seen], world.starts[seen], world.ends[seen]
    return Generated(events, rates, starts, ends, np.asarray(log.propensity), world.drift)


def generate_log(
    out: Path | str,
    days: float = 1.0,
    seed: int = 0,
    *,
    zipped: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **settings: Any,
) -> tuple[Path, ...]:
    """Write a log like those of the Yahoo! front page, in the format R6B; return its files.

    Args:
        out: A file, or a folder, which gets one file per day (UTC), named as Yahoo! names them.
        days: The length of the log.
        seed: The same seed gives the same log.
        zipped: Compress it with gzip.
        progress: Called with the seconds of the log written so far, and all of them.
        settings: Any other setting of `FrontPage`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (path,) = generate_log(folder, days=1 / 1440, seed=3)
    ...     path.name, path.read_bytes().splitlines()[0][:50]
    ('ydata-fp-td-clicks-v2_0.20111002', b'1317513600 id-550086 0 |user 1 6 21 26 28 31 34 38')
    """
    world = GeneratedWorld.of(FrontPage(days, seed, **settings))
    pieces, lines, written = _pieces(world), 0, []
    for path, end in _files(Path(out), world, zipped):
        with atomic_write(path) as unfinished, unfinished.open("wb") as raw:
            # It must not note the time: equal lines give equal bytes.
            file: Any = gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) if zipped else raw
            for piece, until in pieces:
                file.write(_text(world, piece, lines))
                lines += piece.time.size
                if progress is not None:
                    progress(until - world.page.start, world.page.seconds)
                if until >= end:
                    break
            file.close()
        written.append(path)
    return tuple(written)


def _files(out: Path, world: GeneratedWorld, zipped: bool) -> Iterator[tuple[Path, int]]:
    """Each file, and the second before which it ends."""
    if not out.is_dir():
        yield out, world.end
        return
    for day in range(world.page.start // DAY, -(-world.end // DAY)):
        date = datetime.fromtimestamp(day * DAY, UTC).strftime("%Y%m%d")
        name = f"ydata-fp-td-clicks-v2_0.{date}" + (".gz" if zipped else "")
        yield out / name, (day + 1) * DAY


def _text(world: GeneratedWorld, piece: EventBatch, first: int) -> bytes:
    """The lines of a piece, of which the first is line `first` of the log."""
    ids, every = world.ids, range(len(world.pools))
    pools = ["".join(f" |{ids[arm]}" for arm in world.pools[i]) for i in every]
    users = _users(world.page.key(USERS), first, piece.time.size)
    columns = (column.tolist() for column in piece[:4])
    return "".join(
        f"{time} {ids[arm]} {click} |user 1{user}{pools[pool]}\n"
        for time, arm, click, pool, user in zip(*columns, users, strict=True)
    ).encode()


def _users(key: int, first: int, count: int) -> list[str]:
    """The features of users after the first: about one in eight, drawn from four bits each."""
    keys = hash_at(np.uint64(key), np.arange(first, first + count, dtype=np.uint64))
    feature, luck, steps = np.ones(count, np.uint64), hash_at(keys, np.uint64(0)), []
    while count and feature.min() <= _FEATURES:
        feature = np.minimum(feature + np.uint64(1) + (luck & np.uint64(15)), _FEATURES + 1)
        steps.append(feature)
        is_used_up = len(steps) % 16 == 0
        luck = hash_at(keys, np.uint64(len(steps))) if is_used_up else luck >> np.uint64(4)
    names = [*(f" {i}" for i in range(_FEATURES + 1)), ""]
    return ["".join([names[i] for i in row]) for row in np.array(steps).T.tolist()]
