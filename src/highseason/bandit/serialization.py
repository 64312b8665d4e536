"""A live bandit as a JSON document, and back: it goes on as if nothing had happened.

Random numbers are functions of (seed, turn), so the seed is all of the random state.  Floats are
written in Python's shortest exact form; what JSON has no number for is null (missing) or a string
(infinite).  Whatever is read is checked: a document that `write` cannot have written is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.errors import BanditError, DocumentError
from highseason.bandit.events import BanditRestored, BanditStarted, Event
from highseason.bandit.ledger import Propensities, Scale, known
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

_PLAIN = (str, int, float, bool, type(None))


# -- values ----------------------------------------------------------------------------------------


def corrupt(reason: str) -> DocumentError:
    """The error for a document that `write` cannot have written."""
    return DocumentError(f"corrupt document: {reason}")


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

#: The columns of a document by how their entries are read.
_ARM_COLUMNS: dict[str, Read] = {"active": flag, "held": flag, "opening": flag, "ends": whole}
_STATE_COLUMNS: dict[str, Read] = {
    **dict.fromkeys(("selections", "start", "end"), whole),
    **dict.fromkeys(("pulls", "sums", "weight"), number),
}
_TURN_COLUMNS: dict[str, Read] = {
    **dict.fromkeys(("turns", "arms", "exploited"), whole),
    **dict.fromkeys(("levels", "rewards", "traffic"), number),
}
_DTYPES: dict[Read, Any] = {flag: np.bool_, whole: np.int64, number: np.float64}


def _write_columns(owner: Any, columns: dict[str, Read]) -> dict[str, Any]:
    values = {name: getattr(owner, name) for name in columns}
    return {
        name: floats_to_json(values[name]) if read is number else values[name].tolist()
        for name, read in columns.items()
    }


def _read_columns(entry: Mapping[str, Any], columns: dict[str, Read]) -> dict[str, NDArray[Any]]:
    return {name: _column(read, entry[name]) for name, read in columns.items()}


def _column(read: Read, entries: Iterable[Any]) -> NDArray[Any]:
    return np.array([read(entry) for entry in entries], _DTYPES[read])


def _same_length(length: int, **columns: Sized) -> None:
    for name, column in columns.items():
        if len(column) != length:
            raise corrupt(f"`{name}` has {len(column)} entries, expected {length}")


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
    return Multiplier(_column(number, entry["values"]), moments, str(entry["name"]), zone)


def read_propensities(ends: list[Any], values: list[Any]) -> Propensities:
    """Propensities, as runs of equal values."""
    _same_length(len(ends), propensities=values)
    return Propensities(tuple(map(whole, ends)), tuple(map(number, values)))


# -- the document ----------------------------------------------------------------------------------


def write(session: BanditSession[Any]) -> str:
    """The whole bandit as text."""
    table, state, packed = session.table, session.table.state, session.ledger.propensities
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
            "arms": {
                "ids": [id_to_json(arm) for arm in table.ids],
                "dates": list(table.dates.items()),
                **_write_columns(table, _ARM_COLUMNS),
                **_write_columns(state, _STATE_COLUMNS),
                "memory": [floats_to_json(row) for row in state.memory],
                "shared": floats_to_json(state.shared),
            },
            "decisions": {
                **_write_columns(session.ledger, _TURN_COLUMNS),
                "propensities": [[row, *runs] for row, runs in enumerate(packed) if runs],
            },
        }
    )


def _write_source(source: MultiplierSource, arms: int) -> dict[str, Any]:
    if isinstance(source, OnlineMultiplier):
        return {"beliefs": source.beliefs, "seen": source.seen}
    # The plan is part of it: another machine's logarithm may differ in the last bit.
    plan = {"arms": arms, "levels": floats_to_json(source.plan(arms))} if arms else None
    return {"known": source.known, "plan": plan, **write_multiplier(source.multiplier)}


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
    scale = Scale.of(document["reward_range"], policy)
    session: BanditSession[Any] = BanditSession(policy, whole(document["seed"]), scale, source)
    session.clipped = whole(document["clipped"])
    _read_arms(document["arms"], session)
    _read_ledger(document["decisions"], session)
    return session


def _read_source(entry: dict[str, Any], policy: Policy) -> MultiplierSource:
    if "beliefs" in entry:
        online = OnlineMultiplier(policy)
        online.beliefs = list(map(number, entry["beliefs"]))
        online.seen = [(whole(at), float(traffic)) for at, traffic in entry["seen"]]
        return online
    source = KnownMultiplier(policy, read_multiplier(entry), known=flag(entry["known"]))
    if entry["plan"] is not None:
        levels = _column(number, entry["plan"]["levels"])
        _same_length(source.turns, plan=levels)
        source.use_plan(whole(entry["plan"]["arms"]), levels)
    return source


def _read_arms(entry: dict[str, Any], session: BanditSession[Any]) -> None:
    rule, ids = session.policy.rule, [id_from_json(arm) for arm in entry["ids"]]
    if len(set(ids)) < len(ids):
        raise corrupt("`ids` names an arm twice")
    dates = {whole(arm): str(date) for arm, date in entry["dates"]}
    for arm in dates:
        if not 0 <= arm < len(ids):
            raise corrupt(f"`dates` refers to unknown arm index {arm}")
    rows = [_column(number, row) for row in entry["memory"]]
    for row in rows:
        _same_length(rule.memory, memory=row)
    shared = _column(number, entry["shared"])
    columns, statistics = _read_columns(entry, _ARM_COLUMNS), _read_columns(entry, _STATE_COLUMNS)
    _same_length(rule.shared, shared=shared)
    _same_length(len(ids), **columns, **statistics, memory=rows)
    turns = {"ends": columns["ends"], "start": statistics["start"], "end": statistics["end"]}
    for name, column in turns.items():
        if column.size and not 0 <= column.min() <= column.max() <= NO_END:
            raise corrupt(f"`{name}` holds a turn below 0 or too great")
    memory = np.reshape(rows, (len(rows), rule.memory))
    available = columns["active"].copy()
    state = ArmState(**statistics, available=available, memory=memory, shared=shared)
    session.table.restore(ids, state=state, dates=dates, **columns)


def _read_ledger(entry: dict[str, Any], session: BanditSession[Any]) -> None:
    ledger = session.ledger
    columns = {name: c.tolist() for name, c in _read_columns(entry, _TURN_COLUMNS).items()}
    decided = len(columns["turns"])
    _same_length(decided, **columns)
    packed: list[Propensities | None] = [None] * decided
    for row, ends, values in entry["propensities"]:
        packed[whole(row)] = read_propensities(ends, values)
    limit = session.source.turns or decided
    rows = zip(*columns.values(), packed, strict=True)
    for row, (turn, arm, exploited, level, reward, traffic, runs) in enumerate(rows):
        if not 1 <= turn <= limit:
            raise corrupt(f"`turns` holds turn {turn}, but there are {limit}")
        if ledger.row(turn) >= 0:
            raise corrupt(f"`turns` holds turn {turn} twice")
        if not 0 <= arm < len(session.table.ids):
            raise corrupt(f"`arms` refers to unknown arm index {arm}")
        ledger.enter(turn, arm, level, bool(exploited), runs)
        ledger.book(row, known(reward), known(traffic))


def _check(session: BanditSession[Any]) -> None:
    """The ledger must agree with the statistics of the arms."""
    ledger, state, source = session.ledger, session.table.state, session.source
    if isinstance(source, OnlineMultiplier) and len(ledger) != len(source.beliefs):
        raise corrupt(f"there are {len(ledger)} decisions but {len(source.beliefs)} `beliefs`")
    arms = np.array(ledger.arms, np.int64)
    if not np.array_equal(np.bincount(arms, minlength=state.selections.size), state.selections):
        raise corrupt("`selections` disagrees with the decisions")
    pulls = ledger.observed(state.pulls.size)
    if session.policy.rule.observe is observe_mean and not np.array_equal(pulls, state.pulls):
        raise corrupt("`pulls` disagrees with the rewards")


# -- the events of a store -------------------------------------------------------------------------


def replayed(events: Iterable[Event], policy: Policy | None) -> BanditSession[Any]:
    """The session that wrote these events."""
    rest = iter(events)
    first = next(rest, None)
    try:
        if isinstance(first, BanditStarted):
            session = BanditSession.start(first, read_policy(first.policy, policy))
        elif isinstance(first, BanditRestored):
            session = read(first.document, policy)
        else:
            raise DocumentError("the store holds no bandit: create one with Bandit(…, store=store)")
    except DocumentError:
        raise
    except (ValueError, TypeError) as reason:
        raise DocumentError(f"corrupt event 1: {reason}") from reason
    session.seq = 1
    for event in rest:
        session.replay(event)
    return session
