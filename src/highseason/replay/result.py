"""The results of replays, of one run or many: what policies would have earned, and how surely."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import did_you_mean
from highseason.policies import Policy
from highseason.replay.diagnostics import Evidence, LogSummary, issues, verdict
from highseason.replay.estimators import (
    Comparison,
    compare,
    effective_size,
    mean_estimate,
    weighted_estimates,
)
from highseason.replay.kernels import records
from highseason.replay.kernels.records import RecordOrder, ReplayTrace
from highseason.replay.player import Player
from highseason.replay.prepared_log import PreparedLog
from highseason.results.statistics import Estimate
from highseason.results.table import Table

#: Checkpoints of the running mean.
POINTS = 200


def _keys(text: str) -> dict[str, str]:
    """Keys of a JSON document, each with its attribute where that has another name."""
    return {key: path or key for key, _, path in (w.partition("=") for w in text.split())}


_OUTCOME_KEYS = _keys(
    "name=label policy read used rejected turns turns_wanted=requested reward rewarded "
    "mean=mean.value mean_se=mean.error mean_low=mean.low mean_high=mean.high asked matched_share "
    "expected_share exploited_share high_turns effective_sample_size=effective_size"
)
_RUNS_KEYS = _keys(
    "name=label policy how mean=mean.value mean_se=mean.error means per_visitor turns exhausted "
    "independent read used rejected effective_sample_size=effective_size doubts=issues verdict"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class PolicyReplay:
    """What one run, or many together, used of the log.

    Attributes:
        label: The policy's label.
        policy: The policy as the command line writes it, thresholds resolved.
        read: How many events were read.
        rejected: How many of them were not used, by reason.
    """

    label: str
    policy: str
    read: int = 0
    rejected: dict[str, int] = field(default_factory=dict)

    @property
    def used(self) -> int:
        """How many events were used: one per turn."""
        raise NotImplementedError

    @property
    def rejections(self) -> str:
        """How many events were read and used, and why the others were not."""
        why = ", ".join(f"{count:,} {reason}" for reason, count in self.rejected.items() if count)
        return f"read {self.read:,}, used {self.used:,}; not used: {why or 'none'}"


_P = TypeVar("_P", bound=PolicyReplay)


class _ByLabel(Generic[_P]):
    """A result with an entry for each policy."""

    log: LogSummary

    @property
    def _entries(self) -> tuple[_P, ...]:
        raise NotImplementedError

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels."""
        return tuple(entry.label for entry in self._entries)

    def __getitem__(self, label: str) -> _P:
        """What was replayed of one policy."""
        for entry in self._entries:
            if entry.label == label:
                return entry
        raise KeyError(f"no policy is called {label!r}. {did_you_mean(label, self.labels)}")

    def _describe(self, tables: Sequence[str], verdicts: Mapping[str, str]) -> str:
        """The log, the tables, what was used, and the verdicts, labels in a column."""
        width = max(map(len, self.labels))
        used = [f"{entry.label:<{width}}  {entry.rejections}" for entry in self._entries]
        trust = [f"{label:<{width}}  {text}" for label, text in verdicts.items()]
        blocks = [str(self.log), *tables, "\n".join(used), "\n".join(trust)]
        return "\n\n".join(blocks)


@dataclass(frozen=True, eq=False, kw_only=True)
class ReplayOutcome(Evidence, PolicyReplay):
    """One policy on one log; `Evidence` has the estimates and what they rest on.

    Attributes:
        reward: The sum of the rewards (clicks); not multiplied by G, which only regulates.
        exploited_share: The share of turns that were pure exploitation.
        curve_turns: Turns at which the running mean is given.
        curve_means: The mean reward per turn up to there.
    """

    reward: float
    exploited_share: float
    curve_turns: NDArray[np.int64]
    curve_means: NDArray[np.float64]

    @property
    def used(self) -> int:
        """How many events were used: one per turn."""
        return self.turns

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {key: attrgetter(path)(self) for key, path in _OUTCOME_KEYS.items()} | {
            "rejected": dict(self.rejected),
            "curve": {"turns": self.curve_turns, "mean": self.curve_means},
            "weighted": None if self.weighted is None else self.weighted.to_dict(),
        }


