"""A live bandit as a JSON document, and back: it goes on as if nothing had happened.

Random numbers are functions of (seed, turn), so the seed is all of the random state.  Whatever is
read is checked: a document that `write` cannot have written is refused.
"""

import contextlib
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.errors import BanditError, DocumentError
from highseason.bandit.events import BanditRestored, BanditStarted, Event
from highseason.bandit.json_values import (
    FINITE,
    FLAGS,
    WHOLE,
    ArrayField,
    corrupt,
    dumps,
    flag,
    floats_to_json,
    id_from_json,
    id_to_json,
    loads,
    read_many_propensities,
    read_multiplier,
    read_policy,
    same_length,
    whole,
    write_multiplier,
    write_policy,
)
from highseason.bandit.ledger import Propensities, Scale
from highseason.bandit.multiplier_source import KnownMultiplier, MultiplierSource, OnlineMultiplier
from highseason.bandit.session import BanditSession
from highseason.core.version import __version__
from highseason.policies import NO_END, ArmState, Policy, observe_mean

FORMAT = "highseason bandit"
VERSION = 4
#: Version 3 lacks what a plan carries, the order of lessons and the history, and lists propensities
#: row by row.
READABLE = (3, 4)

_LEAST = float(np.nextafter(0.0, 1.0))
_TURN = ArrayField(int, 0, NO_END)
_ANY = ArrayField(float, missing=True, infinite=True)
_ARM_COLUMNS = {"active": FLAGS, "held": FLAGS, "opening": FLAGS, "ends": _TURN}
_STATE_COLUMNS = {
    **dict.fromkeys(("selections", "start", "end"), _TURN),
    "pulls": ArrayField(float, 0.0, infinite=True),
    "sums": _ANY,
    "weight": _ANY,
}
_TURN_COLUMNS = {
    "turns": WHOLE,
    "arms": WHOLE,
    "exploited": ArrayField(int, 0, 1),
    "levels": FINITE,
    "rewards": ArrayField(float, missing=True),
    "traffic": ArrayField(float, 0.0, missing=True),
}

_HISTORY_COLUMNS = {"arms": WHOLE, "rewards": FINITE, "traffic": ArrayField(float, _LEAST)}


def _write_columns(owner: Any, columns: Mapping[str, ArrayField]) -> dict[str, Any]:
    values = {name: getattr(owner, name) for name in columns}
    return {
        name: floats_to_json(values[name]) if column.kind is float else values[name].tolist()
        for name, column in columns.items()
    }


def _read_columns(
    entry: Mapping[str, Any], columns: Mapping[str, ArrayField]
) -> dict[str, NDArray[Any]]:
    return {name: column.read(name, entry[name]) for name, column in columns.items()}


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
                "propensities": _write_propensities(packed),
                "learned": session.ledger.learned.tolist(),
            },
            "history": {
                name: [row[i] for row in session.ledger.history]
                for i, name in enumerate(_HISTORY_COLUMNS)
            },
        }
    )


def _write_source(source: MultiplierSource, arms: int) -> dict[str, Any]:
    if isinstance(source, OnlineMultiplier):
        return {
            "beliefs": source.beliefs,
            "seen": source.seen,
            "carry": _write_carry(source.carry(arms), arms),
        }
    # The plan is part of it: another machine's logarithm may differ in the last bit.
    plan = {"arms": arms, "levels": floats_to_json(source.plan(arms))} if arms else None
    return {"known": source.known, "plan": plan, **write_multiplier(source.multiplier)}


def _write_carry(carry: Any, arms: int) -> dict[str, Any] | None:
    """What a plan carries; None if there is nothing, or if JSON cannot hold it."""
    with contextlib.suppress(BanditError):
        return None if carry is None else {"arms": arms, "value": id_to_json(carry)}
    return None  # the reader plans again from the first turn


def _write_propensities(packed: list[Propensities | None]) -> dict[str, list[Any]]:
    """The runs of all rows that have any, one after the other."""
    rows = [row for row, runs in enumerate(packed) if runs is not None]
    runs = [runs for runs in packed if runs is not None]
    return {
        "rows": rows,
        "runs": [len(each.ends) for each in runs],
        "ends": list(chain.from_iterable(each.ends for each in runs)),
        "values": list(chain.from_iterable(each.values for each in runs)),
    }


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
    except (TypeError, ValueError, IndexError, ArithmeticError, AttributeError) as reason:
        raise corrupt(str(reason)) from reason
    return session


