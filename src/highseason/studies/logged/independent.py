"""Independent generated logs: what runs that share one log cannot show.

Runs over one log share its luck, so their scatter underestimates the error.  Here every run has a
log of its own, with its own articles and clicks, and all policies are replayed on the same logs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from highseason.core.parallel import map_blocks
from highseason.logs import generate_events
from highseason.logs.front_page import START
from highseason.policies import Policy
from highseason.replay import PreparedLog, replay_many
from highseason.studies.logged.data import with_shuffled_G
from highseason.studies.logged.settings import FIXED_ARMS, ReplayEffort
from highseason.studies.session import StudySession
from highseason.tuning import derive_seed

#: How much longer than the turns need, on average, a log is.
_SPARE = 1.15

Row = dict[str, Any]


@dataclass(frozen=True)
class Contestants:
    """The policies of one table and profile; the regulated ones play again with G shuffled."""

    table: str
    profile: str
    players: Mapping[str, Policy]
    regulated: Sequence[str]
    turns: int


def replay_logs(
    session: StudySession, groups: Sequence[Contestants], effort: ReplayEffort
) -> pd.DataFrame:
    """A row for each log, table, profile, policy, and G as it is or shuffled."""
    turns = max(group.turns for group in groups)
    days = _SPARE * turns * FIXED_ARMS / effort.each_second / 86_400
    played = [
        [g.table, g.profile, {label: str(p) for label, p in g.players.items()}, g.turns]
        for g in groups
    ]
    inputs = [played, days, effort.each_second, session.seed]

    def one(number: int) -> list[Row]:
        rows: list[Row] = session.store.document(
            f"independent/{number}",
            inputs,
            lambda: _replay_log(groups, effort, days, session.seed, number),
        )
        return rows

    rows: list[Row] = []
    logs = map_blocks(one, range(effort.logs), session.threads)
    for _ in range(effort.logs):
        with session.step("independent logs"):
            rows += next(logs)
    return pd.DataFrame(rows)


def _replay_log(
    groups: Sequence[Contestants], effort: ReplayEffort, days: float, seed: int, number: int
) -> list[Row]:
    """One log, at another hour of the day than the last; every policy once."""
    generated = generate_events(
        days,
        derive_seed(seed, f"world {number}"),
        articles=FIXED_ARMS,
        start=START + number * round(days * 86_400),
        events_per_second=effort.each_second,
    )
    log = PreparedLog.of(generated.events)
    truth = generated.rate(generated.events.arm, generated.events.time)
    rows: list[Row] = []
    for group in groups:
        regulated = {label: group.players[label] for label in group.regulated}
        for shuffled, players in ((False, group.players), (True, regulated)):
            prepared = with_shuffled_G(log, seed) if shuffled else log
            about = {"log": number, "table": group.table, "profile": group.profile,
                     "shuffled": shuffled}  # fmt: skip
            runs = _once(players, prepared, group.turns, truth, seed)
            rows += [about | run for run in runs]
    return rows


def _once(
    players: Mapping[str, Policy],
    log: PreparedLog,
    turns: int,
    truth: NDArray[np.float64],
    seed: int,
) -> list[Row]:
    """One run of each policy over the whole of a log: its mean, and the truth of what matched."""
    runs = replay_many(
        players, log, runs=1, how="windows", window=len(log.events), step=1, turns=turns,
        ground_truth=truth, seed=seed, threads=1,
    ).policies  # fmt: skip
    return [
        {"policy": r.label, "mean": float(r.means[0]), "truth": float(r.ground_truth[0])}
        for r in runs
        if r.ground_truth is not None
    ]
