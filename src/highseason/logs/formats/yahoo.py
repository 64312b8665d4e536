"""Yahoo! front page logs, R6A and R6B.

    1317513291 id-560620 0 |user 1 9 11 13 |id-552077 |id-555224 |id-560620

A kernel cuts lines of this form into parts; any other line goes through `read_head`, which is the
definition.  Pools repeat for thousands of lines, so only distinct pools are parsed, and only
distinct pairs of pool and article are judged.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.validation import one_of
from highseason.logs.cells import Coded, by_pair, encode_bytes
from highseason.logs.conversion import IdIndex, LogFormat, existing, option
from highseason.logs.conversion_log import BLANK, ConversionLog
from highseason.logs.events import EventBatch
from highseason.logs.kernels.yahoo import DIGITS, NEW_POOL, ODD, WIDTH, cut_kernel
from highseason.logs.line_blocks import LineBlock, line_blocks

_EXAMPLES = {
    "r6b": "lines such as '1317513291 id-560620 0 |user 1 9 |id-552077 |id-560620'",
    "r6a": "lines such as '1241160900 109513 0 |user 2:0.1 1:1.0 |109498 2:0.3 |109513 2:0.2'",
}

FIELDS = "not three words (time, article, click) before the first |"
TIME = "the time is not a whole number"
CLICK = "the click is neither 0 nor 1"
USER = "no |user part"
EMPTY_POOL = "no pool of articles"
BAD_ID = "an article of the pool has no readable id"
NOT_OFFERED = "the article shown is not in its pool"
OTHER = "a line of the other Yahoo! format"
_REASONS = ("", BLANK, FIELDS, TIME, CLICK, USER, EMPTY_POOL, BAD_ID, NOT_OFFERED, OTHER)
_FAULT = {reason: i for i, reason in enumerate(_REASONS)}

_WORD = re.compile(rb"[^ \t\r]+")
_NAMES = re.compile(rb"\|[ \t\r]*([^ \t\r|]*)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_ID = 256  # bytes

_BLOCK, _ROWS = 1 << 22, 1 << 15  # bytes and lines read at a time
_REMEMBERED = 1 << 21  # bytes of pools


@dataclass(frozen=True)
class YahooLog(LogFormat):
    r"""Logs of the Yahoo! front page, R6A or R6B.

    Files are read in the order given, plain or gzip.  Lines that are not events are counted by
    reason, with examples.

    Args:
        paths: The files, in the order in which they are to be read.
        format: "r6a" or "r6b"; None takes the format of the first event.

    >>> import tempfile
    >>> from highseason.logs import collect
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "day"
    ...     _ = path.write_text(
    ...         "1317513291 id-2 1 |user 1 9 |id-1 |id-2\n"
    ...         "1317513292 id-3 0 |user 1 9 |id-1 |id-2\n"
    ...     )
    ...     events, report = collect(YahooLog((path,)))
    >>> len(events), events.arms, report.skipped
    (1, ('id-1', 'id-2'), {'the article shown is not in its pool': 1})
    """

    name: ClassVar[str] = "yahoo"
    examples: ClassVar[tuple[str, ...]] = (
        "highseason convert yahoo ydata-fp-td-clicks-v2_0.20111002 --out events.parquet",
        "highseason convert yahoo ydata-fp-td-clicks-v2_0.20111002 --format r6b \\\n"
        "    --out events.parquet --json",
    )

    paths: tuple[Path, ...] = field(metadata={"metavar": "LOG…"})
    format: Literal["r6a", "r6b"] | None = option(
        None, "The format.  [default: that of the first event]"
    )

    def __post_init__(self) -> None:
        if self.format is not None:
            one_of("format", self.format, _EXAMPLES)
        object.__setattr__(self, "paths", tuple(Path(path) for path in self.paths))

    @property
    def expected(self) -> str:
        """What a good line looks like."""
        if self.format is not None:
            return _EXAMPLES[self.format]
        return f"{_EXAMPLES['r6b']} (R6B) or {_EXAMPLES['r6a'].partition(' as ')[2]} (R6A)"

    def batches(self, ids: IdIndex, log: ConversionLog) -> Iterator[EventBatch]:
        """Read all files, one after the other."""
        paths, before = existing(self.paths), 0
        reading = _Reading(self, ids, log)
        for path in paths:
            line = 1
            for block in line_blocks(path, _BLOCK):
                log.advance(before + block.bytes_read)
                if block.is_readable:
                    for parsed in _parse(block):
                        yield from reading.lines(path, line, parsed)
                        line += parsed.time.size
                line += log.unreadable(block, line)
                log.check_patience(paths, self.expected)
            before = log.bytes_read


class _Parsed(NamedTuple):
    """The lines of a block in parts."""

    faults: NDArray[np.int8]
    time: NDArray[np.int64]
    click: NDArray[np.uint8]
    shown: Coded
    pool: Coded
    text: Callable[[int], bytes]


def _parse(block: LineBlock) -> Iterator[_Parsed]:
    """Cut lines into parts and judge their heads."""
    data = np.frombuffer(block.data, np.uint8)
    at = 0
    while at < data.size:
        time, pool_from, line_end = (np.empty(_ROWS, np.int64) for _ in range(3))
        click, kind = np.empty(_ROWS, np.uint8), np.empty(_ROWS, np.uint8)
        ids = np.zeros((_ROWS, WIDTH), np.uint8)
        rows = cut_kernel()(data, at, time, ids, click, pool_from, line_end, kind)
        ends = np.append(at - 1, line_end[:rows])
        at = int(ends[-1]) + 1
        starts = np.flatnonzero(kind[:rows] == NEW_POOL)
        texts = [data[pool_from[row] : line_end[row]].tobytes() for row in starts.tolist()]
        parsed = _Parsed(
            np.zeros(rows, np.int8),
            time[:rows],
            click[:rows],
            encode_bytes(ids[:rows]),
            _pools(kind[:rows] == NEW_POOL, texts),
            functools.partial(_line, data, ends),
        )
        for row in np.flatnonzero(kind[:rows] == ODD).tolist():
            _read_odd_line(parsed, row)
        yield parsed


def _line(data: NDArray[np.uint8], ends: NDArray[np.int64], row: int) -> bytes:
    return data[ends[row] + 1 : ends[row + 1]].tobytes()


def _pools(is_new: NDArray[np.bool_], texts: list[bytes]) -> Coded:
    """The pool of each line, given the lines with a pool of their own and the texts of these."""
    values: dict[bytes, int] = {b"": 0}
    codes = np.array([0, *(values.setdefault(text, len(values)) for text in texts)], np.int64)
    return Coded(codes[np.cumsum(is_new)], list(values))


def _read_odd_line(parsed: _Parsed, row: int) -> None:
    """Judge a line that is not in plain form and enter its parts."""
    head = read_head(parsed.text(row))
    if isinstance(head, str):
        parsed.faults[row] = _FAULT[head]
        return
    parsed.time[row], shown, parsed.click[row], pool = head
    for coded, value in ((parsed.shown, shown), (parsed.pool, pool)):
        coded.codes[row] = len(coded.values)
        coded.values.append(value)


def read_head(line: bytes) -> tuple[int, bytes, int, bytes] | str:
    """The time, article, click and pool of a line, or why it is not an event.

    >>> read_head(b" 7 id-2  1|user 1 9 |id-1 |id-2")
    (7, b'id-2', 1, b'|id-1 |id-2')
    >>> read_head(b"7 id-2 5 |user 1 9 |id-1 |id-2")
    'the click is neither 0 nor 1'
    """
    head, bar, rest = line.partition(b"|")
    words = _WORD.findall(head)
    if not words and not bar:
        return BLANK
    if len(words) != 3:
        return FIELDS
    time, shown, click = words
    if not (time.isdigit() and len(time) <= DIGITS):
        return TIME
    if click not in (b"0", b"1"):
        return CLICK
    user, bar, pool = rest.partition(b"|")
    if _WORD.findall(user)[:1] != [b"user"]:
        return USER
    return (int(time), shown, int(click), bar + pool) if bar else EMPTY_POOL


@dataclass
class _Pool:
    """The articles of a pool's text; it has a number once an event shows one of them."""

    articles: dict[str, None] = field(default_factory=dict)
    fault: int = 0
    number: int | None = None


