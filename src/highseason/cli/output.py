"""What a command gives: its answer on stdout, messages and progress on stderr, and files.

The library's messages are put into the words of the command line.  Where files go is checked before
the work starts, so that none of it is wasted.
"""

from __future__ import annotations

import io
import json
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import highseason as hs
from highseason.core.extras import require
from highseason.core.text import aligned, plain, reworded, wrapped

#: Arguments that options call by another name.
_OTHER_NAMES = {"between": "--rates", "level": "--rates", "reward_range": "--range"}


class UsageError(click.UsageError):
    """Bad usage: exit code 2 and one line that says how to fix it."""


def usage_error(reason: Exception | str) -> UsageError:
    """The error in the words of the command that is running."""
    context = click.get_current_context(silent=True)
    return UsageError(as_options(str(reason), context), context)


def as_options(message: str, context: click.Context | None = None) -> str:
    """The library's message with options in place of arguments."""
    context = context or click.get_current_context(silent=True)
    known = {option for p in context.command.params for option in p.opts} if context else set()
    names = {option.lstrip("-").replace("-", "_"): option for option in known}
    names |= {name: option for name, option in _OTHER_NAMES.items() if option in known}
    return reworded(message, names)


#: Under this name a command's context notes that --size was given.
SIZE_GIVEN = "highseason.size"


def emit(
    as_json: bool,
    document: Callable[[], Mapping[str, Any]],
    show: Callable[[], object],
    files: Iterable[Path | None] = (),
) -> None:
    """Print the answer: its document, or what `show` prints; then the files that were written."""
    written = [file for file in files if file is not None]
    if as_json:
        print_json({**document(), **({"files": written} if written else {})})
        return
    show()
    for file in written:
        click.echo(f"wrote {file}")


def print_json(document: Mapping[str, Any]) -> None:
    """Print one document on one line; NaN and infinities become null."""
    click.echo(json.dumps(plain(document), allow_nan=False))


def print_wrapped(text: str, indent: str = "") -> None:
    """Print a paragraph that fits the terminal, 80 columns in a pipe; `indent` follows line one."""
    click.echo(wrapped(text, indent))


def print_assumed(text: str, rewards: hs.rewards.Rewards, G: hs.traffic.Multiplier) -> None:
    """Print a result, and what a turn is assumed to teach where G is traffic."""
    from highseason.rewards.text import assumption, usual_rewards

    click.echo(text)
    if rewards.counts_visitors or usual_rewards(G) == "visitors":
        click.echo()
        print_wrapped(assumption(rewards, G))


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = (0,)
) -> None:
    """Print a table and an empty line; columns that are not `left` are aligned right."""
    sides = "".join("<" if i in left else ">" for i in range(len(columns)))
    click.echo(aligned([columns, *rows], sides) + "\n")


def say(text: str, who: str = "highseason") -> None:
    """Print a message on stderr: wrapped in a terminal, one line where it goes to a file."""
    line = f"{who}: {' '.join(text.split())}"
    click.echo(wrapped(line, indent="  ") if sys.stderr.isatty() else line, err=True)


def note_if_too_short(turns: int, arms: int) -> None:
    """Note that the game ends before every arm was tried once."""
    if turns < arms:
        say(
            f"note: {turns} turns are fewer than {arms} arms: only the first {turns} arms are "
            "played, once each, and nothing is learned; give more turns or fewer arms"
        )


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Show the library's warnings as lines, each once, without file names or source code."""
    shown: set[str] = set()
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if not issubclass(category, UserWarning):
                usual(message, category, *where)
            elif str(message) not in shown:
                from highseason.traffic import FileNote

                shown.add(str(message))
                kind = "note" if issubclass(category, FileNote) else "warning"
                say(f"{kind}: {as_options(str(message))}")

        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show  # type: ignore[assignment]  # its optional tail comes as *where
        yield


def replace_unprintable() -> None:
    """Let a terminal that cannot show ± or ─ show a ? instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function of (done, total), or None where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console

    kinds = (progress.BarColumn, progress.TaskProgressColumn, progress.TimeElapsedColumn)
    left = progress.TextColumn("left"), progress.TimeRemainingColumn()
    columns = progress.TextColumn("{task.description}"), *(kind() for kind in kinds), *left
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def note(record: logging.LogRecord) -> bool:
            """Show a note in the bar, which disappears with it: nothing else prints it."""
            bar.update(task, description=record.getMessage())
            return False

        log = logging.getLogger("highseason")
        log.addFilter(note)
        try:
            yield lambda done, total: bar.update(
                task, description=what, completed=done, total=total
            )
        finally:
            log.removeFilter(note)


def save(
    path: Path, rows: Callable[[], Sequence[Mapping[str, Any]]], draw: Callable[[], Any]
) -> None:
    """Write the rows if the name ends in .csv or .xlsx, otherwise the figure."""
    if path.suffix.lower() not in (".csv", ".xlsx"):
        draw().save(path)
        return
    import pandas as pd

    if path.suffix.lower() == ".xlsx":
        require("openpyxl", extra="files", purpose="writing Excel files")
        pd.DataFrame(rows()).to_excel(path, index=False)
        return
    pd.DataFrame(rows()).to_csv(path, index=False, na_rep="nan", lineterminator="\r\n")


def check_file(path: Path, option: str, inputs: Iterable[Path] = ()) -> None:
    """A file can be written there and is not one of the inputs; its folder is created."""
    what, fix = f"{option} {path}", "choose another name"
    if path.is_dir():
        raise usage_error(f"{what} is a folder: give the name of a file in it")
    if path.exists() and any(given.exists() and path.samefile(given) for given in inputs):
        raise usage_error(f"{what} is the input file, which would be lost: {fix}")
    check_folder(path.parent, what)
    if path.exists() and not os.access(path, os.W_OK):
        raise usage_error(f"{what} is write-protected: {fix}")


def check_figure(
    path: Path | None,
    option: str = "--out",
    or_else: str = "",
    inputs: Iterable[Path] = (),
    tables: Sequence[str] = (),
) -> None:
    """A figure can be written there, or a table: `or_else` names these other endings."""
    is_table = path is not None and path.suffix.lower() in tables
    if (path is None or is_table) and SIZE_GIVEN in click.get_current_context().meta:
        raise usage_error(f"--size is for a figure: name its file, such as {option} figure.png")
    if path is None:
        return
    check_file(path, option, inputs)
    if is_table:
        return
    from highseason.report import check_target

    try:
        check_target(path)
    except ValueError as reason:
        raise usage_error(f"{option}: {reason}{or_else}") from reason


def check_folder(folder: Path, what: str) -> None:
    """Files can be written in that folder; it is created if need be."""
    problem = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            problem = f"no permission in {folder}"
    except (FileExistsError, NotADirectoryError) as reason:
        problem = f"{reason.filename} is not a folder"
    except OSError as reason:
        problem = reason.strerror or str(reason)
    if problem:
        raise usage_error(f"cannot write {what}: {problem}; choose another place")
