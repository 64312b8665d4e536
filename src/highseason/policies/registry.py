"""Policies by name: the command line, saved states and the conformance checks find them here."""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from highseason.core.specs import Registry, split_spec
from highseason.policies.parameters import declared

if TYPE_CHECKING:
    from highseason.policies.base import Policy  # for annotations: it registers itself here

_policies: Registry[type[Policy]] = Registry("policy")
#: Joins a wrapper to the policy within; not the sign in a number such as 1e+5.
_PLUS = re.compile(r"\+(?=\s*[A-Za-z])")


def enter(name: str, cls: type[Policy]) -> None:
    """Register a policy by its name; defining the class does this.

    A class may be defined again, as happens in notebooks, but not take another one's name.
    """
    _policies.register(name, cls)


def discover(package: str, path: Iterable[str]) -> None:
    """Import every module of a package, so that their policies are registered."""
    for module in pkgutil.iter_modules(path):
        import_module(f"{package}.{module.name}")


def registry() -> dict[str, type[Policy]]:
    """Every named policy, the user's own included."""
    return _policies.entries()


def find(name: str) -> type[Policy]:
    """The policy class called `name`; an unknown name suggests the nearest."""
    return _policies[name]


def parse(text: str) -> Policy:
    """Read a policy as it is written on the command line.

    >>> parse("ucb-z:z=31")
    UCBZ(ties='lowest', z=31.0, P=2.0, variant='paper')
    >>> print(parse("cap:cap=0.5+spare-old-arms+soft-ucb-mortal"))
    cap:cap=0.5+spare-old-arms+soft-ucb-mortal
    """
    outer, *inner = _PLUS.split(text, maxsplit=1)
    name, options = split_spec(outer)
    cls = find(name)
    values = _checked(cls, options)
    if inner:
        if "base" not in declared(cls):
            raise ValueError(
                f"{cls.name} is not a wrapper: it cannot be put before '+', got {text!r}"
            )
        values["base"] = parse(inner[0])
    return cls(**values)


def _checked(cls: type[Policy], options: dict[str, str]) -> dict[str, Any]:
    limits = declared(cls)
    for key in options:
        if key not in limits:
            raise ValueError(f"{cls.name} has no parameter {key!r}; it has: {', '.join(limits)}")
    return {key: limits[key].check(cls.name, key, value) for key, value in options.items()}


def from_json(text: str) -> Policy:
    """The policy that `Policy.to_json` wrote."""
    return _from_document(json.loads(text))


def _from_document(document: dict[str, Any]) -> Policy:
    values: dict[str, Any] = {
        key: _from_document(value) if isinstance(value, dict) else value
        for key, value in document.items()
    }
    return find(values.pop("name"))(**values)
