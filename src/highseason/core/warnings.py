"""Warnings that point at the line of the user's program, however deep in here they arise."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

#: Frames of the package, and of the decorators that contextlib makes for it.
_INSIDE = (__name__.partition(".")[0], "contextlib")
_heard: ContextVar[list[str] | None] = ContextVar("_heard", default=None)


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn, with the nearest caller outside this package and contextlib as the place.

    (`skip_file_prefixes` of Python 3.12 does the same; we still run on 3.11.)
    """
    if (heard := _heard.get()) is not None:
        heard.append(message)
        return
    level = 2  # what warnings calls the caller of this function
    frame = sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__", "")).split(".")[0] in _INSIDE:
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def collected() -> Iterator[list[str]]:
    """Give what `warn_user` is told in this thread, for a page that shows it, and do not warn."""
    heard: list[str] = []
    token = _heard.set(heard)
    try:
        yield heard
    finally:
        _heard.reset(token)


@contextmanager
def quiet(*categories: type[Warning]) -> Iterator[None]:
    """Ignore warnings of these categories, `UserWarning` if none is given.

    Filters belong to the whole process.  Threads may be quiet at the same time, in any order: each
    adds filters of its own, whereas the end of `warnings.catch_warnings` undoes what others did.

    >>> with quiet():
    ...     warnings.warn("not shown", UserWarning)
    """
    filters: list[Any] = warnings.filters  # type: ignore[assignment]  # a list, as documented
    ignored = [("ignore", None, category, None, 0) for category in categories or (UserWarning,)]
    filters[:0] = ignored
    try:
        yield
    finally:
        for entry in ignored:
            with suppress(ValueError):  # someone emptied the list
                filters.remove(entry)
