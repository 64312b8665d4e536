"""A live game as a JSON document, and back: the game goes on as if nothing had happened.

Random numbers are functions of (seed, turn), so the seed is all of the random state.
"""

from __future__ import annotations

import json
from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bandit import ids
from highseason.bandit.arm_table import ArmTable
from highseason.bandit.columns import damaged, flags, floats, same_length, whole, wholes, written
from highseason.bandit.errors import DocumentError
from highseason.bandit.ledger import Account, Ledger, known
from highseason.bandit.multiplier_source import KnownMultiplier, MultiplierSource, OnlineMultiplier
from highseason.bandit.propensities import Packed
from highseason.bandit.scale import Scale
from highseason.bandit.session import BanditSession
from highseason.core.version import __version__
from highseason.multipliers import Multiplier
from highseason.multipliers.calendars import Moments
from highseason.policies import Policy
from highseason.policies import from_json as policy_from_json
from highseason.rules import NO_END, ArmState, observe_mean

FORMAT = "highseason bandit"
VERSION = 2

#: The keys of version 2, and the fields of the state that they hold.
_ARM_INTEGERS = {"decided": "selections", "birth": "start", "expiry": "end"}
_ARM_FLOATS = ("pulls", "sums", "weight")
_TURN_INTEGERS = ("turns", "arms", "exploited")
_TURN_FLOATS = ("numbers", "rewards", "traffic")


# -- writing ---------------------------------------------------------------------------------------


