"""Numbers, lists, tables and paragraphs as text for people; values as JSON can hold them."""

import html
import math
import re
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest
from pathlib import Path
from typing import Any

_PLURALS = {"icy": "icies", "ch": "ches"}
_GAP = 2
#: No column of text gets narrower than this, unless nothing else helps.
_NARROW = 12
#: Where a cell may be folded: after a space, or after a mark that is not inside a number.
_FOLDS = re.compile(r"(?<=\s)|(?<=[,:+])(?![\d\s])|(?<=[a-z]-)")


def format_number(value: float) -> str:
    """A number in at most four significant figures, or with its thousands separators.

    >>> format_number(54782.9), format_number(31.25), format_number(0.0123), format_number(1000.0)
    ('54,783', '31.25', '0.0123', '1,000')
    """
    if not math.isfinite(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def exact(value: Any) -> str:
    """A value as the command line reads it again: all the digits of a number, and no more.

    >>> exact(30.0), exact(0.1), exact(True), exact("q0.75"), exact(3e-5)
    ('30', '0.1', 'true', 'q0.75', '0.00003')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and 1e-9 < abs(value) < 1e-3:
        return f"{Decimal(repr(value)):f}"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def decimal(value: float, figures: int = 2) -> str:
    """A number in so many significant figures, without an exponent.

    >>> decimal(3.162e-6), decimal(1.0)
    ('0.0000032', '1')
    """
    return f"{Decimal(f'{value:.{figures}g}'):f}"


def six_figures(value: float) -> str:
    """A number in six figures, without powers of ten below a million millions.

    >>> six_figures(30.0), six_figures(0.1234567), six_figures(1234.5), six_figures(12453560.0)
    ('30', '0.123457', '1,234.5', '12,453,560')
    """
    return f"{value:,.0f}" if 1e6 <= abs(value) < 1e12 else f"{value:,.6g}"


def with_error(value: float, error: float) -> str:
    """A number with its standard error, both to the error's second figure.

    >>> with_error(7035.2, 18.93), with_error(0.5049, 0.00321), with_error(12.0, float("nan"))
    ('7,035 ± 19', '0.5049 ± 0.0032', '12 ± –')
    """
    if not (math.isfinite(error) and error > 0):
        return f"{format_number(value)} ± {format_number(error)}"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:,.{digits}f} ± {error:,.{digits}f}"


def percent(share: float, digits: int = 0) -> str:
    """A share as a percentage, which is 0% or 100% only where it is exactly that.

    >>> percent(0.453), percent(0.0004), percent(0.9999), percent(1.0), percent(0.0)
    ('45%', 'under 1%', 'over 99%', '100%', '0%')
    """
    if not math.isfinite(share):
        return "–"
    edge = 0.5 * 10.0 ** (-2 - digits)
    step = f"{10.0**-digits:.{digits}f}"
    if 0 < share < edge:
        return f"under {step}%"
    if 1 - edge < share < 1:
        return f"over {100 - float(step):.{digits}f}%"
    return f"{100 * share:.{digits}f}%"


def signed_percent(share: float, digits: int = 1) -> str:
    """A change as a percentage with its sign.

    >>> signed_percent(0.031), signed_percent(-0.0001), signed_percent(float("nan"))
    ('+3.1%', '0.0%', '–')
    """
    return formatted(float(share), f"+.{digits}%") if math.isfinite(share) else "–"


def formatted(value: Any, spec: str) -> str:
    """A value as `format` writes it; what is not known is a dash, and nothing has no sign.

    >>> formatted(0.031, "+.1%"), formatted(-0.0001, "+.1%"), formatted(math.nan, "+.1%")
    ('+3.1%', '0.0%', '–')
    """
    if isinstance(value, float) and math.isnan(value):
        return "–"
    text = format(value, spec)
    nothing = isinstance(value, float) and not any(digit in text for digit in "123456789")
    return text.lstrip("+-") if nothing else text


def with_range(share: float, low: float, high: float, digits: int = 1) -> str:
    """A change as a percentage, with the ends of its interval.

    >>> with_range(0.031, 0.02, 0.042)
    '+3.1% (+2.0 to +4.2)'
    """
    ends = [signed_percent(end, digits).removesuffix("%") for end in (low, high)]
    return f"{signed_percent(share, digits)} ({ends[0]} to {ends[1]})"


def listed(words: Sequence[str]) -> str:
    """Words in a row, as in a sentence.

    >>> listed(["ucb"]), listed(["ucb", "greedy"]), listed(["a", "b", "c"])
    ('ucb', 'ucb and greedy', 'a, b and c')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def counted(count: int, noun: str) -> str:
    """A count with its noun, in the plural where it must be.

    >>> counted(1, "turn"), counted(1500, "game"), counted(2, "policy"), counted(3, "stretch")
    ('1 turn', '1,500 games', '2 policies', '3 stretches')
    """
    if count == 1:
        return f"1 {noun}"
    ending = next((e for e in _PLURALS if noun.endswith(e)), "")
    return f"{count:,} {noun.removesuffix(ending)}{_PLURALS.get(ending, 's')}"


#: An argument in a message, with its value if that is text or two ends.
_ARGUMENT = re.compile(r"\b(\w+)=('[^']*'|\([^(),]+, [^(),]+\))?")


def reworded(message: str, names: Mapping[str, str]) -> str:
    """A message with the words of a command or a form in place of arguments that it has.

    >>> names = {"value": "--value", "between": "--rates"}
    >>> reworded("choose one, such as value='orders' or z=3", names)
    "choose one, such as --value 'orders' or z=3"
    >>> reworded("visitors: between=(0.4, 0.2) must be two rising numbers", names)
    'visitors: --rates 0.4..0.2 must be two rising numbers'
    >>> reworded("such as value='Sessions, all'", names)
    "such as --value 'Sessions, all'"
    """

    def word(match: re.Match[str]) -> str:
        name, value = names.get(match[1]), match[2]
        follows = message[match.end() : match.end() + 1]
        if name is None or (value is None and follows not in ("", *" ,;.)…")):
            return match[0]
        if value and value[0] == "(":
            value = value.strip("()").replace(", ", "..")
        return f"{name} {value}" if value else name

    message = _ARGUMENT.sub(word, message)
    for bare in (name for name in names if "_" in name):
        message = re.sub(rf"(?<![\w'./]){bare}(?![\w'/]|\.\w)", names[bare], message)  # no file
    return message


def plain(value: Any) -> Any:
    """The value in the types of JSON; NaN and infinities, which it lacks, become None.

    >>> plain({"gain": float("nan"), "turns": (1, 2)})
    {'gain': None, 'turns': [1, 2]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if hasattr(value, "tolist"):  # NumPy's, which `--help` does not import
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value


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

    def to_pandas(self) -> Any:
        """The rows as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=self.columns)

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
