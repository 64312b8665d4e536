"""Decisions with their rewards as a table that `highseason replay` can read back."""

import csv
import io
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from highseason.bandit import TurnDecided
from highseason.logs import Events, write_events
from highseason_service import store
from highseason_service.experiments import Service
from highseason_service.forecast import TrafficForecast
from highseason_service.live import latest_forecast
from highseason_service.model import Arm, DecisionRecord, Entry, Settings

#: The kinds of files, and how HTTP names them.
KINDS = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


class Row(NamedTuple):
    """A decided turn with its reward per visitor; `time` counts seconds."""

    time: int
    turn: int
    arm: str
    reward: float
    visitors: float
    total: float
    pool: tuple[str, ...]
    propensity: float


def rows(service: Service, experiment: str) -> list[Row]:
    """The turns whose reward has come, in the order of turns.

    Turns without visitors are left out: they have no reward per visitor.
    """
    service.experiment(experiment)
    with service.database.read() as connection:
        entries = store.entries(connection, experiment)
        decisions = store.all_decisions(connection, experiment)
    settings = Settings.from_dict(entries[0].body)
    offered, (_, forecast) = dict(_pools(entries)), latest_forecast(settings.forecast, entries)
    return [
        _row(record, offered[record.turn], forecast)
        for record in decisions
        if record.reward is not None and record.visitors
    ]


def _row(record: DecisionRecord, pool: tuple[str, ...], forecast: TrafficForecast) -> Row:
    assert record.reward is not None, "only turns with a reward are asked for"
    assert record.visitors is not None, "a reward comes with its visitors"
    turn, reward, visitors = record.turn, record.reward, record.visitors
    start, each = _seconds(forecast, turn), reward / visitors
    return Row(start, turn, record.arm, each, visitors, reward, pool, record.probability)


def _seconds(forecast: TrafficForecast, turn: int) -> int:
    """When a turn starts, as Unix time; without a calendar, its number."""
    line = forecast.multiplier.timeline
    if line is None:
        return turn
    start = line.instants[turn - 1].astype("datetime64[s]").item()
    assert isinstance(start, datetime), "seconds are datetimes"
    return int(start.replace(tzinfo=UTC).timestamp())


def _pools(entries: Sequence[Entry]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The arms on offer in each decided turn."""
    arms: dict[str, Arm] = {arm.id: arm for arm in Settings.from_dict(entries[0].body).arms}
    for entry in entries[1:]:
        if entry.kind == "arm_added":
            arms[entry.body["id"]] = Arm.from_dict(entry.body)
        elif entry.kind == "arm_retired":
            arms[entry.body["id"]] = replace(arms[entry.body["id"]], removed=True)
        elif isinstance(entry.event, TurnDecided):
            turn = entry.event.turn
            there = [arm.id for arm in arms.values() if not arm.removed and arm.spans(turn)]
            yield turn, tuple(there)


def as_csv(service: Service, experiment: str) -> str:
    """The table as CSV; `highseason convert table --pool pool --propensity propensity` reads it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Row._fields)
    for row in rows(service, experiment):
        writer.writerow(row._replace(pool="|".join(row.pool)))  # type: ignore[arg-type]  # as text
    return text.getvalue()


def as_parquet(service: Service, experiment: str) -> bytes:
    """The table as an event table, which `highseason replay` reads."""
    table = rows(service, experiment)
    names = ("time", "arm", "reward", "pool", "propensity")
    columns: dict[str, Any] = {name: [getattr(row, name) for row in table] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.parquet"
        write_events(Events.of(**columns), path)
        return path.read_bytes()
