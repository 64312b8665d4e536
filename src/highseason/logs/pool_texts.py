"""The pools of a Yahoo! log as text, and what the kernel knows of them."""

from __future__ import annotations

import re

import numpy as np

from highseason.logs.book import Book
from highseason.logs.growing import Growing
from highseason.logs.kernels.build import enter_kernel
from highseason.logs.kernels.yahoo import (
    BAD_ID,
    EMPTY_POOL,
    LONGEST,
    NOT_OFFERED,
    OTHER,
    SLOTS,
    WIDTH,
    Known,
)

#: What follows each bar, up to a gap or the next bar.
_NAMES = re.compile(rb"\|[ \t\r]*([^ \t\r|]*)")
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_LONGEST_ID = 256  # bytes

#: So many bytes of texts are remembered; a log that writes each pool in another order fills it.
_ROOM = 1 << 24


class PoolTexts:
    """Reads a pool's text once; after that its bytes are recognised.

    >>> texts = PoolTexts(Book())
    >>> [texts.number(text, b"id-2") for text in (b"|id-2 |id-1", b"|id-1 |id-2", b"|id-1 | ")]
    [0, 0, -8]
    """

    def __init__(self, book: Book) -> None:
        self._book = book
        self._numbers: dict[bytes, int] = {}
        self._arms: dict[bytes, int] = {}
        self._pools: dict[frozenset[int], int] = {}
        self._filled = 0
        self._table = np.full(1024, -1, np.int32)
        self._id_from, self._ids = Growing(np.int64), Growing(np.uint8)
        self._pool_from, self._members = Growing(np.int64), Growing(np.int32)
        self._offered_in = Growing(np.int32)
        for offsets in (self._id_from, self._pool_from):
            offsets.extend(np.zeros(1, np.int64))
        self._text_pool = np.zeros(SLOTS + 1, np.int32)
        self._text_size = np.full(SLOTS + 1, -1, np.int64)
        self._texts = np.zeros(SLOTS * WIDTH + LONGEST, np.uint8)

    @property
    def known(self) -> Known:
        """All of it as the kernel wants it."""
        return Known(
            self._table,
            self._id_from.whole,
            self._ids.whole,
            self._pool_from.whole,
            self._members.whole,
            self._offered_in.whole,
            self._text_pool,
            self._text_size,
            self._texts,
        )

    def remember(self, slot: int, text: bytes, shown: bytes, is_other: bool) -> int:
        """Let the kernel recognise this text from now on.

        Not if the line that it stands on shows an article that is not in it or is of the other
        format: it is no event, and its pool and arms are none of the log's.  The reason is
        returned, or 0.
        """
        number = self.number(text, shown, is_other)
        if -number in (NOT_OFFERED, OTHER):
            return -number
        self._text_pool[slot] = number
        self._text_size[slot] = len(text)
        self._texts[slot * WIDTH : slot * WIDTH + len(text)] = np.frombuffer(text, np.uint8)
        return 0

    def number(self, text: bytes, shown: bytes, is_other: bool = False) -> int:
        """The number of the pool, or minus the reason why it is none."""
        found = self._numbers.get(text)
        if found is None:
            found = self._read(text, shown, is_other)
            if -found in (NOT_OFFERED, OTHER):
                return found
            self._filled += len(text)
            if self._filled > _ROOM:
                self._numbers.clear()
                self._filled = len(text)
            self._numbers[text] = found
        return found

    def _read(self, text: bytes, shown: bytes, is_other: bool) -> int:
        names = _NAMES.findall(text)
        if not names:
            return -EMPTY_POOL
        if not all(name in self._arms or _is_id(name) for name in names):
            return -BAD_ID
        if shown not in names or is_other:
            return -OTHER if shown in names else -NOT_OFFERED
        arms = [self._arm(name) for name in names]
        offered = frozenset(arms)
        pool = self._pools.get(offered)
        if pool is None:
            pool = self._pools[offered] = self._new_pool(arms)
        return pool

    def _arm(self, name: bytes) -> int:
        arm = self._arms.get(name)
        if arm is None:
            arm = self._arms[name] = self._new_arm(name)
        return arm

    def _new_arm(self, name: bytes) -> int:
        arm = self._book.arm(name.decode("utf-8"))
        self._ids.extend(np.frombuffer(name, np.uint8))
        self._id_from.extend(np.array([self._ids.size]))
        self._offered_in.extend(np.array([-1]))
        if 2 * (arm + 1) > self._table.size:
            self._table = np.full(2 * self._table.size, -1, np.int32)
            for old in range(arm):
                enter_kernel()(self.known, old)
        enter_kernel()(self.known, arm)
        return arm

    def _new_pool(self, arms: list[int]) -> int:
        self._members.extend(np.unique(np.array(arms, np.int32)))
        self._pool_from.extend(np.array([self._members.size]))
        return self._book.pool(arms)


def _is_id(name: bytes) -> bool:
    """Some text of reasonable length, in UTF-8 and without control characters."""
    if not name or len(name) > _LONGEST_ID or _CONTROL.search(name):
        return False
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
