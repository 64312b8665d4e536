"""Forecasters by name: the command line, the studies and the checks find them here."""

from __future__ import annotations

import difflib
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from highseason.forecasters.errors import ForecastError

if TYPE_CHECKING:
    from highseason.forecasters.base import Forecaster

_entries: dict[str, type[Forecaster]] = {}


def enter(name: str, kind: type[Forecaster]) -> None:
    """Make a forecaster known by its name; defining the class does this."""
    _entries[name] = kind


def registry() -> dict[str, type[Forecaster]]:
    """Every named forecaster, the user's own included."""
    return dict(_entries)


def find(name: str) -> type[Forecaster]:
    """The kind of forecaster called `name`; an unknown name suggests the nearest."""
    if name in _entries:
        return _entries[name]
    near = difflib.get_close_matches(name, _entries, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(_entries)}"
    raise ForecastError(f"no forecaster is called {name!r}: {hint}")


def parse(text: str) -> Forecaster:
    """Read a forecaster as it is written on the command line.

    >>> parse("moving-average:window=7")
    MovingAverage(window=7)
    """
    name, _, rest = text.partition(":")
    kind = find(name.strip())
    known = {entry.name: entry.default for entry in fields(kind)}
    values: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key not in known:
            listed = ", ".join(known) or "none"
            raise ForecastError(f"{kind.name}: {part!r} is not setting=value; it has: {listed}")
        values[key] = _read(kind.name, key, value, known[key])
    return kind(**values)


def _read(owner: str, key: str, text: str, default: Any) -> Any:
    """The text in the type of the default; `none` is nothing, `7+365` is several whole numbers."""
    if text.lower() in ("none", ""):
        return None
    try:
        if isinstance(default, bool):
            return {"true": True, "yes": True, "false": False, "no": False}[text.lower()]
        if isinstance(default, tuple) or key == "periods":
            return tuple(int(part) for part in text.split("+"))
        if isinstance(default, int | float):
            return type(default)(text)
    except (KeyError, ValueError):
        raise ForecastError(f"{owner}: {key}={text!r} cannot be read") from None
    return text
