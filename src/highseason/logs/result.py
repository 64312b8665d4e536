"""The results of replays, of one run or many: what policies would have earned, and how surely."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import did_you_mean
from highseason.core.text import Printable, Table
from highseason.engine.results import Estimate
from highseason.logs.diagnostics import Evidence, LogSummary, SeparateLogs, issues, verdict
from highseason.logs.estimators import Comparison, compare, mean_estimate

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True)
class PolicyReplay:
    """What one run, or many together, used of the log.

    Attributes:
        label: The policy's label.
        policy: The policy as the command line writes it, thresholds resolved.
        read: How many events were read.
        rejected: How many of them were not used, by reason.
    """

    #: The keys of its JSON document; where an attribute has another name, as `key=attribute`.
    _keys: ClassVar[str]

    label: str
    policy: str
    read: int
    rejected: dict[str, int]

    @property
    def used(self) -> int:
        """How many events were used: one per turn."""
        return self.read - sum(self.rejected.values())

    @property
    def rejections(self) -> str:
        """How many events were read and used, and why the others were not."""
        why = ", ".join(f"{count:,} {reason}" for reason, count in self.rejected.items() if count)
        return f"read {self.read:,}, used {self.used:,}; not used: {why or 'none'}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        pairs = (entry.partition("=") for entry in self._keys.split())
        document = {key: attrgetter(path or key)(self) for key, _, path in pairs}
        return document | {"rejected": dict(self.rejected)}


#: What the intervals of one run hold; `benchmarks/replay_coverage.py` measures it.
INTERVALS = (
    "The 95% intervals cover the clicks of this run, not where another log would have led the "
    "policy. In 150 turns they held what it earns on 94% of logs for uniform, 91% for ucb, and 71% "
    "for constant-epsilon, which settles on an arm early. Several logs show how they differ."
)

_P = TypeVar("_P", bound=PolicyReplay)


class _ByLabel(Printable, Generic[_P]):
    """A result with an entry for each policy."""

    log: LogSummary | SeparateLogs
    seed: int

    @property
    def _entries(self) -> tuple[_P, ...]:
        raise NotImplementedError

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels."""
        return tuple(entry.label for entry in self._entries)

    def __repr__(self) -> str:
        return str(self)

    def __getitem__(self, label: str) -> _P:
        for entry in self._entries:
            if entry.label == label:
                return entry
        raise KeyError(f"no policy is called {label!r}. {did_you_mean(label, self.labels)}")

    def _describe(self, tables: Sequence[Table], verdicts: Sequence[str]) -> list[str | Table]:
        """The log, the tables, what was used, and the verdicts, a row for each policy."""
        used = [entry.rejections for entry in self._entries]
        texts = {"events": used, "how far to trust it": verdicts}
        return [str(self.log), *tables, *(
            Table(("policy", head), tuple(zip(self.labels, column, strict=True)), ("", ""), "<<")
            for head, column in texts.items()
        )]  # fmt: skip

    def to_pandas(self) -> pd.DataFrame:
        """A row per policy: the numbers of `to_dict()`."""
        import pandas as pd

        rows = [entry.to_dict() for entry in self._entries]
        several = (dict, list, tuple, np.ndarray)
        return pd.DataFrame(
            [{k: v for k, v in row.items() if not isinstance(v, several)} for row in rows]
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        policies = [entry.to_dict() for entry in self._entries]
        return {"log": self.log.to_dict(), "seed": self.seed, "policies": policies}


@dataclass(frozen=True, eq=False, kw_only=True)
class ReplayRun(Evidence, PolicyReplay):
    """One policy on one log; `Evidence` has the estimates and what they rest on.

    Attributes:
        reward: The sum of the rewards (clicks); not multiplied by G, which only regulates.
        exploited_share: The share of turns that were pure exploitation.
        curve_turns: Turns at which the running mean is given.
        curve_means: The mean reward per turn up to there.
    """

    _keys = (
        "name=label policy read used rejected turns turns_wanted=requested reward rewarded "
        "mean=mean.value mean_se=mean.error mean_low=mean.low mean_high=mean.high "
        "asked matched_share expected_share exploited_share high_turns "
        "effective_sample_size=effective_size"
    )

    reward: float
    exploited_share: float
    curve_turns: NDArray[np.int64]
    curve_means: NDArray[np.float64]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return super().to_dict() | {
            "curve": {"turns": self.curve_turns, "mean": self.curve_means},
            "weighted": None if self.weighted is None else self.weighted.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class ReplayResult(_ByLabel[ReplayRun]):
    """What policies would have earned on a log; `result["ucb"]` is the `ReplayRun` of one.

    Printing it shows the log, a table and a verdict on every estimate.
    """

    runs: tuple[ReplayRun, ...]
    log: LogSummary
    seed: int

    _entries = property(attrgetter("runs"))

    @property
    def policies(self) -> tuple[str, ...]:
        """The labels."""
        return self.labels

    def issues(self, label: str) -> list[str]:
        """Every reason not to trust a policy's estimate; empty if there is none."""
        return issues(self[label], self.log.uniformity)

    def verdict(self, label: str) -> str:
        """How far a policy's estimate can be trusted, in one sentence."""
        return verdict(self[label], self.log)

    @property
    def table(self) -> Table:
        """A row for each policy."""
        paths = "label mean.value mean.error turns reward matched_share effective_size"
        rows = tuple(map(attrgetter(*paths.split()), self.runs))
        columns = ("policy", "per turn", "± se", "turns", "reward", "matched", "effective")
        return Table(columns, rows, ("", ".4f", ".4f", ",d", ",g", ".2%", ",.0f"))

    @property
    def weighted_table(self) -> Table | None:
        """Estimates per visitor; None where plain means already are (see `Evidence.weighted`)."""
        of = attrgetter("snips.value", "snips.error", "ips.value", "ips.error", "effective_size")
        rows = tuple((o.label, *of(o.weighted)) for o in self.runs if o.weighted is not None)
        columns = ("policy", "SNIPS", "± se", "IPS", "± se", "effective")
        return Table(columns, rows, ("", *(".4f",) * 4, ",.0f")) if rows else None

    def blocks(self) -> list[str | Table]:
        """The log, the estimates, what they rest on, and how far to trust them."""
        tables = [table for table in (self.table, self.weighted_table) if table is not None]
        verdicts = [self.verdict(label) for label in self.policies]
        return [*self._describe(tables, verdicts), INTERVALS]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        document = super().to_dict() | {"intervals": INTERVALS}
        for entry, label in zip(document["policies"], self.labels, strict=True):
            entry |= {"doubts": self.issues(label), "verdict": self.verdict(label)}
        return document


@dataclass(frozen=True, eq=False, kw_only=True)
class Runs(PolicyReplay):
    """The runs of one policy.

    Attributes:
        how: "repeat" or "windows"; "logs" where each entry of `means` is the mean over the runs of
            one log, and each of `turns` and `rewards` their sum.
        means: The mean reward per matched turn of each run; NaN where nothing matched.
        turns: How many turns matched in each run.
        rewards: The sum of rewards of each run.
        exhausted: How many runs ended before the requested turns.
        independent: How many independent runs the windows are equivalent to; None for "repeat".
        block: How many neighbouring windows share events; 0 for "repeat".
        ground_truth: The mean ground truth of the matched events in each run, where it is known.
        effective_size: The effective number of turns, as in `Evidence`, in all runs together.
        per_visitor: The mean of the runs' SNIPS estimates, as in `Evidence.weighted`.
        issues: Every reason not to trust the mean.
    """

    _keys = (
        "name=label policy how mean=mean.value mean_se=mean.error means per_visitor turns "
        "exhausted independent read used rejected effective_sample_size=effective_size "
        "doubts=issues verdict"
    )

    how: str
    means: NDArray[np.float64]
    turns: NDArray[np.int64]
    rewards: NDArray[np.float64]
    exhausted: int
    independent: float | None
    block: int
    ground_truth: NDArray[np.float64] | None
    effective_size: float
    per_visitor: float | None
    issues: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """How far the mean can be trusted, in one sentence."""
        if self.issues:
            return f"Handle with care: {'; '.join(self.issues)}."
        kind = "logs" if self.how == "logs" else "runs, which share events"
        runs = f"{self.means.size:,} {kind}"
        return f"Fit for use: {self.used:,} matched turns in {runs}."

    @property
    def comparable(self) -> bool:
        """Whether there are enough runs for a test, and each has a mean."""
        return self.means.size > 1 and bool(np.isfinite(self.means).all())

    @property
    def mean(self) -> Estimate:
        """The mean over runs; its error assumes independent runs, which only logs are."""
        return mean_estimate(self.means[np.isfinite(self.means)])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return super().to_dict() | {"doubts": list(self.issues)}


@dataclass(frozen=True, eq=False, repr=False)
class RepeatedReplay(_ByLabel[Runs]):
    """Many runs of several policies over a log, or several; `result["ucb"]` are one policy's."""

    policies: tuple[Runs, ...]
    log: LogSummary | SeparateLogs
    seed: int

    _entries = property(attrgetter("policies"))

    def compare(self, first: str, second: str) -> Comparison:
        """Whether the first policy earns more than the second, by several tests."""
        a, b = self[first], self[second]
        paired = a.how == b.how != "repeat"
        overlap: Any = {"block": a.block, "independent": a.independent} if paired else {}
        return compare(a.means, b.means, seed=self.seed, **overlap)

    @property
    def table(self) -> Table:
        """A row for each policy; p-values against the first."""
        rows: list[tuple[Any, ...]] = []
        for r in self.policies:
            test, mean = self._against_first.get(r.label), r.mean
            p = (f"{test.student.p:.2g}", f"{test.welch.p:.2g}") if test else ("", "")
            rows.append((r.label, mean.value, mean.error, r.means.size, r.turns.mean(), *p))
        unit = "logs" if isinstance(self.log, SeparateLogs) else "runs"
        columns = ("policy", "per turn", "± se", unit, "turns", "p (Student)", "p (Welch)")
        return Table(columns, tuple(rows), ("", ".4f", ".4f", "d", ",.0f", "", ""))

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
        notes, ways = [], {runs.how: runs for runs in reversed(self.policies)}
        if "repeat" in ways:
            notes.append(
                "Stochastic policies replay the same events in every run: runs are dependent, and "
                "their spread does not show how much another log would differ."
            )
        if "logs" in ways:
            notes.append(
                "Policies start afresh on every log, and every log counts alike: errors and tests "
                "are between logs. Files that continue each other are one log: convert them "
                "together."
            )
        if "windows" in ways and ways["windows"].block > 1:
            notes.append(
                f"Windows overlap: {ways['windows'].means.size} of them are equivalent to about "
                f"{ways['windows'].independent:.1f} independent runs, so p-values are too small."
            )
        if len(ways) > 1:
            notes.append(
                "Policies that repeat the log and those on sliding windows are not tested against "
                "each other: their runs vary for different reasons."
            )
        notes += [
            f"{label} minus {self.labels[0]}, in pairs: {test.difference:+.5f}, "
            f"95% {test.paired[0]:+.5f} to {test.paired[1]:+.5f}{test.correction}."
            for label, test in self._against_first.items()
            if test.paired is not None
        ]
        notes += [
            f"{runs.label}: {runs.exhausted} runs ended before the requested turns; their means "
            "cover the turns reached."
            for runs in self.policies
            if runs.exhausted
        ]
        return notes

    def blocks(self) -> list[str | Table]:
        """The log, the estimates, what they rest on, and what to know about them."""
        blocks = self._describe([self.table], [runs.verdict for runs in self.policies])
        return [*blocks, "\n".join(self.notes)] if self.notes else blocks

    def to_dict(self) -> dict[str, Any]:
        """For JSON; comparisons are with the first policy."""
        tests = {label: test.to_dict() for label, test in self._against_first.items()}
        return super().to_dict() | {"compared_with_first": tests, "notes": self.notes}
