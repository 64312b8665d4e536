"""Words, numbers and ends of lines in a block of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import word

NEWLINE, BAR = 10, 124
_MOST_DIGITS = 18  # of a number: it fits 64 bits whatever they are


@jitable
def is_gap(byte: int) -> bool:
    """Between words stand blanks, tabs and the carriage returns of other systems."""
    return byte == 32 or byte == 9 or byte == 13


@jitable
def hash_of(text: NDArray[np.uint8], begin: int, end: int) -> Any:
    """Some 64 bits of a text."""
    found = word(14695981039346656037)
    for i in range(begin, end):
        found = word((found ^ word(text[i])) * 0x9E3779B97F4A7C15)
        found = found ^ (found >> word(29))
    return found


@jitable
def same(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Whether two texts of one length are equal; without a way out early, it runs many at once."""
    different = np.uint8(0)
    for i in range(one.size):
        different |= one[i] ^ other[i]
    return bool(different == 0)


@jitable
def is_id(ids: NDArray[np.uint8], first: int, text: NDArray[np.uint8], at: int, size: int) -> bool:
    """The same for a few bytes."""
    i = 0
    while i < size and ids[first + i] == text[at + i]:
        i += 1
    return i == size


@jitable
def words_of_head(
    block: NDArray[np.uint8], at: int, end: int, words: NDArray[np.int64]
) -> tuple[int, int]:
    """The first three words up to a bar or the line's end: how many words, and where that is."""
    count = 0
    inside = False
    while at < end and block[at] != BAR and block[at] != NEWLINE:
        if is_gap(block[at]):
            if inside and count <= 3:
                words[2 * count - 1] = at
            inside = False
        elif not inside:
            inside = True
            count += 1
            if count <= 3:
                words[2 * count - 2] = at
        at += 1
    if inside and count <= 3:
        words[2 * count - 1] = at
    return count, at


@jitable
def end_of_part(block: NDArray[np.uint8], at: int, end: int) -> int:
    """The next bar or line's end."""
    while at < end and block[at] != BAR and block[at] != NEWLINE:
        at += 1
    return at


@jitable
def end_of_line(block: NDArray[np.uint8], at: int, end: int) -> int:
    """The line's end."""
    while at < end and block[at] != NEWLINE:
        at += 1
    return at


@jitable
def whole_number(block: NDArray[np.uint8], begin: int, end: int) -> int:
    """The number these digits write, or -1 if they are not digits, or too many."""
    if end - begin > _MOST_DIGITS:
        return -1
    value = 0
    for i in range(begin, end):
        digit = int(block[i]) - 48
        if digit < 0 or digit > 9:
            return -1
        value = value * 10 + digit
    return value
