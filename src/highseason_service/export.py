"""Decisions with their rewards as a table that `highseason replay` can read back."""

import csv
import io
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from highseason.bandit import TurnDecided
from highseason.logs import Events, write_events
from highseason_service import store
from highseason_service.experiments import Service
from highseason_service.live import latest_forecast
from highseason_service.model import Arm, Entry, Settings

#: The kinds of files, and how HTTP names them.
KINDS = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


def columns(service: Service, experiment: str) -> dict[str, list[Any]]:
    """The turns whose reward has come, in the order of turns; `time` counts seconds.

    Turns without visitors are left out: they have no reward per visitor.
    """
    entries, decisions = service.read(
        lambda one: (store.entries(one, experiment), store.latest(one, experiment)), experiment
    )
    settings = Settings.from_dict(entries[0].body)
    offers = service.look(experiment, lambda live: live.bandit.offers)
    offered, (_, forecast) = dict(_pools(entries)), latest_forecast(settings.forecast, entries)
    line, turns = forecast.multiplier.timeline, np.arange(len(forecast.values)) + 1
    # Unix time; without a calendar, the numbers of the turns
    starts = turns if line is None else line.instants.astype("datetime64[s]").astype(np.int64)
    known: list[Any] = [
        one.at(offers) for one in decisions[::-1] if one.is_reported and one.visitors
    ]
    return {
        "time": [int(starts[one.turn - 1]) for one in known],
        "turn": [one.turn for one in known],
        "arm": [one.arm for one in known],
        "reward": [one.reward / one.visitors for one in known],
        "visitors": [one.visitors for one in known],
        **({"purchases": [one.purchases for one in known]} if settings.priced else {}),
        "total": [one.reward for one in known],
        "pool": [offered[one.turn] for one in known],
        "propensity": [one.probability for one in known],
    }


def _pools(entries: Sequence[Entry]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The arms on offer in each decided turn."""
    arms: dict[str, Arm] = {arm.id: arm for arm in Settings.from_dict(entries[0].body).arms}
    for entry in entries[1:]:
        if entry.kind == "arm_added":
            arms[entry.body["id"]] = Arm(**entry.body)
        elif entry.kind == "arm_retired":
            arms[entry.body["id"]] = replace(arms[entry.body["id"]], removed=True)
        elif isinstance(entry.event, TurnDecided):
            turn = entry.event.turn
            there = [arm.id for arm in arms.values() if not arm.removed and arm.spans(turn)]
            yield turn, tuple(there)


def as_csv(service: Service, experiment: str) -> str:
    """The table as CSV; `highseason convert table` reads it."""
    table, text = columns(service, experiment), io.StringIO()
    table["pool"] = ["|".join(pool) for pool in table["pool"]]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return text.getvalue()


def as_parquet(service: Service, experiment: str) -> bytes:
    """The table as an event table, which `highseason replay` reads."""
    table, names = columns(service, experiment), ("time", "arm", "reward", "pool", "propensity")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.parquet"
        write_events(Events.of(**{name: table[name] for name in names}), path)
        return path.read_bytes()
