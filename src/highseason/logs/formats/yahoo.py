"""Yahoo! front page logs, R6A and R6B.

    1317513291 id-560620 0 |user 1 9 11 13 |id-552077 |id-555224 |id-560620

A kernel cuts lines of this form into parts; any other line goes through `read_head`, which is the
definition.  Pools repeat for thousands of lines, so only distinct pools are parsed, and only
distinct pairs of pool and article are judged.
"""

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
from highseason.logs.conversion import LogFormat, existing, option
from highseason.logs.conversion_log import BLANK, CUT, ConversionLog
from highseason.logs.events import EventBatch
from highseason.logs.id_index import IdIndex
from highseason.logs.kernels.yahoo import DIGITS, NEW_POOL, ODD, WIDTH, cut_kernel
from highseason.logs.line_blocks import line_blocks

_EXAMPLES = {
    "r6b": "lines such as '1317513291 id-560620 0 |user 1 9 |id-552077 |id-560620'",
    "r6a": "lines such as '1241160900 109513 0 |user 2:0.1 1:1.0 |109498 2:0.3 |109513 2:0.2'",
}

_FIELDS = "not three words (time, article, click) before the first |"
_TIME = "the time is not a whole number"
_CLICK = "the click is neither 0 nor 1"
_USER = "no |user part"
_EMPTY = "no pool of articles"
_BAD_ID = "an article of the pool has no readable id"
_NOT_OFFERED = "the article shown is not in its pool"
_OTHER = "a line of the other Yahoo! format"
_REASONS = (
    "", BLANK, _FIELDS, _TIME, _CLICK, _USER, _EMPTY, _BAD_ID, _NOT_OFFERED, _OTHER, CUT
)  # fmt: skip
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
                    for parsed in _parse(np.frombuffer(block.data, np.uint8)):
                        yield from reading.lines(path, line, parsed)
                        line += parsed.time.size
                line += log.unreadable(block, line)
                log.check_patience(paths, self.expected)
            before = log.bytes_read


class _Parsed(NamedTuple):
    """Lines in parts."""

    faults: NDArray[np.int8]
    time: NDArray[np.int64]
    click: NDArray[np.uint8]
    shown: Coded
    pool: Coded
    text: Callable[[int], bytes]
    is_open: bool  # the file ends without a newline after the last of them


def _parse(data: NDArray[np.uint8]) -> Iterator[_Parsed]:
    """Cut lines into parts and judge their heads."""
    at = 0
    while at < data.size:
        time, pool_from, line_end = (np.empty(_ROWS, np.int64) for _ in range(3))
        click, kind = np.empty(_ROWS, np.uint8), np.empty(_ROWS, np.uint8)
        ids = np.zeros((_ROWS, WIDTH), np.uint8)
        rows = cut_kernel()(data, at, time, ids, click, pool_from, line_end, kind)
        starts, at = np.append(at, line_end[:rows] + 1), int(line_end[rows - 1]) + 1
        parsed = _Parsed(
            np.zeros(rows, np.int8),
            time[:rows],
            click[:rows],
            encode_bytes(ids[:rows]),
            _pools(data, kind[:rows] == NEW_POOL, pool_from, line_end),
            functools.partial(_line, data, starts),
            is_open=at > data.size,
        )
        for row in np.flatnonzero(kind[:rows] == ODD).tolist():
            _read_odd_line(parsed, row)
        yield parsed


def _line(data: NDArray[np.uint8], starts: NDArray[np.int64], row: int) -> bytes:
    return data[starts[row] : starts[row + 1] - 1].tobytes()


def _pools(
    data: NDArray[np.uint8],
    is_new: NDArray[np.bool_],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
) -> Coded:
    """The pool of each line, given the lines with a pool of their own and where these are."""
    texts = (data[begin[row] : end[row]].tobytes() for row in np.flatnonzero(is_new).tolist())
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
        return _FIELDS
    time, shown, click = words
    if not (time.isdigit() and len(time) <= DIGITS):
        return _TIME
    if click not in (b"0", b"1"):
        return _CLICK
    user, bar, pool = rest.partition(b"|")
    if _WORD.findall(user)[:1] != [b"user"]:
        return _USER
    return (int(time), shown, int(click), bar + pool) if bar else _EMPTY


