"""What a command gives: one JSON document, or text for people, and files.

Where files go is checked before the work starts, so that none of it is wasted.
"""

from __future__ import annotations

import csv
import json
import math
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from highseason.cli.parsing import usage_error

if TYPE_CHECKING:
    from rich.table import Table

#: Table width where stdout is a file or a pipe: wide enough that nothing is folded.
_UNLIMITED = 400


def emit(
    as_json: bool,
    document: Callable[[], Mapping[str, Any]],
    show: Callable[[], object],
    files: Sequence[Path] = (),
) -> None:
    """Print the answer: its document, or what `show` prints; then the files that were written."""
    if as_json:
        print_json({**document(), **({"files": files} if files else {})})
        return
    show()
    for file in files:
        click.echo(f"wrote {file}")


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


def is_csv(path: Path) -> bool:
    """Whether the name asks for numbers instead of a figure."""
    return path.suffix.lower() == ".csv"


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows of the same columns."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def check_file(path: Path, option: str, inputs: Iterable[Path] = ()) -> None:
    """A file can be written there and is not one of the inputs; its folder is created."""
    if path.is_dir():
        raise usage_error(f"{option} {path} is a folder: give the name of a file in it")
    if path.exists() and any(given.exists() and path.samefile(given) for given in inputs):
        raise usage_error(
            f"{option} {path} is the input file, which would be lost: choose another name"
        )
    check_folder(path.parent, f"{option} {path}")
    if path.exists() and not os.access(path, os.W_OK):
        raise usage_error(f"{option} {path} is write-protected: choose another name")


def check_figure(
    path: Path | None,
    option: str = "--out",
    or_else: str = "",
    inputs: Iterable[Path] = (),
    tables: Sequence[str] = (),
) -> None:
    """A figure can be written there, or a table: `or_else` names these other endings."""
    if path is None:
        return
    check_file(path, option, inputs)
    if path.suffix.lower() in tables:
        return
    from highseason.report import check_target

    try:
        check_target(path)
    except ValueError as reason:
        raise usage_error(f"{option}: {reason}{or_else}") from reason


def check_folder(folder: Path, what: str) -> None:
    """Files can be written in that folder; it is created if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as reason:
        raise usage_error(
            f"cannot write {what}: {reason.filename} is not a folder; choose another place"
        ) from reason
    except OSError as reason:
        raise usage_error(
            f"cannot write {what}: {reason.strerror}; choose another place"
        ) from reason
    if not os.access(folder, os.W_OK | os.X_OK):
        raise usage_error(f"cannot write {what}: no permission in {folder}; choose another place")
