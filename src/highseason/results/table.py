"""A small table that prints itself; results hand these out, and nothing here draws or computes."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Any

from highseason.core.formatting import aligned


@dataclass(frozen=True)
class Table:
    """Columns, rows and how to write each column (a format as in `format(value, spec)`).

    >>> print(Table(("policy", "reward"), (("greedy", 12.345),), ("", ".1f")))
    policy  reward
    greedy    12.3
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    formats: tuple[str, ...]

    def cells(self) -> list[tuple[str, ...]]:
        """The rows as text."""
        return [
            tuple(_written(value, spec) for value, spec in zip(row, self.formats, strict=True))
            for row in self.rows
        ]

    def __str__(self) -> str:
        """Plain text: first column to the left, numbers to the right."""
        return aligned([self.columns, *self.cells()], "<" + ">" * (len(self.columns) - 1))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks."""
        head = "".join(f"<th>{html.escape(c)}</th>" for c in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self.cells()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _written(value: Any, spec: str) -> str:
    """A number that is not there is a dash."""
    missing = isinstance(value, float) and math.isnan(value)
    return "–" if missing else format(value, spec)
