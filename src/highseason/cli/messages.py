"""What is said on stderr: one line at a time, each beginning with who says it."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click


def say(text: str, who: str = "highseason") -> None:
    """One line on stderr."""
    click.echo(f"{who}: {text}", err=True)


def note_if_too_short(turns: int, arms: int) -> None:
    """Say so when the game ends before every arm was tried once."""
    if turns < arms:
        say(
            f"note: {turns} turns are fewer than {arms} arms: only the first {turns} arms are "
            "played, once each, and nothing is learned; give more turns or fewer arms"
        )


def replace_what_cannot_be_shown() -> None:
    """Let a terminal that knows no ± or ─ show a ? there: no reason to fail."""
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
    """Show what the library warns of as lines, each once, without file names or source code."""
    told: set[str] = set()
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            text = one_line(str(message))
            if not issubclass(category, UserWarning):
                usual(message, category, *where)
            elif text not in told:
                told.add(text)
                say(f"warning: {text}")

        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show  # type: ignore[assignment]  # its optional tail comes as *where
        yield
