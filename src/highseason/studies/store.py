"""Finished pieces of a study, stored so that an interrupted run resumes where it stopped.

A piece is written as a whole or not at all, with a fingerprint of everything it depends on: its
inputs and the sources that compute it.  A piece with another fingerprint is computed again.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import highseason
from highseason.core.atomic import atomic_write
from highseason.results import SimulationResult

T = TypeVar("T")

#: Rooms that show, judge or serve results, and do not compute those a study stores.
_NOT_COMPUTING = ("advice", "bandit", "bounds", "checks", "cli", "report", "service", "studies")
#: Modules of a study that only present what is stored.
_PRESENTING = ("__init__.py", "findings.py")


def source_digest(package: Path, study: str) -> str:
    """A digest of the sources that compute a study's results."""
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        if _computes(source.relative_to(package).parts, study):
            digest.update(source.read_bytes())
    return digest.hexdigest()


def _computes(parts: tuple[str, ...], study: str) -> bool:
    if parts[0] == "studies":
        return parts[1] == study and parts[-1] not in _PRESENTING
    return len(parts) > 1 and parts[0] not in _NOT_COMPUTING


@functools.cache
def _own_sources(study: str) -> str:
    return source_digest(Path(highseason.__file__).parent, study)


@dataclass
class Store:
    """A folder of finished pieces of one study."""

    folder: Path
    study: str
    #: Pieces that an earlier run had finished, and those that this one did.
    reused: set[str] = field(default_factory=set, init=False)
    computed: set[str] = field(default_factory=set, init=False)

    def simulation(
        self, name: str, inputs: Any, compute: Callable[[], SimulationResult]
    ) -> SimulationResult:
        """A simulation; `inputs` is anything JSON can hold."""
        stamp = self._fingerprint(inputs)
        path = self.folder / f"{name}.npz"
        try:
            stored = SimulationResult.load(path)
        except (OSError, ValueError):
            stored = None
        if stored is not None and stored.settings.get("fingerprint") == stamp:
            self._note_reuse(name)
            return stored
        self.computed.add(name)
        result = compute()
        result = replace(result, settings=result.settings | {"fingerprint": stamp})
        path.parent.mkdir(parents=True, exist_ok=True)
        result.save(path)
        return result

    def document(self, name: str, inputs: Any, compute: Callable[[], Any]) -> Any:
        """The same for anything that JSON can hold."""
        stamp = self._fingerprint(inputs)
        path = self.folder / f"{name}.json"
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            stored = None
        if isinstance(stored, dict) and stored.get("fingerprint") == stamp:
            self._note_reuse(name)
            return stored["content"]
        self.computed.add(name)
        content = compute()
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as unfinished:
            text = json.dumps({"fingerprint": stamp, "content": content})
            unfinished.write_text(text, encoding="utf-8")
        return content

    def record(self, name: str, inputs: Any, kind: type[T], compute: Callable[[], T]) -> T:
        """The same for a flat dataclass of arrays, numbers and text."""
        columns = self.document(name, inputs, lambda: _columns(compute()))
        return kind(**{key: _array(value) for key, value in columns.items()})

    def _fingerprint(self, inputs: Any) -> str:
        text = json.dumps([_own_sources(self.study), inputs], default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _note_reuse(self, name: str) -> None:
        if name not in self.computed:
            self.reused.add(name)


def _columns(record: Any) -> dict[str, Any]:
    values = {entry.name: getattr(record, entry.name) for entry in fields(record)}
    return {
        key: {"array": value.tolist(), "dtype": value.dtype.str}
        if isinstance(value, np.ndarray)
        else value
        for key, value in values.items()
    }


def _array(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"array", "dtype"}:
        return np.array(value["array"], dtype=value["dtype"])
    return value
