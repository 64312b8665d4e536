"""A live bandit as a JSON document, and back: it goes on as if nothing had happened.

Random numbers are functions of (seed, turn), so the seed is all of the random state.  Floats are
written in Python's shortest exact form; what JSON has no number for is null (missing) or a string
(infinite).  Whatever is read is checked: a document that `write` cannot have written is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.arm_table import ArmTable
from highseason.bandit.errors import BanditError, DocumentError
from highseason.bandit.ledger import Account, Ledger, Propensities, Scale, known
from highseason.bandit.multiplier_source import KnownMultiplier, MultiplierSource, OnlineMultiplier
from highseason.bandit.session import BanditSession
from highseason.core.version import __version__
from highseason.multipliers import Multiplier
from highseason.multipliers.timeline import Timeline
from highseason.policies import Policy
from highseason.policies import from_json as policy_from_json
from highseason.rules import NO_END, ArmState, observe_mean

FORMAT = "highseason bandit"
VERSION = 3

_ARM_FLAGS = ("active", "held", "opening")
_ARM_INTEGERS = ("selections", "start", "end")
_ARM_FLOATS = ("pulls", "sums", "weight")
_TURN_INTEGERS = ("turns", "arms", "exploited")
_TURN_FLOATS = ("levels", "rewards", "traffic")
_PLAIN = (str, int, float, bool, type(None))


# -- writing ---------------------------------------------------------------------------------------


def write(session: BanditSession[Any]) -> str:
    """The whole bandit as text."""
    return dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "written_by": f"highseason {__version__}",
            "policy": write_policy(session.policy),
            "seed": session.seed,
            "reward_range": session.scale.reward_range,
            "clipped": session.clipped,
            "multiplier": _write_source(session.source, len(session.names)),
            "arms": _write_arms(session.table),
            "decisions": _write_ledger(session.ledger),
        }
    )


def dumps(document: Mapping[str, Any]) -> str:
    """Compact JSON."""
    return json.dumps(document, allow_nan=False, separators=(",", ":"))


def write_policy(policy: Policy | Mapping[str, Any]) -> Any:
    """A policy as plain data; one that already is stays as it is."""
    return json.loads(policy.to_json()) if isinstance(policy, Policy) else policy


def write_multiplier(G: Multiplier) -> dict[str, Any]:
    """A multiplier as plain data."""
    instants = None if G.timeline is None else np.datetime_as_string(G.timeline.instants).tolist()
    return {
        "name": G.name,
        "values": floats_to_json(G.values),
        "calendar": instants,  # with a zone in UTC: a wall clock may show the same hour twice
        "zone": G.zone,
    }


def _write_source(source: MultiplierSource, arms: int) -> dict[str, Any]:
    entry = source.snapshot(arms)
    if entry.get("series") is not None:
        entry |= write_multiplier(entry.pop("series"))
    if entry.get("plan") is not None:
        entry["plan"]["levels"] = floats_to_json(entry["plan"]["levels"])
    return entry


def _write_arms(table: ArmTable[Any]) -> dict[str, Any]:
    state = table.state
    return {
        "ids": [id_to_json(arm) for arm in table.ids],
        "active": table.active.tolist(),
        "held": table.held.tolist(),
        "ends": table.ends.tolist(),
        "dates": list(table.dates.items()),
        "opening": table.opening.tolist(),
        **{name: getattr(state, name).tolist() for name in _ARM_INTEGERS},
        **{name: floats_to_json(getattr(state, name)) for name in _ARM_FLOATS},
        "memory": [floats_to_json(row) for row in state.memory],
        "shared": floats_to_json(state.shared),
    }


def _write_ledger(ledger: Ledger[Any]) -> dict[str, Any]:
    rows = enumerate(ledger.propensities)
    return {
        **{name: list(getattr(ledger, name)) for name in _TURN_INTEGERS},
        **{name: floats_to_json(getattr(ledger, name)) for name in _TURN_FLOATS},
        "propensities": [[row, *packed] for row, packed in rows if packed is not None],
    }


# -- reading ---------------------------------------------------------------------------------------


def read(text: str | bytes, policy: Policy | None) -> BanditSession[Any]:
    """The bandit that `write` wrote; anything else is refused with the reason."""
    document = _open(text)
    try:
        session = _read(document, policy)
        _check(session)
    except DocumentError:
        raise
    except KeyError as reason:
        raise corrupt(f"{reason} is missing") from reason
    except (TypeError, ValueError, IndexError, OverflowError, AttributeError) as reason:
        raise corrupt(str(reason)) from reason
    return session


def _open(text: str | bytes) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (TypeError, ValueError, RecursionError) as reason:
        raise DocumentError(f"not a JSON document: {reason}") from reason
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DocumentError(
            f'not a bandit: expected a document of Bandit.to_json, with "format": "{FORMAT}"'
        )
    version = whole(document.get("version"))
    if version != VERSION:
        writer = document.get("written_by", "another highseason")
        remedy = "upgrade highseason" if version > VERSION else "write the bandit again"
        raise DocumentError(
            f"the document has version {version} (written by {writer}), but highseason "
            f"{__version__} reads version {VERSION}: {remedy}"
        )
    return document


def _read(document: dict[str, Any], given: Policy | None) -> BanditSession[Any]:
    policy = read_policy(document["policy"], given)
    source = _read_source(document["multiplier"], policy)
    table = _read_arms(document["arms"], policy, source)
    scale = Scale.of(document["reward_range"], policy)
    session = BanditSession(policy, whole(document["seed"]), scale, source, table)
    session.clipped = whole(document["clipped"])
    _read_ledger(document["decisions"], session)
    return session


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


def read_multiplier(entry: Mapping[str, Any]) -> Multiplier:
    """The multiplier that `write_multiplier` wrote."""
    calendar, zone = entry["calendar"], entry["zone"]
    moments: Any = None
    if calendar is not None:
        moments = Timeline(np.array(calendar, dtype="datetime64"), "UTC" if zone else None)
    return Multiplier(_floats(entry["values"]), moments, str(entry["name"]), zone)


def _read_source(entry: dict[str, Any], policy: Policy) -> MultiplierSource:
    if "beliefs" in entry:
        online = OnlineMultiplier(policy)
        online.beliefs = _floats(entry["beliefs"]).tolist()
        online.seen = [(whole(at), float(traffic)) for at, traffic in entry["seen"]]
        return online
    source = KnownMultiplier(policy, read_multiplier(entry), known=flag(entry["known"]))
    if entry["plan"] is not None:
        levels = _floats(entry["plan"]["levels"])
        _same_length(source.turns, plan=levels)
        source.use_plan(whole(entry["plan"]["arms"]), levels)
    return source


def _read_arms(entry: dict[str, Any], policy: Policy, source: MultiplierSource) -> ArmTable[Any]:
    rule = policy.rule
    ids = [id_from_json(arm) for arm in entry["ids"]]
    count = len(ids)
    if len(set(ids)) < count:
        raise corrupt("`ids` names an arm twice")
    dates = {whole(arm): str(date) for arm, date in entry["dates"]}
    for arm in dates:
        if not 0 <= arm < count:
            raise corrupt(f"`dates` refers to unknown arm index {arm}")
    masks = {name: _flags(entry[name]) for name in _ARM_FLAGS}
    ends, shared = _wholes(entry["ends"]), _floats(entry["shared"])
    memory = [_floats(row) for row in entry["memory"]]
    _same_length(len(memory) * rule.memory, memory=[value for row in memory for value in row])
    columns: dict[str, NDArray[Any]] = {
        **{name: _wholes(entry[name]) for name in _ARM_INTEGERS},
        **{name: _floats(entry[name]) for name in _ARM_FLOATS},
        "memory": np.reshape(memory, (len(memory), rule.memory)),
    }
    _same_length(count, ends=ends, **masks, **columns)
    _same_length(rule.shared, shared=shared)
    for name, column in (("ends", ends), ("start", columns["start"]), ("end", columns["end"])):
        if column.size and not 0 <= column.min() <= column.max() <= NO_END:
            raise corrupt(f"`{name}` holds a turn below 0 or too great")
    state = ArmState(**columns, available=masks["active"].copy(), shared=shared)
    table: ArmTable[Any] = ArmTable(policy, source)
    table.restore(ids, state=state, ends=ends, dates=dates, **masks)
    return table


def _read_ledger(entry: dict[str, Any], session: BanditSession[Any]) -> None:
    columns = {name: _wholes(entry[name]).tolist() for name in _TURN_INTEGERS}
    columns |= {name: _floats(entry[name]).tolist() for name in _TURN_FLOATS}
    decided = len(columns["turns"])
    _same_length(decided, **columns)
    packed: list[Propensities | None] = [None] * decided
    for row, ends, values in entry["propensities"]:
        packed[whole(row)] = read_propensities(ends, values)
    limit = session.source.turns or decided
    for row, (turn, arm) in enumerate(zip(columns["turns"], columns["arms"], strict=True)):
        if not 1 <= turn <= limit:
            raise corrupt(f"`turns` holds turn {turn}, but there are {limit}")
        if session.ledger.row(turn) >= 0:
            raise corrupt(f"`turns` holds turn {turn} twice")
        if not 0 <= arm < len(session.table.ids):
            raise corrupt(f"`arms` refers to unknown arm index {arm}")
        level, exploited = columns["levels"][row], bool(columns["exploited"][row])
        session.ledger.enter(turn, arm, level, exploited, packed[row])
        account = Account(known(columns["rewards"][row]), known(columns["traffic"][row]))
        session.ledger.book(row, account)


def read_propensities(ends: list[Any], values: list[Any]) -> Propensities:
    """Propensities, as runs of equal values."""
    _same_length(len(ends), propensities=values)
    return Propensities(tuple(_wholes(ends).tolist()), tuple(_floats(values).tolist()))


def _check(session: BanditSession[Any]) -> None:
    """The ledger must agree with the statistics of the arms."""
    ledger, state, source = session.ledger, session.table.state, session.source
    beliefs = source.snapshot(0).get("beliefs")
    if beliefs is not None and len(ledger) != len(beliefs):
        raise corrupt(f"there are {len(ledger)} decisions but {len(beliefs)} `beliefs`")
    arms = np.array(ledger.arms, np.int64)
    if not np.array_equal(np.bincount(arms, minlength=state.selections.size), state.selections):
        raise corrupt("`selections` disagrees with the decisions")
    pulls = ledger.observed(state.pulls.size)
    if session.policy.rule.observe is observe_mean and not np.array_equal(pulls, state.pulls):
        raise corrupt("`pulls` disagrees with the rewards")


# -- values ----------------------------------------------------------------------------------------


def corrupt(reason: str) -> DocumentError:
    """The error for a document that `write` cannot have written."""
    return DocumentError(f"corrupt document: {reason}")


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


def _floats(entries: Sequence[Any]) -> NDArray[np.float64]:
    return np.array([number(entry) for entry in entries], np.float64)


def _wholes(entries: Sequence[Any]) -> NDArray[np.int64]:
    return np.array([whole(entry) for entry in entries], np.int64)


def _flags(entries: Sequence[Any]) -> NDArray[np.bool_]:
    return np.array([flag(entry) for entry in entries], np.bool_)


def _same_length(length: int, **columns: Any) -> None:
    for name, column in columns.items():
        if len(column) != length:
            raise corrupt(f"`{name}` has {len(column)} entries, expected {length}")
