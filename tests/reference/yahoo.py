"""The Yahoo! formats read in the slow and obvious way, line by line with Python's own words."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

GAP = re.compile(r"[ \t\r]+")
LONGEST = 1 << 23


@dataclass
class Read:
    """What a reading gave."""

    lines: int = 0
    events: list[tuple[int, str, int, frozenset[str]]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    backwards: int = 0
    format: str = ""


def read(files: list[bytes], wanted: str = "") -> Read:
    """All lines of all files."""
    found = Read(format=wanted)
    for content in files:
        text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "backslashreplace")
        lines = text.split("\n")
        is_open = lines[-1] != ""
        if not is_open:
            lines.pop()
        before = ""
        for i, line in enumerate(lines, 1):
            found.lines += 1
            pool = pool_of(line)
            if is_open and i == len(lines) and pool and is_part(pool, before):
                found.skipped["the file ends within this line"] += 1
            else:
                read_line(line, found)
            before = pool or before
    return found


def pool_of(line: str) -> str:
    """The text of a line's pool, if there is nothing wrong before it."""
    fault, _ = judge(line)
    if not (fault == "" or "no readable id" in fault or "not in its pool" in fault):
        return ""
    return "|" + line.split("|", 2)[2].rstrip(" \t\r")


def is_part(pool: str, whole: str) -> bool:
    return pool != whole and whole.startswith(pool)


def words(text: str) -> list[str]:
    return [word for word in GAP.split(text) if word]


def read_line(line: str, found: Read) -> None:
    fault, event = judge(line)
    if event is not None:
        shape = "r6b" if event[1].startswith("id-") else "r6a"
        found.format = found.format or shape
        if shape != found.format:
            fault, event = "a line of the other Yahoo! format", None
    if event is None:
        found.skipped[fault] += 1
        return
    if found.events and event[0] < found.events[-1][0]:
        found.backwards += 1
    found.events.append(event)


def judge(line: str) -> tuple[str, tuple[int, str, int, frozenset[str]] | None]:
    if len(line) > LONGEST:
        return f"longer than {LONGEST} bytes", None
    head, *parts = line.split("|")
    fields = words(head)
    if not fields and not parts:
        return "blank line", None
    if len(fields) != 3:
        return "not three words (time, article, click) before the first |", None
    time, shown, click = fields
    if not re.fullmatch(r"[0-9]{1,18}", time):
        return "the time is not a whole number", None
    if click not in ("0", "1"):
        return "the click is neither 0 nor 1", None
    if not parts or words(parts[0])[:1] != ["user"]:
        return "no |user part", None
    if len(parts) == 1:
        return "no pool of articles", None
    pool = set()
    for part in parts[1:]:
        ids = words(part)
        if not ids or len(ids[0]) > 256 or re.search(r"[\x00-\x1f\x7f]", ids[0]):
            return "an article of the pool has no readable id", None
        pool.add(ids[0])
    if shown not in pool:
        return "the article shown is not in its pool", None
    return "", (int(time), shown, int(click), frozenset(pool))
