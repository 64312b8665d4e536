"""The event table: a Parquet file with a row per event, and arms and pools in its footer.

Columns: `time` (int64), `arm` (the id, as a dictionary), `reward` (uint8 or double), `pool` (int32,
the index of a pool) and, where the log knows it, `propensity` (double).  The footer's entry
`highseason` is a JSON document with the ids of the arms and, for each pool, the indices of its
arms.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.atomic import atomic_write
from highseason.core.extras import require
from highseason.logs.conversion import EventBatch
from highseason.logs.events import Events, Pools

_KEY = b"highseason"
_FORMAT, _VERSION = "highseason events", 1
_COLUMNS = ("time", "arm", "reward", "pool")
_LARGEST = 2**31 - 1  # of a footer; pyarrow's own limit is a twentieth of that
_ROWS = 1 << 20


def arrow(module: str = "pyarrow") -> Any:
    """A module of pyarrow, which is an extra."""
    return require(module, extra="logs", purpose="reading and writing event tables")


class EventWriter:
    """Writes an event table, batch by batch."""

    def __init__(self, path: Path) -> None:
        self._arrow, self._parquet = arrow("pyarrow"), arrow("pyarrow.parquet")
        self._path = path
        self._writer: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if self._writer is not None:  # the disk may be what failed: the first error counts
            with contextlib.suppress(*([Exception] if kind else [])):
                self._writer.close()

    def write(self, batch: EventBatch | Events, arms: tuple[str, ...]) -> None:
        """Write some events; `arms` has the id of each arm in them."""
        table = self._table(batch, arms)
        if self._writer is None:
            self._open(table.schema)
        self._writer.write_table(table, row_group_size=_ROWS)

    def finish(self, arms: tuple[str, ...], pools: Pools) -> None:
        """Write arms and pools, which are known only when the log ends."""
        offered = [pools[i].tolist() for i in range(len(pools))]
        document = {"format": _FORMAT, "version": _VERSION, "arms": arms, "pools": offered}
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        self._writer.add_key_value_metadata({_KEY: text.encode()})

    def _open(self, schema: Any) -> None:
        self._writer = self._parquet.ParquetWriter(
            self._path,
            schema,
            compression="zstd",
            use_dictionary=["arm", "reward", "pool"],
            column_encoding={"time": "DELTA_BINARY_PACKED"},
            write_statistics=["time"],
        )

    def _table(self, batch: EventBatch | Events, arms: tuple[str, ...]) -> Any:
        used = np.zeros(len(arms), np.bool_)
        used[batch.arm] = True
        index = (np.cumsum(used) - 1).astype(np.int32)
        names = self._arrow.array([arms[i] for i in np.flatnonzero(used)], self._arrow.string())
        columns = {
            "time": batch.time,
            "arm": self._arrow.DictionaryArray.from_arrays(index[batch.arm], names),
            "reward": batch.reward,
            "pool": batch.pool,
        }
        if batch.propensity is not None:
            columns["propensity"] = batch.propensity
        return self._arrow.table(columns)


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
    names = file.schema_arrow.names
    missing = [name for name in _COLUMNS if name not in names]
    if missing:
        raise _foreign(path, f"it has no column {missing[0]!r}")
    columns = [*_COLUMNS, *(["propensity"] if "propensity" in names else [])]
    clicks = str(file.schema_arrow.field("reward").type) == "uint8"
    rows = file.metadata.num_rows
    kinds = (np.int64, np.int32, np.uint8 if clicks else np.float64, np.int32, np.float64)
    values = {name: np.empty(rows, kind) for name, kind in zip(columns, kinds, strict=False)}
    index = {name: i for i, name in enumerate(arms)}
    at = 0
    for group in range(file.num_row_groups):
        table = file.read_row_group(group, columns=columns)
        for name, column in values.items():
            cells = table.column(name)
            if cells.null_count:
                raise _foreign(path, f"its column {name!r} has empty cells")
            column[at : at + len(table)] = _cells(path, cells, index, name)
        at += len(table)
    try:
        return Events(**values, arms=arms, pools=pools)
    except ValueError as error:
        raise _foreign(path, str(error)) from error


def _cells(path: Path, cells: Any, index: dict[str, int], name: str) -> NDArray[Any]:
    if name != "arm":
        numbers: NDArray[Any] = cells.to_numpy()
        if numbers.dtype.kind not in "iuf":
            raise _foreign(path, f"its column {name!r} does not hold numbers")
        return numbers
    if not hasattr(cells.type, "index_type"):  # plain text
        cells = cells.dictionary_encode()
    parts = []
    for chunk in cells.chunks:
        named = chunk.dictionary.to_pylist()
        unknown = next((arm for arm in named if arm not in index), None)
        if unknown is not None:
            raise _foreign(path, f"its footer does not name the arm {unknown!r}")
        indices = np.array([index[arm] for arm in named], np.int32)
        parts.append(indices[chunk.indices.to_numpy()])
    return np.concatenate([*parts, np.zeros(0, np.int32)])


def _footer(path: Path, text: bytes | None) -> tuple[tuple[str, ...], Pools]:
    if text is None:
        raise _foreign(path, "its footer has no entry 'highseason'")
    try:
        document = json.loads(text)
        if (document["format"], document["version"]) != (_FORMAT, _VERSION):
            raise ValueError("another version")
        sizes = [len(pool) for pool in document["pools"]]
        members = np.array([arm for pool in document["pools"] for arm in pool], np.int32)
        return tuple(document["arms"]), Pools(np.cumsum([0, *sizes]).astype(np.int64), members)
    except (ValueError, KeyError, TypeError) as error:
        raise _foreign(path, f"its footer cannot be read ({error})") from error


def _foreign(path: Path, why: str) -> ValueError:
    return ValueError(
        f"{path} is not an event table, as 'highseason convert' writes it: {why}; for other tables "
        "use 'highseason convert table'"
    )
