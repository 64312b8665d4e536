"""What many runs over one log gave, and what to beware of when reading it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.replay.comparison import Comparison, compare
from highseason.replay.outcome import mean_of
from highseason.replay.result import LogFacts
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
        worth: The mean worth of the matched records in each run, where records have one.
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
    worth: NDArray[np.float64] | None = None

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
            "turns": self.turns,
            "exhausted": self.exhausted,
            "independent": self.independent,
        }


@dataclass(frozen=True, eq=False)
class RepeatedReplay:
    """Many runs of several policies over one log; `result["ucb"]` are those of one policy."""

    policies: tuple[Runs, ...]
    log: LogFacts
    seed: int

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels."""
        return tuple(runs.label for runs in self.policies)

    def __getitem__(self, label: str) -> Runs:
        """The runs of one policy."""
        for runs in self.policies:
            if runs.label == label:
                return runs
        raise KeyError(f"no policy is called {label!r}; there are: {', '.join(self.labels)}")

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
        told: tuple[str, str] = ("", "")
        first = self.policies[0]
        enough = all(r.means.size > 1 and np.isfinite(r.means).all() for r in (first, runs))
        if runs is not first and enough:
            found = self.compare(runs.label, first.label)
            told = (f"{found.student.p:.2g}", f"{found.welch.p:.2g}")
        mean = runs.mean
        return (runs.label, mean.value, mean.error, runs.means.size, runs.turns.mean(), *told)

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
                f"{windows.independent:.0f} independent runs, so p-values are too small; "
                "compare() gives an interval from blocks of windows."
            )
        said += [
            f"{runs.label}: {runs.exhausted} of {runs.means.size} runs ended before the turns "
            "asked for; their means are over the turns reached."
            for runs in self.policies
            if runs.exhausted
        ]
        return said

    def __str__(self) -> str:
        """The log, the table and what to beware of."""
        return "\n".join([str(self.log), "", str(self.table), "", *self.notes])

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """For JSON; comparisons are with the first policy."""
        first = self.policies[0]
        compared = {}
        for runs in self.policies[1:]:
            usable = all(r.means.size > 1 and np.isfinite(r.means).all() for r in (first, runs))
            if usable:
                compared[runs.label] = self.compare(runs.label, first.label).to_dict()
        return {
            "log": self.log.to_dict(),
            "seed": self.seed,
            "policies": [runs.to_dict() for runs in self.policies],
            "compared_with_first": compared,
            "notes": self.notes,
        }
