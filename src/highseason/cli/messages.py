"""What goes to stderr: messages, one line each, and a progress bar."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click


def say(text: str, who: str = "highseason") -> None:
    """Print one line on stderr."""
    click.echo(f"{who}: {text}", err=True)


def note_if_too_short(turns: int, arms: int) -> None:
    """Note that the game ends before every arm was tried once."""
    if turns < arms:
        say(
            f"note: {turns} turns are fewer than {arms} arms: only the first {turns} arms are "
            "played, once each, and nothing is learned; give more turns or fewer arms"
        )


def replace_unprintable() -> None:
    """Let a terminal that cannot show ± or ─ show a ? instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def one_line(text: str) -> str:
    """The same text without line breaks.

    >>> one_line(" two   words ")
    'two words'
    """
    return " ".join(text.split())


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Show the library's warnings as lines, each once, without file names or source code."""
    shown: set[str] = set()
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            text = one_line(str(message))
            if not issubclass(category, UserWarning):
                usual(message, category, *where)
            elif text not in shown:
                shown.add(text)
                say(f"warning: {text}")

        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show  # type: ignore[assignment]  # its optional tail comes as *where
        yield


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function of (done, total), or None where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
