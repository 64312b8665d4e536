"""Policies by name: the command line, saved states and the conformance checks find them here."""

from __future__ import annotations

import difflib
import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from highseason.policies.base import Policy

_entries: dict[str, type[Policy]] = {}


def enter(name: str, cls: type[Policy]) -> None:
    """Make a policy known by its name; defining the class does this.

    A class may be defined again, as happens in notebooks, but not take another one's name.
    """
    held = _entries.get(name)
    if held is not None and (held.__module__, held.__qualname__) != (
        cls.__module__,
        cls.__qualname__,
    ):
        raise ValueError(f"the name {name!r} belongs to {held.__qualname__}: choose another")
    _entries[name] = cls


def registry() -> dict[str, type[Policy]]:
    """Every named policy, the user's own included."""
    return dict(_entries)


def find(name: str) -> type[Policy]:
    """The policy class called `name`; an unknown name suggests the nearest."""
    if name in _entries:
        return _entries[name]
    near = difflib.get_close_matches(name, _entries, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else "see 'highseason policies'"
    raise ValueError(f"no policy is called {name!r}: {hint}")


def parse(text: str) -> Policy:
    """Read a policy as it is written on the command line.

    >>> parse("ucb-z:z=31")
    UCBZ(ties='lowest', z=31.0, P=2.0, rule='paper')
    """
    name, _, rest = text.partition(":")
    cls = find(name.strip())
    limits = {
        entry.name: entry.metadata["limits"] for entry in fields(cls) if "limits" in entry.metadata
    }
    values: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or key not in limits:
            known = ", ".join(limits)
            raise ValueError(f"{cls.name}: {part!r} is not parameter=value; it has: {known}")
        values[key] = limits[key].read(cls.name, key, value.strip())
    return cls(**values)


def from_json(text: str) -> Policy:
    """The policy that `Policy.to_json` wrote."""
    values = json.loads(text)
    return find(values.pop("name"))(**values)
