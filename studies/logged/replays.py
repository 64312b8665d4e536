"""Replays of a dataset, stored policy by policy: repetitions, windows, independent logs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Literal

import numpy as np
import pandas as pd

from highseason.advice import Score, derive_seed
from highseason.core.parallel import map_blocks
from highseason.logs import PreparedLog, RepeatedReplay, Runs, replay_many
from highseason.policies import Greedy, Policy
from studies.frames import Rows
from studies.logged.data import Dataset, with_shuffled_G
from studies.logged.front_page import START
from studies.logged.generate import generate_events
from studies.logged.settings import (
    BESIDE,
    FIXED_ARMS,
    OURS,
    PaperTable,
    ReplayEffort,
    space,
)
from studies.session import StudySession

#: How much longer than the turns need, on average, a window of our own and a log of its own are.
_SPARE, _SPARE_LOG = 1.25, 1.15


@dataclass(frozen=True)
class Protocol:
    """How runs are made."""

    runs: int  # How many
    turns: int  # Of each
    window: int  # Records of a window
    step: int  # From one window to the next
    # "auto" repeats the slice for randomised policies and slides windows for others; "windows"
    # slides windows for all
    how: Literal["auto", "windows"] = "windows"
    shrunk: bool = (
        False  # Whether windows are smaller than the notebook's, because the log is short
    )

    def __str__(self) -> str:
        windows = f"windows of {self.window:,} events, step {self.step:,}"
        if self.how == "auto":
            windows = f"randomised policies repeat the slice, greedy slides {windows}"
        if self.shrunk:
            windows += " (smaller than the notebook's: the log is short)"
        return f"{self.runs} runs of {self.turns:,} turns; {windows}"


def published_windows(dataset: Dataset, runs: int, turns: int, window: int, step: int) -> Protocol:
    """The notebook's windows if the log has room for them, else smaller ones."""
    events = len(dataset.log.events)
    if window + (runs - 1) * step <= events:
        return Protocol(runs, turns, window, step)
    window = min(window, max(1, events // 2))
    return Protocol(runs, turns, window, _even_step(events, window, runs), shrunk=True)


def spread_windows(dataset: Dataset, runs: int, turns: int) -> Protocol:
    """Windows long enough for the turns, from one end of the log to the other."""
    events = len(dataset.log.events)
    window = min(int(_SPARE * turns * dataset.events_per_turn), max(1, 2 * events // 3))
    return Protocol(runs, turns, window, _even_step(events, window, runs))


def _even_step(events: int, window: int, runs: int) -> int:
    return max(1, (events - window) // max(1, runs - 1))


@dataclass(frozen=True, eq=False)
class Replayer:
    """Replays the datasets of one log."""

    session: StudySession
    effort: ReplayEffort  # How much
    digest: str  # Of the log

    def replay(
        self, dataset: Dataset, players: Mapping[str, Policy], protocol: Protocol
    ) -> RepeatedReplay:
        """The runs of all policies; those of each are stored."""
        session = self.session

        def one(label: str, policy: Policy) -> Runs:
            # Greedy is deterministic: repetitions would all be the same run.
            own = replace(protocol, how="windows") if isinstance(policy, Greedy) else protocol
            inputs = ["replay", self.digest, dataset.id, label, policy, own, session.seed]
            with session.step("replaying"):
                return session.piece(
                    inputs, lambda: self._many({label: policy}, dataset, own)[label]
                )

        runs = tuple(one(*player) for player in players.items())
        return RepeatedReplay(runs, dataset.facts, session.seed)

    def _many(
        self, players: Mapping[str, Policy], dataset: Dataset, protocol: Protocol
    ) -> RepeatedReplay:
        return replay_many(
            players, dataset.log, runs=protocol.runs, turns=protocol.turns, how=protocol.how,
            window=protocol.window, step=protocol.step, ground_truth=dataset.truth,
            seed=self.session.seed, executor=self.session.executor,
        )  # fmt: skip

    def tune(
        self, dataset: Dataset, table: PaperTable, players: Mapping[str, Policy]
    ) -> dict[str, Policy]:
        """The candidate of each policy with most clicks per turn; baselines stay as they are."""
        turns, G = self.effort.turns_of(table), dataset.log.G

        def evaluate(policies: Sequence[Policy], windows: int) -> list[Score]:
            tried = {str(i): policy for i, policy in enumerate(policies)}
            runs = self._many(tried, dataset, spread_windows(dataset, windows, turns)).policies
            return [Score(-each.mean.value, each.mean.error) for each in runs]

        tuned = {label: p for label, p in players.items() if label not in (OURS, *BESIDE)}
        spaces = {label: space(p, G) for label, p in tuned.items()}
        inputs = [self.digest, dataset.id, turns, self.session.seed]
        return {**players, **self.session.tune(spaces, evaluate, self.effort.budget, inputs)}


# -- independent generated logs --------------------------------------------------------------------
#
# Runs over one log share its luck, so their scatter underestimates the error.  Here every run has a
# log of its own, with its own articles and clicks, and all policies are replayed on the same logs.

#: Tables, each with a profile and the policies that play.
Groups = Sequence[tuple[PaperTable, str, Mapping[str, Policy]]]


def replay_logs(session: StudySession, groups: Groups, effort: ReplayEffort) -> pd.DataFrame:
    """A row for each log, table, profile, policy, and G as it is or shuffled."""
    turns = max(effort.turns_of(table) for table, *_ in groups)
    days = _SPARE_LOG * turns * FIXED_ARMS / effort.each_second / 86_400

    def one(number: int) -> Rows:
        inputs = groups, effort, days, session.seed, number
        return session.piece(["independent", *inputs], partial(_replay_log, *inputs))

    rows: Rows = []
    logs = map_blocks(one, range(effort.logs), session.local)
    for _ in range(effort.logs):
        with session.step("independent logs"):
            rows += next(logs)
    return pd.DataFrame(rows)


def _replay_log(groups: Groups, effort: ReplayEffort, days: float, seed: int, number: int) -> Rows:
    """One log, at another hour of the day than the last; every policy once over all of it.

    The regulated policies play again with G shuffled.
    """
    start, own = START + number * round(days * 86_400), derive_seed(seed, f"world {number}")
    generated = generate_events(
        days, own, articles=FIXED_ARMS, start=start, events_per_second=effort.each_second
    )
    log = PreparedLog.of(generated.events)
    truth = generated.rate(generated.events.arm, generated.events.time)
    rows: Rows = []
    for (table, profile, players), shuffled in product(groups, (False, True)):
        about = {"log": number, "table": table.id, "profile": profile, "shuffled": shuffled}
        runs = replay_many(
            {label: players[label] for label in (table.regulated if shuffled else players)},
            with_shuffled_G(log, seed) if shuffled else log, runs=1, how="windows",
            window=len(log.events), step=1, turns=effort.turns_of(table), ground_truth=truth,
            seed=seed, workers=1,
        ).policies  # fmt: skip
        for run in runs:
            true = float(np.asarray(run.ground_truth)[0])
            rows.append(about | {"policy": run.label, "mean": float(run.means[0]), "truth": true})
    return rows
