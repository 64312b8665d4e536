"""Finished pieces of a study, kept so that an interrupted run goes on where it stopped.

A piece is written whole or not at all, with a fingerprint of all that it depends on.  One with
another fingerprint (another seed, other settings, another version) is made anew.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import highseason
from highseason.results import SimulationResult


def fingerprint(*parts: Any) -> str:
    """Sixteen digits that change when any of the parts does, or this program.

    >>> fingerprint("wave", 1) == fingerprint("wave", 1) != fingerprint("wave", 2)
    True
    """
    text = json.dumps([_program(), *parts], default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@functools.cache
def _program() -> str:
    """A digest of our own sources: a development version has many."""
    package = Path(highseason.__file__).parent
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


@dataclass
class Store:
    """A folder of finished pieces."""

    folder: Path
    #: The pieces that an earlier run had left.
    found: set[str] = field(default_factory=set, init=False)
    _made: set[str] = field(default_factory=set, init=False)

    def result(
        self, name: str, stamp: str, make: Callable[[], SimulationResult]
    ) -> SimulationResult:
        """The stored result if its fingerprint is `stamp`, else a new one, stored."""
        path = self.folder / f"{name}.npz"
        found = _loaded(path)
        if found is not None and found.settings.get("fingerprint") == stamp:
            self._note(name)
            return found
        self._made.add(name)
        made = make()
        made = replace(made, settings=made.settings | {"fingerprint": stamp})
        path.parent.mkdir(parents=True, exist_ok=True)
        made.save(path)
        return made

    def document(self, name: str, stamp: str, make: Callable[[], Any]) -> Any:
        """The same for anything that JSON can hold."""
        path = self.folder / f"{name}.json"
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            found = None
        if isinstance(found, dict) and found.get("fingerprint") == stamp:
            self._note(name)
            return found["content"]
        self._made.add(name)
        content = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_name(path.name + ".part")
        half.write_text(json.dumps({"fingerprint": stamp, "content": content}), encoding="utf-8")
        half.replace(path)
        return content

    def _note(self, name: str) -> None:
        if name not in self._made:
            self.found.add(name)


def _loaded(path: Path) -> SimulationResult | None:
    """None where there is no whole result: it is then made anew."""
    try:
        return SimulationResult.load(path)
    except (OSError, ValueError):
        return None
