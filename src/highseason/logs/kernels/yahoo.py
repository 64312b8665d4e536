"""Lines of the Yahoo! logs cut into parts, byte by byte.

A pool is most of a line and the same text for thousands of lines, so a line's pool is compared with
that of the line before, many bytes at a time.  Only lines in plain form are cut here:

    1317513291 id-560620 0 |user 1 9 11 13 |id-552077 |id-555224 |id-560620
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled
from highseason.core.jitable import jitable

#: What a line is: not in plain form, with a pool of its own, or with the pool of the line before.
ODD, NEW_POOL, SAME_POOL = 0, 1, 2

#: The most digits of a time (they fit 64 bits) and bytes of an id in plain form.
DIGITS, WIDTH = 18, 16

_NEWLINE, _BLANK, _BAR = 10, 32, 124
_USER = np.frombuffer(b"|user ", np.uint8)


@jitable
def plain_head(
    block: NDArray[np.uint8],
    at: int,
    time: NDArray[np.int64],
    shown: NDArray[np.uint8],
    click: NDArray[np.uint8],
    row: int,
) -> int:
    """Read the head of the line at `at`; the end of its `|user `, or -1 if it is not plain."""
    begin, seconds = at, 0
    while at < block.size and at - begin < DIGITS and 48 <= block[at] <= 57:
        seconds = seconds * 10 + int(block[at]) - 48
        at += 1
    if at == begin or at == block.size or block[at] != _BLANK:
        return -1
    begin = at = at + 1
    while at < block.size and at - begin < WIDTH and block[at] > _BLANK and block[at] != _BAR:
        shown[row, at - begin] = block[at]
        at += 1
    if at == begin or block.size - at < 9 or block[at] != _BLANK or block[at + 2] != _BLANK:
        return -1
    time[row], click[row] = seconds, block[at + 1] - 48
    if block[at + 1] != 48 and block[at + 1] != 49:
        return -1
    for i in range(6):
        if block[at + 3 + i] != _USER[i]:
            return -1
    return at + 9


@jitable
def is_same(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Whether two texts of one length are equal; without an early exit it runs many at once."""
    different = np.uint8(0)
    for i in range(one.size):
        different |= one[i] ^ other[i]
    return bool(different == 0)


@jitable
def end_of_line(block: NDArray[np.uint8], at: int) -> int:
    """The position of the next newline, or the end."""
    while at < block.size and block[at] != _NEWLINE:
        at += 1
    return at


def cut_lines(
    block: NDArray[np.uint8],
    at: int,
    time: NDArray[np.int64],
    shown: NDArray[np.uint8],
    click: NDArray[np.uint8],
    pool_from: NDArray[np.int64],
    line_end: NDArray[np.int64],
    kind: NDArray[np.uint8],
) -> int:
    """Fill the columns from the line at `at` on, one entry per line; the number of lines.

    A pool's text goes from its first bar to the line's end.
    """
    row = 0
    last_from, last_size = 0, 0  # the pool of the last line that had one of its own
    while at < block.size and row < time.size:
        start, at = at, plain_head(block, at, time, shown, click, row)
        kind[row] = ODD
        if at >= 0:
            while at < block.size and block[at] != _BAR and block[at] != _NEWLINE:
                at += 1
        if at < 0 or at == block.size or block[at] != _BAR:
            end = end_of_line(block, start)
        else:
            end = at + last_size
            kind[row] = SAME_POOL
            if not (
                last_size > 0
                and end <= block.size
                and (end == block.size or block[end] == _NEWLINE)
                and is_same(block[at:end], block[last_from : last_from + last_size])
            ):
                end = end_of_line(block, at)
                kind[row] = NEW_POOL
                last_from, last_size = at, end - at
            pool_from[row] = at
        line_end[row] = end
        at = end + 1
        row += 1
    return row


@functools.cache
def cut_kernel() -> Callable[..., Any]:
    """`cut_lines`, compiled."""
    from numba.core import types as t

    whole, byte = t.int64[::1], t.uint8[::1]
    return compiled(
        cut_lines, t.int64(byte, t.int64, whole, t.uint8[:, ::1], byte, whole, whole, byte)
    )
