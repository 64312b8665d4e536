"""The values of documents and events, as JSON and back.

Floats are written in Python's shortest exact form; what JSON has no number for is null (missing) or
a string (infinite).  Whatever is read is checked.
"""

import json
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sized
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.errors import BanditError, DocumentError
from highseason.bandit.ledger import Propensities
from highseason.policies import Policy
from highseason.policies import from_json as policy_from_json
from highseason.traffic import Multiplier
from highseason.traffic.timeline import Timeline

_PLAIN = (str, int, float, bool, type(None))

#: The probabilities of all arms add up to 1, up to rounding.
_ROUNDING = 1e-6


def corrupt(reason: str) -> DocumentError:
    """The error for a document that `write` cannot have written."""
    return DocumentError(f"corrupt document: {reason}")


def loads(text: str | bytes) -> Any:
    """JSON as the standard has it: NaN and Infinity, which Python would read, are refused."""
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def dumps(document: Mapping[str, Any]) -> str:
    """Compact JSON."""
    return json.dumps(document, allow_nan=False, separators=(",", ":"))


def id_to_json(arm: Hashable) -> Any:
    """An arm id as JSON.  Exact types only, so that `id_from_json` gives back what went in.

    >>> id_to_json(("shelf", 3))
    {'tuple': ['shelf', 3]}
    """
    if type(arm) is tuple:
        return {"tuple": [id_to_json(part) for part in arm]}
    if type(arm) is float and math.isinf(arm):
        return {"float": str(arm)}
    if type(arm) not in _PLAIN or arm != arm:  # NaN is not even equal to itself
        raise BanditError(
            f"the arm {arm!r} ({type(arm).__name__}) cannot be written as JSON: use ids that are "
            "str, int, float, bool, None, or tuples of these"
        )
    return arm


def id_from_json(entry: Any) -> Hashable:
    """The arm id that `id_to_json` wrote.

    >>> id_from_json({"tuple": ["shelf", 3]})
    ('shelf', 3)
    """
    if type(entry) in _PLAIN:
        return entry  # type: ignore[no-any-return]  # one of the plain types
    if isinstance(entry, dict) and isinstance(entry.get("tuple"), list):
        return tuple(id_from_json(part) for part in entry["tuple"])
    if isinstance(entry, dict) and entry.get("float") in ("inf", "-inf"):
        return float(entry["float"])
    raise DocumentError(f"{entry!r} is not an arm id")


def floats_to_json(values: Iterable[float]) -> list[float | str | None]:
    """A column of floats.

    >>> floats_to_json([0.1, math.inf, math.nan])
    [0.1, 'inf', None]
    """
    return [
        value if math.isfinite(value) else None if math.isnan(value) else str(value)
        for value in map(float, values)
    ]


def number(entry: Any) -> float:
    """A float; null is NaN."""
    if entry is None:
        return math.nan
    plain = isinstance(entry, int | float) and not isinstance(entry, bool)
    if plain or entry in ("inf", "-inf"):
        return float(entry)
    raise corrupt(f"expected a number, got {entry!r}")


def whole(entry: Any) -> int:
    """A whole number."""
    if isinstance(entry, bool) or not isinstance(entry, int):
        raise corrupt(f"expected a whole number, got {entry!r}")
    return entry


def flag(entry: Any) -> bool:
    """True or false."""
    if not isinstance(entry, bool):
        raise corrupt(f"expected true or false, got {entry!r}")
    return entry


Read = Callable[[Any], Any]


