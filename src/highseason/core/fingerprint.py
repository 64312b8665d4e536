"""A digest of what a value holds, equal in every process: numbers, arrays, code and settings."""

import functools
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np


def fingerprint(*values: Any) -> str:
    """A digest of the values and of the functions they hold, by their code.

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
    plain = bool | int | float | complex | str | bytes | range
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