def outcome_of(label: str, player: Player, order: RecordOrder, trace: ReplayTrace) -> ReplayOutcome:
    """Sum up one run of a player."""
    log, policy, counts = player.log, player.policy, trace.counts
    requested, lowest = player.options.turns, player.lowest_propensity
    rows = order.rows(trace.matched)
    reward, turns = log.reward[rows], int(counts[records.MATCHED])
    at = np.unique(np.linspace(1, turns, min(POINTS, turns)).round().astype(np.int64))
    asked, chosen = int(counts[records.ASKED]), trace.kind != records.TRIED
    propensity = log.propensity(rows) if lowest is None else lowest[log.pool[rows]]
    weighted = None
    has_propensities = log.events.propensity is not None and lowest is None
    if has_propensities or np.unique(propensity[chosen]).size > 1:
        read = asked + int(counts[records.SKIPPED])
        weighted = weighted_estimates(reward[chosen], propensity[chosen], read)
    rejected = _rejected(counts, order.records)
    low, high = log.reward_range
    unsuitable = policy.rule.traits.unit_range and (low < 0 or high > 1)
    return ReplayOutcome(
        label=label,
        policy=str(policy),
        read=order.records,
        rejected=rejected,
        turns=turns,
        requested=requested,
        reward=float(reward.sum()),
        rewarded=int(np.count_nonzero(reward)),
        mean=mean_estimate(reward),
        asked=asked,
        matched_share=int(chosen.sum()) / asked if asked else math.nan,
        expected_share=_expected_share(player, order, trace),
        exploited_share=float((trace.kind == records.EXPLOITED).mean()) if turns else math.nan,
        effective_size=effective_size(1.0 / propensity),
        curve_turns=at,
        curve_means=np.cumsum(reward)[at - 1] / at if turns else np.zeros(0),
        weighted=weighted,
        thinned=rejected["thinned"],
        high_turns=_high_turns(policy, log, rows),
        reward_range=log.reward_range if unsuitable else None,
    )


def _high_turns(policy: Policy, log: PreparedLog, rows: NDArray[np.int64]) -> int | None:
    """How many turns were above the threshold; an infinite one is not meant to separate turns."""
    z = policy.threshold
    if not isinstance(z, int | float) or math.isinf(z):
        return None
    G = log.bins.counts[log.bins.of[rows]]
    above = getattr(policy, "variant", "") == "authors_code"
    return int((G > z if above else G >= z).sum())


def _rejected(counts: NDArray[np.int64], read: int) -> dict[str, int]:
    reasons = {
        "arm not studied": records.NOT_STUDIED,
        "arm not in its pool": records.NOT_IN_POOL,
        "thinned": records.THINNED,
        "while other arms were untried": records.WAITING,
        "another arm chosen": records.OTHER_ARM,
    }
    rejected = {reason: int(counts[place]) for reason, place in reasons.items()}
    used = int(counts[records.MATCHED])
    return rejected | {"after the last turn": read - sum(rejected.values()) - used}


def _expected_share(player: Player, order: RecordOrder, trace: ReplayTrace) -> float:
    """The mean of one over the pool's size, over the events of studied arms that were read."""
    log, lowest = player.log, player.lowest_propensity
    sizes = np.maximum(log.pools.sizes, 1)
    read = _pool_records(player, order, trace).astype(np.float64)
    if not read.any():
        return math.nan
    if lowest is not None:  # the share of a pool's events that thinning leaves
        read *= np.where(read > 0, sizes * lowest, 0.0)
    return float((read / sizes).sum() / read.sum())


