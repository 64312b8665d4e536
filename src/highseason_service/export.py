"""Decisions with their rewards as a table that `highseason replay` can read back."""

import csv
import io
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from highseason.bandit import TurnDecided
from highseason.logs import Events, write_events
from highseason_service import store
from highseason_service.experiments import Service
from highseason_service.live import latest_forecast
from highseason_service.model import Arm, Entry, Settings

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
        decisions = store.latest(connection, experiment)[::-1]
    settings = Settings.from_dict(entries[0].body)
    offered, (_, forecast) = dict(_pools(entries)), latest_forecast(settings.forecast, entries)
    line, turns = forecast.multiplier.timeline, np.arange(len(forecast.values)) + 1
    # Unix time; without a calendar, the numbers of the turns
    starts = turns if line is None else line.instants.astype("datetime64[s]").astype(np.int64)
    return [
        Row(
            time=int(starts[one.turn - 1]),
            turn=one.turn,
            arm=one.arm,
            reward=one.reward / one.visitors,
            visitors=one.visitors,
            total=one.reward,
            pool=offered[one.turn],
            propensity=one.probability,
        )
        for one in decisions
        if one.reward is not None and one.visitors
    ]


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
