"""Finished pieces of a study on disk, so that an interrupted run resumes.

A piece is one file, written whole or not at all.  Its name holds a digest of what it was computed
from, so what other work left in the folder is never read.
"""

import functools
import hashlib
import pickle
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from highseason.core.atomic import atomic_write


class Stored(NamedTuple):
    """The result of a finished piece."""

    result: Any


@dataclass(frozen=True)
class Checkpoint:
    """A folder of finished pieces.

    Files are pickles, so the folder must be as trustworthy as the code.
    """

    folder: Path
    work: str  # Identifies what all pieces depend on, besides their keys

    def load(self, key: str) -> Stored | None:
        """What is stored of a piece; None if it is not there, or cannot be read whole."""
        file = self._file(key)
        with suppress(OSError, ValueError, EOFError, pickle.UnpicklingError, AttributeError):
            name, result = pickle.loads(file.read_bytes())
            if name == file.name:
                return Stored(result)
        return None

    def save(self, key: str, result: Any) -> None:
        """Store the result of a piece."""
        file = self._file(key)
        self.folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(file) as unfinished:
            unfinished.write_bytes(pickle.dumps((file.name, result), protocol=5))

    def _file(self, key: str) -> Path:
        digest = hashlib.sha256(f"{self.work}\0{key}".encode()).hexdigest()
        return self.folder / f"{digest[:20]}.piece"


def fingerprint(*values: Any) -> str:
    """A digest of the values and of the functions they hold, by their code; in every process alike.

    Raises:
        TypeError: A value is of a kind whose content cannot be seen.

    >>> fingerprint([1.0, "a"], abs) == fingerprint([1.0, "a"], abs) != fingerprint([1.5, "a"], abs)
    True
    """
    digest = hashlib.sha256()
    for part in _parts(values, set()):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _parts(value: Any, above: set[int]) -> Iterator[bytes]:
    yield f"{type(value).__module__}.{type(value).__qualname__}".encode()
    plain = bool | int | float | complex | str | bytes | range | slice
    if value is None or value is ... or isinstance(value, plain):
        yield repr(value).encode()
        return
    if isinstance(value, np.ndarray | np.generic):
        yield f"{value.dtype}{value.shape}".encode() + value.tobytes()
        return
    if isinstance(value, ModuleType | type) or type(value).__name__.startswith("builtin_"):
        yield f"{getattr(value, '__module__', '')}.{value.__name__}".encode()
        return
    if id(value) in above:  # a function that calls itself
        return
    for inner in _inside(value):
        yield from _parts(inner, above | {id(value)})


def _inside(value: Any) -> Iterator[Any]:
    """The parts of a value that has parts."""
    if isinstance(value, FunctionType):
        yield value.__qualname__
        yield value.__code__
        yield value.__defaults__
        yield [_content(cell) for cell in value.__closure__ or ()]
    elif isinstance(value, CodeType):
        yield from (value.co_code, value.co_names, value.co_consts)
    elif isinstance(value, functools.partial):
        yield from (value.func, value.args, value.keywords)
    elif is_dataclass(value):
        yield from (getattr(value, field.name) for field in fields(value))
    elif isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, tuple | list):
        yield from value
    elif isinstance(value, set | frozenset):
        yield from sorted(value, key=repr)
    elif hasattr(value, "__dict__"):
        yield from vars(value).items()
    else:
        raise TypeError(f"cannot see what a {type(value).__name__} holds: {value!r}")


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # still empty
        return None