@dataclass
class _Pool:
    """The articles of a pool's text; it has a number once an event shows one of them."""

    articles: dict[str, None] | None  # None: one of them has no readable id
    number: int | None = None


class _Reading:
    """What is known of a log while it is read: its format, its pools."""

    def __init__(self, wanted: YahooLog, ids: IdIndex, log: ConversionLog) -> None:
        self._wanted, self._ids, self._log = wanted, ids, log
        self._pools: dict[bytes, _Pool] = {}
        self._remembered = 0
        self._last_pool = b""  # of the file
        log.format = wanted.format or ""

    def lines(self, file: Path, line: int, parsed: _Parsed) -> Iterator[EventBatch]:
        """Number the arms and pools of lines from `line` on, record them, yield their events."""
        self._skip_cut_line(line == 1, parsed)
        good = np.flatnonzero(parsed.faults == 0)
        fault, arm, pool = by_pair(parsed.pool.take(good), parsed.shown.take(good), self._judge)
        self._refuse_wrong_format(file, line + good, fault)
        parsed.faults[good] = fault
        is_event = fault == 0
        time = parsed.time[good][is_event]
        lines = line + np.arange(parsed.time.size)
        self._log.record(file, lines, parsed.faults, _REASONS, time, parsed.text)
        if time.size:
            arm, pool = (column[is_event].astype(np.int32) for column in (arm, pool))
            yield EventBatch(time, arm, parsed.click[good][is_event], pool)

    def _skip_cut_line(self, is_start: bool, parsed: _Parsed) -> None:
        """A file was cut if it ends without a newline in a part of the pool of the line before."""
        rows = np.flatnonzero(parsed.faults == 0)[-2:]
        before = b"" if is_start else self._last_pool
        pools = [before, *(parsed.pool.values[code] for code in parsed.pool.codes[rows])]
        if parsed.is_open and rows.size and rows[-1] == parsed.time.size - 1:
            whole, mine = (text.rstrip(b" \t\r") for text in pools[-2:])
            if whole != mine and whole.startswith(mine):
                parsed.faults[-1] = _FAULT[CUT]
        self._last_pool = pools[-1]

    def _judge(self, text: bytes, article: bytes) -> tuple[int, int, int]:
        """The fault of lines that show this article from this pool, or its arm and pool."""
        pool = self._pool(text)
        if pool.articles is None:
            return _FAULT[_BAD_ID], 0, 0
        shown = article.decode("utf-8", "surrogateescape")
        if shown not in pool.articles:
            return _FAULT[_NOT_OFFERED], 0, 0
        kind = "r6b" if shown.startswith("id-") else "r6a"
        if self._log.format not in ("", kind):
            return _FAULT[_OTHER], 0, 0
        self._log.format = kind
        if pool.number is None:
            pool.number = self._ids.pool([self._ids.arm(name) for name in pool.articles])
        return 0, self._ids.arm(shown), pool.number

    def _pool(self, text: bytes) -> _Pool:
        if text not in self._pools:
            self._remembered += len(text)
            if self._remembered > _REMEMBERED:
                self._pools.clear()
                self._remembered = len(text)
            self._pools[text] = _Pool(_articles(text))
        return self._pools[text]

    def _refuse_wrong_format(
        self, file: Path, lines: NDArray[np.int64], fault: NDArray[np.int64]
    ) -> None:
        """Stop where a format was asked for and the log begins in the other one."""
        if self._log.events or not self._wanted.format:
            return
        first = np.flatnonzero(np.isin(fault, (0, _FAULT[_OTHER])))[:1]
        if fault[first].any():
            raise ValueError(
                f"{file}, line {lines[first[0]]}: not a line of the format "
                f"{self._wanted.format}: expected {self._wanted.expected}"
            )


def _articles(text: bytes) -> dict[str, None] | None:
    """The articles of a pool: what follows each bar, up to a gap or the next bar."""
    names = _NAMES.findall(text)
    try:
        articles = dict.fromkeys(name.decode("utf-8") for name in names)
    except UnicodeDecodeError:
        return None
    is_good = all(name and len(name) <= _LONGEST_ID for name in names)
    return articles if is_good and not _CONTROL.search("".join(articles)) else None