def _open(text: str | bytes) -> dict[str, Any]:
    try:
        document = loads(text)
    except (TypeError, ValueError, RecursionError) as reason:
        raise DocumentError(f"not a JSON document: {reason}") from reason
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DocumentError(
            f'not a bandit: expected a document of Bandit.to_json, with "format": "{FORMAT}"'
        )
    version = whole(document.get("version"))
    if version not in READABLE:
        writer = document.get("written_by", "another highseason")
        remedy = "upgrade highseason" if version > VERSION else "write the bandit again"
        raise DocumentError(
            f"the document has version {version} (written by {writer}), but highseason "
            f"{__version__} reads versions {READABLE[0]} to {VERSION}: {remedy}"
        )
    return document


def _read(document: dict[str, Any], given: Policy | None) -> BanditSession[Any]:
    policy = read_policy(document["policy"], given)
    source = _read_source(document["multiplier"], policy)
    scale = Scale.of(document["reward_range"], policy)
    session: BanditSession[Any] = BanditSession(policy, whole(document["seed"]), scale, source)
    session.clipped = int(ArrayField(int, 0).read("clipped", [document["clipped"]])[0])
    _read_arms(document["arms"], session)
    _read_ledger(document["decisions"], _read_history(document, session), session)
    return session


def _read_source(entry: dict[str, Any], policy: Policy) -> MultiplierSource:
    if "beliefs" in entry:
        return _read_online(entry, policy)
    source = KnownMultiplier(policy, read_multiplier(entry), known=flag(entry["known"]))
    if entry["plan"] is not None:
        levels = ArrayField(float, *policy.rule.allowed).read("levels", entry["plan"]["levels"])
        same_length(source.turns, plan=levels)
        source.use_plan(whole(entry["plan"]["arms"]), levels)
    return source


def _read_online(entry: dict[str, Any], policy: Policy) -> OnlineMultiplier:
    source = OnlineMultiplier(policy)
    source.beliefs = ArrayField(float, _LEAST).read("beliefs", entry["beliefs"]).tolist()
    decided = len(source.beliefs)
    at = ArrayField(int, 0, decided).read("seen", [turn for turn, _ in entry["seen"]])
    traffic = ArrayField(float, _LEAST).read("seen", [came for _, came in entry["seen"]])
    if (np.diff(at) < 0).any():
        raise corrupt("`seen` is not in the order in which it was reported")
    source.seen = list(zip(at.tolist(), traffic.tolist(), strict=True))
    carry = entry.get("carry")
    if policy.carry_depends_on == "nothing":
        source.resume(1, policy.begin())
    elif carry is not None:
        source.resume(whole(carry["arms"]), id_from_json(carry["value"]))
        quietest = min(source.beliefs, default=1.0)
        source.level(whole(carry["arms"]), decided + 1, quietest)  # raises if it cannot go on
    return source


def _read_arms(entry: dict[str, Any], session: BanditSession[Any]) -> None:
    rule, ids = session.policy.rule, [id_from_json(arm) for arm in entry["ids"]]
    if len(set(ids)) < len(ids):
        raise corrupt("`ids` names an arm twice")
    dates = {whole(arm): str(date) for arm, date in entry["dates"]}
    for arm in dates:
        if not 0 <= arm < len(ids):
            raise corrupt(f"`dates` refers to unknown arm index {arm}")
        session.source.last_turn_by(dates[arm])  # raises if it is not a date
    rows = [_ANY.read("memory", row) for row in entry["memory"]]
    for row in rows:
        same_length(rule.memory, memory=row)
    shared = _ANY.read("shared", entry["shared"])
    columns, statistics = _read_columns(entry, _ARM_COLUMNS), _read_columns(entry, _STATE_COLUMNS)
    same_length(rule.shared, shared=shared)
    same_length(len(ids), **columns, **statistics, memory=rows)
    memory = np.reshape(rows, (len(rows), rule.memory))
    available = columns["active"].copy()
    state = ArmState(**statistics, available=available, memory=memory, shared=shared)
    session.table.restore(ids, state=state, dates=dates, **columns)


def _read_history(
    document: dict[str, Any], session: BanditSession[Any]
) -> list[tuple[int, float, float]]:
    if document["version"] == 3:
        return []
    columns = _read_columns(document["history"], _HISTORY_COLUMNS)
    same_length(columns["arms"].size, **columns)
    _check_arms(columns["arms"], session)
    return list(zip(*(column.tolist() for column in columns.values()), strict=True))


