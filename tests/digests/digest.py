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


def summary(entries: dict[str, Any]) -> dict[str, Any]:
    """What the file holds of a case: one digest of its exact entries, one number of its statistics.

    The number is a weighted sum of their sizes, with weights that follow from their names and
    places, so that none can change, or change places with another, without changing it.
    """
    exact = {name: value for name, value in entries.items() if not isinstance(value, dict)}
    held: dict[str, Any] = {"entries": len(entries)}
    if exact:
        held["exact"] = _hash(json.dumps(exact, sort_keys=True).encode())
    if near := {name: value for name, value in entries.items() if isinstance(value, dict)}:
        held["near"] = sum(map(_projected, near, near.values()))
        held["rel"] = max(value["rel"] for value in near.values())
    return held


def _projected(name: str, value: dict[str, Any]) -> float:
    numbers = np.asarray(_numbers(value["near"]), dtype=np.float64).ravel()
    words = [_hash(f"{name} {place}".encode()) for place in range(numbers.size)]
    weights = np.array([1.0 + int(word, 16) / 2.0**64 for word in words])
    sizes = np.where(np.isfinite(numbers), np.abs(numbers), 12345.0)
    return float(weights @ np.where(numbers < 0, 3.0 * sizes, sizes))


def difference(found: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """What differs between two summaries of a case, in words."""
    wrong = [
        f"{what} {found.get(key)!r}, recorded was {expected.get(key)!r}"
        for key, what in (("entries", "the number of entries is"), ("exact", "the digest is"))
        if found.get(key) != expected.get(key)
    ]
    # A case may declare a wider tolerance than was recorded; it says why beside it.
    rel = max(found.get("rel", 0.0), expected.get("rel", 0.0))
    if not math.isclose(found.get("near", 0.0), expected.get("near", 0.0), rel_tol=rel):
        wrong.append(
            f"the statistics are {found.get('near')!r}, recorded was {expected.get('near')!r} "
            f"(relative tolerance {rel:g})"
        )
    return wrong


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