class _Reading:
    """What is known of a log while it is read: its format, its pools."""

    def __init__(self, log_format: YahooLog, ids: IdIndex, log: ConversionLog) -> None:
        self._wanted, self._ids, self._log = log_format, ids, log
        self._format: str = log_format.format or ""
        self._pools: dict[bytes, _Pool] = {}
        self._remembered = 0
        log.format = self._format

    def lines(self, file: Path, line: int, parsed: _Parsed) -> Iterator[EventBatch]:
        """Number the arms and pools of lines from `line` on, record them, yield their events."""
        good = np.flatnonzero(parsed.faults == 0)
        shown, pools = (c._replace(codes=c.codes[good]) for c in (parsed.shown, parsed.pool))
        fault, arm, pool = by_pair(pools, shown, self._judge)
        self._refuse_wrong_format(file, line + good, fault)
        parsed.faults[good] = fault
        is_event = fault == 0
        time = parsed.time[good][is_event]
        lines = line + np.arange(parsed.time.size)
        self._log.record(file, lines, parsed.faults, _REASONS, time, parsed.text)
        self._log.format = self._format
        if time.size:
            arm, pool = (column[is_event].astype(np.int32) for column in (arm, pool))
            yield EventBatch(time, arm, parsed.click[good][is_event], pool)

    def _judge(self, text: bytes, article: bytes) -> tuple[int, int, int]:
        """The fault of lines that show this article from this pool, or its arm and pool."""
        pool = self._pool(text)
        if pool.fault:
            return pool.fault, 0, 0
        shown = article.decode("utf-8", "surrogateescape")
        if shown not in pool.articles:
            return _FAULT[NOT_OFFERED], 0, 0
        kind = "r6b" if shown.startswith("id-") else "r6a"
        if self._format not in ("", kind):
            return _FAULT[OTHER], 0, 0
        self._format = kind
        if pool.number is None:
            pool.number = self._ids.pool([self._ids.arm(name) for name in pool.articles])
        return 0, self._ids.arm(shown), pool.number

    def _pool(self, text: bytes) -> _Pool:
        if text not in self._pools:
            self._remembered += len(text)
            if self._remembered > _REMEMBERED:
                self._pools.clear()
                self._remembered = len(text)
            self._pools[text] = _read_pool(text)
        return self._pools[text]

    def _refuse_wrong_format(
        self, file: Path, lines: NDArray[np.int64], fault: NDArray[np.int64]
    ) -> None:
        """Stop where a format was asked for and the log begins in the other one."""
        if self._log.events or not self._wanted.format:
            return
        first = next((i for i, kind in enumerate(fault) if kind in (0, _FAULT[OTHER])), None)
        if first is not None and fault[first]:
            raise ValueError(
                f"{file}, line {lines[first]}: not a line of the format "
                f"{self._wanted.format}: expected {self._wanted.expected}"
            )


def _read_pool(text: bytes) -> _Pool:
    """The articles of a pool: what follows each bar, up to a gap or the next bar."""
    names = _NAMES.findall(text)
    try:
        articles = dict.fromkeys(name.decode("utf-8") for name in names)
    except UnicodeDecodeError:
        return _Pool(fault=_FAULT[BAD_ID])
    is_good = all(name and len(name) <= _LONGEST_ID for name in names)
    has_control = _CONTROL.search("".join(articles))
    return _Pool(articles) if is_good and not has_control else _Pool(fault=_FAULT[BAD_ID])
