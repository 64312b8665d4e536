"""The service without HTTP: experiments that are decided turn by turn, kept in a database.

A request that changes an experiment has it for itself: in this process by a lock, in the database
by the lock of its row, which is taken before the number of its last event is read.  Everything that
the request changes is one transaction, and the answer comes after the commit.
"""

import hashlib
import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from highseason.bandit import BanditError, Event, OutcomesReported, TurnDecided
from highseason.core import raised_as
from highseason.traffic import LENGTHS
from highseason_service import store
from highseason_service.database import PATIENCE, Database
from highseason_service.errors import (
    ClashError,
    InvalidError,
    NotFoundError,
    ServiceError,
    UnavailableError,
)
from highseason_service.live import LATE, LiveExperiment, Outline, check_arms, reaches_back
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
from highseason_service.store import Changes

log = logging.getLogger("highseason_service")

T = TypeVar("T")
_NOW = partial(datetime.now, UTC)

#: How many turns the experiments have together that are kept in memory, 125 bytes each; others are
#: built from their events when asked for.
REMEMBERED = 5_000_000
#: How often a request is tried when another process changes the same experiment.
ATTEMPTS = 3
#: How many requests may wait for one experiment: they must not take the threads of the others.
MOST_WAITING = 64

StatusChange: TypeAlias = Literal["pause", "resume", "archive"]
#: How each change of status is logged, which status it makes, and from which.
_CHANGES: dict[StatusChange, tuple[str, Status, tuple[Status, ...]]] = {
    "pause": ("paused", "paused", ("running",)),
    "resume": ("resumed", "running", ("paused",)),
    "archive": ("archived", "archived", ("running", "paused")),
}


