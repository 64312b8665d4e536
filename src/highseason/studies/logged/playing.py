"""Play: the paper's repetitions and windows, piece by piece into the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from highseason.policies import Greedy, Policy
from highseason.replay import RepeatedReplay, Runs, replay_many
from highseason.studies.legacy_store import Store, fingerprint
from highseason.studies.legacy_work import Work
from highseason.studies.logged.grounds import Ground

#: So much longer than the turns need, on average, is a window of our own.
_SPARE = 1.25


@dataclass(frozen=True)
class Protocol:
    """How runs are made.

    Attributes:
        how: "auto" repeats the slice for randomised policies and slides windows for others;
            "windows" slides windows for all.
        runs: How many.
        turns: Of each.
        window: Records of a window.
        step: From one window to the next.
        shrunk: Whether windows are smaller than the paper's, because the log is short.
    """

    how: str
    runs: int
    turns: int
    window: int
    step: int
    shrunk: bool = False

    def __str__(self) -> str:
        """In a phrase."""
        windows = f"windows of {self.window:,} records, step {self.step:,}"
        if self.how == "auto":
            windows = f"randomised policies repeat the slice, greedy slides {windows}"
        if self.shrunk:
            windows += " (smaller than the paper's: the log is short)"
        return f"{self.runs} runs of {self.turns:,} turns; {windows}"


def published_windows(
    ground: Ground, how: str, runs: int, turns: int, window: int, step: int
) -> Protocol:
    """The paper's windows where the log has room for them, else smaller ones."""
    records = len(ground.course.events)
    shrunk = window + (runs - 1) * step > records
    if shrunk:
        window = min(window, max(1, records // 2))
        step = max(1, (records - window) // max(1, runs - 1))
    return Protocol(how, runs, turns, window, step, shrunk)


def spread_windows(ground: Ground, how: str, runs: int, turns: int) -> Protocol:
    """Windows long enough for the turns, from one end of the log to the other."""
    records = len(ground.course.events)
    window = min(int(_SPARE * turns * ground.records_a_turn), max(1, 2 * records // 3))
    return Protocol(how, runs, turns, window, max(1, (records - window) // max(1, runs - 1)))


@dataclass(frozen=True)
class Stage:
    """What all pieces of one study share."""

    store: Store
    digest: str
    seed: int
    threads: int | None
    work: Work

    def play(
        self, name: str, ground: Ground, label: str, policy: Policy, protocol: Protocol
    ) -> Runs:
        """The runs of one policy; from the store where they are there.

        Greedy draws no lots, so repetitions would be one and the same run: it slides windows.
        """
        if isinstance(policy, Greedy):
            protocol = replace(protocol, how="windows")
        stamp = fingerprint(self.digest, ground.id, str(policy), asdict(protocol), self.seed)

        def make() -> dict[str, Any]:
            found = replay_many(
                {label: policy},
                ground.course,
                runs=protocol.runs,
                how=protocol.how,  # type: ignore[arg-type]  # a literal, as text
                turns=protocol.turns,
                window=protocol.window,
                step=protocol.step,
                ground_truth=ground.truth,
                seed=self.seed,
                threads=self.threads,
            )[label]
            return {
                key: value.tolist() if isinstance(value, np.ndarray) else value
                for key, value in vars(found).items()
            }

        told = self.store.document(f"{name}/{_file(label)}", stamp, make)
        arrays = {key: np.array(told[key]) for key in ("means", "turns", "rewards", "ground_truth")}
        if ground.truth is None:
            arrays["ground_truth"] = None  # type: ignore[assignment]  # no truth is known of a real log
        return Runs(**(told | arrays))

    def table(
        self, name: str, ground: Ground, players: Mapping[str, Policy], protocol: Protocol
    ) -> RepeatedReplay:
        """The runs of all of them."""
        runs = []
        for label, policy in players.items():
            with self.work.step("replaying"):
                runs.append(self.play(name, ground, label, policy, protocol))
        return RepeatedReplay(tuple(runs), ground.facts, self.seed)


def _file(label: str) -> str:
    return "".join(c if c.isalnum() or c == "-" else "_" for c in label)
