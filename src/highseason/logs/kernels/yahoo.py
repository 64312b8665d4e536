"""Lines of the Yahoo! front page logs, byte by byte.

    1317513291 id-560620 0 |user 1 9 11 13 |id-552077 |id-555224 |id-560620

A line's pool is the same text as the last line's for thousands of lines.  So only the head and the
user are looked at byte by byte, and the rest is compared with texts already known: first with the
last one, then with one of a few hundred found by hash.  A text that is not known is handed back
to Python, which reads it, enters it and calls again.  A hash only says where to look: bytes decide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.random import word
from highseason.logs.kernels.words import (
    BAR,
    NEWLINE,
    end_of_line,
    end_of_part,
    hash_of,
    is_gap,
    is_id,
    same,
    whole_number,
    words_of_head,
)

#: The longest line that is read, in bytes.
LONGEST = 1 << 20

#: Why the kernel comes back.
MORE, ROWS_FULL, NOTES_FULL, NEW_POOL, WRONG_FORMAT = 0, 1, 2, 3, 4

#: What is noted of a line.  All but the last mean that it is no event.
TOO_LONG, BLANK, FIELDS, TIME, CLICK, USER, EMPTY_POOL, BAD_ID, NOT_OFFERED, OTHER, BACKWARDS = (
    range(1, 12)
)

#: Where the numbers that survive between calls stand.
POSITION, LINE, ROW, NOTE, LAST_TIME, FORMAT, LAST_SLOT, LOOKED_AT = range(8)
POOL_FROM, POOL_TO, SLOT = range(8, 11)
SHOWN_FROM, SHOWN_TO, IS_OTHER = range(11, 14)  # of the line with a new pool
REFUSED = 14  # why that line is no event, if Python found that it is none
STATES = 15

UNKNOWN, R6A, R6B = 0, 1, 2
NO_END = -1  # the time of the last event while there is none

#: Texts of pools that are remembered, found by hash; one more is for a text too wide for these.
SLOTS, WIDTH = 256, 8192

_DASH = 45


class Known(NamedTuple):
    """Arms, pools and texts of pools known so far."""

    table: NDArray[np.int32]  # arms by the hash of their ids; -1 where there is none
    id_from: NDArray[np.int64]  # arm a has the id ids[id_from[a]:id_from[a + 1]]
    ids: NDArray[np.uint8]
    pool_from: NDArray[np.int64]  # pool p has the arms members[pool_from[p]:pool_from[p + 1]]
    members: NDArray[np.int32]
    offered_in: NDArray[np.int32]  # for each arm, the last pool looked at that had it
    text_pool: NDArray[np.int32]  # the pool of each text; minus a reason if it is not a good one
    text_size: NDArray[np.int64]
    texts: NDArray[np.uint8]  # text s begins at s * WIDTH


@jitable
def find_arm(
    table: NDArray[np.int32],
    id_from: NDArray[np.int64],
    ids: NDArray[np.uint8],
    text: NDArray[np.uint8],
    begin: int,
    end: int,
) -> int:
    """The arm with this id, or -1.

    Arrays come one by one here and below: taking them from a tuple anew for each line costs more
    than the search.
    """
    last = table.size - 1
    at = np.int64(hash_of(text, begin, end) & word(last))
    while table[at] >= 0:
        arm = table[at]
        first, size = id_from[arm], id_from[arm + 1] - id_from[arm]
        if size == end - begin and is_id(ids, first, text, begin, size):
            return int(arm)
        at = (at + 1) & last
    return -1


@jitable
def look_at(known: Known, pool: int) -> None:
    """Note of each arm of a pool that it is there."""
    for i in range(known.pool_from[pool], known.pool_from[pool + 1]):
        known.offered_in[known.members[i]] = pool


def enter_arm(known: Known, arm: int) -> None:
    """Put an arm, whose id is there already, into the table."""
    begin, end = known.id_from[arm], known.id_from[arm + 1]
    last = known.table.size - 1
    at = np.int64(hash_of(known.ids, begin, end) & word(last))
    while known.table[at] >= 0:
        at = (at + 1) & last
    known.table[at] = arm


@jitable
def is_user(block: NDArray[np.uint8], at: int, end: int) -> bool:
    """Whether the first word of a part is `user`."""
    while at < end and is_gap(block[at]):
        at += 1
    return (
        end - at >= 4
        and block[at] == 117
        and block[at + 1] == 115
        and block[at + 2] == 101
        and block[at + 3] == 114
        and (end - at == 4 or is_gap(block[at + 4]))
    )


@jitable
def format_of(block: NDArray[np.uint8], begin: int, end: int) -> int:
    """R6B writes `id-` before the number of an article, R6A does not."""
    marked = (
        end - begin >= 3
        and block[begin] == 105
        and block[begin + 1] == 100
        and block[begin + 2] == _DASH
    )
    return R6B if marked else R6A


@jitable
def fault_of_head(
    block: NDArray[np.uint8], count: int, words: NDArray[np.int64], time: int, has_parts: bool
) -> int:
    """What is wrong before the first bar; 0 if nothing is."""
    if count == 0 and not has_parts:
        return BLANK
    if count != 3:
        return FIELDS
    if time < 0:
        return TIME
    click = block[words[4]]
    if words[5] - words[4] != 1 or (click != 48 and click != 49):
        return CLICK
    return 0


@jitable
def is_text(
    text_size: NDArray[np.int64],
    texts: NDArray[np.uint8],
    slot: int,
    block: NDArray[np.uint8],
    begin: int,
    end: int,
) -> bool:
    """Whether the text remembered in the slot stands here."""
    size = text_size[slot]
    if size != end - begin:
        return False
    first = slot * WIDTH
    return same(texts[first : first + size], block[begin:end])


@jitable
def slot_of(block: NDArray[np.uint8], begin: int, end: int) -> int:
    """Where a text is remembered, if it is."""
    if end - begin > WIDTH:
        return SLOTS
    return int(np.int64(hash_of(block, begin, end) & word(SLOTS - 1)))


@jitable
def end_if_repeated(
    text_size: NDArray[np.int64],
    texts: NDArray[np.uint8],
    slot: int,
    block: NDArray[np.uint8],
    at: int,
    end: int,
    final: bool,
) -> int:
    """The line's end if the last pool's text stands here once more, or -1."""
    size = text_size[slot]
    stop = int(at + size)
    if size <= 0 or stop > end or (stop == end and not final):
        return -1
    if stop < end and block[stop] != NEWLINE:
        return -1
    return stop if is_text(text_size, texts, slot, block, at, stop) else -1


def scan_lines(
    block: NDArray[np.uint8],
    end: int,
    final: bool,
    known: Known,
    state: NDArray[np.int64],
    time: NDArray[np.int64],
    arm: NDArray[np.int32],
    reward: NDArray[np.uint8],
    pool: NDArray[np.int32],
    notes: NDArray[np.int64],
) -> int:
    """Read whole lines from `state[POSITION]` on: events into the columns, faults into the notes.

    A line without an end counts only when the block is the `final` one of its file.
    """
    words = np.zeros(6, np.int64)
    table, id_from, ids, offered_in = known.table, known.id_from, known.ids, known.offered_in
    text_pool, text_size, texts = known.text_pool, known.text_size, known.texts
    at, line, row, note = state[POSITION], state[LINE], state[ROW], state[NOTE]
    slot, looked_at = state[LAST_SLOT], state[LOOKED_AT]
    before, shape = state[LAST_TIME], state[FORMAT]
    why = MORE
    while at < end:
        if row == time.size or note == notes.shape[0]:
            why = ROWS_FULL if row == time.size else NOTES_FULL
            break
        count, head_to = words_of_head(block, at, end, words)
        has_parts = head_to < end and block[head_to] == BAR
        pool_from = end_of_part(block, head_to + 1, end) if has_parts else head_to
        stop = end_if_repeated(text_size, texts, slot, block, pool_from, end, final)
        repeated = stop >= 0
        if not repeated:
            stop = end_of_line(block, pool_from, end)
            if stop == end and not final:
                break
        when = whole_number(block, words[0], words[1]) if count == 3 else -1
        fault = fault_of_head(block, count, words, when, has_parts)
        if stop - at > LONGEST:
            fault = TOO_LONG
        elif fault == 0 and not (has_parts and is_user(block, head_to + 1, pool_from)):
            fault = USER
        kind = format_of(block, words[2], words[3]) if fault == 0 else UNKNOWN
        is_other = shape != UNKNOWN and shape != kind
        if fault == 0 and not repeated:
            slot = slot_of(block, pool_from, stop)
            if not is_text(text_size, texts, slot, block, pool_from, stop):
                if state[REFUSED] == 0:
                    state[POOL_FROM], state[POOL_TO], state[SLOT] = pool_from, stop, slot
                    state[SHOWN_FROM], state[SHOWN_TO], state[IS_OTHER] = (
                        words[2],
                        words[3],
                        is_other,
                    )
                    why = NEW_POOL
                    break
                fault = int(state[REFUSED])
                state[REFUSED] = 0
        if fault == 0:
            offered = int(text_pool[slot])
            if offered != looked_at and offered >= 0:
                look_at(known, offered)
                looked_at = offered
            shown = find_arm(table, id_from, ids, block, words[2], words[3])
            if offered < 0:
                fault = -offered
            elif shown < 0 or offered_in[shown] != offered:
                fault = NOT_OFFERED
            elif is_other:
                fault = OTHER
            else:
                time[row] = when
                arm[row] = shown
                reward[row] = block[words[4]] - 48
                pool[row] = offered
                row += 1
                fault = BACKWARDS if when < before else 0
                before, shape = when, kind
        line += 1
        if fault != 0:
            notes[note, 0], notes[note, 1] = line, fault
            notes[note, 2], notes[note, 3] = at, stop
            note += 1
        at = min(stop + 1, end)
        if fault == OTHER and before == NO_END:
            why = WRONG_FORMAT
            break
    state[POSITION], state[LINE], state[ROW], state[NOTE] = at, line, row, note
    state[LAST_SLOT], state[LOOKED_AT] = slot, looked_at
    state[LAST_TIME], state[FORMAT] = before, shape
    return why
