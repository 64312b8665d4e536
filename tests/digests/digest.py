"""How results are stored: exact ones as digests or plain values, statistics as numbers."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).with_name("recorded.json")
#: Longer texts are stored as digests.
_SHORT = 200
#: Longer lists too.
_FEW = 12


@dataclass(frozen=True)
class Near:
    """A statistic: stored as numbers, and compared with a relative tolerance."""

    value: Any
    rel: float = 1e-12


def stored(value: Any) -> Any:
    """What the file holds for a value."""
    if isinstance(value, Near):
        array = np.asarray(value.value, dtype=np.float64)
        return {"near": _plain(array.tolist()), "rel": value.rel}
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return _plain(float(value) + 0.0)  # + 0.0: no minus zero
    if isinstance(value, str):
        return value if len(value) <= _SHORT else f"sha256:{_hash(value.encode())}"
    if isinstance(value, list | tuple) and _readable(value):
        return list(value)
    return f"sha256:{_digest(value)}"


def _readable(values: list[Any] | tuple[Any, ...]) -> bool:
    """Whether they are so few whole numbers and words that the file can hold them as they are."""
    return len(values) <= _FEW and all(type(each) in (int, str, bool) for each in values)


def difference(found: Any, expected: Any) -> str | None:
    """What is wrong with a stored value, in words; None if nothing is."""
    if isinstance(found, dict) and isinstance(expected, dict):
        # A case may declare a wider tolerance than was recorded; it says why beside it.
        return _far(found["near"], expected["near"], max(found["rel"], expected["rel"]))
    return None if _same(found, expected) else f"is {found!r}, recorded was {expected!r}"


def _same(found: Any, expected: Any) -> bool:
    return type(found) is type(expected) and bool(found == expected)


def _far(found: Any, expected: Any, rel: float) -> str | None:
    a, b = (np.asarray(_numbers(each), dtype=np.float64) for each in (found, expected))
    if a.shape != b.shape:
        return f"has shape {a.shape}, recorded was {b.shape}"
    close = np.isclose(a, b, rtol=rel, atol=1e-300, equal_nan=True)
    if close.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~close)[0])
    where = f" at {list(at)}" if at else ""
    return f"is {a[at]!r}{where}, recorded was {b[at]!r} (relative tolerance {rel:g})"


def _plain(value: Any) -> Any:
    """Numbers that JSON can hold."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value if math.isfinite(value) else str(value)


def _numbers(value: Any) -> Any:
    return [_numbers(each) for each in value] if isinstance(value, list) else float(value)


def _digest(value: Any) -> str:
    if isinstance(value, dict | list | tuple) and not _numeric(value):
        return _hash(json.dumps(_listed(value)).encode())
    array = np.asarray(value)
    if array.dtype.kind in "Mm":
        array = array.astype(f"{array.dtype.kind}8[us]").astype(np.int64)
    kind = {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64}[array.dtype.kind]
    array = np.ascontiguousarray(array, dtype=kind)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.nan, array + 0.0)  # one NaN, and no minus zero
    return _hash(f"{array.dtype.name}{array.shape}".encode() + array.tobytes())


def _numeric(value: Any) -> bool:
    if isinstance(value, dict):
        return False
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except ValueError:  # rows of different lengths
        return False


def _listed(value: Any) -> Any:
    """Lists of short things, numbers by their exact value."""
    if isinstance(value, dict):
        return [[_listed(key), _listed(each)] for key, each in value.items()]
    if isinstance(value, list | tuple):
        return [_listed(each) for each in value]
    return value if isinstance(value, str) else stored(value)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
