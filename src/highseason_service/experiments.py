"""The service without HTTP: experiments that are decided turn by turn, kept in a database."""

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal, Self, TypeAlias, TypeVar

from sqlalchemy import Connection

from highseason.bandit import Event, OutcomesReported, TurnDecided
from highseason.core import raised_as
from highseason_service import store
from highseason_service.brain import Brain
from highseason_service.cache import BrainCache
from highseason_service.database import Database
from highseason_service.errors import ClashError, InvalidError, NotFoundError, ServiceError
from highseason_service.model import (
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
from highseason_service.store import Batch
from highseason_service.writer import Job, Writer

T = TypeVar("T")
Clock: TypeAlias = Callable[[], datetime]
_NOW = partial(datetime.now, UTC)

#: Which change of status each word makes, and from which status.
_CHANGES: dict[str, tuple[str, Status, tuple[Status, ...]]] = {
    "pause": ("paused", "paused", ("running",)),
    "resume": ("resumed", "running", ("paused",)),
    "archive": ("archived", "archived", ("running", "paused")),
}


class Service:
    """Experiments in a database; all methods may be called from many threads.

    Args:
        database: The database, or its URL.
        clock: What time it is; tests pass their own.

    A method that changes something returns after the change is on the disk.  `key` is an
    idempotency key: the same request again is answered as before, another one with the same key is
    refused.  `decide_soon` and `update_soon` give futures, for servers that do not wait in threads.
    """

    def __init__(self, database: Database | str, clock: Clock = _NOW) -> None:
        self.database = database if isinstance(database, Database) else Database(database)
        self.clock = clock
        self.brains = BrainCache()
        save = partial(self.brains.save_snapshots, self.database)
        self.writer = Writer(self.database, self.brains.forget, save)

    def close(self) -> None:
        """Finish what is under way, and close the database."""
        self.writer.close()
        self.database.close()

    def __enter__(self) -> Self:
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
                if settings_body(Settings.from_dict(first.body)) != body:
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

        return self.queue(settings.id, work, alone=True).result()

    def _create(self, batch: Batch, settings: Settings, body: dict[str, Any]) -> None:
        entry = Entry(1, self.stamp(), "created", None, body)
        with raised_as(InvalidError):
            self.brains.keep(settings.id, Brain([entry]))
        row = {"id": settings.id, "name": settings.name, "policy": settings.policy}
        batch.new.append(row | {"status": "running", "created_at": entry.at, "last_seq": 1})
        batch.entries.append((settings.id, entry))
        batch.last_seq[settings.id] = 1

    def experiments(self) -> list[Summary]:
        """All experiments."""
        return self.read(store.summaries)

    def experiment(self, experiment: str) -> Summary:
        """One experiment."""
        return self.read(lambda connection: _required(connection, experiment))

    def _read_of(self, experiment: str, look: Callable[[Connection], T]) -> T:
        """Look at what is committed of an experiment, which must be there."""

        def checked(connection: Connection) -> T:
            _required(connection, experiment)
            return look(connection)

        return self.read(checked)

    def change_status(
        self, experiment: str, change: Literal["pause", "resume", "archive"]
    ) -> Summary:
        """Pause, resume or archive; doing it again changes nothing."""
        kind, status, allowed = _CHANGES[change]

        def work(batch: Batch, brain: Brain) -> None:
            if brain.status != status:
                brain.require(*allowed)
                batch.status[experiment] = status
                self.enter(batch, brain, kind, None, {})

        self.change(experiment, work)
        return self.experiment(experiment)

    # -- deciding ---------------------------------------------------------------------------------

    def decide(
        self, experiment: str, turn: int | None = None, at: datetime | None = None
    ) -> DecisionRecord:
        """The arm of a turn, of the turn in which `at` falls, or of the turn that is now.

        A turn is decided once; asked again, the answer is the same.
        """
        known = self.locked(experiment, turn, at)
        return self.decide_soon(experiment, turn, at).result() if known is None else known

    def is_locked(self, experiment: str, turn: int | None, at: datetime | None) -> int | None:
        """The turn that is asked for, if this process remembers that it is decided."""
        brain = self.brains.get(experiment)
        if brain is None:
            return None
        try:
            wanted = brain.forecast.turn_at(at or self.clock()) if turn is None else turn
        except ServiceError:
            return None  # the writer says what is wrong
        return wanted if wanted in brain.decided else None

    def locked(
        self, experiment: str, turn: int | None = None, at: datetime | None = None
    ) -> DecisionRecord | None:
        """A turn that is decided, without waiting for the writer; None if it may not be."""
        wanted = self.is_locked(experiment, turn, at)
        if wanted is None:  # read only where memory says that there is something to read
            return None
        number = wanted
        return self.read(lambda connection: store.decision(connection, experiment, number))

    def decide_soon(
        self, experiment: str, turn: int | None = None, at: datetime | None = None
    ) -> Future[DecisionRecord]:
        """Like `decide`, but gives a future that is done after the commit."""
        moment = at or self.clock()

        def work(batch: Batch, brain: Brain) -> DecisionRecord:
            wanted = brain.forecast.turn_at(moment) if turn is None else turn
            if wanted not in brain.decided:
                return self._decide(batch, brain, wanted)
            new = batch.decided.get((experiment, wanted))
            locked = new or store.decision(batch.connection, experiment, wanted)
            assert locked is not None, "the log says that it is decided"
            return locked

        return self.submit(experiment, work)

    def _decide(self, batch: Batch, brain: Brain, turn: int) -> DecisionRecord:
        *entering, decided = brain.decide(turn)
        for event in entering:
            self.enter(batch, brain, "arm_entered", turn, {"id": event.arm}, event)  # type: ignore[attr-defined]  # an ArmAdded
        assert isinstance(decided, TurnDecided), "a decision ends with its turn"
        body = {"forecast": brain.version, "policy": brain.settings.policy}
        entry = self.enter(batch, brain, "decided", turn, body, decided)
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
        batch.decided[brain.settings.id, turn] = record
        return record

    def decision(self, experiment: str, turn: int) -> DecisionRecord:
        """A locked turn."""
        locked = self._read_of(experiment, lambda one: store.decision(one, experiment, turn))
        if locked is None:
            raise NotFoundError(f"turn {turn} of {experiment!r} is not decided yet")
        return locked

    def decisions(
        self, experiment: str, before: int | None = None, limit: int = 100
    ) -> list[DecisionRecord]:
        """The latest decisions, newest turn first."""
        return self._read_of(experiment, lambda one: store.latest(one, experiment, before, limit))

    # -- rewards ----------------------------------------------------------------------------------

    def update_many(
        self, experiment: str, outcomes: Sequence[Outcome], key: str | None = None
    ) -> dict[str, int]:
        """Take in what turns brought, all or none; late and in any order.

        Gives how many of them were new.
        """
        return self.update_soon(experiment, outcomes, key).result()

    def update_soon(
        self, experiment: str, outcomes: Sequence[Outcome], key: str | None = None
    ) -> Future[dict[str, int]]:
        """Like `update_many`, but gives a future that is done after the commit."""

        def work(batch: Batch, brain: Brain) -> dict[str, int]:
            new = 0
            for event in brain.update_many(outcomes):
                assert isinstance(event, OutcomesReported), "a report gives reports"
                new += len(event.outcomes)
                self.enter(batch, brain, "rewarded", None, {"arms": brain.arms_of(event)}, event)
                for turn, reward, visitors in event.outcomes:
                    assert reward is not None, "a report has one"
                    assert visitors is not None, "a report has them"
                    batch.outcomes[experiment, turn] = Outcome(turn, reward, visitors)
            return {"received": len(outcomes), "new": new}

        request = ["update", [asdict(outcome) for outcome in outcomes]]
        return self.submit(experiment, work, key, request)

    def correct(self, experiment: str, outcome: Outcome, key: str | None = None) -> dict[str, Any]:
        """Replace a turn's reward: a new event, which keeps the old values.

        Where the visitors were wrong as well, the bandit is built again as if these had been
        reported; 100,000 turns take seconds.
        """

        def work(batch: Batch, brain: Brain) -> dict[str, Any]:
            before = brain.before_correction(outcome.turn)
            arm, after = before.pop("arm"), {"reward": outcome.reward, "visitors": outcome.visitors}
            if before != after:
                body = after | {"before": before, "arm": arm}
                rebuild = before["visitors"] != outcome.visitors
                event = None if rebuild else brain.correct(outcome)[0]
                self.enter(batch, brain, "corrected", outcome.turn, body, event)
                batch.outcomes[experiment, outcome.turn] = outcome
                if rebuild:
                    self.brains.rebuild(batch, experiment)
            return {"turn": outcome.turn, **after, "before": before}

        request = ["correct", asdict(outcome)]
        return self.change(experiment, work, key, request, True)

    # -- arms and forecast ------------------------------------------------------------------------

    def add_arm(self, experiment: str, arm: Arm, key: str | None = None) -> dict[str, Any]:
        """Add an arm, or bring a removed one back with what was learned of it."""

        def work(batch: Batch, brain: Brain) -> dict[str, Any]:
            brain.check_new_arm(arm)
            self.enter(batch, brain, "arm_added", None, asdict(arm))
            return asdict(arm)

        return self.change(experiment, work, key, ["add_arm", asdict(arm)])

    def remove_arm(self, experiment: str, arm: str, key: str | None = None) -> dict[str, Any]:
        """Remove an arm: locked turns stay, and their rewards still count."""

        def work(batch: Batch, brain: Brain) -> dict[str, Any]:
            event = next(iter(brain.remove_arm(arm)), None)
            self.enter(batch, brain, "arm_retired", None, {"id": arm}, event)
            return asdict(brain.arms[arm])

        return self.change(experiment, work, key, ["remove_arm", arm])

    def reforecast(
        self, experiment: str, first: int, values: Sequence[float], key: str | None = None
    ) -> dict[str, int]:
        """Replace the forecast from a turn on; turns that are locked keep theirs."""

        def work(batch: Batch, brain: Brain) -> dict[str, int]:
            (event,) = brain.reforecast(first, values)
            body = {"version": brain.version + 1, "first": first, "values": list(values)}
            self.enter(batch, brain, "forecast_replaced", first, body, event)
            return {"version": brain.version, "turns": first - 1 + len(values)}

        request = ["reforecast", first, list(values)]
        return self.change(experiment, work, key, request)

    # -- looking ----------------------------------------------------------------------------------

    def state(self, experiment: str) -> State:
        """Where an experiment stands."""
        return self.look(experiment, state_of)

    def plan(self, experiment: str, turns: int = 30) -> list[PlannedTurn]:
        """The coming turns as things stand."""
        return self.look(experiment, lambda brain: brain.plan(turns))

    def events(self, experiment: str, after: int = 0, limit: int = 1000) -> list[dict[str, Any]]:
        """A page of the event log, oldest first."""
        return self._read_of(experiment, lambda one: store.page(one, experiment, after, limit))

    # -- transactions: one at a time in the writer, with the experiment in memory -----------------

    def read(self, look: Callable[[Connection], T]) -> T:
        """Look at what is committed."""
        with self.database.read() as connection:
            return look(connection)

    def stamp(self) -> str:
        """The time, as the log keeps it."""
        return self.clock().astimezone(UTC).isoformat(timespec="microseconds")

    def enter(
        self,
        batch: Batch,
        brain: Brain,
        kind: str,
        turn: int | None,
        body: dict[str, Any],
        event: Event | None = None,
    ) -> Entry:
        """Append an entry to the log; the bandit knows its event already."""
        entry = Entry(brain.seq + 1, self.stamp(), kind, turn, body, event)
        brain.keep(entry)
        batch.entries.append((brain.settings.id, entry))
        batch.last_seq[brain.settings.id] = entry.seq
        return entry

    def submit(
        self,
        experiment: str,
        work: Callable[[Batch, Brain], T],
        key: str | None = None,
        request: Any = None,
        alone: bool = False,
    ) -> Future[T]:
        """Queue work on an experiment; with a key it is done once."""

        def job(batch: Batch) -> Any:
            brain = self.brains.current(batch, experiment)
            if key is None:
                return work(batch, brain)
            digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
            earlier = batch.answers.get((experiment, key)) or batch.earlier.get((experiment, key))
            if earlier is not None and earlier[0] != digest:
                raise ClashError(
                    f"the idempotency key {key!r} was used for another request: use a new key"
                )
            if earlier is not None:
                return earlier[1]
            answer = work(batch, brain)
            batch.answers[experiment, key] = digest, answer
            return answer

        return self.queue(experiment, job, alone, key)

    def change(self, experiment: str, work: Callable[[Batch, Brain], T], *more: Any) -> T:
        """As `submit`, and wait until it is committed."""
        return self.submit(experiment, work, *more).result()

    def look(self, experiment: str, view: Callable[[Brain], T]) -> T:
        """What `view` sees of an experiment, between two changes; it must not change anything."""
        return self.change(experiment, lambda batch, brain: view(brain))

    def queue(
        self, experiment: str, work: Callable[[Batch], T], alone: bool, key: str | None = None
    ) -> Future[T]:
        """Queue work that needs no experiment in memory."""

        def clean() -> bool:
            return not alone and self.brains.is_clean(experiment)

        return self.writer.submit(Job(experiment, work, alone, clean, key))


def state_of(brain: Brain) -> State:
    """Where an experiment stands."""
    settings, forecast = brain.settings, brain.forecast
    return State(
        id=settings.id,
        name=settings.name,
        status=brain.status,
        policy=settings.policy,
        seed=settings.seed,
        reward_range=settings.reward_range,
        turns=len(forecast.values),
        forecast_version=brain.version,
        calendar=forecast.calendar_dict(),
        decided=brain.decisions.total(),
        rewarded=brain.rewarded,
        last_turn=brain.last_turn,
        events=brain.seq,
        clipped=brain.bandit.clipped,
        arms=brain.arm_states(),
        noise=settings.noise,
        best=brain.best,
    )


def settings_body(settings: Settings) -> dict[str, Any]:
    """The settings as the log keeps them; what is wrong with them is refused."""
    with raised_as(InvalidError):
        return dict(json.loads(json.dumps(settings.to_dict(), allow_nan=False)))


def _required(connection: Connection, experiment: str) -> Summary:
    known = store.summary(connection, experiment)
    if known is None:
        raise NotFoundError(f"there is no experiment {experiment!r}")
    return known
