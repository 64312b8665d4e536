"""A live bandit as a JSON document, and back: it goes on as if nothing had happened.

Random numbers are functions of (seed, turn), so the seed is all of the random state.  Whatever is
read is checked: a document that `write` cannot have written is refused.  Floats are written in
their shortest exact form; what JSON has no number for is null (missing) or a string (infinite).
"""

import contextlib
from collections.abc import Hashable, Iterable
from itertools import accumulate, chain, pairwise
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from highseason.bandit.errors import BanditError, DocumentError
from highseason.bandit.events import (
    BanditRestored,
    BanditStarted,
    Event,
    Season,
    id_to_json,
    read_id,
    read_policy,
    write_policy,
)
from highseason.bandit.game import LiveGame
from highseason.bandit.ledger import Propensities, Scale
from highseason.bandit.multiplier_source import KnownMultiplier, MultiplierSource, OnlineMultiplier
from highseason.core.version import __version__
from highseason.policies import NO_END, ArmState, Policy, observe_mean

FORMAT = "highseason bandit"
VERSION: Literal[4] = 4

_Turn: TypeAlias = Annotated[int, Meta(ge=0, le=NO_END)]
_Index: TypeAlias = Annotated[int, Meta(ge=0)]
_Positive: TypeAlias = Annotated[float, Meta(gt=0.0)]
_Amount: TypeAlias = Annotated[float, Meta(ge=0.0)]
_Number: TypeAlias = float | Literal["inf", "-inf"] | None


class _Table(Struct, kw_only=True):
    """Columns of one length; those of other lengths are named `apart`."""

    apart: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        names = [name for name in self.__struct_fields__ if name not in self.apart]
        for name in names:
            if len(getattr(self, name)) != len(getattr(self, names[0])):
                raise ValueError(f"`{name}` and `{names[0]}` differ in length")


class _Arms(_Table, kw_only=True):
    """A row for each arm, as in `ArmTable` and `ArmState`."""

    apart = ("dates", "shared")

    ids: list[Hashable]
    dates: list[tuple[_Index, str]]
    active: list[bool]
    held: list[bool]
    opening: list[bool]
    ends: list[_Turn]
    selections: list[_Turn]
    start: list[_Turn]
    end: list[_Turn]
    pulls: list[_Amount | Literal["inf"]]
    sums: list[_Number]
    weight: list[_Number]
    memory: list[list[_Number]]
    shared: list[_Number]


class _Propensities(_Table, kw_only=True):
    """The runs of all rows that have any, one after the other."""

    apart = ("ends", "values")

    rows: list[_Index]
    runs: list[_Index]
    ends: list[_Index]
    values: list[_Amount]


class _Decisions(_Table, kw_only=True):
    """A row for each decision, as in `Ledger`."""

    apart = ("propensities", "learned")

    turns: list[Annotated[int, Meta(ge=1)]]
    arms: list[_Index]
    exploited: list[Literal[0, 1]]
    levels: list[float]
    rewards: list[float | None]
    visitors: list[_Amount | None] = msgspec.field(name="traffic")
    propensities: _Propensities
    learned: list[int]


class _History(_Table, kw_only=True):
    arms: list[_Index]
    rewards: list[float]
    visitors: list[_Positive] = msgspec.field(name="traffic")


class _Plan(Struct):
    arms: int
    levels: list[float]


class _Known(Season, kw_only=True):
    """A multiplier and its plan: another machine's logarithm may differ in the last bit."""

    known: bool
    plan: _Plan | None


class _Carry(Struct):
    arms: int
    value: Hashable


class _Online(Struct):
    """What was expected and seen, and what the plan carries to the next turn."""

    beliefs: list[_Positive]
    seen: list[tuple[_Index, _Positive]]
    carry: _Carry | None = None


class _Document(Struct, kw_only=True):
    format: str
    version: Literal[4]
    written_by: str
    policy: Any
    seed: int
    reward_range: tuple[float, float] | None
    multiplier: Any  # _Known or _Online
    arms: _Arms
    decisions: _Decisions
    history: _History


_TABLE = ("active", "held", "opening", "ends")
_STATE = ("selections", "start", "end", "pulls", "sums", "weight", "memory", "shared")
_PAST = ("arms", "rewards", "visitors")
_LEDGER = ("turns", "arms", "exploited", "levels", "rewards", "visitors")

# -- writing --------------------------------------------------------------------------------------


def _plain(values: NDArray[Any]) -> Any:
    """A column for JSON, in which infinite numbers are text; NaN is written as null."""
    if not np.isinf(values).any():
        return values.tolist()
    if values.ndim > 1:
        return [_plain(row) for row in values]
    return [str(value) if np.isinf(value) else value for value in values.tolist()]


