"""Tables and paragraphs as text that fits the terminal, and as HTML for notebooks."""

import html
import re
import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from highseason.core.formatting import formatted

_GAP = 2
#: No column of text gets narrower than this, unless nothing else helps.
_NARROW = 10
#: Where a cell may be folded: after a space, or after a mark that is not inside a number.
_FOLDS = re.compile(r"(?<=\s)|(?<=[,:+])(?![\d\s])|(?<=[a-z]-)")


def terminal_width() -> int:
    """The width of the terminal; 80 columns in a pipe, a file or a notebook."""
    return shutil.get_terminal_size((80, 24)).columns


def wrapped(text: str, indent: str = "", width: int | None = None) -> str:
    """Paragraphs that fit the terminal; `indent` precedes every line of one but its first.

    >>> print(wrapped("explores most on Sundays", indent="  ", width=14))
    explores most
      on Sundays
    """
    fit = textwrap.TextWrapper(
        width or terminal_width(), subsequent_indent=indent, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
    return "\n".join(fit.fill(line) for line in text.split("\n"))


def aligned(rows: Sequence[Sequence[str]], sides: str) -> str:
    """Rows of text as a table that fits the terminal; the first row is its head.

    `sides` aligns each column, "<" to the left or ">" to the right.  Cells too long are folded.

    >>> print(aligned([("policy", "reward"), ("ucb", "7"), ("greedy", "12")], "<>"))
    policy  reward
    ──────────────
    ucb          7
    greedy      12
    """
    widths = _widths(rows, sides, terminal_width() - _GAP * (len(sides) - 1))
    head, *body = ([_fold(c, w) for c, w in zip(row, widths, strict=True)] for row in rows)
    lines = _lines(head, sides, widths)
    lines.append("─" * (sum(widths) + _GAP * (len(sides) - 1)))
    for row in body:
        lines += _lines(row, sides, widths)
    return "\n".join(lines)


def _widths(rows: Sequence[Sequence[str]], sides: str, room: int) -> list[int]:
    """The width of each column: as wide as its cells, less where the table would not fit."""
    columns = list(zip(*rows, strict=True))
    bodies = [max((len(cell) for cell in column[1:]), default=0) for column in columns]
    widths = [max(body, len(column[0])) for body, column in zip(bodies, columns, strict=True)]
    heads = [max(b, _longest(c[0])) for b, c in zip(bodies, columns, strict=True)]
    words = [max(map(_longest, column)) for column in columns]
    texts = [max(word, _NARROW) if side == "<" else head
             for word, side, head in zip(words, sides, heads, strict=True)]  # fmt: skip
    # First fold heads, then text where it has spaces, then numbers, then cut words.
    for least in (heads, texts, words, [1] * len(widths)):
        while sum(widths) > room:
            slack = [width - low for width, low in zip(widths, least, strict=True)]
            if max(slack) <= 0:
                break
            widths[max(range(len(widths)), key=lambda i: (slack[i] > 0, widths[i]))] -= 1
    return widths


def _longest(cell: str) -> int:
    """The length of its longest piece that is not folded."""
    return max((len(piece.rstrip()) for piece in _FOLDS.split(cell)), default=0)


def _fold(cell: str, width: int) -> list[str]:
    """The lines of a cell."""
    lines = [""]
    for piece in _FOLDS.split(cell) if len(cell) > width else [cell]:
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1].rstrip()) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return [line.rstrip() for line in lines]


def _lines(cells: Sequence[Sequence[str]], sides: str, widths: Sequence[int]) -> list[str]:
    """One row, over as many lines as its tallest cell."""
    return [
        (" " * _GAP)
        .join(
            f"{part:{side}{width}}" for part, side, width in zip(line, sides, widths, strict=True)
        )
        .rstrip()
        for line in zip_longest(*cells, fillvalue="")
    ]


@dataclass(frozen=True)
class Table:
    """Columns, rows and how to write each column (a format as in `format(value, spec)`).

    `sides` aligns each column, "<" or ">"; by default the first to the left, others to the right.

    >>> print(Table(("policy", "reward"), (("greedy", 12.345),), ("", ".1f")))
    policy  reward
    ──────────────
    greedy    12.3
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    formats: tuple[str, ...]
    sides: str = ""

    def cells(self) -> list[tuple[str, ...]]:
        """The rows as text."""
        return [tuple(map(formatted, row, self.formats)) for row in self.rows]

    def __str__(self) -> str:
        """Plain text that fits the terminal."""
        sides = self.sides or "<" + ">" * (len(self.columns) - 1)
        return aligned([self.columns, *self.cells()], sides)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks."""
        head = "".join(f"<th>{html.escape(c)}</th>" for c in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self.cells()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Printable:
    """A result that prints as paragraphs and tables: in a terminal and in a notebook."""

    def blocks(self) -> Sequence[str | Table]:
        """Its paragraphs and tables, in order."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n\n".join(wrapped(b) if isinstance(b, str) else str(b) for b in self.blocks())

    def _repr_html_(self) -> str:
        """For notebooks."""
        return "\n".join(
            f"<p>{html.escape(block).replace(chr(10), '<br>')}</p>"
            if isinstance(block, str)
            else block._repr_html_()
            for block in self.blocks()
        )
