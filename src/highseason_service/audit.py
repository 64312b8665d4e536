"""Rebuild experiments from their events alone, and compare what is recorded with what follows."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from sqlalchemy import Connection

from highseason.bandit import event_to_json
from highseason_service import store
from highseason_service.database import Database
from highseason_service.errors import ServiceError
from highseason_service.live import LiveExperiment, reaches_back
from highseason_service.model import DecisionRecord, Entry, Summary


@dataclass(frozen=True)
class Audit:
    """What the audit of an experiment has found."""

    experiment: str
    events: int  # how many events it has
    decisions: int  # how many of them are decisions, each of which was computed again
    problems: tuple[str, ...]  # what does not agree; empty if everything does


def audit(database: Database, experiment: str | None = None) -> list[Audit]:
    """Audit one experiment, or all of them."""
    with database.read() as connection:  # one transaction: the tables as of one moment
        if experiment is None:
            summaries = store.summaries(connection)
        else:
            summaries = [store.summary(connection, experiment)]
        return [_audit(connection, summary) for summary in summaries]


def _audit(connection: Connection, summary: Summary) -> Audit:
    """Audit an experiment; one that cannot be read leaves the others alone."""
    problems = list[str]()
    try:
        entries = store.entries(connection, summary.id)
        problems += [
            f"event {number}: expected this number, got {entry.seq}"
            for number, entry in enumerate(entries, start=1)
            if entry.seq != number
        ]
        decided = [entry for entry in entries if entry.kind == "decided"]
        if not problems:
            live = _replay(entries, problems)
            about = summary.status, summary.events, summary.name, summary.policy
            recorded, settings = (*about, summary.created_at), live.settings
            logged = live.status, live.seq, settings.name, settings.policy, entries[0].at
            if logged != recorded:
                problems.append(f"the table says {recorded} of it, the log {logged}")
            problems += _compare(live, decided, store.latest(connection, summary.id)[::-1])
    except (ServiceError, ValueError, LookupError, TypeError) as reason:
        problem = f"its log cannot be read: {type(reason).__name__}: {reason}"
        return Audit(summary.id, summary.events, 0, (*problems, problem))
    return Audit(summary.id, len(entries), len(decided), tuple(problems))


def _replay(entries: Sequence[Entry], problems: list[str]) -> LiveExperiment:
    """Go through the log, and decide every turn again with what was known at that moment."""
    live, group = LiveExperiment(entries[:1]), list[Entry]()
    for number, entry in enumerate(entries[1:], start=2):
        group.append(entry)
        if entry.kind == "arm_entered":  # part of the decision that follows
            continue
        try:
            if entry.kind == "decided":
                agrees = _decide_again(live, group, problems)
            else:
                agrees = not reaches_back(entry)
                if agrees:
                    live.follow(entry)
        except (ServiceError, ValueError) as reason:
            problems.append(f"event {entry.seq} ({entry.kind}): {reason}")
            agrees = False
        group = []
        if not agrees:
            live = LiveExperiment(entries[:number])
    return live


def _decide_again(live: LiveExperiment, group: list[Entry], problems: list[str]) -> bool:
    turn = group[-1].turn
    assert turn is not None, "a decision has a turn"
    again = [event_to_json(event) for event in live.decide(turn)]
    logged = [event_to_json(entry.event) for entry in group if entry.event is not None]
    if again == logged and group[-1].body["forecast"] == live.version:
        for entry in group:
            live.keep(entry)
        return True
    problems.append(f"turn {turn}: the log says {logged[-1]}, but it follows {again[-1]}")
    return False


def _compare(live: LiveExperiment, decided: list[Entry], table: list[DecisionRecord]) -> list[str]:
    """What the table of decisions has otherwise than the log."""
    entries = {entry.turn: (entry.body["forecast"], entry.at) for entry in decided}
    compared = attrgetter("probability", "exploited", "level", live.called, "visitors")
    known = live.bandit.decisions()
    log = {(one.turn, one.arm): (*compared(one), *entries[one.turn]) for one in known}
    about = attrgetter("forecast_version", "decided_at")
    rows = {(row.turn, row.arm): compared(row) + about(row) for row in table}
    wrong = [
        f"turn {row.turn}: the table has it at {row.time}"
        for row in table
        if row.time != live.forecast.starts(row.turn)
    ]
    return wrong + [
        f"turn {one[0]}: the table has {rows.get(one)} for {one[1]}, the log {log.get(one)}"
        for one in sorted(log.keys() | rows.keys())
        if log.get(one) != rows.get(one)
    ]
