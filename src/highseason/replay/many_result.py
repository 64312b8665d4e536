"""What many runs over one log gave, and what to beware of when reading it."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.replay.comparison import Comparison, compare
from highseason.replay.outcome import mean_of
from highseason.replay.result import LogSummary, by_label, rejections
from highseason.results.statistics import Estimate
from highseason.results.table import Table


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of one policy.

    Attributes:
        label: The policy's label.
        policy: The policy as the command line writes it, rules on G settled.
        how: "repeat" or "windows".
        means: The mean reward per matched turn of each run; NaN where nothing matched.
        turns: How many turns matched.
        rewards: The sum of rewards.
        exhausted: How many runs ended before the turns asked for.
        independent: How many windows share no record; None for repetitions.
        block: How many neighbouring windows share records; 0 for repetitions.
        ground_truth: The mean worth of the matched records in each run, where records have one.
        read: How many records were met, in all runs together.
        rejected: How many of them were not used, by reason.
        effective: The effective number of turns, as in `ReplayOutcome`, in all runs together.
        per_visitor: The mean of the runs' weighted means, as in `ReplayOutcome.weighted`.
        issues: What speaks against believing the mean.
    """

    label: str
    policy: str
    how: str
    means: NDArray[np.float64]
    turns: NDArray[np.int64]
    rewards: NDArray[np.float64]
    exhausted: int
    independent: float | None
    block: int
    ground_truth: NDArray[np.float64] | None = None
    read: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    effective: float = math.nan
    per_visitor: float | None = None
    issues: Sequence[str] = ()

    @property
    def used(self) -> int:
        """How many records were used: one a turn."""
        return int(self.turns.sum())

    @property
    def verdict(self) -> str:
        """How far the mean can be trusted, in a sentence."""
        if self.issues:
            return f"Handle with care: {'; '.join(self.issues)}."
        runs = f"{self.means.size:,} runs, which share records"
        return f"Fit for use: {self.used:,} matched turns in {runs}."

    @property
    def comparable(self) -> bool:
        """Whether there are runs enough for a test, and each has a mean."""
        return self.means.size > 1 and bool(np.isfinite(self.means).all())

    @property
    def mean(self) -> Estimate:
        """The mean over runs; its error takes runs for independent, which they are not quite."""
        return mean_of(self.means[np.isfinite(self.means)])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.label,
            "policy": self.policy,
            "how": self.how,
            "mean": self.mean.value,
            "mean_se": self.mean.error,
            "means": self.means,
            "per_visitor": self.per_visitor,
            "turns": self.turns,
            "exhausted": self.exhausted,
            "independent": self.independent,
            "read": self.read,
            "used": self.used,
            "rejected": dict(self.rejected),
            "effective_sample_size": self.effective,
            "doubts": list(self.issues),
            "verdict": self.verdict,
        }


@dataclass(frozen=True, eq=False)
class RepeatedReplay:
    """Many runs of several policies over one log; `result["ucb"]` are those of one policy."""

    policies: tuple[Runs, ...]
    log: LogSummary
    seed: int

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels."""
        return tuple(runs.label for runs in self.policies)

    def __getitem__(self, label: str) -> Runs:
        """The runs of one policy."""
        return by_label(self.policies, label)

    def compare(self, first: str, second: str) -> Comparison:
        """Whether the first policy earns more than the second, by several tests."""
        a, b = self[first], self[second]
        same_windows = a.how == b.how == "windows"
        return compare(
            a.means,
            b.means,
            block=a.block if same_windows else 0,
            independent=a.independent if same_windows else None,
            seed=self.seed,
        )

    @property
    def table(self) -> Table:
        """A row for each policy; p-values against the first."""
        rows = tuple(self._row(runs) for runs in self.policies)
        columns = ("policy", "per turn", "± se", "runs", "turns", "p (Student)", "p (Welch)")
        return Table(columns, rows, ("", ".4f", ".4f", "d", ",.0f", "", ""))

    def _row(self, runs: Runs) -> tuple[Any, ...]:
        found, mean = self._against_first.get(runs.label), runs.mean
        told = (f"{found.student.p:.2g}", f"{found.welch.p:.2g}") if found else ("", "")
        return (runs.label, mean.value, mean.error, runs.means.size, runs.turns.mean(), *told)

    @functools.cached_property
    def _against_first(self) -> dict[str, Comparison]:
        """Comparisons with the first policy, of those that can be compared with it.

        Repetitions over the log and windows of it scatter for different reasons: no test fits both.
        """
        first = self.policies[0]
        return {
            runs.label: self.compare(runs.label, first.label)
            for runs in self.policies[1:]
            if runs.how == first.how and runs.comparable and first.comparable
        }

    @property
    def notes(self) -> list[str]:
        """What must be known to read the numbers."""
        said = []
        if any(runs.how == "repeat" for runs in self.policies):
            said.append(
                "Randomised policies replay the same records in every run: runs are dependent, and "
                "their scatter says nothing of what another log would have given."
            )
        windows = next((runs for runs in self.policies if runs.how == "windows"), None)
        if windows is not None and windows.block > 1:
            said.append(
                f"Windows overlap: {windows.means.size} of them are worth about "
                f"{windows.independent:.1f} independent runs, so p-values are too small."
            )
        if len({runs.how for runs in self.policies}) > 1:
            said.append(
                "Policies that repeat the log and those that slide windows over it are not tested "
                "against each other: their runs scatter for different reasons."
            )
        said += [
            f"{label} less {self.labels[0]}, windows in pairs: {found.difference:+.5f}, "
            f"95% {found.paired[0]:+.5f} to {found.paired[1]:+.5f}, overlap reckoned with."
            for label, found in self._against_first.items()
            if found.paired is not None
        ]
        said += [
            f"{runs.label}: {runs.exhausted} of {runs.means.size} runs ended before the turns "
            "asked for; their means are over the turns reached."
            for runs in self.policies
            if runs.exhausted
        ]
        return said

    def __str__(self) -> str:
        """The log, the table and what to beware of."""
        width = max(len(label) for label in self.labels)
        reasons = [f"{runs.label:<{width}}  {rejections(runs)}" for runs in self.policies]
        verdicts = [f"{runs.label:<{width}}  {runs.verdict}" for runs in self.policies]
        parts = [str(self.log), "", str(self.table), "", *reasons, "", *verdicts, "", *self.notes]
        return "\n".join(parts)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """For JSON; comparisons are with the first policy."""
        compared = {label: found.to_dict() for label, found in self._against_first.items()}
        return {
            "log": self.log.to_dict(),
            "seed": self.seed,
            "policies": [runs.to_dict() for runs in self.policies],
            "compared_with_first": compared,
            "notes": self.notes,
        }
