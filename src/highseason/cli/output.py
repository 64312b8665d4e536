"""What goes to stdout: one JSON document, or text and a table for people."""

from __future__ import annotations

import json
import math
import shutil
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

if TYPE_CHECKING:
    from rich.table import Table

#: Table width where stdout is a file or a pipe: wide enough that nothing is folded.
_UNLIMITED = 400


def print_json(document: Mapping[str, Any]) -> None:
    """Print one document on one line; NaN and infinities become null."""
    click.echo(json.dumps(plain(document), allow_nan=False))


def plain(value: Any) -> Any:
    """The value in JSON's types.

    >>> plain({"gain": float("nan"), "turns": (1, 2)})
    {'gain': None, 'turns': [1, 2]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value


def print_wrapped(text: str, indent: str = "") -> None:
    """Print a paragraph that fits the terminal, 80 columns in a pipe; `indent` follows line one."""
    width = shutil.get_terminal_size((80, 24)).columns
    click.echo(
        textwrap.fill(
            text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
    )


def print_table(table: Table) -> None:
    """Print a rich table and an empty line; without a terminal the width is not limited."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _UNLIMITED
    console = Console(width=width, markup=False, highlight=False, emoji=False)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())
    click.echo()


def plain_table(*columns: str) -> Table:
    """An empty table: the first column aligned left, the others right."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for i, name in enumerate(columns):
        table.add_column(name, justify="left" if i == 0 else "right", overflow="fold")
    return table
