"""The result of a replay: every policy's outcome, and what the log itself is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from highseason.replay.bins import Bins
from highseason.replay.diagnostics import issues, verdict
from highseason.replay.estimators import self_normalised
from highseason.replay.outcome import ReplayOutcome, mean_of
from highseason.replay.prepared_log import PreparedLog
from highseason.replay.uniformity import Uniformity
from highseason.results.statistics import Estimate
from highseason.results.table import Table

if TYPE_CHECKING:
    from highseason.replay.many_result import Runs

_Labelled = TypeVar("_Labelled", "ReplayOutcome", "Runs")


@dataclass(frozen=True)
class LogSummary:
    """What the log is, whoever replays it.

    Attributes:
        events: How many records.
        arms: How many arms are studied and occur in a pool.
        span: From the first to the last record, in the log's unit of time.
        bin: The length of a bin of time; G is the number of records in it.
        G: The least, the median and the greatest G of any record.
        baseline: The mean reward per visitor of showing studied arms at random: that of their
            records, each weighed by one over its chance.
        backwards: How many records are earlier than the one before.
        uniformity: Whether arms were shown as replay needs it.
    """

    events: int
    arms: int
    span: int
    bin: float
    G: tuple[float, float, float]
    baseline: Estimate
    backwards: int
    uniformity: Uniformity

    @classmethod
    def of(cls, course: PreparedLog, uniform: Uniformity) -> LogSummary:
        """Look at a prepared log."""
        events = course.events
        return cls(
            events=len(events),
            arms=int((course.studied & (course.born > 0)).sum()),
            span=int(events.time.max() - events.time.min()) if len(events) else 0,
            bin=course.bins.length,
            G=_ends_and_middle(course.bins),
            baseline=_baseline(course),
            backwards=int((np.diff(events.time) < 0).sum()),
            uniformity=uniform,
        )

    def __str__(self) -> str:
        """In a sentence or two."""
        back = f" {self.backwards:,} records go back in time." if self.backwards else ""
        return (
            f"{self.events:,} records of {self.arms:,} arms over {self.span / 3600:.1f} hours; G "
            f"(records in {self.bin:g} s) from {self.G[0]:g} to {self.G[2]:g}, median "
            f"{self.G[1]:g}.{back}\nShowing arms at random brings {self.baseline.value:.4g} a "
            f"turn. {self.uniformity}"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "events": self.events,
            "arms": self.arms,
            "span": self.span,
            "bin": self.bin,
            "G": dict(zip(("least", "median", "greatest"), self.G, strict=True)),
            "baseline": vars(self.baseline),
            "backwards": self.backwards,
            "uniformity": self.uniformity.to_dict(),
        }


def _ends_and_middle(bins: Bins) -> tuple[float, float, float]:
    """The least, the median and the greatest G of any record."""
    if not bins.counts.size:
        return math.nan, math.nan, math.nan
    return float(bins.counts.min()), bins.middle, float(bins.counts.max())


def _baseline(course: PreparedLog) -> Estimate:
    events = course.events
    if events.propensity is None and course.studied.all():
        return mean_of(course.reward)
    rows = np.flatnonzero(course.studied[events.arm])
    if not rows.size:
        return mean_of(course.reward[rows])
    weight = 1.0 / (course.chance(rows) * np.maximum(course.pools.sizes[course.pool[rows]], 1))
    return self_normalised(course.reward[rows], weight)


@dataclass(frozen=True, eq=False)
class ReplayResult:
    """What policies earn on a log, by the rejection method.

    Printing it shows the log, a table and a verdict on every estimate.  `result["ucb"]` is the
    `ReplayOutcome` of one policy.
    """

    outcomes: tuple[ReplayOutcome, ...]
    log: LogSummary
    seed: int

    @property
    def policies(self) -> tuple[str, ...]:
        """The labels."""
        return tuple(found.label for found in self.outcomes)

    def __getitem__(self, label: str) -> ReplayOutcome:
        """The outcome of one policy."""
        return by_label(self.outcomes, label)

    def issues(self, label: str) -> list[str]:
        """What speaks against believing a policy's estimate; empty if nothing does."""
        return issues(self[label], self.log.uniformity)

    def verdict(self, label: str) -> str:
        """How far a policy's estimate can be trusted, in a sentence."""
        return verdict(self[label], self.log.uniformity, self.log.baseline)

    @property
    def table(self) -> Table:
        """A row for each policy."""
        rows = tuple(
            (o.label, o.mean.value, o.mean.error, o.turns, o.reward, o.share, o.effective)
            for o in self.outcomes
        )
        columns = ("policy", "per turn", "± se", "turns", "reward", "matched", "effective")
        return Table(columns, rows, ("", ".4f", ".4f", ",d", ",g", ".2%", ",.0f"))

    @property
    def weighted_table(self) -> Table | None:
        """Estimates per visitor; None where plain means are that already (see `ReplayOutcome`)."""
        told = [(o.label, o.weighted) for o in self.outcomes if o.weighted is not None]
        rows = tuple(
            (name, w.snips.value, w.snips.error, w.ips.value, w.ips.error, w.effective)
            for name, w in told
        )
        columns = ("policy", "SNIPS", "± se", "IPS", "± se", "effective")
        return Table(columns, rows, ("", *(".4f",) * 4, ",.0f")) if rows else None

    def __str__(self) -> str:
        """The log, the table and the verdicts."""
        width = max(len(label) for label in self.policies)
        verdicts = [f"{label:<{width}}  {self.verdict(label)}" for label in self.policies]
        weighted = [str(self.weighted_table), ""] if self.weighted_table else []
        reasons = [f"{o.label:<{width}}  {rejections(o)}" for o in self.outcomes]
        parts = [str(self.log), "", str(self.table), "", *weighted, *reasons, "", *verdicts]
        return "\n".join(parts)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "log": self.log.to_dict(),
            "seed": self.seed,
            "policies": [
                found.to_dict()
                | {"doubts": self.issues(found.label), "verdict": self.verdict(found.label)}
                for found in self.outcomes
            ],
        }


def by_label(all_of_them: Sequence[_Labelled], label: str) -> _Labelled:
    """The one of that label."""
    for one in all_of_them:
        if one.label == label:
            return one
    labels = ", ".join(one.label for one in all_of_them)
    raise KeyError(f"no policy is called {label!r}; there are: {labels}")


def rejections(found: ReplayOutcome | Runs) -> str:
    """How many records were read and used, and why the others were not."""
    why = ", ".join(f"{count:,} {reason}" for reason, count in found.rejected.items() if count)
    return f"read {found.read:,}, used {found.used:,}; not used: {why or 'none'}"
