"""Finished blocks on disk or in a bucket, so that an interrupted run resumes.

A block is one file, written whole or not at all.  Its name holds a digest of the work and of the
block, so several runs may share a folder, and what other work left there is never read.
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
from highseason.core.extras import require
from highseason.core.version import __version__


class Stored(NamedTuple):
    """The result of a finished block."""

    result: Any


@dataclass(frozen=True)
class Checkpoint:
    """A folder of finished blocks of one piece of work.

    Files are pickles, so the folder must be as trustworthy as the code.
    """

    folder: str | Path  # A path, or an address such as `s3://bucket/folder` that fsspec understands
    work: str  # Identifies the work: all that its results depend on, besides the block

    def load(self, number: int, block: Any) -> Stored | None:
        """What is stored of a block; None if it is not there, or cannot be read whole."""
        name = self._name(number, block)
        with suppress(OSError, ValueError, EOFError, pickle.UnpicklingError, AttributeError):
            found, result = pickle.loads(self._read(name))
            if found == name:
                return Stored(result)
        return None

    def save(self, number: int, block: Any, result: Any) -> None:
        """Store the result of a block."""
        name = self._name(number, block)
        content = pickle.dumps((name, result), protocol=5)
        if self._is_address:
            try:
                self._files.pipe_file(self._address(name), content)
            except FileNotFoundError:  # buckets have no folders, but other file systems do
                self._files.makedirs(str(self.folder), exist_ok=True)
                self._files.pipe_file(self._address(name), content)
            return
        folder = Path(self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(folder / name) as unfinished:
            unfinished.write_bytes(content)

    def _name(self, number: int, block: Any) -> str:
        text = f"{__version__}\0{self.work}\0{block!r}"
        return f"{hashlib.sha256(text.encode()).hexdigest()[:20]}-{number:06d}.block"

    def _read(self, name: str) -> bytes:
        if self._is_address:
            return bytes(self._files.cat_file(self._address(name)))
        return (Path(self.folder) / name).read_bytes()

    @property
    def _is_address(self) -> bool:
        return "://" in str(self.folder)

    @property
    def _files(self) -> Any:
        """The file system of the address; fsspec remembers it."""
        fsspec = require("fsspec", extra="dask", purpose=f"the checkpoint {self.folder}")
        return fsspec.core.url_to_fs(str(self.folder))[0]

    def _address(self, name: str) -> str:
        return f"{str(self.folder).rstrip('/')}/{name}"


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
