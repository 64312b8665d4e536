"""What replaying a log says of one policy, and how much of it to believe."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.policies import Policy
from highseason.replay.estimators import Weighted, kish, weighted
from highseason.replay.kernels.records import (
    ASKED,
    DIFFERED,
    EXPLOITED,
    INITIAL,
    MATCHED,
    OUTSIDE,
    PASSED,
    THINNED,
    TRIED,
    UNLISTED,
    Track,
    Walk,
)
from highseason.replay.player import rows_of
from highseason.replay.prepared_log import PreparedLog
from highseason.results.statistics import Estimate, with_interval

#: Checkpoints of the running mean.
POINTS = 200

_PIECE = 100_000


@dataclass(frozen=True, eq=False)
class ReplayOutcome:
    """One policy on one log.

    Attributes:
        label: The policy's label.
        policy: The policy as the command line writes it, rules on G settled.
        read: How many records there were.
        rejected: How many were not used, by reason.
        turns: How many matched: the turns that were played.
        wanted: How many turns were asked for; None for as many as there are.
        reward: The sum of the rewards (clicks); not multiplied by G, which only steers.
        rewarded: How many turns brought a reward other than 0.
        mean: The mean reward per matched turn, with its error within this one run.  Where pools
            are of different sizes it over-weighs small ones; `weighted` does not.
        asked: On how many records the policy chose (first trials of arms are no choice).
        share: The share of them that matched.
        expected_share: What it would be on a uniform log: one over the size of the pools.
        exploited: The share of turns that were pure exploitation.
        effective: The effective number of turns (Kish), weighing each by one over its chance.
        at: Turns at which the running mean is given.
        running: The mean reward per turn up to there.
        weighted: Estimates per visitor, each turn weighed by one over the chance that it had;
            None where the log gives no propensities and all turns had the same chance.
        high: How many turns had a G at which the policy's threshold says to exploit; None where it
            has no threshold.
        strays: The range of the log's rewards, where the policy needs them in [0, 1] and they are
            not; else None.
    """

    label: str
    policy: str
    read: int
    rejected: dict[str, int]
    turns: int
    wanted: int | None
    reward: float
    rewarded: int
    mean: Estimate
    asked: int
    share: float
    expected_share: float
    exploited: float
    effective: float
    at: NDArray[np.int64]
    running: NDArray[np.float64]
    weighted: Weighted | None
    high: int | None = None
    strays: tuple[float, float] | None = None

    @property
    def used(self) -> int:
        """How many records were used: one a turn."""
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
            "turns_wanted": self.wanted,
            "reward": self.reward,
            "rewarded": self.rewarded,
            "mean": self.mean.value,
            "mean_se": self.mean.error,
            "mean_low": self.mean.low,
            "mean_high": self.mean.high,
            "asked": self.asked,
            "matched_share": self.share,
            "expected_share": self.expected_share,
            "exploited_share": self.exploited,
            "high_turns": self.high,
            "effective_sample_size": self.effective,
            "curve": {"turns": self.at, "mean": self.running},
            "weighted": None if self.weighted is None else self.weighted.to_dict(),
        }


def outcome(
    label: str,
    policy: Policy,
    course: PreparedLog,
    walk: Walk,
    track: Track,
    wanted: int | None,
    least: NDArray[np.float64] | None = None,
) -> ReplayOutcome:
    """Add up a run; `least` are the chances of arms in each pool of a log that was thinned."""
    counts = track.counts
    rows = rows_of(walk, track.matched)
    reward = course.reward[rows]
    turns = int(counts[MATCHED])
    at = np.unique(np.linspace(1, turns, min(POINTS, turns)).round().astype(np.int64))
    running = np.cumsum(reward)[at - 1] / at if turns else np.zeros(0)
    asked, chosen = int(counts[ASKED]), track.kind != TRIED
    chance = course.chance(rows) if least is None else least[course.pool[rows]]
    told = course.events.propensity is not None and least is None
    found = None
    if told or np.unique(chance[chosen]).size > 1:
        found = weighted(reward[chosen], chance[chosen], asked + int(counts[PASSED]))
    return ReplayOutcome(
        label=label,
        policy=str(policy),
        read=walk.records,
        rejected=_rejected(counts, walk.records),
        turns=turns,
        wanted=wanted,
        reward=float(reward.sum()),
        rewarded=int(np.count_nonzero(reward)),
        mean=mean_of(reward),
        asked=asked,
        share=int(chosen.sum()) / asked if asked else math.nan,
        expected_share=_uniform_share(course, walk, track, wanted, least),
        exploited=float((track.kind == EXPLOITED).mean()) if turns else math.nan,
        effective=kish(1.0 / chance),
        at=at,
        running=running,
        weighted=found,
        high=_high_turns(policy, course, rows),
        strays=course.reward_range if _needs_other_rewards(policy, course) else None,
    )


def _high_turns(policy: Policy, course: PreparedLog, rows: NDArray[np.int64]) -> int | None:
    """How often a settled policy met high season; an endless threshold is meant to part nothing."""
    z = getattr(policy, "z", None)
    if not isinstance(z, int | float) or math.isinf(z):
        return None
    G = course.bins.counts[course.bins.of[rows]]
    above = getattr(policy, "variant", "") == "authors_code"
    return int((G > z if above else G >= z).sum())


def _needs_other_rewards(policy: Policy, course: PreparedLog) -> bool:
    low, high = course.reward_range
    return policy.rule.needs_range and (low < 0 or high > 1)


def mean_of(values: NDArray[np.float64], level: float = 0.95) -> Estimate:
    """The mean with a normal interval; the error of fewer than two values is not known."""
    if values.size == 0:
        return with_interval(math.nan, math.nan, level)
    mean = float(values.mean())
    if values.size == 1:
        return with_interval(mean, math.nan, level)
    pieces = np.array_split(values, -(-values.size // _PIECE))  # no second array as long as a log
    squares = sum(float(((piece - mean) ** 2).sum()) for piece in pieces)
    error = math.sqrt(squares / (values.size - 1) / values.size)
    return with_interval(mean, error, level)


def _rejected(counts: NDArray[np.int64], read: int) -> dict[str, int]:
    reasons = {
        "arm not studied": OUTSIDE,
        "arm not in its pool": UNLISTED,
        "thinned": THINNED,
        "while other arms were untried": INITIAL,
        "another arm chosen": DIFFERED,
    }
    told = {reason: int(counts[place]) for reason, place in reasons.items()}
    return {**told, "after the last turn": read - sum(told.values()) - int(counts[MATCHED])}


def _uniform_share(
    course: PreparedLog,
    walk: Walk,
    track: Track,
    wanted: int | None,
    least: NDArray[np.float64] | None,
) -> float:
    """One over the pools' sizes, in the mean over the records of studied arms that were met."""
    sizes = np.maximum(course.pools.sizes, 1)
    met = _met(course, walk, track, wanted).astype(np.float64)
    if not met.any():
        return math.nan
    if least is not None:  # of a pool's records, so many stay
        met *= np.where(met > 0, sizes * least, 0.0)
    return float((met / sizes).sum() / met.sum())


def _met(course: PreparedLog, walk: Walk, track: Track, wanted: int | None) -> NDArray[np.int64]:
    """How many records of studied arms each pool has in the walk, up to the last turn wanted."""
    ended = wanted is not None and track.matched.size == wanted
    whole = walk.order.size == 0 and walk.length == len(course.events)
    if whole and not ended and course.studied.all():
        return course.pool_events
    rows = rows_of(walk, np.arange(int(track.matched[-1]) + 1) if ended else None)
    rows = rows[course.studied[course.events.arm[rows]]]
    return np.bincount(course.pool[rows], minlength=len(course.pools))
