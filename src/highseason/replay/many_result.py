"""What many runs over one log gave, and what limits their interpretation."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.replay.comparison import Comparison, compare
from highseason.replay.diagnostics import LogSummary
from highseason.replay.estimators import mean_estimate
from highseason.replay.result import aligned, by_label, rejections
from highseason.results.statistics import Estimate
from highseason.results.table import Table


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of one policy.

    Attributes:
        label: The policy's label.
        policy: The policy as the command line writes it, thresholds resolved.
        how: "repeat" or "windows".
        means: The mean reward per matched turn of each run; NaN where nothing matched.
        turns: How many turns matched in each run.
        rewards: The sum of rewards of each run.
        exhausted: How many runs ended before the requested turns.
        independent: How many independent runs the windows are equivalent to; None for "repeat".
        block: How many neighbouring windows share events; 0 for "repeat".
        ground_truth: The mean ground truth of the matched events in each run, where it is known.
        read: How many events were read, in all runs together.
        rejected: How many of them were not used, by reason.
        effective_size: The effective number of turns, as in `Evidence`, in all runs together.
        per_visitor: The mean of the runs' SNIPS estimates, as in `Evidence.weighted`.
        issues: Every reason not to trust the mean.
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
    effective_size: float = math.nan
    per_visitor: float | None = None
    issues: Sequence[str] = ()

    @property
    def used(self) -> int:
        """How many events were used: one per turn."""
        return int(self.turns.sum())

    @property
    def verdict(self) -> str:
        """How far the mean can be trusted, in one sentence."""
        if self.issues:
            return f"Handle with care: {'; '.join(self.issues)}."
        runs = f"{self.means.size:,} runs, which share events"
        return f"Fit for use: {self.used:,} matched turns in {runs}."

    @property
    def comparable(self) -> bool:
        """Whether there are enough runs for a test, and each has a mean."""
        return self.means.size > 1 and bool(np.isfinite(self.means).all())

    @property
    def mean(self) -> Estimate:
        """The mean over runs; its error assumes independent runs, which they are not quite."""
        return mean_estimate(self.means[np.isfinite(self.means)])

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
            "effective_sample_size": self.effective_size,
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
        test, mean = self._against_first.get(runs.label), runs.mean
        p_values = (f"{test.student.p:.2g}", f"{test.welch.p:.2g}") if test else ("", "")
        return (runs.label, mean.value, mean.error, runs.means.size, runs.turns.mean(), *p_values)

    @functools.cached_property
    def _against_first(self) -> dict[str, Comparison]:
        """Comparisons with the first policy, of those that can be compared with it.

        Repetitions of the log and windows of it vary for different reasons: no test fits both.
        """
        first = self.policies[0]
        return {
            runs.label: self.compare(runs.label, first.label)
            for runs in self.policies[1:]
            if runs.how == first.how and runs.comparable and first.comparable
        }

    @property
    def notes(self) -> list[str]:
        """What must be known to interpret the numbers."""
        notes = []
        if any(runs.how == "repeat" for runs in self.policies):
            notes.append(
                "Stochastic policies replay the same events in every run: runs are dependent, and "
                "their spread does not show how much another log would differ."
            )
        windows = next((runs for runs in self.policies if runs.how == "windows"), None)
        if windows is not None and windows.block > 1:
            notes.append(
                f"Windows overlap: {windows.means.size} of them are equivalent to about "
                f"{windows.independent:.1f} independent runs, so p-values are too small."
            )
        if len({runs.how for runs in self.policies}) > 1:
            notes.append(
                "Policies that repeat the log and those on sliding windows are not tested against "
                "each other: their runs vary for different reasons."
            )
        notes += [
            f"{label} minus {self.labels[0]}, paired windows: {test.difference:+.5f}, "
            f"95% {test.paired[0]:+.5f} to {test.paired[1]:+.5f}, corrected for overlap."
            for label, test in self._against_first.items()
            if test.paired is not None
        ]
        notes += [
            f"{runs.label}: {runs.exhausted} of {runs.means.size} runs ended before the requested "
            "turns; their means cover the turns reached."
            for runs in self.policies
            if runs.exhausted
        ]
        return notes

    def __str__(self) -> str:
        """The log, the table, the verdicts and the notes."""
        reasons = aligned({r.label: rejections(r.read, r.used, r.rejected) for r in self.policies})
        verdicts = aligned({runs.label: runs.verdict for runs in self.policies})
        parts = [str(self.log), "", str(self.table), "", *reasons, "", *verdicts, "", *self.notes]
        return "\n".join(parts)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """For JSON; comparisons are with the first policy."""
        compared = {label: test.to_dict() for label, test in self._against_first.items()}
        return {
            "log": self.log.to_dict(),
            "seed": self.seed,
            "policies": [runs.to_dict() for runs in self.policies],
            "compared_with_first": compared,
            "notes": self.notes,
        }
