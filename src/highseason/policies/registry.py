"""Policies by name: the command line, saved states and the conformance checks find them here."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from highseason.policies.base import Policy

_entries: dict[str, type[Policy]] = {}
#: What joins a wrapper to the policy within; not the sign in a number such as 1e+5.
_PLUS = re.compile(r"\+(?=\s*[A-Za-z])")


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
    UCBZ(ties='lowest', z=31.0, P=2.0, variant='paper')
    >>> print(parse("cap:cap=0.5+spare-old-arms+soft-ucb-mortal"))
    cap:cap=0.5+spare-old-arms+soft-ucb-mortal
    """
    outer, *inner = _PLUS.split(text, maxsplit=1)
    name, _, rest = outer.partition(":")
    cls = find(name.strip())
    values = _read_parameters(cls, rest)
    if inner:
        if "base" not in cls.__dataclass_fields__:
            raise ValueError(f"{cls.name} cannot be put around another policy, as {text!r} does")
        values["base"] = parse(inner[0])
    return cls(**values)


def _read_parameters(cls: type[Policy], text: str) -> dict[str, Any]:
    limits = {
        entry.name: entry.metadata["limits"] for entry in fields(cls) if "limits" in entry.metadata
    }
    values: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals:
            raise ValueError(f"{cls.name}: {part!r} is not written as parameter=value")
        if key not in limits:
            known = ", ".join(limits)
            raise ValueError(f"{cls.name} has no parameter {key!r}; it has: {known}")
        values[key] = limits[key].check(cls.name, key, value.strip())
    return values


def from_json(text: str) -> Policy:
    """The policy that `Policy.to_json` wrote."""
    return _from_document(json.loads(text))


def _from_document(document: dict[str, Any]) -> Policy:
    values: dict[str, Any] = {
        key: _from_document(value) if isinstance(value, dict) else value
        for key, value in document.items()
    }
    return find(values.pop("name"))(**values)
