"""The runs of a replay: which events each reads, in blocks that any worker can replay by itself.

A block is some runs of one policy on one log.  A log in a file is read by the workers that replay
it, so the caller holds none of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import TIES, draw, game_key, hash_at, turn_key
from highseason.logs.diagnostics import (
    Evidence,
    LogSummary,
    SeparateLogs,
    diagnose,
    issues,
    pool_evidence,
)
from highseason.logs.estimators import effective_size, mean_estimate, weighted_estimates
from highseason.logs.kernels import records
from highseason.logs.kernels.records import RecordOrder, ReplayTrace
from highseason.logs.log_file import LogFile, cached
from highseason.logs.player import Player, ReplayOptions
from highseason.logs.prepared_log import PreparedLog
from highseason.logs.result import ReplayOutcome, Runs
from highseason.policies import Policy

#: Checkpoints of the running mean.
_POINTS = 200
#: Records that a worker replays at a time, at most; and blocks of a policy for each worker.
_BLOCK_RECORDS, _BLOCKS = 8_000_000, 4

#: The policies on a log; or its file, for which each worker makes them ready.
Players: TypeAlias = Sequence[Player] | LogFile


class RunBlock(NamedTuple):
    """Some runs of one policy on one log."""

    log: int
    policy: int
    runs: range


class PlayedBlock(NamedTuple):
    """The runs of a block, each with its mean ground truth; the log is summed up with its first."""

    runs: list[tuple[ReplayOutcome, float]]
    log: LogSummary | None


@dataclass(frozen=True)
class Schedule:
    """All runs of all policies on all logs; `ways` says how the runs of each policy are made."""

    policies: Sequence[Policy]
    ways: Sequence[str]
    logs: Sequence[Players]
    options: ReplayOptions
    seed: int
    runs: int = 1
    times: int = 1
    shuffle: bool = False
    window: int = 1
    step: int = 1
    ground_truth: NDArray[np.float64] | None = None

    def blocks(self, workers: int) -> list[RunBlock]:
        """All runs, those of a log together, in blocks of about a second if its length is known."""
        return [
            RunBlock(log, policy, part)
            for log in range(len(self.logs))
            for policy in range(len(self.policies))
            for part in self._parts(log, policy, workers)
        ]

    def _parts(self, log: int, policy: int, workers: int) -> list[range]:
        players, how, runs, records = self.logs[log], self.ways[policy], range(self.runs), 1
        if not isinstance(players, LogFile):
            events = len(players[policy].log.events)
            records = max(1, self.window if how == "windows" else events * self.times)
            runs = self._numbers(how, events)
        parts = max(1, _BLOCKS * workers // len(self.logs))
        size = max(1, min(_BLOCK_RECORDS // records, -(-len(runs) // parts)))
        return [runs[at : at + size] for at in range(0, len(runs), size)]

    def _numbers(self, how: str, events: int) -> range:
        """The runs: as many as requested, or as many windows as fit."""
        if how == "repeat":
            return range(self.runs)
        if events < self.window:
            raise ValueError(
                f"the log has {events:,} events, fewer than one window of {self.window:,}: give a "
                "smaller window="
            )
        return range(min(self.runs, (events - self.window) // self.step + 1))

    def play(self, block: RunBlock) -> PlayedBlock:
        """What a worker does."""
        players, how = self.logs[block.log], self.ways[block.policy]
        if isinstance(players, LogFile):
            player = Player(self.policies[block.policy], cached(players), self.options)
        else:
            player = players[block.policy]
        there = self._numbers(how, len(player.log.events))
        played = [self._run(player, how, block.log, i) for i in block.runs if i in there]
        first = block.policy == 0 and block.runs.start == 0
        return PlayedBlock(played, diagnose(player.log) if first else None)

    def _run(self, player: Player, how: str, log: int, run: int) -> tuple[ReplayOutcome, float]:
        """One run, with random numbers of its own, and the ground truth of the events matched."""
        number = log * self.runs + run
        order = self._order(how, run, number, len(player.log.events))
        trace = player.play(order, self.seed, number)
        outcome = _outcome(player, order, trace)
        if self.ground_truth is None or not outcome.turns:
            return outcome, math.nan
        return outcome, float(self.ground_truth[order.rows(trace.matched)].sum()) / outcome.turns

    def _order(self, how: str, run: int, number: int, events: int) -> RecordOrder:
        if how == "windows":
            return RecordOrder.window(run * self.step, self.window)
        if not self.shuffle:
            return RecordOrder.whole(events, self.times)
        # The random numbers of turn 0, which no event uses.
        key = np.uint64(hash_at(turn_key(game_key(self.seed, number), 0), TIES))
        numbers = draw(key, np.arange(events * self.times, dtype=np.uint64))
        return RecordOrder.shuffled(np.argsort(numbers, kind="stable") % max(1, events))

    def sum_up(
        self,
        label: str,
        policy: int,
        by_log: Sequence[Sequence[tuple[ReplayOutcome, float]]],
        log: LogSummary | SeparateLogs,
    ) -> Runs:
        """All runs of a policy; of several logs, those of each are taken together."""
        played = [one for runs in by_log for one in runs]
        outcomes = [outcome for outcome, _ in played]
        units: list[list[ReplayOutcome]] = [[outcome] for outcome in outcomes]
        evidence: Evidence = pool_evidence(outcomes)
        how = self.ways[policy]
        if isinstance(log, SeparateLogs):
            units, how = [[outcome for outcome, _ in runs] for runs in by_log], "logs"
            evidence = pool_evidence([pool_evidence(unit) for unit in units])
        count, known = len(units), self.ground_truth is not None
        independent = min(float(count), (count - 1) * self.step / self.window + 1)
        ended = [outcome.turns < (self.options.turns or 0) for outcome in outcomes]
        return Runs(
            label=label,
            policy=outcomes[0].policy,
            how=how,
            means=np.array([_mean(unit) for unit in units]),
            turns=np.array([sum(outcome.turns for outcome in unit) for unit in units], np.int64),
            rewards=np.array([sum(outcome.reward for outcome in unit) for unit in units]),
            exhausted=sum(ended),
            independent=independent if how == "windows" else None,
            block={"windows": -(-self.window // self.step), "logs": 1}.get(how, 0),
            ground_truth=np.array([truth for _, truth in played]) if known else None,
            read=sum(outcome.read for outcome in outcomes),
            rejected={why: sum(o.rejected[why] for o in outcomes) for why in outcomes[0].rejected},
            effective_size=evidence.effective_size,
            per_visitor=evidence.weighted.snips.value if evidence.weighted else None,
            issues=tuple(issues(evidence, log.uniformity)),
        )


def _mean(runs: Sequence[ReplayOutcome]) -> float:
    """The mean over runs of those that have one."""
    return mean_estimate(np.array([run.mean.value for run in runs if run.turns])).value


def _outcome(player: Player, order: RecordOrder, trace: ReplayTrace) -> ReplayOutcome:
    """Sum up one run of a player."""
    log, policy, counts = player.log, player.policy, trace.counts
    rows, lowest = order.rows(trace.matched), player.lowest_propensity
    reward, turns = log.reward[rows], int(counts[records.MATCHED])
    at = np.unique(np.linspace(1, turns, min(_POINTS, turns)).round().astype(np.int64))
    asked, chosen = int(counts[records.ASKED]), trace.kind != records.TRIED
    propensity = log.propensity(rows) if lowest is None else lowest[log.pool[rows]]
    weighted = None
    has_propensities = log.events.propensity is not None and lowest is None
    if has_propensities or np.unique(propensity[chosen]).size > 1:
        read = asked + int(counts[records.SKIPPED])
        weighted = weighted_estimates(reward[chosen], propensity[chosen], read)
    rejected = {reason: int(counts[place]) for reason, place in _REASONS.items()}
    rejected["after the last turn"] = order.records - sum(rejected.values()) - turns
    low, high = log.reward_range
    unsuitable = policy.rule.traits.unit_range and (low < 0 or high > 1)
    return ReplayOutcome(
        label="",
        policy=str(policy),
        read=order.records,
        rejected=rejected,
        turns=turns,
        requested=player.options.turns,
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
    return int((G >= z).sum())


#: Why an event was not used, with its place among the counts of a trace.
_REASONS = {
    "arm not studied": records.NOT_STUDIED,
    "arm not in its pool": records.NOT_IN_POOL,
    "thinned": records.THINNED,
    "while other arms were untried": records.WAITING,
    "another arm chosen": records.OTHER_ARM,
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
    log, complete = player.log, trace.matched.size == player.options.turns
    if order.covers(len(log.events)) and not complete and log.studied.all():
        return log.pool_records
    rows = order.rows(np.arange(int(trace.matched[-1]) + 1) if complete else None)
    rows = rows[log.studied[log.events.arm[rows]]]
    return np.bincount(log.pool[rows], minlength=len(log.pools))
