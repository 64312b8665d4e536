"""Independent generated logs: what runs that share one log cannot say.

Runs over one log share its luck, so their scatter is too small a measure of error.  Here every
run has a log of its own, with articles and clicks of its own, and two policies meet the same logs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from highseason.core.parallel import worker_count
from highseason.logs import generate_events
from highseason.logs.generating.front_page import START
from highseason.policies import Policy
from highseason.replay import PreparedLog, replay_many
from highseason.studies.legacy_store import fingerprint
from highseason.studies.logged.grounds import with_shuffled_G
from highseason.studies.logged.playing import Stage
from highseason.studies.logged.settings import FIXED_ARMS, Effort
from highseason.tuning import derive_seed

_SPARE = 1.15


@dataclass(frozen=True)
class Entry:
    """Some players and for how many turns they play; `name` is that of their block.

    The regulated ones play once more with G shuffled.
    """

    name: str
    players: Mapping[str, Policy]
    turns: int
    regulated: Sequence[str] = ()

    @property
    def shuffled(self) -> str:
        """The name of what they play with G shuffled."""
        return shuffled(self.name)


def shuffled(name: str) -> str:
    """The same entry with G shuffled."""
    return f"{name}, G shuffled"


@dataclass(frozen=True, eq=False)
class Worlds:
    """A number for each log: `means[entry][label]`, and the true rates of what was matched."""

    means: dict[str, dict[str, NDArray[np.float64]]]
    truth: dict[str, dict[str, NDArray[np.float64]]]

    @property
    def count(self) -> int:
        """How many logs."""
        return next(int(runs.size) for entry in self.means.values() for runs in entry.values())


def play_worlds(stage: Stage, entries: list[Entry], effort: Effort) -> Iterator[Worlds | None]:
    """Play all of them on logs with a fixed pool; gives None after each log, at last the whole."""
    turns = max(entry.turns for entry in entries)
    days = _SPARE * turns * FIXED_ARMS / effort.each_second / 86_400
    told = {e.name: ({label: str(p) for label, p in e.players.items()}, e.turns) for e in entries}
    stamp = fingerprint(told, days, effort.each_second, stage.seed)
    found = []

    def one(number: int) -> dict[str, dict[str, list[float]]]:
        return stage.store.document(  # type: ignore[no-any-return]  # read from JSON
            f"worlds/{number}", stamp, lambda: _played(entries, effort, days, stage.seed, number)
        )

    with ThreadPoolExecutor(worker_count(stage.threads)) as pool:
        for played in pool.map(one, range(effort.worlds)):
            found.append(played)
            yield None
    names = {name: list(runs) for name, runs in found[0].items()}
    both = [
        {
            name: {label: np.array([world[name][label][i] for world in found]) for label in labels}
            for name, labels in names.items()
        }
        for i in (0, 1)
    ]
    yield Worlds(*both)


def _played(
    entries: list[Entry], effort: Effort, days: float, seed: int, number: int
) -> dict[str, dict[str, list[float]]]:
    """One log, at another hour of the day than the last; every player once."""
    made = generate_events(
        days,
        derive_seed(seed, f"world {number}"),
        articles=FIXED_ARMS,
        start=START + number * round(days * 86_400),
        events_per_second=effort.each_second,
    )
    course = PreparedLog.of(made.events)
    other = with_shuffled_G(course, seed)
    truth = made.rate(made.events.arm, made.events.time)
    out: dict[str, dict[str, list[float]]] = {}
    for entry in entries:
        out[entry.name] = _once(entry.players, course, entry.turns, truth, seed)
        some = {label: entry.players[label] for label in entry.regulated}
        out[entry.shuffled] = _once(some, other, entry.turns, truth, seed)
    return out


def _once(
    players: Mapping[str, Policy],
    course: PreparedLog,
    turns: int,
    truth: NDArray[np.float64],
    seed: int,
) -> dict[str, list[float]]:
    """One run of each over the whole of a log: its mean and the truth of it."""
    runs = replay_many(
        players, course, runs=1, how="windows", window=len(course.events), step=1, turns=turns,
        ground_truth=truth, seed=seed, threads=1,
    ).policies  # fmt: skip
    return {
        r.label: [float(r.means[0]), float(r.ground_truth[0])]
        for r in runs
        if r.ground_truth is not None
    }
