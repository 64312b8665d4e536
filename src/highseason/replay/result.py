"""The result of a replay: what each policy would have earned, and how far to trust it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from highseason.core.specs import did_you_mean
from highseason.policies import Policy
from highseason.replay.diagnostics import Evidence, LogSummary, issues, verdict
from highseason.replay.estimators import effective_size, mean_estimate, weighted_estimates
from highseason.replay.kernels import records
from highseason.replay.kernels.records import RecordOrder, ReplayTrace
from highseason.replay.player import Player
from highseason.replay.prepared_log import PreparedLog
from highseason.results.table import Table

#: Checkpoints of the running mean.
POINTS = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class ReplayOutcome(Evidence):
    """One policy on one log; `Evidence` has the estimates and what they rest on.

    Attributes:
        label: The policy's label.
        policy: The policy as the command line writes it, thresholds resolved.
        read: How many events there were.
        rejected: How many were not used, by reason.
        reward: The sum of the rewards (clicks); not multiplied by G, which only regulates.
        exploited_share: The share of turns that were pure exploitation.
        curve_turns: Turns at which the running mean is given.
        curve_means: The mean reward per turn up to there.
    """

    label: str
    policy: str
    read: int
    rejected: dict[str, int]
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
        return {
            "name": self.label,
            "policy": self.policy,
            "read": self.read,
            "used": self.used,
            "rejected": dict(self.rejected),
            "turns": self.turns,
            "turns_wanted": self.requested,
            "reward": self.reward,
            "rewarded": self.rewarded,
            "mean": self.mean.value,
            "mean_se": self.mean.error,
            "mean_low": self.mean.low,
            "mean_high": self.mean.high,
            "asked": self.asked,
            "matched_share": self.matched_share,
            "expected_share": self.expected_share,
            "exploited_share": self.exploited_share,
            "high_turns": self.high_turns,
            "effective_sample_size": self.effective_size,
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
        reward_range=_unexpected_range(policy, log),
    )


def _high_turns(policy: Policy, log: PreparedLog, rows: NDArray[np.int64]) -> int | None:
    """How many turns were above the threshold; an infinite one is not meant to separate turns."""
    z = policy.threshold
    if not isinstance(z, int | float) or math.isinf(z):
        return None
    G = log.bins.counts[log.bins.of[rows]]
    above = getattr(policy, "variant", "") == "authors_code"
    return int((G > z if above else G >= z).sum())


def _unexpected_range(policy: Policy, log: PreparedLog) -> tuple[float, float] | None:
    low, high = log.reward_range
    return (low, high) if policy.rule.traits.unit_range and (low < 0 or high > 1) else None


def _rejected(counts: NDArray[np.int64], read: int) -> dict[str, int]:
    reasons = {
        "arm not studied": records.NOT_STUDIED,
        "arm not in its pool": records.NOT_IN_POOL,
        "thinned": records.THINNED,
        "while other arms were untried": records.WAITING,
        "another arm chosen": records.OTHER_ARM,
    }
    rejected = {reason: int(counts[place]) for reason, place in reasons.items()}
    return {
        **rejected,
        "after the last turn": read - sum(rejected.values()) - int(counts[records.MATCHED]),
    }


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
class ReplayResult:
    """What policies would have earned on a log.

    Printing it shows the log, a table and a verdict on every estimate.  `result["ucb"]` is the
    `ReplayOutcome` of one policy.
    """

    outcomes: tuple[ReplayOutcome, ...]
    log: LogSummary
    seed: int

    @property
    def policies(self) -> tuple[str, ...]:
        """The labels."""
        return tuple(outcome.label for outcome in self.outcomes)

    def __getitem__(self, label: str) -> ReplayOutcome:
        """The outcome of one policy."""
        return by_label(self.outcomes, label)

    def issues(self, label: str) -> list[str]:
        """Every reason not to trust a policy's estimate; empty if there is none."""
        return issues(self[label], self.log.uniformity)

    def verdict(self, label: str) -> str:
        """How far a policy's estimate can be trusted, in one sentence."""
        return verdict(self[label], self.log)

    @property
    def table(self) -> Table:
        """A row for each policy."""
        rows = tuple(
            (
                o.label, o.mean.value, o.mean.error, o.turns, o.reward, o.matched_share,
                o.effective_size,
            )
            for o in self.outcomes
        )  # fmt: skip
        columns = ("policy", "per turn", "± se", "turns", "reward", "matched", "effective")
        return Table(columns, rows, ("", ".4f", ".4f", ",d", ",g", ".2%", ",.0f"))

    @property
    def weighted_table(self) -> Table | None:
        """Estimates per visitor; None where plain means already are (see `Evidence.weighted`)."""
        weighted = [(o.label, o.weighted) for o in self.outcomes if o.weighted is not None]
        rows = tuple(
            (name, w.snips.value, w.snips.error, w.ips.value, w.ips.error, w.effective_size)
            for name, w in weighted
        )
        columns = ("policy", "SNIPS", "± se", "IPS", "± se", "effective")
        return Table(columns, rows, ("", *(".4f",) * 4, ",.0f")) if rows else None

    def __str__(self) -> str:
        """The log, the tables and the verdicts."""
        weighted = [str(self.weighted_table), ""] if self.weighted_table else []
        reasons = aligned({o.label: rejections(o.read, o.used, o.rejected) for o in self.outcomes})
        verdicts = aligned({label: self.verdict(label) for label in self.policies})
        parts = [str(self.log), "", str(self.table), "", *weighted, *reasons, "", *verdicts]
        return "\n".join(parts)

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


class Labelled(Protocol):
    """Something with a policy's label."""

    @property
    def label(self) -> str:
        """The label."""


_L = TypeVar("_L", bound=Labelled)


def by_label(entries: Sequence[_L], label: str) -> _L:
    """The entry with that label."""
    for entry in entries:
        if entry.label == label:
            return entry
    labels = [entry.label for entry in entries]
    raise KeyError(f"no policy is called {label!r}. {did_you_mean(label, labels)}")


def rejections(read: int, used: int, rejected: dict[str, int]) -> str:
    """How many events were read and used, and why the others were not."""
    why = ", ".join(f"{count:,} {reason}" for reason, count in rejected.items() if count)
    return f"read {read:,}, used {used:,}; not used: {why or 'none'}"


def aligned(lines: dict[str, str]) -> list[str]:
    """Lines with their labels in a column of one width."""
    width = max(len(label) for label in lines)
    return [f"{label:<{width}}  {text}" for label, text in lines.items()]
