"""A log in memory and as an event table on disk: what was shown when, from which pool, the reward.

Every reader ends here and `replay` begins here.  Events refer to pools by number, so a click log
takes 17 bytes per event.  An event table is a Parquet file with the columns `time` (int64), `arm`
(the id, as a dictionary), `reward` (uint8 or double), `pool` (int32, the index of a pool) and,
where the log knows it, `propensity` (double).  The footer's entry `highseason` is a JSON document
with the ids of the arms and, for each pool, the indices of its arms.
"""

import contextlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.core.atomic import atomic_write
from highseason.core.extras import require
from highseason.core.specs import did_you_mean
from highseason.core.text import counted
from highseason.traffic.dates import Order
from highseason.traffic.files import Conventions, table_of


@dataclass(frozen=True, eq=False)
class Pools:
    """Which arms were on offer, kept once however many events share a pool.

    Pool p holds the arms `members[offsets[p]:offsets[p + 1]]`, ascending and without repeats.

    >>> pools = Pools.of([[0, 2], [1, 2, 3]])
    >>> pools[1].tolist(), pools.sizes.tolist()
    ([1, 2, 3], [2, 3])
    """

    offsets: NDArray[np.int64]
    members: NDArray[np.int32]

    @classmethod
    def of(cls, pools: Iterable[Sequence[int] | NDArray[Any]]) -> Self:
        """From lists of arms."""
        rising = [np.unique(np.asarray(pool, np.int32)) for pool in pools]
        offsets = np.cumsum([0, *(pool.size for pool in rising)])
        members = np.concatenate([*rising, np.zeros(0, np.int32)])
        return cls(offsets.astype(np.int64), members.astype(np.int32))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of arms in each pool."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    def __getitem__(self, pool: int) -> NDArray[np.int32]:
        return self.members[self.offsets[pool] : self.offsets[pool + 1]]


