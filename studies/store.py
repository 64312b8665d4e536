"""Finished pieces of a study, stored so that an interrupted run resumes where it stopped.

A piece is written as a whole or not at all, with a fingerprint of everything it depends on: its
inputs and the sources that compute it.  A piece with another fingerprint is computed again.
"""

import functools
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

import highseason
from highseason.core.atomic import atomic_write
from highseason.engine import SimulationResult

T = TypeVar("T")

#: Rooms that show, judge or serve results, and do not compute those a study stores.
_NOT_COMPUTING = ("advice", "bandit", "bounds", "checks", "cli", "report", "service")
#: Modules of a study that only present what is stored.
_PRESENTING = ("__init__.py", "findings.py", "rule.py")


def source_digest(package: Path, folder: Path, *studies: str) -> str:
    """A digest of the sources that compute the results of a study, and of those it builds on."""
    skipped = (*_NOT_COMPUTING, folder.name)
    rooms = [room for room in package.iterdir() if room.name not in skipped]
    sources = [source for room in rooms for source in room.rglob("*.py")]
    own = [source for name in studies for source in (folder / name).glob("*.py")]
    sources += [source for source in own if source.name not in _PRESENTING]
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()


_digest = functools.cache(source_digest)


@dataclass
class Store:
    """A folder of finished pieces of one study; their inputs are anything JSON can hold."""

    folder: Path
    study: str
    builds_on: tuple[str, ...] = ()
    #: Pieces that an earlier run had finished, and those that this one did.
    reused: set[str] = field(default_factory=set, init=False)
    computed: set[str] = field(default_factory=set, init=False)

    def simulation(
        self, name: str, inputs: Any, compute: Callable[[], SimulationResult]
    ) -> SimulationResult:
        """A simulation."""
        path, stamp = self.folder / f"{name}.npz", self._fingerprint(inputs)
        stored = _load(path, stamp)
        if stored is not None:
            return self._reuse(name, stored)
        result = self._compute(name, path, compute)
        result = replace(result, settings=result.settings | {"fingerprint": stamp})
        result.save(path)
        return result

    def document(self, name: str, inputs: Any, compute: Callable[[], T]) -> T:
        """Anything that JSON can hold, and arrays."""
        path, stamp = self.folder / f"{name}.json", self._fingerprint(inputs)
        stored = _read(path, stamp)
        if stored is not None:
            return cast("T", self._reuse(name, stored["content"]))
        content = self._compute(name, path, compute)
        with atomic_write(path) as unfinished:
            text = json.dumps(
                {"fingerprint": stamp, "content": content},
                default=lambda array: {"array": array.tolist(), "dtype": array.dtype.str},
            )
            unfinished.write_text(text, encoding="utf-8")
        return content

    def has(self, name: str, inputs: Any) -> bool:
        """Whether a document is stored."""
        return _read(self.folder / f"{name}.json", self._fingerprint(inputs)) is not None

    def has_simulation(self, name: str, inputs: Any) -> bool:
        """Whether a simulation is stored."""
        return _load(self.folder / f"{name}.npz", self._fingerprint(inputs)) is not None

    def record(self, name: str, inputs: Any, kind: type[T], compute: Callable[[], T]) -> T:
        """A flat dataclass of arrays, numbers and text."""
        return kind(**self.document(name, inputs, lambda: asdict(cast("Any", compute()))))

    def _fingerprint(self, inputs: Any) -> str:
        package, folder = Path(highseason.__file__).parent, Path(__file__).parent
        sources = _digest(package, folder, self.study, *self.builds_on)
        text = json.dumps([sources, inputs], default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _reuse(self, name: str, piece: T) -> T:
        if name not in self.computed:
            self.reused.add(name)
        return piece

    def _compute(self, name: str, path: Path, compute: Callable[[], T]) -> T:
        self.computed.add(name)
        piece = compute()
        path.parent.mkdir(parents=True, exist_ok=True)
        return piece


def _load(path: Path, stamp: str) -> SimulationResult | None:
    """A stored simulation; None if it is not there, is damaged, or was made from something else."""
    with suppress(OSError, ValueError):
        stored = SimulationResult.load(path)
        if stored.settings.get("fingerprint") == stamp:
            return stored
    return None


def _read(path: Path, stamp: str) -> dict[str, Any] | None:
    """A stored document; None if it is not there, is damaged, or was made from something else."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        stored: dict[str, Any] = json.loads(
            path.read_text(encoding="utf-8"), object_hook=_load_array
        )
        if stored["fingerprint"] == stamp:
            return stored
    return None


def _load_array(value: dict[str, Any]) -> Any:
    if value.keys() == {"array", "dtype"}:
        return np.array(value["array"], value["dtype"])
    return value
