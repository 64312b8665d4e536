"""How a text file is written: its encoding, and what separates its cells."""

import codecs
import re
from collections import Counter
from itertools import islice
from typing import NamedTuple

DELIMITERS = ("\t", ";", "|", ",")  # where two fit equally well, the first of them
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_QUOTED = re.compile(r'"[^"]*"')
_EXCEL_HINT = re.compile(r"sep=(.)\s*", re.I)
_SAMPLE = 200  # lines that decide
LATIN = "it is not UTF-8 and is read as Windows-1252 (Latin-1)"
_ONE_NUMBER = re.compile(r"\s*[-+]?[0-9]+,[0-9]+\s*")


class Text(NamedTuple):
    """A file as text, and a note if that took a guess."""

    text: str
    note: str = ""


def encoding_of(raw: bytes) -> str:
    """The encoding by the first bytes; UTF-8 where they say nothing.

    >>> encoding_of("é".encode("utf-16")), encoding_of("a,b".encode("utf-16-le"))
    ('utf-16', 'utf-16-le')
    """
    for bom, name in _BOMS.items():
        if raw.startswith(bom):
            return name
    sample = raw[:1000]
    for name, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if len(sample) > 3 and zeros.count(0) > 0.8 * len(zeros):
            return name
    return "utf-8"


def decode(raw: bytes) -> Text:
    """The text of a file; what is not UTF-8 and has no mark is taken for Windows-1252.

    >>> decode("Größe".encode("latin-1"))
    Text(text='Größe', note='it is not UTF-8 and is read as Windows-1252 (Latin-1)')
    """
    name = encoding_of(raw)
    try:
        return Text(raw.decode(name))
    except UnicodeDecodeError:
        if name != "utf-8":
            raise
    return Text(raw.decode("cp1252", errors="replace"), LATIN)


def encoding_by_start(start: bytes) -> str:
    r"""The encoding of a file that is read in pieces; Windows-1252 if most letters say so.

    >>> encoding_by_start("Größe".encode("latin-1")), encoding_by_start("Größe".encode() + b"\xff")
    ('cp1252', 'utf-8')
    """
    name = encoding_of(start)
    if name != "utf-8":
        return name
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    letters = [c for c in decoder.decode(start) if c > "\x7f"]  # the last one may be cut
    bad = sum("\udc80" <= c <= "\udcff" for c in letters)
    return "cp1252" if 2 * bad > len(letters) else name


def find_delimiter(text: str) -> str:
    r"""What separates the cells: the character that comes equally often in most lines.

    >>> find_delimiter("day;visitors\n2025-01-01;103,5\n2025-01-02;98,1\n")
    ';'
    """
    hint = _EXCEL_HINT.match(text)
    if hint:
        return hint[1]
    lines = sample_lines(text)
    best, best_score = ",", (0.0, 0)
    for mark in DELIMITERS:
        counts = Counter(line.count(mark) for line in lines)
        usual, times = max(counts.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        score = (times / max(len(lines), 1), usual)
        if usual and score[0] >= 0.5 and score > best_score:
            best, best_score = mark, score
    return best


def is_one_column(text: str) -> bool:
    r"""Whether every line below a plain heading is one number with a comma.

    >>> is_one_column("visitors\n103,5\n98,1\n"), is_one_column("day,visitors\n1,5\n")
    (True, False)
    """
    lines = sample_lines(text)
    is_bare = bool(lines) and not any(mark in lines[0] for mark in DELIMITERS)
    return is_bare and len(lines) > 1 and all(map(_ONE_NUMBER.fullmatch, lines[1:]))


def without_hint(text: str) -> str:
    """The text without Excel's first line ``sep=;``, whose line stays as a blank one."""
    hint = _EXCEL_HINT.match(text)
    return text[hint.end(1) :] if hint else text


def sample_lines(text: str) -> list[str]:
    """The first lines with content, without what is in quotes."""
    start = _QUOTED.sub("", text[:100_000])
    return list(islice((line for line in start.splitlines() if line.strip(" \t,;|")), _SAMPLE))


def usual_width(text: str, mark: str) -> int:
    r"""The number of cells that most lines have.

    >>> usual_width("Visitors 2025\nday;visitors\n2025-01-01;103\n", ";")
    2
    """
    counts = Counter(line.count(mark) + 1 for line in sample_lines(text))
    return max(counts.items(), key=lambda item: (item[1], item[0]), default=(1, 0))[0]