@dataclass(frozen=True, eq=False)
class Events:
    """A log of displays, in the order in which they happened.

    Attributes:
        time: When, in whole seconds of the Unix epoch (or any whole unit the log counts in).
        arm: The index of the arm shown; `arms[index]` is its id.
        reward: The reward: a click (uint8) or any number (float64).
        pool: The index of the pool the arm was drawn from.
        arms: The ids of all arms.
        pools: The table of pools.
        propensity: The probability with which this arm was shown; None where the log does not know
            it, which means uniformly at random from its pool.

    >>> log = Events.of([7, 7, 9], ["a", "b", "b"], [0, 1, 0], [["a", "b"]] * 3)
    >>> len(log), log.arms, len(log.pools)
    (3, ('a', 'b'), 1)
    """

    time: NDArray[np.int64]
    arm: NDArray[np.int32]
    reward: NDArray[Any]
    pool: NDArray[np.int32]
    arms: tuple[str, ...]
    pools: Pools
    propensity: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        # Columns that do not fit together would be read past their end later.
        for name, column in self._columns.items():
            if column.shape != self.time.shape or column.ndim != 1:
                raise ValueError(
                    f"expected one {name} per time, got {column.shape} and {self.time.shape}"
                )
        arms, members = len(self.arms), self.pools.members
        indices = {"arm": (self.arm, arms), "pool": (self.pool, len(self.pools))}
        for what, (index, count) in (indices | {"arm of a pool": (members, arms)}).items():
            if index.size and not 0 <= index.min() <= index.max() < count:
                raise ValueError(f"the {what} must be an index from 0 to {count - 1}")

    @classmethod
    def of(
        cls,
        time: ArrayLike,
        arm: Sequence[str],
        reward: ArrayLike,
        pool: Sequence[Sequence[str]],
        propensity: ArrayLike | None = None,
    ) -> Self:
        """A small log from plain lists, one entry per event; arms are in the order of their ids."""
        arms = tuple(sorted({*arm, *(one for offered in pool for one in offered)}))
        index = {name: i for i, name in enumerate(arms)}
        kinds: dict[tuple[int, ...], int] = {}
        offered = [tuple(sorted({index[one] for one in entry})) for entry in pool]
        pool_index = [kinds.setdefault(entry, len(kinds)) for entry in offered]
        return cls(
            time=np.asarray(time, np.int64),
            arm=np.array([index[one] for one in arm], np.int32),
            reward=np.asarray(reward, np.float64),
            pool=np.array(pool_index, np.int32),
            arms=arms,
            pools=Pools.of(kinds),
            propensity=None if propensity is None else np.asarray(propensity, np.float64),
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        time: str = "time",
        arm: str = "arm",
        reward: str = "reward",
        pool: str | None = None,
        propensity: str | None = None,
        dates: Order | None = None,
    ) -> Self:
        """A log from the columns of a DataFrame, in the order of time; arguments as in `replay`."""
        unused = set(frame.columns) - {time, arm, reward, pool, propensity}
        pool = "pool" if pool is None and "pool" in unused else pool
        propensity = "propensity" if propensity is None and "propensity" in unused else propensity
        for name in filter(None, (time, arm, reward, pool, propensity)):
            if name not in frame.columns:
                raise ValueError(f"no column {name!r}. {did_you_mean(name, list(frame.columns))}")
            if frame[name].isna().any():
                raise ValueError(f"column {name!r} has empty cells: drop these rows")
        table = table_of(frame, "the log", Conventions(dates))
        shown, times = frame[arm].astype(str).tolist(), frame[time].infer_objects().to_numpy()
        seconds = times
        if times.dtype.kind not in "iuf":
            times = table.times(table.column(time, "time")).instants
            seconds = times.astype("datetime64[s]")
        offered = [sorted(set(shown))] * len(frame)
        if pool is not None:
            if any(
                isinstance(entry, str) or not isinstance(entry, Iterable) for entry in frame[pool]
            ):
                raise ValueError(
                    f"column {pool!r} must hold lists of the arms on offer: split texts before, "
                    f"such as frame[{pool!r}].str.split('|')"
                )
            offered = [[str(one) for one in entry] for entry in frame[pool]]
        alike = np.flatnonzero(frame.duplicated([time, arm, reward], keep=False))
        again = alike[frame.iloc[alike].astype(str).duplicated().to_numpy()]
        if again.size:
            table.notes.append(
                f"{counted(again.size, 'display')} like another in every column, the first in row "
                f"{again[0] + 1}: drop those that are copies, and not other visitors of that time"
            )
        table.tell()
        log = cls.of(seconds.astype(np.int64), shown, frame[reward], offered, frame.get(propensity))
        return log.take(np.argsort(times, kind="stable"))

    @property
    def _columns(self) -> dict[str, NDArray[Any]]:
        names = ("arm", "reward", "pool", "propensity", "time")
        return {name: column for name in names if (column := getattr(self, name)) is not None}

    def __len__(self) -> int:
        return int(self.time.size)

    def take(self, rows: slice | NDArray[Any]) -> Self:
        """Some of the events, in the order given; arms and pools keep their indices."""
        taken: dict[str, Any] = {name: column[rows] for name, column in self._columns.items()}
        return replace(self, **taken)

    def between(self, start: int, end: int) -> Self:
        """The events with start <= time <= end."""
        return self.take(np.flatnonzero((self.time >= start) & (self.time <= end)))

    @property
    def display_probability(self) -> NDArray[np.float64]:
        """The probability of each display: as logged, or one over the size of its pool."""
        if self.propensity is not None:
            return self.propensity
        return 1.0 / self.pools.sizes[self.pool]

    @property
    def offers(self) -> NDArray[np.int64]:
        """How many events each arm was on offer in."""
        events = np.bincount(self.pool, minlength=len(self.pools))
        offered = np.repeat(events, self.pools.sizes)
        return np.bincount(self.pools.members, offered, len(self.arms)).astype(np.int64)

    def pool_lifetimes(
        self, when: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The least and greatest `when` at which each arm is in a pool; 0 for arms never in one."""
        pools, far = self.pools, np.iinfo(np.int64)
        first, last = np.full(len(pools), far.max), np.full(len(pools), far.min)
        if when.size:  # a pool usually stays for thousands of events, which are reduced together
            runs = np.flatnonzero(np.append(True, self.pool[1:] != self.pool[:-1]))
            np.minimum.at(first, self.pool[runs], np.minimum.reduceat(when, runs))
            np.maximum.at(last, self.pool[runs], np.maximum.reduceat(when, runs))
        start, end = np.full(len(self.arms), far.max), np.full(len(self.arms), far.min)
        np.minimum.at(start, pools.members, np.repeat(first, pools.sizes))
        np.maximum.at(end, pools.members, np.repeat(last, pools.sizes))
        is_never = start == far.max
        return np.where(is_never, 0, start), np.where(is_never, 0, end)

    @property
    def nbytes(self) -> int:
        """The memory the columns take, in bytes."""
        return sum(column.nbytes for column in self._columns.values())


def always_on_offer(events: Events) -> tuple[str, ...]:
    """The ids of the arms that are in the pool of every event.

    >>> always_on_offer(Events.of([1, 2], ["a", "b"], [0, 0], [["a", "b"], ["b", "c"]]))
    ('b',)
    """
    is_always = (events.offers == len(events)) & (events.offers > 0)
    return tuple(events.arms[i] for i in np.flatnonzero(is_always))


class IdIndex:
    """Numbers arms and pools.

    >>> ids = IdIndex()
    >>> ids.arm("b"), ids.arm("a"), ids.arm("b")
    (0, 1, 0)
    >>> ids.pool([1, 0]), ids.pool([0, 1, 1]), ids.pool([1])
    (0, 0, 1)
    >>> ids.arms, len(ids.pools)
    (('b', 'a'), 2)
    """

    def __init__(self) -> None:
        self._arms: dict[str, int] = {}
        self._numbers: dict[bytes, int] = {}
        self._pools: list[NDArray[np.int32]] = []

    def arm(self, name: str) -> int:
        """The number of an arm."""
        return self._arms.setdefault(name, len(self._arms))

    def pool(self, arms: Iterable[int]) -> int:
        """The number of the pool of these arms, in any order."""
        members = np.unique(np.fromiter(arms, np.int32))
        number = self._numbers.setdefault(members.tobytes(), len(self._pools))
        if number == len(self._pools):
            self._pools.append(members)
        return number

    def open_pool(self) -> int:
        """The number of a pool whose arms are known only when the log ends."""
        self._pools.append(np.zeros(0, np.int32))
        return len(self._pools) - 1

    def close_pool(self, number: int, arms: Iterable[int]) -> None:
        """Give an open pool its arms."""
        self._pools[number] = np.fromiter(arms, np.int32)

    @property
    def arms(self) -> tuple[str, ...]:
        """The ids of the arms by their numbers."""
        return tuple(self._arms)

    @property
    def pools(self) -> Pools:
        """The table of pools."""
        return Pools.of(self._pools)


class EventBatch(NamedTuple):
    """Consecutive events; one column each, as in `Events`."""

    time: NDArray[np.int64]
    arm: NDArray[np.int32]
    reward: NDArray[Any]
    pool: NDArray[np.int32]
    propensity: NDArray[np.float64] | None = None


_KEY = b"highseason"
_FORMAT, _VERSION = "highseason events", 1
_COLUMNS = ("time", "arm", "reward", "pool")
_LARGEST = 2**31 - 1  # of a footer; pyarrow's own limit is a twentieth of that
_ROWS = 1 << 20


def arrow(module: str = "pyarrow") -> Any:
    """A module of pyarrow, which is an extra."""
    return require(module, extra="logs", purpose="reading and writing event tables")


class EventWriter(contextlib.AbstractContextManager["EventWriter"]):
    """Writes an event table, batch by batch."""

    def __init__(self, path: Path) -> None:
        self._arrow, self._parquet = arrow("pyarrow"), arrow("pyarrow.parquet")
        self._path = path
        self._writer: Any = None

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if self._writer is not None:  # the disk may be what failed: the first error counts
            with contextlib.suppress(*([Exception] if kind else [])):
                self._writer.close()

    def write(self, batch: EventBatch | Events, arms: tuple[str, ...]) -> None:
        """Write some events; `arms` has the id of each arm in them."""
        is_used = np.bincount(batch.arm, minlength=len(arms)) > 0
        index = (np.cumsum(is_used) - 1).astype(np.int32)
        names = self._arrow.array([arms[i] for i in np.flatnonzero(is_used)], self._arrow.string())
        shown = self._arrow.DictionaryArray.from_arrays(index[batch.arm], names)
        columns = {"time": batch.time, "arm": shown, "reward": batch.reward, "pool": batch.pool}
        if batch.propensity is not None:
            columns["propensity"] = batch.propensity
        table = self._arrow.table(columns)
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(
                self._path,
                table.schema,
                compression="zstd",
                use_dictionary=["arm", "reward", "pool"],
                column_encoding={"time": "DELTA_BINARY_PACKED"},
                write_statistics=["time"],
            )
        self._writer.write_table(table, row_group_size=_ROWS)

    def finish(self, arms: tuple[str, ...], pools: Pools) -> None:
        """Write arms and pools, which are known only when the log ends."""
        offered = [pools[i].tolist() for i in range(len(pools))]
        document = {"format": _FORMAT, "version": _VERSION, "arms": arms, "pools": offered}
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        self._writer.add_key_value_metadata({_KEY: text.encode()})


def write_events(events: Events, path: Path | str) -> None:
    """Write events as one Parquet file; `read_events` returns them unchanged.

    Needs the extra `highseason[logs]`.

    >>> import tempfile
    >>> log = Events.of([7, 9], ["a", "b"], [0, 1], [["a", "b"]] * 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_events(log, Path(folder) / "events.parquet")
    ...     read_events(Path(folder) / "events.parquet").time.tolist()
    [7, 9]
    """
    with atomic_write(Path(path)) as unfinished, EventWriter(unfinished) as writer:
        for begin in range(0, max(len(events), 1), _ROWS):
            writer.write(events.take(slice(begin, begin + _ROWS)), events.arms)
        writer.finish(events.arms, events.pools)


def read_events(path: Path | str) -> Events:
    """The events of a Parquet file that `write_events` or `convert` wrote.

    Needs the extra `highseason[logs]`.
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name an event table in it")
    if not path.exists():
        raise ValueError(
            f"there is no file {path}: check the path, or make an event table from a log with "
            "'highseason convert'"
        )
    failure = arrow("pyarrow").ArrowException
    kind = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    if kind in ("csv", "tsv"):  # it is what people try first
        raise ValueError(
            f"{path} is a {kind.upper()}; turn it into an event table: highseason convert table "
            f"{path} --time … --arm … --reward … --out events.parquet"
        )
    try:
        limits = ("thrift_string_size_limit", "thrift_container_size_limit")
        file = arrow("pyarrow.parquet").ParquetFile(path, **dict.fromkeys(limits, _LARGEST))
        with file:
            return _read(path, file)
    except (failure, OSError) as error:
        first_line = (str(error) or type(error).__name__).splitlines()[0]
        raise ValueError(
            f"{path} cannot be read as Parquet ({first_line}): expected an event table, "
            "as 'highseason convert' writes it"
        ) from error


def _read(path: Path, file: Any) -> Events:
    arms, pools = _footer(path, (file.metadata.metadata or {}).get(_KEY))
    schema, rows = file.schema_arrow, file.metadata.num_rows
    for name in _COLUMNS:
        if name not in schema.names:
            raise _foreign(path, f"it has no column {name!r}")
    is_click = str(schema.field("reward").type) == "uint8"
    kinds = {"time": np.int64, "arm": np.int32, "pool": np.int32, "propensity": np.float64}
    kinds["reward"] = np.uint8 if is_click else np.float64
    values = {name: np.empty(rows, kind) for name, kind in kinds.items() if name in schema.names}
    index, at = {name: i for i, name in enumerate(arms)}, 0
    for group in range(file.num_row_groups):  # one after the other: a log takes memory once
        table = file.read_row_group(group, columns=list(values))
        for name, column in values.items():
            cells = table.column(name)
            if cells.null_count:
                raise _foreign(path, f"its column {name!r} has empty cells")
            numbers = _arms(path, cells, index) if name == "arm" else cells.to_numpy()
            if numbers.dtype.kind not in "iuf":
                raise _foreign(path, f"its column {name!r} does not hold numbers")
            column[at : at + len(table)] = numbers
        at += len(table)
    try:
        return Events(**values, arms=arms, pools=pools)
    except ValueError as error:
        raise _foreign(path, str(error)) from error


def _arms(path: Path, cells: Any, index: dict[str, int]) -> NDArray[np.int32]:
    if not hasattr(cells.type, "index_type"):  # plain text
        cells = cells.dictionary_encode()
    parts = [np.zeros(0, np.int32)]
    for chunk in cells.chunks:
        named = chunk.dictionary.to_pylist()
        unknown = next((arm for arm in named if arm not in index), None)
        if unknown is not None:
            raise _foreign(path, f"its footer does not name the arm {unknown!r}")
        indices = np.array([index[arm] for arm in named], np.int32)
        parts.append(indices[chunk.indices.to_numpy()])
    return np.concatenate(parts)


def _footer(path: Path, text: bytes | None) -> tuple[tuple[str, ...], Pools]:
    if text is None:
        raise _foreign(path, "its footer has no entry 'highseason'")
    try:
        document = json.loads(text)
        if (document["format"], document["version"]) != (_FORMAT, _VERSION):
            raise ValueError("another version")
        return tuple(document["arms"]), Pools.of(document["pools"])
    except (ValueError, KeyError, TypeError) as error:
        raise _foreign(path, f"its footer cannot be read ({error})") from error


def _foreign(path: Path, why: str) -> ValueError:
    return ValueError(
        f"{path} is not an event table, as 'highseason convert' writes it: {why}; for other tables "
        "use 'highseason convert table'"
    )


def moment(seconds: int) -> str:
    """A time of a log as a date in UTC, or the bare number where it cannot be one.

    >>> moment(1317513600), moment(300), moment(10**18)
    ('2011-10-02 00:00:00', '300', '1000000000000000000 seconds')
    """
    if seconds < 10**8:  # counted from something other than 1970
        return str(seconds)
    if seconds >= 10**11:
        return f"{seconds} seconds"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
