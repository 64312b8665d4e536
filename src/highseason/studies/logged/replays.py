"""Replays of a dataset, stored policy by policy: repetitions, windows, independent logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd

from highseason.core.parallel import map_blocks
from highseason.logs import generate_events
from highseason.logs.front_page import START
from highseason.policies import Greedy, Policy
from highseason.replay import PreparedLog, RepeatedReplay, Runs, replay_many
from highseason.studies.logged.data import Dataset, with_shuffled_G
from highseason.studies.logged.settings import BESIDE, FIXED_ARMS, PaperTable, ReplayEffort, space
from highseason.studies.session import StudySession
from highseason.tuning import Budget, Score, derive_seed

#: How much longer than the turns need, on average, a window of our own is.
_SPARE = 1.25


@dataclass(frozen=True)
class Protocol:
    """How runs are made."""

    # "auto" repeats the slice for randomised policies and slides windows for others; "windows"
    # slides windows for all
    how: str
    runs: int  # How many
    turns: int  # Of each
    window: int  # Records of a window
    step: int  # From one window to the next
    shrunk: bool = False  # Whether windows are smaller than the paper's, because the log is short

    def __str__(self) -> str:
        """In a phrase."""
        windows = f"windows of {self.window:,} records, step {self.step:,}"
        if self.how == "auto":
            windows = f"randomised policies repeat the slice, greedy slides {windows}"
        if self.shrunk:
            windows += " (smaller than the paper's: the log is short)"
        return f"{self.runs} runs of {self.turns:,} turns; {windows}"


def published_windows(
    dataset: Dataset, how: str, runs: int, turns: int, window: int, step: int
) -> Protocol:
    """The paper's windows if the log has room for them, else smaller ones."""
    records = len(dataset.log.events)
    shrunk = window + (runs - 1) * step > records
    if shrunk:
        window = min(window, max(1, records // 2))
        step = max(1, (records - window) // max(1, runs - 1))
    return Protocol(how, runs, turns, window, step, shrunk)


def spread_windows(dataset: Dataset, how: str, runs: int, turns: int) -> Protocol:
    """Windows long enough for the turns, from one end of the log to the other."""
    records = len(dataset.log.events)
    window = min(int(_SPARE * turns * dataset.records_per_turn), max(1, 2 * records // 3))
    return Protocol(how, runs, turns, window, max(1, (records - window) // max(1, runs - 1)))


def replay_all(
    session: StudySession,
    name: str,
    dataset: Dataset,
    players: Mapping[str, Policy],
    protocol: Protocol,
    digest: str,
) -> RepeatedReplay:
    """The runs of all policies; those of each are stored."""
    runs = []
    for label, policy in players.items():
        with session.step("replaying"):
            runs.append(_replay(session, name, dataset, label, policy, protocol, digest))
    return RepeatedReplay(tuple(runs), dataset.facts, session.seed)


def _replay(
    session: StudySession,
    name: str,
    dataset: Dataset,
    label: str,
    policy: Policy,
    protocol: Protocol,
    digest: str,
) -> Runs:
    if isinstance(policy, Greedy):  # deterministic: repetitions would all be the same run
        protocol = replace(protocol, how="windows")

    def compute() -> Runs:
        return _many({label: policy}, dataset, protocol, session)[label]

    file = "".join(c if c.isalnum() or c == "-" else "_" for c in label)
    inputs = [digest, dataset.id, str(policy), asdict(protocol), session.seed]
    return session.store.record(f"{name}/{file}", inputs, Runs, compute)


def _many(
    players: Mapping[str, Policy], dataset: Dataset, protocol: Protocol, session: StudySession
) -> RepeatedReplay:
    how = {name: value for name, value in asdict(protocol).items() if name != "shrunk"}
    about: dict[str, Any] = {
        "ground_truth": dataset.truth,
        "seed": session.seed,
        "workers": session.workers,
    }
    return replay_many(players, dataset.log, **how, **about)


def tuned(
    session: StudySession,
    dataset: Dataset,
    table: PaperTable,
    players: Mapping[str, Policy],
    budget: Budget,
    turns: int,
    digest: str,
) -> dict[str, Policy]:
    """The candidate of each policy with most clicks per turn; baselines stay as they are."""

    def evaluate(policies: Sequence[Policy], windows: int) -> list[Score]:
        tried = {str(i): policy for i, policy in enumerate(policies)}
        protocol = spread_windows(dataset, "windows", windows, turns)
        runs = _many(tried, dataset, protocol, session).policies
        return [Score(-each.mean.value, each.mean.error) for each in runs]

    G = dataset.log.G
    spaces = {label: space(p, G) for label, p in players.items() if label not in BESIDE}
    inputs = [digest, dataset.id, turns, session.seed]
    return {**players, **session.tune(f"tuning/{table.id}", spaces, evaluate, budget, inputs)}


# -- independent generated logs --------------------------------------------------------------------
#
# Runs over one log share its luck, so their scatter underestimates the error.  Here every run has a
# log of its own, with its own articles and clicks, and all policies are replayed on the same logs.

#: How much longer than the turns need, on average, a log is.
_SPARE_LOG = 1.15

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
    days = _SPARE_LOG * turns * FIXED_ARMS / effort.each_second / 86_400
    played = [
        [g.table, g.profile, {label: str(p) for label, p in g.players.items()}, g.turns]
        for g in groups
    ]
    inputs = [played, days, effort.each_second, session.seed]

    def one(number: int) -> Any:
        def compute() -> list[Row]:
            return _replay_log(groups, effort, days, session.seed, number)

        return session.store.document(f"independent/{number}", inputs, compute)

    rows: list[Row] = []
    logs = map_blocks(one, range(effort.logs), session.workers)
    for _ in range(effort.logs):
        with session.step("independent logs"):
            rows += next(logs)
    return pd.DataFrame(rows)


def _replay_log(
    groups: Sequence[Contestants], effort: ReplayEffort, days: float, seed: int, number: int
) -> list[Row]:
    """One log, at another hour of the day than the last; every policy once over all of it."""
    start, own = START + number * round(days * 86_400), derive_seed(seed, f"world {number}")
    generated = generate_events(
        days, own, articles=FIXED_ARMS, start=start, events_per_second=effort.each_second
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
            runs = replay_many(
                players, prepared, runs=1, how="windows", window=len(log.events), step=1,
                turns=group.turns, ground_truth=truth, seed=seed, workers=1,
            ).policies  # fmt: skip
            for run in runs:
                assert run.ground_truth is not None
                means = {"mean": float(run.means[0]), "truth": float(run.ground_truth[0])}
                rows.append(about | {"policy": run.label} | means)
    return rows
