"""Events as lines of text, in the format R6B of the Yahoo! front page."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import hash_at, word

#: Of this many features a user has some; the first is always on.
FEATURES = 136

#: No line is longer than this without its article's id and its pool.
ROOM = 64 + 4 * FEATURES

_BLANK, _ZERO = 32, 48
_USER = np.frombuffer(b" |user 1", np.uint8)


class Wording(NamedTuple):
    """How arms and pools are written: arm a is ids[id_from[a]:id_from[a + 1]], pools likewise."""

    id_from: NDArray[np.int64]
    ids: NDArray[np.uint8]
    text_from: NDArray[np.int64]
    texts: NDArray[np.uint8]


@jitable
def copy(
    source: NDArray[np.uint8], begin: int, end: int, target: NDArray[np.uint8], at: int
) -> int:
    """Write a piece of text; where the next one goes."""
    size = end - begin
    room, text = target[at : at + size], source[begin:end]
    for i in range(size):
        room[i] = text[i]
    return at + size


@jitable
def write_number(number: int, target: NDArray[np.uint8], at: int) -> int:
    """Write a whole number; where the next piece goes."""
    digits = 1
    rest = number // 10
    while rest > 0:
        digits += 1
        rest //= 10
    for i in range(digits):
        target[at + digits - 1 - i] = _ZERO + number % 10
        number //= 10
    return at + digits


@jitable
def write_user(key: int, target: NDArray[np.uint8], at: int) -> int:
    """Write a user's features: the first, and then one in every one to sixteen, as chance wills."""
    at = copy(_USER, 0, _USER.size, target, at)
    feature = 1
    step = 0
    luck = hash_at(key, 0)
    while True:
        feature += 1 + int(np.int64(luck & word(15)))
        if feature > FEATURES:
            return at
        target[at] = _BLANK
        at = write_number(feature, target, at + 1)
        step += 1
        luck = luck >> word(4) if step % 16 else hash_at(key, step)


def write_lines(
    wording: Wording,
    key: int,
    first: int,
    time: NDArray[np.int64],
    arm: NDArray[np.int32],
    reward: NDArray[np.uint8],
    pool: NDArray[np.int32],
    target: NDArray[np.uint8],
) -> int:
    """Write a line for each event; how many bytes that took.

    `first` is the number of the first of them in the log, of which its user is made.
    """
    at = 0
    for row in range(time.size):
        at = write_number(time[row], target, at)
        target[at] = _BLANK
        shown, offered = arm[row], pool[row]
        at = copy(wording.ids, wording.id_from[shown], wording.id_from[shown + 1], target, at + 1)
        target[at] = _BLANK
        target[at + 1] = _ZERO + reward[row]
        at = write_user(hash_at(key, first + row), target, at + 2)
        begin, end = wording.text_from[offered], wording.text_from[offered + 1]
        at = copy(wording.texts, begin, end, target, at)
    return at