def write(game: LiveGame[Any]) -> str:
    """The whole bandit as text."""
    table, ledger = game.table, game.ledger
    arms: dict[str, Any] = {name: _plain(getattr(table, name)) for name in _TABLE}
    arms |= {name: _plain(getattr(table.state, name)) for name in _STATE}
    decisions: dict[str, Any] = {name: getattr(ledger, name).tolist() for name in _LEDGER}
    past: dict[str, list[Any]] = {
        name: [row[i] for row in ledger.history] for i, name in enumerate(_PAST)
    }
    rows = [row for row, runs in enumerate(ledger.propensities) if runs is not None]
    packed = [runs for runs in ledger.propensities if runs is not None]
    document = _Document(
        format=FORMAT,
        version=VERSION,
        written_by=f"highseason {__version__}",
        policy=write_policy(game.policy),
        seed=game.seed,
        reward_range=game.scale.reward_range,
        multiplier=_write_source(game.source, len(game.names)),
        arms=_Arms(
            ids=[id_to_json(arm) for arm in table.ids], dates=[*table.dates.items()], **arms
        ),
        decisions=_Decisions(
            **decisions,
            learned=ledger.learned.tolist(),
            propensities=_Propensities(
                rows=rows,
                runs=[len(runs.ends) for runs in packed],
                ends=[*chain.from_iterable(runs.ends for runs in packed)],
                values=[*chain.from_iterable(runs.values for runs in packed)],
            ),
        ),
        history=_History(**past),
    )
    return msgspec.json.encode(document).decode()


def _write_source(source: MultiplierSource, arms: int) -> _Known | _Online:
    if isinstance(source, KnownMultiplier):
        plan = _Plan(arms, source.plan(arms).tolist()) if arms else None
        return _Known.of(source.multiplier, known=source.known, plan=plan)
    carry = None
    with contextlib.suppress(BanditError):  # JSON cannot hold it: the reader plans from turn 1
        if (carried := source.carry(arms)) is not None:
            carry = _Carry(arms, id_to_json(carried))
    return _Online(source.beliefs, source.seen, carry)


# -- reading --------------------------------------------------------------------------------------


class _Head(Struct):
    format: Any = None
    version: Any = None
    written_by: Any = "another highseason"


def read(text: str | bytes, policy: Policy | None) -> LiveGame[Any]:
    """The bandit that `write` wrote; anything else is refused with the reason."""
    _require_readable(text)
    try:
        game = _read(msgspec.json.decode(text, type=_Document, dec_hook=read_id), policy)
        _check(game)
    except DocumentError:
        raise
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as reason:
        raise DocumentError(f"corrupt document: {reason}") from reason
    return game


def _require_readable(text: str | bytes) -> None:
    head = _Head()
    try:
        head = msgspec.json.decode(text, type=_Head)
    except msgspec.ValidationError:
        pass  # JSON, but no object
    except (TypeError, ValueError, RecursionError) as reason:
        raise DocumentError(f"not a JSON document: {reason}") from reason
    if head.format != FORMAT:
        raise DocumentError(
            f'not a bandit: expected a document of Bandit.to_json, with "format": "{FORMAT}"'
        )
    if type(head.version) is int and head.version != VERSION:
        remedy = "upgrade highseason" if head.version > VERSION else "write the bandit again"
        raise DocumentError(
            f"the document has version {head.version} (written by {head.written_by}), but "
            f"highseason {__version__} reads version {VERSION}: {remedy}"
        )


def _read(document: _Document, given: Policy | None) -> LiveGame[Any]:
    policy = read_policy(document.policy, given)
    source = _read_source(document.multiplier, policy)
    scale = Scale.of(document.reward_range, policy)
    game: LiveGame[Any] = LiveGame(policy, document.seed, scale, source)
    _read_arms(document.arms, game)
    _read_ledger(document, game)
    return game


def _read_source(entry: Any, policy: Policy) -> MultiplierSource:
    if "beliefs" not in entry:
        season = msgspec.convert(entry, _Known)
        source = KnownMultiplier(policy, season.multiplier(), season.known)
        if season.plan is not None:
            source.use_plan(season.plan.arms, _levels(season.plan.levels, policy, source.turns))
        return source
    seen = msgspec.convert(entry, _Online, dec_hook=read_id)
    online, decided = OnlineMultiplier(policy), len(seen.beliefs)
    if any(later < turn for turn, later in pairwise([*(turn for turn, _ in seen.seen), decided])):
        raise ValueError("`seen` is not in the order in which it was reported")
    online.beliefs, online.seen = seen.beliefs, seen.seen
    if policy.carry_depends_on == "nothing":
        online.resume(1, policy.begin())
    elif seen.carry is not None:
        online.resume(seen.carry.arms, seen.carry.value)
        quietest = min(seen.beliefs, default=1.0)
        online.level(seen.carry.arms, decided + 1, quietest)  # raises if it cannot go on
    return online


def _levels(entries: list[float], policy: Policy, turns: int) -> NDArray[np.float64]:
    levels, (low, high) = np.array(entries, np.float64), policy.rule.allowed
    if levels.size != turns or not ((levels >= low) & (levels <= high)).all():
        raise ValueError(f"`levels` must be {turns} numbers from {low:g} to {high:g}")
    return levels