def write(game: BanditSession) -> str:
    """The whole game as text."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"highseason {__version__}",
        "policy": json.loads(game.policy.to_json()),
        "seed": game.seed,
        "reward_range": game.scale.reward_range,
        "clipped": game.clipped,
        "horizon": _write_source(game.source, len(game.names)),
        "arms": _write_arms(game.table),
        "decisions": _write_ledger(game.ledger),
    }
    return json.dumps(document, allow_nan=False, separators=(",", ":"))


def _write_source(source: MultiplierSource, arms: int) -> dict[str, Any]:
    if isinstance(source, OnlineMultiplier):
        return {"beliefs": source.beliefs, "seen": source.seen}
    G = source.multiplier
    # The plan travels along: another machine's logarithm may differ in the last bit.
    plan = {"arms": arms, "numbers": written(source.plan(arms))} if arms else None
    return {
        "known": source.known,
        "name": G.name,
        "values": written(G.values),
        # With a zone in UTC: the clock on the wall may say the same hour twice.
        "calendar": None if G.moments is None else _texts(G.moments.instants),
        "zone": G.zone,
        "plan": plan,
    }


def _texts(instants: NDArray[np.datetime64]) -> list[str]:
    return list(np.datetime_as_string(instants).tolist())


def _write_arms(table: ArmTable) -> dict[str, Any]:
    state = table.state
    return {
        "ids": [ids.encode(arm) for arm in table.ids],
        "active": table.active.tolist(),
        "held": table.held.tolist(),
        "expires": table.expires.tolist(),
        "dates": list(table.dates.items()),
        "opening": table.opening.tolist(),
        **{key: getattr(state, name).tolist() for key, name in _ARM_INTEGERS.items()},
        **{name: written(getattr(state, name)) for name in _ARM_FLOATS},
        "memory": [written(row) for row in state.memory],
        "shared": written(state.shared),
    }


def _write_ledger(ledger: Ledger) -> dict[str, Any]:
    packed = enumerate(ledger.chances)
    return {
        **{name: list(getattr(ledger, name)) for name in _TURN_INTEGERS},
        **{name: written(getattr(ledger, name)) for name in _TURN_FLOATS},
        "chances": [[row, list(p.ends), list(p.values)] for row, p in packed if p is not None],
    }


# -- reading ---------------------------------------------------------------------------------------


def read(text: str | bytes, policy: Policy | None) -> BanditSession:
    """The game that `write` wrote; anything else is refused with the reason."""
    document = _opened(text)
    try:
        game = _read(document, policy)
        _check(game)
    except DocumentError:
        raise
    except KeyError as reason:
        raise damaged(f"{reason} is missing") from reason
    except (TypeError, ValueError, IndexError, OverflowError, AttributeError) as reason:
        raise damaged(str(reason)) from reason
    return game


def _opened(text: str | bytes) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (TypeError, ValueError, RecursionError) as reason:
        raise DocumentError(f"this is not a JSON document: {reason}") from reason
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DocumentError(f'this is not a bandit: to_json writes "format": "{FORMAT}"')
    version = whole(document.get("version"))
    if version > VERSION:
        writer = document.get("written_by", "a later highseason")
        raise DocumentError(
            f"the document has version {version} (written by {writer}), and highseason "
            f"{__version__} reads up to version {VERSION}: upgrade it"
        )
    return document


def _read(document: dict[str, Any], given: Policy | None) -> BanditSession:
    policy = _read_policy(document["policy"], given)
    source = _read_source(document["horizon"], policy)
    table = _read_arms(document["arms"], policy)
    scale = Scale.of(document["reward_range"], policy)
    game = BanditSession(policy, whole(document["seed"]), scale, source, table)
    game.clipped = whole(document["clipped"])
    _read_ledger(document["decisions"], game)
    return game


def _read_policy(entry: dict[str, Any], given: Policy | None) -> Policy:
    if given is not None:
        if json.loads(given.to_json()) != entry:
            raise DocumentError(
                f"the document was written for another policy than {given}: {entry}"
            )
        return given
    try:
        return policy_from_json(json.dumps(entry))
    except ValueError as reason:
        raise DocumentError(
            f"{reason}; import the module that defines the policy, or hand it to "
            "from_json(…, policy=…)"
        ) from reason


def _read_source(entry: dict[str, Any], policy: Policy) -> MultiplierSource:
    if "beliefs" in entry:
        source = OnlineMultiplier(policy)
        source.beliefs = floats(entry["beliefs"]).tolist()
        source.seen = [(whole(at), float(traffic)) for at, traffic in entry["seen"]]
        return source
    calendar = entry["calendar"]
    times: Any = None
    zone = entry.get("zone")  # none was written before there were zones
    if calendar is not None:
        times = Moments(np.array(calendar, dtype="datetime64"), "UTC" if zone else None)
    G = Multiplier(floats(entry["values"]), times, str(entry["name"]), zone)
    forecast = KnownMultiplier(policy, G, known=bool(flags([entry["known"]])[0]))
    if entry["plan"] is not None:
        plan = floats(entry["plan"]["numbers"])
        same_length(G.turns, plan=plan)
        forecast.use(whole(entry["plan"]["arms"]), plan)
    return forecast


def _read_arms(entry: dict[str, Any], policy: Policy) -> ArmTable:
    rule = policy.rule
    names = [ids.decode(arm) for arm in entry["ids"]]
    if len(set(names)) < len(names):
        raise damaged("two arms have the same id")
    active, held = flags(entry["active"]), flags(entry["held"])
    # Version 1 had none of these.
    expires = wholes(entry.get("expires", [NO_END] * len(names)))
    opening = flags(entry.get("opening", [False] * len(names)))
    dates = {whole(arm): str(date) for arm, date in entry.get("dates", [])}
    if not all(0 <= arm < len(names) for arm in dates):
        raise damaged("an arm that is not there goes on a date")
    columns: dict[str, NDArray[Any]] = {
        **{key: wholes(entry[key]) for key in _ARM_INTEGERS},
        **{name: floats(entry[name]) for name in _ARM_FLOATS},
        "memory": np.array([floats(row) for row in entry["memory"]]).reshape(-1, rule.memory)
        if rule.memory
        else np.zeros((len(entry["memory"]), 0)),
    }
    same_length(len(names), active=active, held=held, expires=expires, opening=opening, **columns)
    shared = floats(entry.get("shared", [0.0] * rule.shared))  # version 1 had none
    same_length(rule.shared, shared=shared)
    table = ArmTable(rule)
    fields = {_ARM_INTEGERS.get(key, key): column for key, column in columns.items()}
    state = ArmState(**fields, available=active.copy(), shared=shared)
    table.restore(names, state, active, held, expires, opening, dates)
    return table


def _read_ledger(entry: dict[str, Any], game: BanditSession) -> None:
    columns = {name: wholes(entry[name]).tolist() for name in _TURN_INTEGERS}
    columns |= {name: floats(entry[name]).tolist() for name in _TURN_FLOATS}
    decided = len(columns["turns"])
    same_length(decided, **columns)
    packed: list[Packed | None] = [None] * decided
    for row, ends, values in entry["chances"]:
        packed[whole(row)] = _packed(ends, values)
    turns, arms, limit = columns["turns"], columns["arms"], _turns_of(game.source)
    if len(set(turns)) < decided or not all(1 <= turn <= limit for turn in turns):
        raise damaged("a turn was decided twice, or is past the forecast")
    if not all(0 <= arm < len(game.table.ids) for arm in arms):
        raise damaged("a turn was decided for an arm that is not there")
    for row in range(decided):
        exploited = bool(columns["exploited"][row])
        game.ledger.enter(turns[row], arms[row], columns["numbers"][row], exploited, packed[row])
        reward, traffic = columns["rewards"][row], columns["traffic"][row]
        game.ledger.book(row, Account(known(reward), known(traffic)))


def _packed(ends: list[Any], values: list[Any]) -> Packed:
    same_length(len(ends), chances=values)
    return Packed(array("q", wholes(ends).tolist()), array("d", floats(values).tolist()))


def _turns_of(source: MultiplierSource) -> int:
    return len(source.beliefs) if isinstance(source, OnlineMultiplier) else source.multiplier.turns


def _check(game: BanditSession) -> None:
    """What the ledger says must fit what the arms say."""
    ledger, state = game.ledger, game.table.state
    if isinstance(game.source, OnlineMultiplier) and len(ledger) != len(game.source.beliefs):
        raise damaged("decisions and beliefs differ in number")
    arms = np.array(ledger.arms, np.int64)
    if not np.array_equal(np.bincount(arms, minlength=state.selections.size), state.selections):
        raise damaged("decisions and their counts differ")
    pulls = ledger.observed(state.pulls.size)
    if game.policy.rule.observe is observe_mean and not np.array_equal(pulls, state.pulls):
        raise damaged("rewards and their counts differ")