def _check_arms(arms: NDArray[Any], session: BanditSession[Any]) -> None:
    for arm in arms[(arms < 0) | (arms >= len(session.table.ids))][:1].tolist():
        raise corrupt(f"`arms` refers to unknown arm index {arm}")


def _read_ledger(
    entry: dict[str, Any], history: list[tuple[int, float, float]], session: BanditSession[Any]
) -> None:
    columns = _read_columns(entry, _TURN_COLUMNS)
    turns, arms, ids = columns["turns"], columns["arms"], session.table.ids
    same_length(turns.size, **columns)
    limit = session.source.turns or turns.size
    for turn in turns[(turns < 1) | (turns > limit)][:1].tolist():
        raise corrupt(f"`turns` holds turn {turn}, but there are {limit}")
    if np.unique(turns).size < turns.size:
        raise corrupt("`turns` holds a turn twice")
    _check_arms(arms, session)
    low, high = session.policy.rule.allowed
    for level in columns["levels"][~((columns["levels"] >= low) & (columns["levels"] <= high))]:
        raise corrupt(f"`levels` holds {level}")
    packed = _read_propensities(entry["propensities"], turns.size)
    for row, runs in packed.items():
        if runs.ends[-1] > len(ids) or not runs.of(int(arms[row])) > 0.0:
            raise corrupt(f"the propensities of row {row} do not fit its arm")
    lessons = np.flatnonzero(~np.isnan(columns["rewards"]) & (columns["traffic"] > 0.0))
    # Version 3 does not say in which order they were learned.
    learned = WHOLE.read("learned", entry["learned"]) if "learned" in entry else lessons
    if not np.array_equal(np.sort(learned), lessons):
        raise corrupt("`learned` disagrees with the rewards")
    columns["learned"] = learned
    session.ledger.restore(columns, packed, history)


def _read_propensities(entry: Any, decided: int) -> dict[int, Propensities]:
    """The propensities by row."""
    if isinstance(entry, list):  # version 3
        rows, ends, values = zip(*entry, strict=True) if entry else ((), (), ())
        lengths = list(map(len, ends))
        same_length(sum(lengths), values=[*chain.from_iterable(values)])
        flat = map(list, (rows, lengths, chain.from_iterable(ends), chain.from_iterable(values)))
        entry = dict(zip(("rows", "runs", "ends", "values"), flat, strict=True))
    rows = ArrayField(int, 0, decided - 1).read("rows", entry["rows"]).tolist()
    same_length(len(rows), runs=entry["runs"], propensities=set(rows))
    packed = read_many_propensities(entry["runs"], entry["ends"], entry["values"])
    return dict(zip(rows, packed, strict=True))


def _check(session: BanditSession[Any]) -> None:
    """The ledger must agree with the statistics of the arms."""
    ledger, state, source = session.ledger, session.table.state, session.source
    if isinstance(source, OnlineMultiplier) and len(ledger) != len(source.beliefs):
        raise corrupt(f"there are {len(ledger)} decisions but {len(source.beliefs)} `beliefs`")
    if isinstance(source, OnlineMultiplier):
        came = np.array([*(traffic for _, _, traffic in ledger.history), *ledger.traffic])
        seen = np.array([traffic for _, traffic in source.seen])
        if not np.array_equal(np.sort(came[came > 0.0]), np.sort(seen)):
            raise corrupt("`seen` disagrees with the traffic that came")
    arms = np.array([*(arm for arm, _, _ in ledger.history), *ledger.arms], np.int64)
    if not np.array_equal(np.bincount(arms, minlength=state.selections.size), state.selections):
        raise corrupt("`selections` disagrees with the decisions")
    if session.policy.rule.observe is observe_mean:
        pulls = np.zeros(state.pulls.size)
        for arm, _, traffic in ledger.lessons():
            pulls[arm] += session.weight_of(traffic)
        # Version 3 does not say in which order they were added up.
        if not np.allclose(pulls, state.pulls, rtol=1e-9, atol=0.0):
            raise corrupt("`pulls` disagrees with the rewards")


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
    # A store may begin with a document that stands for the events before it.
    session.seq = first.seq if isinstance(first, BanditRestored) else 1
    for event in rest:
        session.replay(event)
    return session