def _columns(names: Iterable[str], entry: Struct, owner: Any) -> dict[str, NDArray[Any]]:
    """Columns of a document as arrays, of the types that their owner has."""
    kinds = {name: np.asarray(getattr(owner, name)).dtype for name in names}
    return {name: np.array(getattr(entry, name), kind) for name, kind in kinds.items()}


def _read_arms(entry: _Arms, game: LiveGame[Any]) -> None:
    rule, arms = game.policy.rule, len(entry.ids)
    if len(set(entry.ids)) < arms:
        raise ValueError("`ids` names an arm twice")
    for arm, date in entry.dates:
        if arm >= arms:
            raise ValueError(f"`dates` refers to unknown arm index {arm}")
        game.source.last_turn_by(date)  # raises if it is not a date
    if any(len(row) != rule.memory for row in entry.memory):
        raise ValueError(f"`memory` must be {rule.memory} numbers for each arm")
    if len(entry.shared) != rule.shared:
        raise ValueError(f"`shared` must be {rule.shared} numbers")
    table = _columns(_TABLE, entry, game.table)
    state = _columns(_STATE, entry, game.table.state)
    state["memory"] = state["memory"].reshape(arms, rule.memory)
    kept = ArmState(**state, available=table["active"].copy())
    game.table.restore(entry.ids, state=kept, dates=dict(entry.dates), **table)


def _read_ledger(document: _Document, game: LiveGame[Any]) -> None:
    entry, past, arms = document.decisions, document.history, len(game.table.ids)
    columns, decided = _columns(_LEDGER, entry, game.ledger), len(entry.turns)
    limit = game.source.turns or decided
    if max(entry.turns, default=0) > limit or len(set(entry.turns)) < decided:
        raise ValueError(f"`turns` must be different turns from 1 to {limit}")
    _levels(entry.levels, game.policy, decided)
    lessons = np.flatnonzero(~np.isnan(columns["rewards"]) & (columns["visitors"] > 0.0))
    learned = np.array(entry.learned, np.int64)
    if not np.array_equal(np.sort(learned), lessons):
        raise ValueError("`learned` disagrees with the rewards")
    for arm in [arm for arm in (*entry.arms, *past.arms) if arm >= arms]:
        raise ValueError(f"`arms` refers to unknown arm index {arm}")
    packed = _unpack(entry.propensities)
    for row, runs in packed.items():
        if not runs.fit(entry.arms[row], arms):
            raise ValueError(f"the propensities of row {row} do not fit its arm, or add up to 1")
    history = list(zip(past.arms, past.rewards, past.visitors, strict=True))
    game.ledger.restore({**columns, "learned": learned}, packed, history)


def _unpack(entry: _Propensities) -> dict[int, Propensities]:
    """The propensities by row."""
    parts = [slice(*ends) for ends in pairwise(accumulate(entry.runs, initial=0))]
    if len(set(entry.rows)) < len(entry.rows):
        raise ValueError("`propensities` holds a row twice")
    return {
        row: Propensities(tuple(entry.ends[part]), tuple(entry.values[part]))
        for row, part in zip(entry.rows, parts, strict=True)
    }


def _check(game: LiveGame[Any]) -> None:
    """The ledger must agree with the statistics of the arms."""
    ledger, state, source = game.ledger, game.table.state, game.source
    if isinstance(source, OnlineMultiplier):
        came = [*(visitors for _, _, visitors in ledger.history), *ledger.visitors]
        if len(ledger) != len(source.beliefs):
            raise ValueError(
                f"there are {len(ledger)} decisions but {len(source.beliefs)} `beliefs`"
            )
        if sorted(each for each in came if each > 0.0) != sorted(each for _, each in source.seen):
            raise ValueError("`seen` disagrees with the visitors who came")
    arms = np.array([*(arm for arm, _, _ in ledger.history), *ledger.arms], np.int64)
    if not np.array_equal(np.bincount(arms, minlength=state.selections.size), state.selections):
        raise ValueError("`selections` disagrees with the decisions")
    if game.policy.rule.observe is observe_mean:
        pulls = np.zeros(state.pulls.size)
        for arm, _, visitors in ledger.lessons():
            pulls[arm] += game.weight_of(visitors)
        # With the last bits of another machine.
        if not np.allclose(pulls, state.pulls, rtol=1e-9, atol=0.0):
            raise ValueError("`pulls` disagrees with the rewards")


def replayed(events: Iterable[Event], policy: Policy | None) -> LiveGame[Any]:
    """The game that wrote these events."""
    rest = iter(events)
    first = next(rest, None)
    try:
        if isinstance(first, BanditStarted):
            game = LiveGame.start(first, read_policy(first.policy, policy))
        elif isinstance(first, BanditRestored):
            game = read(first.document, policy)
        else:
            raise DocumentError("the store holds no bandit: create one with Bandit(…, store=store)")
    except DocumentError:
        raise
    except (ValueError, TypeError) as reason:
        raise DocumentError(f"corrupt event 1: {reason}") from reason
    # A store may begin with a document that stands for the events before it.
    game.seq = first.seq if isinstance(first, BanditRestored) else 1
    for event in rest:
        game.replay(event)
    return game