class ArrayField(NamedTuple):
    """How a column is read: the type of its entries, and which it may hold."""

    kind: type[bool] | type[int] | type[float]  # truth values, whole numbers or floats
    low: float = -math.inf  # the smallest that is allowed
    high: float = math.inf  # the largest
    missing: bool = False  # whether null, which becomes NaN, is allowed
    infinite: bool = False  # whether "inf" and "-inf" are

    def read(self, name: str, entries: Any) -> NDArray[Any]:
        """The entries as an array."""
        if not isinstance(entries, list):
            raise corrupt(f"`{name}` must be a list, got {entries!r}")
        plain = {self.kind} if self.kind is not float else {int, float}
        if not set(map(type, entries)) <= plain:
            read = {bool: flag, int: whole, float: number}[self.kind]
            entries = [read(entry) for entry in entries]
        column = np.array(entries, self.kind)
        if self.kind is not bool and not (fits := self._fits(column)).all():
            raise corrupt(f"`{name}` holds {column[~fits][0]}")
        return column

    def _fits(self, column: NDArray[Any]) -> NDArray[np.bool_]:
        fits = (column >= self.low) & (column <= self.high)
        if self.kind is float:
            fits &= np.isfinite(column) | (self.infinite & np.isinf(column))
            fits |= self.missing & np.isnan(column)
        return np.asarray(fits)


FLAGS, WHOLE, FINITE = ArrayField(bool), ArrayField(int), ArrayField(float)


def write_policy(policy: Policy | Mapping[str, Any]) -> Any:
    """A policy as plain data; one that already is stays as it is."""
    return json.loads(policy.to_json()) if isinstance(policy, Policy) else policy


def read_policy(entry: Policy | Mapping[str, Any], given: Policy | None) -> Policy:
    """The policy that `write_policy` wrote, or the given one if it is the same."""
    if given is not None:
        if write_policy(given) != write_policy(entry):
            raise DocumentError(
                f"this bandit was written with another policy than {given}: {entry}"
            )
        return given
    if isinstance(entry, Policy):
        return entry
    try:
        return policy_from_json(json.dumps(entry))
    except ValueError as reason:
        raise DocumentError(
            f"{reason}; import the module that defines the policy, or pass it as policy=…"
        ) from reason


def write_multiplier(G: Multiplier) -> dict[str, Any]:
    """A multiplier as plain data."""
    instants = None if G.timeline is None else np.datetime_as_string(G.timeline.instants).tolist()
    return {
        "name": G.name,
        "values": floats_to_json(G.values),
        "calendar": instants,  # with a zone in UTC: a wall clock may show the same hour twice
        "zone": G.zone,
    }


def read_multiplier(entry: Mapping[str, Any]) -> Multiplier:
    """The multiplier that `write_multiplier` wrote."""
    calendar, zone = entry["calendar"], entry["zone"]
    moments: Any = None
    if calendar is not None:
        moments = Timeline(np.array(calendar, dtype="datetime64"), "UTC" if zone else None)
    return Multiplier(FINITE.read("values", entry["values"]), moments, str(entry["name"]), zone)


def same_length(length: int, **columns: Sized) -> None:
    """Refuse columns of another length."""
    for name, column in columns.items():
        if len(column) != length:
            raise corrupt(f"`{name}` has {len(column)} entries, expected {length}")


def read_many_propensities(
    runs: list[Any], ends: list[Any], values: list[Any]
) -> list[Propensities]:
    """Propensities one after the other: how many runs each has, and all their ends and values."""
    lengths = ArrayField(int, 1).read("runs", runs)
    flat_ends = ArrayField(int, 1).read("ends", ends)
    flat_values = ArrayField(float, 0.0, 1.0).read("propensities", values)
    same_length(int(lengths.sum()), ends=flat_ends, propensities=flat_values)
    stops = np.cumsum(lengths)
    starts = stops - lengths
    widths = np.diff(flat_ends, prepend=0)
    widths[starts] = flat_ends[starts]
    total = np.add.reduceat(widths * flat_values, starts) if starts.size else np.ones(0)
    if (widths < 1).any() or (np.abs(total - 1.0) > _ROUNDING).any():
        raise corrupt("propensities must be the probabilities of all arms, and add up to 1")
    ends, values = flat_ends.tolist(), flat_values.tolist()
    parts = zip(starts.tolist(), stops.tolist(), strict=True)
    return [Propensities(tuple(ends[a:b]), tuple(values[a:b])) for a, b in parts]
