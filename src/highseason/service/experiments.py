"""The service without HTTP: experiments that are decided turn by turn, kept in a database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

from sqlalchemy import Connection

from highseason.bandit import BanditError, Event, OutcomesReported, TurnDecided
from highseason.service import store
from highseason.service.brain import Brain
from highseason.service.cache import BrainCache
from highseason.service.database import Database
from highseason.service.errors import ClashError, InvalidError, NotFoundError
from highseason.service.model import (
    Arm,
    DecisionRecord,
    Entry,
    Outcome,
    PlannedTurn,
    Settings,
    State,
    Status,
    Summary,
)
from highseason.service.store import Batch
from highseason.service.writer import Job, Writer

T = TypeVar("T")

#: Which change of status each word makes, and from which status.
_CHANGES: dict[str, tuple[str, Status, tuple[Status, ...]]] = {
    "pause": ("paused", "paused", ("running",)),
    "resume": ("resumed", "running", ("paused",)),
    "archive": ("archived", "archived", ("running", "paused")),
}


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


class Service:
    """Experiments in a database; all methods may be called from many threads.

    Args:
        database: The database, or its URL.
        clock: What time it is; tests pass their own.

    A method that changes something returns after the change is on the disk.  `key` is an
    idempotency key: the same request again is answered as before, another one with the same key is
    refused.
    """

    def __init__(self, database: Database | str, clock: Callable[[], datetime] = now) -> None:
        self.database = database if isinstance(database, Database) else Database(database)
        self.clock = clock
        self._brains = BrainCache()
        self.writer = Writer(self.database, self._brains.forget)

    @property
    def rebuilt(self) -> int:
        """How often an experiment was built from its log."""
        return self._brains.rebuilt

    def close(self) -> None:
        """Finish what is under way, and close the database."""
        self.writer.close()
        self.database.close()

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- experiments ------------------------------------------------------------------------------

    def create(self, settings: Settings) -> Summary:
        """Create an experiment; the same settings again change nothing."""
        body = settings_body(settings)

        def work(batch: Batch) -> Summary:
            if settings.id in batch.last_seq:
                first = store.entries(batch.connection, settings.id, limit=1)[0]
                if first.body != body:
                    raise ClashError(
                        f"there is an experiment {settings.id!r} with other settings: choose "
                        "another id"
                    )
            else:
                self._create(batch, settings, body)
                batch.write()
                batch.clear()
            found = store.summary(batch.connection, settings.id)
            assert found is not None, "it was written above"
            return found

        return self._run(settings.id, work, alone=True)

    def _create(self, batch: Batch, settings: Settings, body: dict[str, Any]) -> None:
        entry = Entry(1, self._stamp(), "created", None, body)
        try:
            self._brains.remember(settings.id, Brain([entry]))
        except ValueError as reason:
            raise InvalidError(str(reason)) from reason
        row = {"id": settings.id, "name": settings.name, "policy": settings.policy}
        batch.new.append(row | {"status": "running", "created_at": entry.at, "last_seq": 1})
        batch.entries.append((settings.id, entry))
        batch.last_seq[settings.id] = 1

    def experiments(self) -> list[Summary]:
        """All experiments."""
        return self._read(store.summaries)

    def experiment(self, experiment: str) -> Summary:
        """One experiment."""
        return self._read(lambda connection: _required(connection, experiment))

    def change_status(
        self, experiment: str, change: Literal["pause", "resume", "archive"]
    ) -> Summary:
        """Pause, resume or archive; what is so already stays so."""
        kind, status, allowed = _CHANGES[change]

        def work(batch: Batch, brain: Brain) -> None:
            if brain.status != status:
                brain.require(*allowed)
                batch.status[experiment] = status
                self._enter(batch, brain, kind, None, {})

        self._change(experiment, work)
        return self.experiment(experiment)

    # -- deciding ---------------------------------------------------------------------------------

    def decide(
        self, experiment: str, turn: int | None = None, at: datetime | None = None
    ) -> DecisionRecord:
        """The arm of a turn, of the turn in which `at` falls, or of the turn that is now.

        A turn is decided once.  Whoever asks again gets the same answer.
        """
        if turn is not None:
            number = turn
            known = self._read(lambda connection: store.decision(connection, experiment, number))
            if known is not None:
                return known
        moment = at or self.clock()

        def work(batch: Batch, brain: Brain) -> DecisionRecord:
            wanted = brain.forecast.turn_at(moment) if turn is None else turn
            if wanted not in brain.decided:
                return self._decide(batch, brain, wanted)
            asked = experiment, wanted
            rows = (r for r in batch.decisions if (r["experiment"], r["turn"]) == asked)
            row = next(rows, None)
            if row is not None:
                return _record(row)
            locked = store.decision(batch.connection, experiment, wanted)
            assert locked is not None, "the log says that it is decided"
            return locked

        return self._change(experiment, work)

    def _decide(self, batch: Batch, brain: Brain, turn: int) -> DecisionRecord:
        *entering, decided = brain.decide(turn)
        for event in entering:
            self._enter(batch, brain, "arm_entered", turn, {"id": event.arm}, event)  # type: ignore[attr-defined]  # an ArmAdded
        assert isinstance(decided, TurnDecided), "a decision ends with its turn"
        body = {"forecast": brain.version, "policy": brain.settings.policy}
        entry = self._enter(batch, brain, "decided", turn, body, decided)
        record = DecisionRecord(
            turn,
            brain.forecast.time(turn),
            decided.arm,
            decided.probability,
            bool(decided.exploited),
            float(decided.level),
            brain.version,
            entry.at,
        )
        batch.decide(brain.settings.id, record)
        return record

    def decision(self, experiment: str, turn: int) -> DecisionRecord:
        """A locked turn."""

        def look(connection: Connection) -> DecisionRecord:
            _required(connection, experiment)
            locked = store.decision(connection, experiment, turn)
            if locked is None:
                raise NotFoundError(f"turn {turn} of {experiment!r} is not decided yet")
            return locked

        return self._read(look)

    def decisions(
        self, experiment: str, before: int | None = None, limit: int = 100
    ) -> list[DecisionRecord]:
        """The latest decisions, newest turn first."""

        def look(connection: Connection) -> list[DecisionRecord]:
            _required(connection, experiment)
            return store.latest(connection, experiment, before, limit)

        return self._read(look)

    # -- rewards ----------------------------------------------------------------------------------

    def report(
        self, experiment: str, outcomes: Sequence[Outcome], key: str | None = None
    ) -> dict[str, int]:
        """Take in what turns brought, all or none; late and in any order.

        Gives how many of them were new.
        """

        def work(batch: Batch, brain: Brain) -> dict[str, int]:
            new = 0
            for event in brain.report(outcomes):
                assert isinstance(event, OutcomesReported), "a report gives reports"
                new += len(event.outcomes)
                self._enter(batch, brain, "rewarded", None, {"arms": brain.arms_of(event)}, event)
                for turn, reward, visitors in event.outcomes:
                    assert reward is not None, "a report has one"
                    assert visitors is not None, "a report has them"
                    batch.outcomes[experiment, turn] = Outcome(turn, reward, visitors)
            return {"received": len(outcomes), "new": new}

        request = ["report", [asdict(outcome) for outcome in outcomes]]
        return self._change(experiment, work, key, request)

    def correct(self, experiment: str, outcome: Outcome, key: str | None = None) -> dict[str, Any]:
        """Replace a turn's reward: a new event, which keeps the old values.

        The bandit is then built again as if this had been reported; 100,000 turns take seconds.
        """

        def work(batch: Batch, brain: Brain) -> dict[str, Any]:
            before = brain.check_correction(outcome.turn)
            after = {"reward": outcome.reward, "visitors": outcome.visitors}
            if before != after:
                body = after | {"before": before}
                self._enter(batch, brain, "corrected", outcome.turn, body)
                batch.outcomes[experiment, outcome.turn] = outcome
                self._brains.rebuild(batch, experiment)
            return {"turn": outcome.turn, **after, "before": before}

        request = ["correct", asdict(outcome)]
        return self._change(experiment, work, key, request, alone=True)

    # -- arms and forecast ------------------------------------------------------------------------

    def add_arm(self, experiment: str, arm: Arm, key: str | None = None) -> dict[str, Any]:
        """Add an arm, or bring a retired one back with what was learned of it."""

        def work(batch: Batch, brain: Brain) -> dict[str, Any]:
            brain.check_new_arm(arm)
            self._enter(batch, brain, "arm_added", None, asdict(arm))
            return asdict(arm)

        return self._change(experiment, work, key, ["add_arm", asdict(arm)])

    def retire_arm(self, experiment: str, arm: str, key: str | None = None) -> dict[str, Any]:
        """Retire an arm: locked turns stay, and their rewards still count."""

        def work(batch: Batch, brain: Brain) -> dict[str, Any]:
            event = next(iter(brain.retire(arm)), None)
            self._enter(batch, brain, "arm_retired", None, {"id": arm}, event)
            return asdict(brain.arms[arm])

        return self._change(experiment, work, key, ["retire_arm", arm])

    def replace_forecast(
        self, experiment: str, first: int, values: Sequence[float], key: str | None = None
    ) -> dict[str, int]:
        """Replace the forecast from a turn on; turns that are locked keep theirs."""

        def work(batch: Batch, brain: Brain) -> dict[str, int]:
            brain.require("running", "paused")
            last, turns = brain.last_turn, len(brain.forecast.values)
            if not last < first <= turns + 1:
                raise ClashError(
                    f"the forecast can be replaced from turn {last + 1}, the first that is not "
                    f"decided, to turn {turns + 1}, got {first}"
                )
            body = {"version": brain.version + 1, "first": first, "values": list(values)}
            self._enter(batch, brain, "forecast_replaced", first, body)
            self._brains.rebuild(batch, experiment)
            return {"version": brain.version + 1, "turns": first - 1 + len(values)}

        request = ["replace_forecast", first, list(values)]
        return self._change(experiment, work, key, request, alone=True)

    # -- looking ----------------------------------------------------------------------------------

    def state(self, experiment: str) -> State:
        """Where an experiment stands."""
        return self.look(experiment, state_of)

    def plan(self, experiment: str, turns: int = 30) -> list[PlannedTurn]:
        """The coming turns as things stand."""
        return self.look(experiment, lambda brain: brain.plan(turns))

    def look(self, experiment: str, view: Callable[[Brain], T]) -> T:
        """What `view` sees of an experiment, between two changes; it must not change anything."""
        return self._change(experiment, lambda batch, brain: view(brain))

    def events(self, experiment: str, after: int = 0, limit: int = 1000) -> list[dict[str, Any]]:
        """A page of the event log, oldest first."""

        def look(connection: Connection) -> list[dict[str, Any]]:
            _required(connection, experiment)
            return store.page(connection, experiment, after, limit)

        return self._read(look)

    # -- how it is done ---------------------------------------------------------------------------

    def _read(self, look: Callable[[Connection], T]) -> T:
        with self.database.read() as connection:
            return look(connection)

    def _stamp(self) -> str:
        return self.clock().astimezone(UTC).isoformat(timespec="microseconds")

    def _enter(
        self,
        batch: Batch,
        brain: Brain,
        kind: str,
        turn: int | None,
        body: dict[str, Any],
        event: Event | None = None,
    ) -> Entry:
        """Append an entry to the log; the bandit knows its event already."""
        entry = Entry(brain.seq + 1, self._stamp(), kind, turn, body, event)
        brain.keep(entry)
        batch.entries.append((brain.settings.id, entry))
        batch.last_seq[brain.settings.id] = entry.seq
        return entry

    def _change(
        self,
        experiment: str,
        work: Callable[[Batch, Brain], T],
        key: str | None = None,
        request: Any = None,
        alone: bool = False,
    ) -> T:
        def job(batch: Batch) -> Any:
            brain = self._brains.get(batch, experiment)
            if key is None:
                return work(batch, brain)
            digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
            earlier = batch.answer(experiment, key)
            if earlier is not None:
                return _same(key, digest, *earlier)
            answer = work(batch, brain)
            batch.answers[experiment, key] = digest, answer
            return answer

        return self._run(experiment, job, alone)  # type: ignore[no-any-return]  # what `work` gives

    def _run(self, experiment: str, work: Callable[[Batch], T], alone: bool = False) -> T:
        def clean() -> bool:
            return not alone and self._brains.is_clean(experiment)

        try:
            done: T = self.writer.submit(Job(experiment, work, alone, clean)).result()
        except BanditError as reason:
            raise ClashError(str(reason)) from reason
        except ValueError as reason:
            raise InvalidError(str(reason)) from reason
        return done


def state_of(brain: Brain) -> State:
    """Where an experiment stands."""
    settings, forecast = brain.settings, brain.forecast
    decided, rewarded = brain.counts
    return State(
        id=settings.id,
        name=settings.name,
        status=brain.status,
        policy=settings.policy,
        seed=settings.seed,
        reward_range=settings.reward_range,
        turns=len(forecast.values),
        forecast_version=brain.version,
        calendar=None if forecast.calendar is None else dict(vars(forecast.calendar)),
        decided=decided,
        rewarded=rewarded,
        last_turn=brain.last_turn,
        events=brain.seq,
        clipped=brain.bandit.clipped,
        arms=brain.arm_states(),
    )


def settings_body(settings: Settings) -> dict[str, Any]:
    """The settings as the log keeps them; what is wrong with them is refused."""
    try:
        body: dict[str, Any] = json.loads(json.dumps(settings.to_dict(), allow_nan=False))
    except ValueError as reason:
        raise InvalidError(str(reason)) from reason
    return body


def _same(key: str, digest: str, old: str, answer: Any) -> Any:
    if digest != old:
        raise ClashError(f"the idempotency key {key!r} was used for another request: use a new key")
    return answer


def _required(connection: Connection, experiment: str) -> Summary:
    known = store.summary(connection, experiment)
    if known is None:
        raise NotFoundError(f"there is no experiment {experiment!r}")
    return known


def _record(row: dict[str, Any]) -> DecisionRecord:
    return DecisionRecord(**{name: row[name] for name in row if name != "experiment"})