class Service(AbstractContextManager["Service"]):
    """Experiments in a database; all methods may be called from many threads.

    Args:
        database: The database, or its URL.
        clock: What time it is; tests pass their own.

    A method that changes something returns after the change is on the disk.  `key` is an
    idempotency key: the same request again is answered as before, another one with the same key is
    refused.
    """

    def __init__(self, database: Database | str, clock: Callable[[], datetime] = _NOW) -> None:
        self.database = database if isinstance(database, Database) else Database(database)
        self.clock = clock
        self.committed = self.rebuilt = 0  # changes, and experiments built from their events
        self._live = Recent[LiveExperiment](REMEMBERED, lambda one: len(one.forecast.values))
        self._outlines = Recent[Outline](REMEMBERED, lambda one: len(one.forecast.values))
        self._queues: WeakValueDictionary[str, _Queue] = WeakValueDictionary()
        self._gate = threading.Lock()

    def close(self) -> None:
        """Take no more requests, and close the database; what is under way is finished."""
        self.database.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- experiments ------------------------------------------------------------------------------

    def create(self, settings: Settings) -> Summary:
        """Create an experiment; the same settings again change nothing."""
        check_arms(settings.arms, tax=settings.tax)
        if settings.priced and settings.reward_range is not None:
            raise InvalidError("the range follows from prices, cost and tax: leave it out")
        created = Entry(1, self.stamp(), "created", None, settings_body(settings))
        with raised_as(InvalidError):
            live = LiveExperiment([created])
        with self._alone(settings.id):
            try:
                with self.database.write() as connection:
                    store.add_experiment(connection, live.settings, created)
                    settings.check_new(self.clock())  # not where it is known
                self._live.keep(settings.id, live)
            except IntegrityError as reason:
                (first,) = self.read(lambda one: store.entries(one, settings.id, limit=1))
                if LiveExperiment([first]).settings != live.settings:
                    found = f"there is an experiment {settings.id!r} with other settings"
                    raise ClashError(f"{found}: choose another id") from reason
        return self.experiment(settings.id)

    def experiments(self) -> list[Summary]:
        """All experiments."""
        return self.read(store.summaries)

    def experiment(self, experiment: str) -> Summary:
        """One experiment."""
        return self.read(lambda one: store.summary(one, experiment))

    def present(self) -> list[Summary]:
        """All that are not archived."""
        return [one for one in self.experiments() if one.status != "archived"]

    def outline(self, one: Summary) -> Outline:
        """What the log says of an experiment, which needs no bandit."""
        known = self._outlines.get(one.id)
        if known is not None and known.seq >= one.events:
            return known
        with self.database.ask() as connection:
            news = store.outline(connection, one.id, 0 if known is None else known.seq)
        return self._outlines.keep(one.id, Outline.of(news, known, one.events))

    def change_status(
        self, experiment: str, change: StatusChange, key: str | None = None
    ) -> Summary:
        """Pause, resume or archive; doing it again changes nothing."""
        kind, status, allowed = _CHANGES[change]

        def work(changes: Changes, live: LiveExperiment) -> None:
            if live.status != status:
                live.require(*allowed)
                changes.status = status
                self._enter(changes, live, kind, None, {})

        self.change(experiment, work, key, [change])
        return self.experiment(experiment)

    def stay_with_leader(self, experiment: str, stay: bool, key: str | None = None) -> State:
        """Play the best arm so far while three or more earlier turns have no reward, or not."""

        def work(changes: Changes, live: LiveExperiment) -> None:
            live.require("running", "paused")
            if live.stays != stay:
                self._enter(changes, live, "staying_changed", None, {"stay_with_leader": stay})

        self.change(experiment, work, key, ["stay_with_leader", stay])
        return self.state(experiment)

    # -- deciding ---------------------------------------------------------------------------------

    def decide(
        self,
        experiment: str,
        turn: int | None = None,
        at: datetime | None = None,
        ahead: int | None = None,
        key: str | None = None,
    ) -> DecisionRecord:
        """The arm of a turn, of the turn in which `at` falls, or of the turn that is now.

        A turn is decided once; asked again, the answer is the same.  One that is more than `ahead`
        turns after now and the last that is decided is refused, and so is now if no turn was
        decided for so many days: a clock may be wrong.
        """
        moment, made = at or self.clock(), None
        if key is None and (known := self._remembered(experiment, turn, moment)) is not None:
            return known

        def work(changes: Changes, live: LiveExperiment) -> int:
            nonlocal made
            made, wanted = None, live.forecast.turn_at(moment) if turn is None else turn
            if wanted not in live.decided:
                if ahead is not None:
                    self._check_near(live, wanted, ahead)
                made = self._decide(changes, live, wanted)
            return wanted

        decided = self.change(experiment, work, key, ["decide", turn, at and at.isoformat()])
        return made or self.decision(experiment, decided)

    def _check_near(self, live: LiveExperiment, turn: int, ahead: int) -> None:
        """Refuse a turn that lies far from now, and one that lies far from all that happened."""
        live.check_turn(turn)
        latest, begun, now, days = live.bandit.last_turn, 0, 0, 1
        if (turns := live.forecast).calendar is not None:
            begun = turns.place(datetime.fromisoformat(live.begun))
            now = live.next_turn(self.clock())
            days = max(1, LENGTHS["day"] // LENGTHS[turns.unit])
        if (far := turn - max(latest, now)) > ahead:
            said = f"turn {turn} is {far} turns ahead, and turns are decided at most {ahead} ahead"
        elif turn > max(latest, begun) + ahead * days:
            said = f"no turn was decided in the {turn - 1 - max(latest, begun)} before turn {turn}"
        else:
            return
        raise ClashError(f"{said}: is the clock right? Send force=true to decide it all the same")

    def _remembered(
        self, experiment: str, turn: int | None, moment: datetime
    ) -> DecisionRecord | None:
        """A turn that is decided and committed: no one waits, and no bandit is built for it."""
        live = self._live.get(experiment)
        known = live or self._outlines.get(experiment) or self.outline(self.experiment(experiment))
        try:
            wanted = known.forecast.turn_at(moment) if turn is None else turn
        except ServiceError:  # it may be that of a forecast that another process has written
            return None
        if live is not None and wanted not in live.decided:
            return None
        with self.database.ask() as connection:
            locked = store.decision(connection, experiment, wanted)
        return locked and self._at_worth(experiment, [locked])[0]

    def _decide(self, changes: Changes, live: LiveExperiment, turn: int) -> DecisionRecord:
        *entering, decided = live.decide(turn)
        for event in entering:
            self._enter(changes, live, "arm_entered", turn, {"id": event.arm}, event)  # type: ignore[attr-defined]  # an ArmAdded
        assert isinstance(decided, TurnDecided), "a decision ends with its turn"
        if (late := live.late(turn)) == LATE:
            log.warning("%s: %d turns have no reward, is it reported?", live.settings.id, late)
        body = {"forecast": live.version, "policy": live.settings.policy}
        entry = self._enter(changes, live, "decided", turn, body, decided)
        chosen = decided.arm, decided.probability, bool(decided.exploited), float(decided.level)
        when = live.forecast.starts(turn)
        changes.decided = DecisionRecord(turn, when, *chosen, live.version, entry.at)
        return changes.decided

    def decision(self, experiment: str, turn: int) -> DecisionRecord:
        """A locked turn."""
        locked = self.read(lambda one: store.decision(one, experiment, turn), experiment)
        if locked is None:
            raise NotFoundError(f"turn {turn} of {experiment!r} is not decided yet")
        return self._at_worth(experiment, [locked])[0]

    def _at_worth(self, experiment: str, found: list[DecisionRecord]) -> list[DecisionRecord]:
        """Decisions with their profits, where arms are prices."""
        if all(one.purchases is None for one in found):
            return found
        offers = self.look(experiment, lambda live: live.bandit.offers)
        return [one.at(offers) for one in found]

    def decided(self, turns: Mapping[str, int]) -> dict[str, DecisionRecord]:
        """A turn of each of many experiments, if it is locked."""
        with self.database.ask() as connection:
            return store.decided(connection, turns)

    def decisions(
        self, experiment: str, before: int | None = None, limit: int = 100
    ) -> list[DecisionRecord]:
        """The latest decisions, newest turn first."""
        found = self.read(lambda one: store.latest(one, experiment, before, limit), experiment)
        return self._at_worth(experiment, found)

    # -- rewards ----------------------------------------------------------------------------------

    def update_many(
        self,
        experiment: str,
        outcomes: Sequence[Outcome],
        key: str | None = None,
        confirm: bool = False,
    ) -> dict[str, int]:
        """Take in what turns brought, all or none; gives how many were new.

        What looks wrong is refused until it is confirmed.
        """

        def work(changes: Changes, live: LiveExperiment) -> dict[str, int]:
            for event in live.update_many(outcomes, confirm):
                assert isinstance(event, OutcomesReported), "a report gives reports"
                self._enter(changes, live, "rewarded", None, {}, event)
                changes.outcomes += [
                    (t, a, {live.called: x, "visitors": v}) for t, a, x, v in event.outcomes
                ]
            new = len(changes.outcomes)
            return {"received": len(outcomes), "new": new, "known_already": len(outcomes) - new}

        return self.change(experiment, work, key, ["update", [asdict(one) for one in outcomes]])

    def correct(
        self, experiment: str, outcome: Outcome, key: str | None = None, confirm: bool = False
    ) -> dict[str, Any]:
        """Replace a turn's reward: a new event, which keeps the old values.

        Where the visitors were wrong as well, the bandit is built again as if these had been
        reported; 100,000 turns take seconds.
        """

        def work(changes: Changes, live: LiveExperiment) -> dict[str, Any]:
            arm, before, after = live.before_correction(outcome)
            if before != after:
                live.ask([outcome], confirm)
                body = after | {"before": before, "arm": arm}
                rebuild = before["visitors"] != outcome.visitors
                event = None if rebuild else live.correct(outcome.turn, after[live.called])[0]
                changes.outcomes.append((outcome.turn, arm, after))
                entry = self._enter(changes, live, "corrected", outcome.turn, body, event)
                if rebuild:
                    past = self.read(lambda one: store.entries(one, experiment))
                    self._keep_built([*past, entry])
            return {"turn": outcome.turn, **after, "before": before}

        return self.change(experiment, work, key, ["correct", asdict(outcome)])

    def change_worth(
        self,
        experiment: str,
        cost: float | Mapping[str, float] | None = None,
        tax: float | None = None,
        reward_range: Sequence[float] | None = None,
        key: str | None = None,
    ) -> State:
        """Change what a purchase is worth, or the range of rewards; the past is learned again.

        The cost is one for all prices, or costs by price; those that were removed keep theirs.
        """

        def work(changes: Changes, live: LiveExperiment) -> None:
            event, body = live.change_worth(cost, tax, reward_range)
            costs = {arm.id: arm.cost for arm in live.arms.values() if arm.id in body["costs"]}
            if event is not None or (costs, live.settings.tax) != (body["costs"], body["tax"]):
                self._enter(changes, live, "worth_changed", None, body, event)

        self.change(experiment, work, key, ["change_worth", cost, tax, reward_range])
        return self.state(experiment)

    # -- arms and forecast ------------------------------------------------------------------------

    def add_arm(self, experiment: str, arm: Arm, key: str | None = None) -> dict[str, Any]:
        """Add an arm, or bring a removed one back with what was learned of it."""

        def work(changes: Changes, live: LiveExperiment) -> dict[str, Any]:
            new = live.new_arm(arm)
            live.check_new_arm(new)
            body = asdict(new)
            self._enter(changes, live, "arm_added", None, body)
            return body

        return self.change(experiment, work, key, ["add_arm", asdict(arm)])

    def remove_arm(self, experiment: str, arm: str, key: str | None = None) -> dict[str, Any]:
        """Remove an arm: locked turns stay, and their rewards still count."""

        def work(changes: Changes, live: LiveExperiment) -> dict[str, Any]:
            event = next(iter(live.remove_arm(arm)), None)
            self._enter(changes, live, "arm_retired", None, {"id": arm}, event)
            return asdict(live.arms[arm])

        return self.change(experiment, work, key, ["remove_arm", arm])

    def reforecast(
        self, experiment: str, first: int, values: Sequence[float], key: str | None = None
    ) -> dict[str, int]:
        """Replace the forecast from a turn on; turns that are locked keep theirs."""

        def work(changes: Changes, live: LiveExperiment) -> dict[str, int]:
            event, kept = live.reforecast(first, values)
            body = {"version": live.version + 1, "first": first, "values": kept}
            self._enter(changes, live, "forecast_replaced", first, body, event)
            return {"version": live.version, "turns": first - 1 + len(kept)}

        return self.change(experiment, work, key, ["reforecast", first, list(values)])

    # -- looking ----------------------------------------------------------------------------------

    def state(self, experiment: str) -> State:
        """Where an experiment stands."""
        return self.look(experiment, state_of)

    def plan(self, experiment: str, turns: int = 30) -> list[PlannedTurn]:
        """The coming turns as things stand."""
        return self.look(experiment, lambda live: live.plan(turns, live.next_turn(self.clock())))

    def events(self, experiment: str, after: int = 0, limit: int = 1000) -> list[dict[str, Any]]:
        """A page of the event log, oldest first."""
        return self.read(lambda one: store.page(one, experiment, after, limit), experiment)

    # -- one request at a time on an experiment, in one transaction -------------------------------

    def change(
        self,
        experiment: str,
        work: Callable[[Changes, LiveExperiment], T],
        key: str | None = None,
        request: Any = None,
    ) -> T:
        """What `work` answers, after what it changes is committed; with a key it is done once.

        The work comes first, and what it changes is written unless another process got in between.
        Where others change the experiment too, it is locked before the work.
        """
        with self._alone(experiment):
            for attempt in range(ATTEMPTS):
                try:
                    return self._attempt(experiment, work, key, request, early=attempt > 0)
                except (_OvertakenError, IntegrityError):  # by another process
                    continue
        raise UnavailableError("the experiment is busy: try again")

    def _attempt(
        self,
        experiment: str,
        work: Callable[[Changes, LiveExperiment], T],
        key: str | None,
        request: Any,
        early: bool,
    ) -> T:
        changes, database = Changes(experiment), self.database
        with self._forgotten_after_failures(changes), ExitStack() as opened:
            connection = opened.enter_context(database.ask())
            seen = known.seq if (known := self._live.get(experiment)) is not None else 0
            live, earlier = self._current(connection, experiment, key)
            # PostgreSQL locks one row; SQLite would lock the whole file during the work.
            early |= not database.is_sqlite and seen != live.seq
            if early:
                opened.close()
                connection = opened.enter_context(database.write())
                live, earlier = self._current(connection, experiment, key, lock=True)
            if key is not None:
                digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
                if earlier is not None and earlier[0] != digest:
                    raise ClashError(
                        f"the idempotency key {key!r} was used for another request: use a new key"
                    )
                if earlier is not None:
                    return earlier[1]  # type: ignore[no-any-return]  # what the same work answered
            before, answer = live.seq, work(changes, live)
            if key is not None:
                changes.answer = key, digest, answer
            if not changes.entries and changes.answer is None:
                return answer
            if not early and (database.is_sqlite or not changes.is_brief):
                opened.close()
                connection = opened.enter_context(database.write())
            if not changes.write(connection, before):
                raise _OvertakenError
        database.has_written()
        self.committed += 1
        return answer

    def look(self, experiment: str, view: Callable[[LiveExperiment], T]) -> T:
        """What `view` sees of an experiment, between two changes; it must not change anything."""
        with self._alone(experiment), self._forgotten_after_failures(Changes(experiment)):
            with self.database.ask() as connection:
                live, _ = self._current(connection, experiment)
            return view(live)

    @contextmanager
    def _alone(self, experiment: str) -> Iterator[None]:
        """Have an experiment for oneself, in this process."""
        with self._gate:
            queue = self._queues.setdefault(experiment, _Queue())
        if not queue.room.acquire(blocking=False):
            raise UnavailableError("too many requests wait for the experiment: try again")
        try:
            if not queue.lock.acquire(timeout=PATIENCE):
                raise UnavailableError("the experiment is busy: try again")
            try:
                yield
            finally:
                queue.lock.release()
        finally:
            queue.room.release()

    @contextmanager
    def _forgotten_after_failures(self, changes: Changes) -> Iterator[None]:
        """Drop an experiment from memory whose changes were not committed.

        A refusal that has changed nothing leaves it there.  What the bandit, or the library,
        refuses is refused by the service.
        """
        try:
            yield
        except BaseException as reason:
            live = self._live.get(changes.experiment)
            refused = isinstance(reason, (ClashError, InvalidError, NotFoundError, ValueError))
            if not refused or changes.entries or (live is not None and not live.is_clean):
                self._live.pop(changes.experiment, None)
            if isinstance(reason, ValueError) and not isinstance(reason, ServiceError):
                kind = ClashError if isinstance(reason, BanditError) else InvalidError
                raise kind(str(reason)) from reason
            raise

    def _current(
        self, connection: Connection, experiment: str, key: str | None = None, lock: bool = False
    ) -> tuple[LiveExperiment, tuple[str, Any] | None]:
        """The experiment up to date with its log, and what a request with this key was answered."""
        live = self._live.get(experiment)
        last, earlier = store.head(connection, experiment, key, lock)
        if live is not None and live.seq == last:
            return self._live.keep(experiment, live), earlier
        if lock:  # another process has changed it: it may have answered this request
            _, earlier = store.head(connection, experiment, key)
        news = store.entries(connection, experiment, 0 if live is None else live.seq)
        if live is not None and any(map(reaches_back, news)):
            live, news = None, store.entries(connection, experiment)
        if live is None:
            return self._keep_built(news), earlier
        self._live.pop(experiment, None)  # until it has followed all of them
        for entry in news:
            live.follow(entry)
        return self._live.keep(experiment, live), earlier

    def _keep_built(self, entries: Sequence[Entry]) -> LiveExperiment:
        """The experiment built from its log."""
        self.rebuilt += 1
        live = LiveExperiment(entries)
        return self._live.keep(live.settings.id, live)

    def _enter(
        self,
        changes: Changes,
        live: LiveExperiment,
        kind: str,
        turn: int | None,
        body: dict[str, Any],
        event: Event | None = None,
    ) -> Entry:
        """Append an entry to the log; the bandit knows its event already."""
        entry = Entry(live.seq + 1, self.stamp(), kind, turn, body, event)
        live.keep(entry)
        changes.entries.append(entry)
        return entry

    def read(self, look: Callable[[Connection], T], experiment: str | None = None) -> T:
        """Look at what is committed; of an `experiment`, if there is one of this name."""
        with self.database.read() as connection:
            if experiment is not None:
                store.summary(connection, experiment)
            return look(connection)

    def stamp(self) -> str:
        """The time, as the log keeps it."""
        return self.clock().astimezone(UTC).isoformat(timespec="microseconds")


class Recent(OrderedDict[str, T]):
    """A dictionary of a size of at most `most`; the least recently kept is evicted."""

    def __init__(self, most: int, size: Callable[[T], int] = lambda _: 1) -> None:
        super().__init__()
        self._most, self._size, self._lock = most, size, threading.Lock()
        self._sizes: dict[str, int] = {}

    def keep(self, name: str, value: T) -> T:
        """Keep a value, as the latest."""
        with self._lock:
            self[name], self._sizes[name] = value, self._size(value)
            self.move_to_end(name)
            while len(self) > 1 and sum(map(self._sizes.__getitem__, self)) > self._most:
                self.popitem(last=False)
        return value


class _Queue:
    """Requests that wait for one experiment."""

    def __init__(self) -> None:
        self.lock, self.room = threading.Lock(), threading.Semaphore(MOST_WAITING)


class _OvertakenError(Exception):
    """Another process has changed the experiment in between."""


def state_of(live: LiveExperiment) -> State:
    """Where an experiment stands."""
    settings, forecast = live.settings, live.forecast
    return State(
        id=settings.id,
        name=settings.name,
        status=live.status,
        policy=settings.policy,
        seed=settings.seed,
        reward_range=settings.reward_range,
        turns=len(forecast.values),
        forecast_version=live.version,
        calendar=forecast.calendar_dict(),
        decided=live.decisions.total(),
        rewarded=live.decisions.total() - len(live.unrewarded),
        last_turn=live.bandit.last_turn,
        first_open=live.first_open,
        events=live.seq,
        arms=live.arm_states(),
        noise=settings.noise,
        stay_with_leader=live.stays,
        best=live.best,
        verdict=live.bandit.verdict(),
        tax=settings.tax,
        unit=settings.unit,
    )


def settings_body(settings: Settings) -> dict[str, Any]:
    """The settings as the log keeps them; what is wrong with them is refused."""
    with raised_as(InvalidError):
        return dict(json.loads(json.dumps(settings.to_dict(), allow_nan=False)))