def _pool_records(player: Player, order: RecordOrder, trace: ReplayTrace) -> NDArray[np.int64]:
    """How many events of studied arms each pool has in the run, up to the last turn requested."""
    log, requested = player.log, player.options.turns
    complete = requested is not None and trace.matched.size == requested
    if order.covers(len(log.events)) and not complete and log.studied.all():
        return log.pool_records
    rows = order.rows(np.arange(int(trace.matched[-1]) + 1) if complete else None)
    rows = rows[log.studied[log.events.arm[rows]]]
    return np.bincount(log.pool[rows], minlength=len(log.pools))


@dataclass(frozen=True, eq=False)
class ReplayResult(_ByLabel[ReplayOutcome]):
    """What policies would have earned on a log.

    Printing it shows the log, a table and a verdict on every estimate.  `result["ucb"]` is the
    `ReplayOutcome` of one policy.
    """

    outcomes: tuple[ReplayOutcome, ...]
    log: LogSummary
    seed: int

    _entries = property(attrgetter("outcomes"))

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
        rows = tuple(map(attrgetter(*paths.split()), self.outcomes))
        columns = ("policy", "per turn", "± se", "turns", "reward", "matched", "effective")
        return Table(columns, rows, ("", ".4f", ".4f", ",d", ",g", ".2%", ",.0f"))

    @property
    def weighted_table(self) -> Table | None:
        """Estimates per visitor; None where plain means already are (see `Evidence.weighted`)."""
        paths = ("snips.value", "snips.error", "ips.value", "ips.error", "effective_size")
        of = attrgetter(*paths)
        rows = tuple((o.label, *of(o.weighted)) for o in self.outcomes if o.weighted is not None)
        columns = ("policy", "SNIPS", "± se", "IPS", "± se", "effective")
        return Table(columns, rows, ("", *(".4f",) * 4, ",.0f")) if rows else None

    def __str__(self) -> str:
        """The log, the tables and the verdicts."""
        tables = [str(table) for table in (self.table, self.weighted_table) if table is not None]
        return self._describe(tables, {label: self.verdict(label) for label in self.policies})

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "log": self.log.to_dict(),
            "seed": self.seed,
            "policies": [
                outcome.to_dict()
                | {"doubts": self.issues(outcome.label), "verdict": self.verdict(outcome.label)}
                for outcome in self.outcomes
            ],
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Runs(PolicyReplay):
    """The runs of one policy.

    Attributes:
        how: "repeat" or "windows".
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

    how: str
    means: NDArray[np.float64]
    turns: NDArray[np.int64]
    rewards: NDArray[np.float64]
    exhausted: int
    independent: float | None
    block: int
    ground_truth: NDArray[np.float64] | None = None
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
        document = {key: attrgetter(path)(self) for key, path in _RUNS_KEYS.items()}
        return document | {"rejected": dict(self.rejected), "doubts": list(self.issues)}


@dataclass(frozen=True, eq=False)
class RepeatedReplay(_ByLabel[Runs]):
    """Many runs of several policies over one log; `result["ucb"]` are those of one policy."""

    policies: tuple[Runs, ...]
    log: LogSummary
    seed: int

    _entries = property(attrgetter("policies"))

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
        rows: list[tuple[Any, ...]] = []
        for r in self.policies:
            test, mean = self._against_first.get(r.label), r.mean
            p = (f"{test.student.p:.2g}", f"{test.welch.p:.2g}") if test else ("", "")
            rows.append((r.label, mean.value, mean.error, r.means.size, r.turns.mean(), *p))
        columns = ("policy", "per turn", "± se", "runs", "turns", "p (Student)", "p (Welch)")
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
        verdicts = {runs.label: runs.verdict for runs in self.policies}
        return "\n".join([self._describe([str(self.table)], verdicts), "", *self.notes])

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """For JSON; comparisons are with the first policy."""
        return {
            "log": self.log.to_dict(),
            "seed": self.seed,
            "policies": [runs.to_dict() for runs in self.policies],
            "compared_with_first": {k: test.to_dict() for k, test in self._against_first.items()},
            "notes": self.notes,
        }
