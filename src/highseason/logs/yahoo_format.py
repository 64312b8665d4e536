"""Yahoo! front page logs, R6A and R6B.

    1317513291 id-560620 0 |user 1 9 11 13 |id-552077 |id-555224 |id-560620

Polars splits lines of this form; any other line goes through `read_head`, which is the definition.
Pools repeat for thousands of lines, so only distinct pools are parsed, and only distinct pairs of
pool and article are judged.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.validation import one_of
from highseason.logs.cells import Coded, encode, encode_runs, pairs
from highseason.logs.conversion import BLANK, CUT, ConversionLog, LogFormat, existing, option
from highseason.logs.events import EventBatch, IdIndex
from highseason.logs.text_file import TextFile, polars

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

_WORD = re.compile(r"[^ \t\r]+")
_TIMES = re.compile(r"[0-9]{1,18}")  # fits 64 bits
_NAMES = re.compile(r"\|[ \t\r]*([^ \t\r|]*)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_ID = 256  # characters
_REMEMBERED = 1 << 10  # pools


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
        paths, reading = existing(self.paths), _Reading(self, ids, log)
        for path in paths:
            for line, frame, is_open in TextFile(path, log, "utf-8").frames(_split):
                yield from reading.lines(path, line, _parsed(frame, is_open))
                log.check_patience(paths, self.expected)


def _split(lines: Any) -> Any:
    """A lazy frame of lines split into parts; a line that is not in plain form is in `odd`."""
    pl = polars()
    column = pl.col
    parts = column("line").str.splitn(" |", 3).struct.rename_fields(["head", "user", "pool"])
    head = column("head").str.splitn(" ", 3).struct.rename_fields(["time", "shown", "click"])
    seconds = column("time").cast(pl.Int64, strict=False)
    is_plain = (
        seconds.is_not_null()
        & (column("time").str.len_bytes() <= 18)
        & ~column("time").str.starts_with("+")
        & ~column("time").str.starts_with("-")
        & column("shown").str.contains(r"^[^ \t\r|]+$")
        & ((column("click") == "0") | (column("click") == "1"))
        & column("user").str.starts_with("user ")
        & ~column("user").str.contains("|", literal=True)
        & column("pool").is_not_null()
    )
    return (
        lines.with_columns(parts.alias("parts"))
        .unnest("parts")
        .with_columns(head.alias("head"))
        .unnest("head")
        .select(
            column("shown", "pool").fill_null(""),
            seconds.fill_null(0),
            (column("click") == "1").fill_null(False),
            # Whole lines are most of the memory, and few are needed again.
            odd=pl.when(is_plain.fill_null(False)).then(None).otherwise(column("line")),
        )
    )


class _Parsed(NamedTuple):
    """Lines in parts."""

    faults: NDArray[np.int8]
    time: NDArray[np.int64]
    click: NDArray[np.uint8]
    shown: Coded
    pool: Coded
    odd: dict[int, str]  # lines that are not in plain form
    is_open: bool  # the file ends without a newline after the last of them

    def text(self, row: int) -> str:
        """A line, for an example."""
        shown, pool = (coded.values[coded.codes[row]] for coded in (self.shown, self.pool))
        plain = f"{self.time[row]} {shown} {self.click[row]} |user … |{pool}"
        return self.odd.get(row, plain)


def _parsed(frame: Any, is_open: bool = False) -> _Parsed:
    """The parts of lines, with the heads judged of those that are not in plain form."""
    faults = np.zeros(len(frame), np.int8)
    time = frame["time"].to_numpy(writable=True)
    click = frame["click"].to_numpy().astype(np.uint8)
    shown, pool = encode(frame["shown"]), encode_runs(frame["pool"])
    lines = frame["odd"].to_list() if frame["odd"].null_count() < len(frame) else []
    odd = {row: line for row, line in enumerate(lines) if line is not None}
    for row, line in odd.items():
        head = read_head(line)
        if isinstance(head, str):
            faults[row] = _FAULT[head]
            continue
        time[row], article, click[row], text = head
        for coded, value in ((shown, article), (pool, text)):
            coded.codes[row] = len(coded.values)
            coded.values.append(value)
    return _Parsed(faults, time, click, shown, pool, odd, is_open)


def read_head(line: str) -> tuple[int, str, int, str] | str:
    """The time, article, click and pool of a line, or why it is not an event.

    >>> read_head(" 7 id-2  1|user 1 9 |id-1 |id-2")
    (7, 'id-2', 1, 'id-1 |id-2')
    >>> read_head("7 id-2 5 |user 1 9 |id-1 |id-2")
    'the click is neither 0 nor 1'
    """
    head, bar, rest = line.partition("|")
    words = _WORD.findall(head)
    if not words and not bar:
        return BLANK
    if len(words) != 3:
        return _FIELDS
    time, shown, click = words
    if not _TIMES.fullmatch(time):
        return _TIME
    if click not in ("0", "1"):
        return _CLICK
    user, bar, pool = rest.partition("|")
    if _WORD.findall(user)[:1] != ["user"]:
        return _USER
    return (int(time), shown, int(click), pool) if bar else _EMPTY


def _articles(pool: str) -> dict[str, None] | None:
    """The articles of a pool: what follows each bar, up to a gap or the next bar."""
    articles = dict.fromkeys(_NAMES.findall(f"|{pool}"))
    is_good = all(name and len(name) <= _LONGEST_ID for name in articles)
    return articles if is_good and not _CONTROL.search("".join(articles)) else None


class _Reading:
    """What is known of a log while it is read: its format, its pools."""

    def __init__(self, wanted: YahooLog, ids: IdIndex, log: ConversionLog) -> None:
        self._wanted, self._ids, self._log = wanted, ids, log
        remember = functools.lru_cache(_REMEMBERED)
        self._articles = remember(_articles)
        self._number = remember(lambda pool: ids.pool(map(ids.arm, self._articles(pool) or ())))
        self._last_pool = ""  # of the file
        log.format = wanted.format or ""

    def lines(self, file: Path, line: int, parsed: _Parsed) -> Iterator[EventBatch]:
        """Number the arms and pools of lines from `line` on, record them, yield their events."""
        good = np.flatnonzero(parsed.faults == 0)
        before = "" if line == 1 else self._last_pool
        pools = [before, *(parsed.pool.values[code] for code in parsed.pool.codes[good[-2:]])]
        self._last_pool = pools[-1]
        if parsed.is_open and good.size and good[-1] == parsed.time.size - 1:
            # The file was cut if it ends in a part of the pool of the line before.
            whole, mine = (text.rstrip(" \t\r") for text in pools[-2:])
            if whole != mine and whole.startswith(mine):
                parsed.faults[-1], good = _FAULT[CUT], good[:-1]
        fault, arm, pool = pairs(parsed.pool, parsed.shown).take(good).numbers(self._judge)
        if self._wanted.format and not self._log.events:
            first = np.flatnonzero((fault == 0) | (fault == _FAULT[_OTHER]))[:1]
            if fault[first].any():
                raise ValueError(
                    f"{file}, line {line + good[first[0]]}: not a line of the format "
                    f"{self._wanted.format}: expected {self._wanted.expected}"
                )
        parsed.faults[good] = fault
        is_event = fault == 0
        events, lines = good[is_event], line + np.arange(parsed.time.size)
        time = parsed.time[events]
        self._log.record(file, lines, parsed.faults, _REASONS, time, parsed.text)
        if time.size:
            yield EventBatch(time, arm[is_event], parsed.click[events], pool[is_event])

    def _judge(self, pair: tuple[str, str]) -> tuple[int, int, int]:
        """The fault of lines that show an article from a pool, or its arm and pool."""
        pool, shown = pair
        articles = self._articles(pool)
        if articles is None:
            return _FAULT[_BAD_ID], 0, 0
        if shown not in articles:
            return _FAULT[_NOT_OFFERED], 0, 0
        kind = "r6b" if shown.startswith("id-") else "r6a"
        if self._log.format not in ("", kind):
            return _FAULT[_OTHER], 0, 0
        self._log.format, number = kind, self._number(pool)  # its arms come before other ones
        return 0, self._ids.arm(shown), number
