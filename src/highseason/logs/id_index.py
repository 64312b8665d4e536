"""Arms and pools numbered in the order in which a log first shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.extras import require
from highseason.logs.events import Pools


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
        self._pools: list[bytes] = []

    def arm(self, name: str) -> int:
        """The number of an arm."""
        return self._arms.setdefault(name, len(self._arms))

    def pool(self, arms: Iterable[int]) -> int:
        """The number of the pool of these arms, in any order."""
        members = np.unique(np.fromiter(arms, np.int32)).tobytes()
        number = self._numbers.setdefault(members, len(self._pools))
        if number == len(self._pools):
            self._pools.append(members)
        return number

    def open_pool(self) -> int:
        """The number of a pool whose arms are known only when the log ends."""
        self._pools.append(b"")
        return len(self._pools) - 1

    def close_pool(self, number: int, arms: Iterable[int]) -> None:
        """Give an open pool its arms."""
        self._pools[number] = np.unique(np.fromiter(arms, np.int32)).tobytes()

    @property
    def arms(self) -> tuple[str, ...]:
        """The ids of the arms by their numbers."""
        return tuple(self._arms)

    @property
    def pools(self) -> Pools:
        """The table of pools."""
        members = [np.frombuffer(pool, np.int32) for pool in self._pools]
        return Pools.of(members)


class Coded(NamedTuple):
    """A column as codes: row i holds `values[codes[i]]`; values come in order of appearance."""

    codes: NDArray[np.int64]
    values: list[Any]


def encode(column: Any) -> Coded:
    """The distinct values of a column: a NumPy array, a Polars series or an Arrow array.

    >>> encode(np.array([7, 9, 7]))
    Coded(codes=array([0, 1, 0]), values=[7, 9])
    """
    if hasattr(column, "to_arrow"):
        column = column.to_arrow()
    elif isinstance(column, np.ndarray):
        column = _arrow().array(column)
    encoded = column.dictionary_encode()
    return Coded(encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist())


def encode_bytes(rows: NDArray[np.uint8]) -> Coded:
    """The same for texts of at most `rows.shape[1]` bytes, padded with zeros."""
    pa, (count, width) = _arrow(), rows.shape
    buffers = [None, pa.py_buffer(rows)]
    coded = encode(pa.Array.from_buffers(pa.binary(width), count, buffers))
    return Coded(coded.codes, [value.rstrip(b"\0") for value in coded.values])


def encode_runs(column: Any) -> Coded:
    """The same for a Polars series of long texts that repeat for many rows."""
    is_new = (column != column.shift()).fill_null(True).to_numpy()
    starts = np.flatnonzero(is_new)
    runs = encode(column.gather(starts))
    return Coded(runs.codes[np.cumsum(is_new) - 1], runs.values)


def by_pair(
    left: Coded, right: Coded, decide: Callable[[Any, Any], tuple[int, int, int]]
) -> NDArray[np.int64]:
    """The fault, arm and pool that `decide` gives each row's pair, as three rows of an array.

    It is called once per distinct pair, in order of appearance, so it may number arms and pools.
    """
    pairs = encode(left.codes * len(right.values) + right.codes)
    answers = [
        decide(left.values[pair // len(right.values)], right.values[pair % len(right.values)])
        for pair in pairs.values
    ]
    return np.array(answers, np.int64).reshape(-1, 3)[pairs.codes].T


def _arrow() -> Any:
    return require("pyarrow", extra="logs", purpose="reading logs")
