"""`replay` and `replay_many`: what policies would have earned on a log.

Many runs give a distribution instead of a number.  A stochastic policy plays differently with every
seed, so it replays the same log in every run, each time several times over because replay uses up
events.  A deterministic policy would play the same run each time, so it gets windows that slide
over the log.  Either way runs share events and are not independent; results say so, and how many
independent runs the windows are equivalent to.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.executors import Executors, opened
from highseason.core.parallel import map_blocks
from highseason.core.random import TIES, draw, game_key, hash_at, seed_key, turn_key
from highseason.core.validation import one_of, whole_number
from highseason.games.simulate import Policies, labelled
from highseason.logs.events import Events
from highseason.policies import Policy
from highseason.replay.diagnostics import diagnose, issues, pool_evidence
from highseason.replay.estimators import effective_size, mean_estimate, weighted_estimates
from highseason.replay.kernels import records
from highseason.replay.kernels.records import RecordOrder, ReplayTrace
from highseason.replay.player import Init, Player, ReplayOptions, is_stochastic
from highseason.replay.prepared_log import PreparedLog
from highseason.replay.result import RepeatedReplay, ReplayOutcome, ReplayResult, Runs

Progress = Callable[[int, int], None]
How = Literal["auto", "repeat", "windows"]

#: Checkpoints of the running mean.
_POINTS = 200
#: Records that a worker replays at a time, at most; and blocks of a policy for each worker.
_BLOCK_RECORDS, _BLOCKS = 8_000_000, 4


def replay(
    policies: Policies,
    events: Events | PreparedLog,
    *,
    bin: float = 1,  # noqa: A002  # the paper's word for it
    arms: Sequence[str] | None = None,
    turns: int | None = None,
    known_lifetimes: bool = True,
    init: Init = "first-shown",
    reweigh: str | None = None,
    seed: int = 0,
    executor: Executors = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ReplayResult:
    """Replay a log for every policy: use the events whose arm the policy would have shown.

    On a log that was drawn uniformly at random from pools of one size, the mean over the events
    used is an unbiased estimate of what the policy earns per turn, because whether an event is used
    does not depend on its reward.  Where pools differ in size, an event is used with probability
    one over its pool's size: the mean over-weights small pools, and `ReplayOutcome.weighted`
    corrects it.  `replay.reference.replay_reference` defines step by step what happens to an event.

    G(t) is the number of events in the event's time bin, including those of arms that are not
    studied.  It regulates the policy; rewards are not multiplied by it.  Thresholds on G (`q0.75`)
    and the smallest G are computed from all events of the log, as in the paper's study, where
    traffic is known in advance; the weight of the turns to come (`view.future`) is not.  Ages and
    ends of arms are counted in bins.

    Args:
        policies: One, several, or several by label; text is parsed as on the command line.
        events: The log, or a `PreparedLog` to reuse the preparation.
        bin: The length of a time bin in the log's unit of time, usually seconds.
        arms: The ids of the arms to study; events of others are skipped, and pools mean their
            studied part.  All arms if None.
        turns: Stop after this many matched turns.  If the log ends before, the mean covers the
            turns reached.
        known_lifetimes: Whether policies for mortal arms know when an arm ends; if not, they assume
            the end of the log.
        init: How untried arms begin, for rules that try every arm once.  "first-shown": the first
            event that shows an untried arm is its first turn, in any order.  "rule": the arm must
            be the one the rule asks for, which on a pool of K arms takes K times as long.
        reweigh: "accept" thins a log with known propensities until every arm of a pool is equally
            likely, so that replay is valid for it too, at the cost of events.
        seed: Same seed, same result.  A stochastic policy draws again for every event.
        executor: Where policies are replayed, each by one worker: "local" (all cores), "serial",
            "ray", "dask", "ray://HOST:PORT", "dask://HOST:PORT", or any
            `concurrent.futures.Executor`.
        workers: How many workers; all there are if None.
        progress: Called with (policies done, total).

    >>> import numpy as np, highseason as hs
    >>> rng = np.random.default_rng(1)
    >>> shown = rng.choice(["a", "b"], 5000)
    >>> clicks = rng.random(5000) < np.where(shown == "b", 0.6, 0.2)
    >>> log = hs.logs.Events.of(np.arange(5000) // 8, shown, clicks, [["a", "b"]] * 5000)
    >>> result = replay(["uniform", "soft-ucb"], log)
    >>> result["soft-ucb"].mean.value > result["uniform"].mean.value + 0.1
    True
    """
    seed_key(seed)  # rejects an invalid seed before any work
    labels, players = labelled(policies)
    log = _prepare(events, bin, arms, reweigh)
    options = ReplayOptions(turns, known_lifetimes, init, reweigh == "accept")
    work = functools.partial(_replay_one, tuple(Player(p, log, options) for p in players), seed)
    outcomes = []
    for label, outcome in zip(
        labels,
        map_blocks(work, range(len(players)), executor, workers=workers),
        strict=True,
    ):
        outcomes.append(replace(outcome, label=label))
        if progress is not None:
            progress(len(outcomes), len(players))
    return ReplayResult(tuple(outcomes), diagnose(log), int(seed))


def _replay_one(players: Sequence[Player], seed: int, i: int) -> ReplayOutcome:
    """Replay the whole log once for one player."""
    order = RecordOrder.whole(len(players[i].log.events))
    return _outcome("", players[i], order, players[i].play(order, seed))


def _prepare(
    log: Events | PreparedLog, length: float, arms: Sequence[str] | None, reweigh: str | None
) -> PreparedLog:
    if not isinstance(log, PreparedLog):
        log = PreparedLog.of(log, length, arms)
    elif length != 1 or arms is not None:
        raise ValueError("a PreparedLog already has bins and arms: pass them to PreparedLog.of")
    if reweigh not in (None, "accept"):
        raise ValueError(f"reweigh must be 'accept' or None, got {reweigh!r}")
    if reweigh is not None and log.events.propensity is None:
        raise ValueError("the log has no propensities to thin it by: leave reweigh= out")
    return log


def replay_many(
    policies: Policies,
    events: Events | PreparedLog,
    *,
    runs: int = 100,
    how: How = "auto",
    times: int = 4,
    shuffle: bool = False,
    window: int = 100_000,
    step: int = 4_000,
    bin: float = 1,  # noqa: A002  # as in replay
    arms: Sequence[str] | None = None,
    turns: int | None = None,
    known_lifetimes: bool = True,
    init: Init = "first-shown",
    reweigh: str | None = None,
    ground_truth: NDArray[np.float64] | None = None,
    seed: int = 0,
    executor: Executors = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> RepeatedReplay:
    """Replay a log many times for every policy, as the paper's study does.

    G is counted once, on the log itself, however often its events are replayed.

    Args:
        policies: As in `replay`.
        events: As in `replay`.
        runs: The number of runs of each policy; with windows, at most as many as fit.
        how: "repeat": every run replays the whole log, `times` over, with its own random numbers.
            "windows": run i replays `window` events from event i·step on.  "auto": repeat for
            stochastic policies, windows for deterministic ones.
        times: How many times each run replays the log.
        shuffle: Also shuffle the events of each run (each keeps its G).  Valid only for a fixed
            pool and rates that do not drift.
        window: The number of events in a window.
        step: From the first event of one window to that of the next.
        bin: As in `replay`; so are `arms`, `turns`, `known_lifetimes`, `init` and `reweigh`.
        arms: The arms to study.
        turns: Stop each run after this many matched turns.
        known_lifetimes: Whether policies know when an arm ends.
        init: How untried arms begin.
        reweigh: "accept" thins a log with known propensities.
        ground_truth: Another number per event whose mean over each run is reported: for a
            generated log, the true rate of the arm shown.  Policies do not learn from it.
        seed: Same seed, same result, on any executor and any number of workers.
        executor: As in `replay`; a worker replays a few runs of a policy at a time.
        workers: How many workers; all there are if None.
        progress: Called with (runs done, total).

    >>> import highseason as hs
    >>> log = hs.logs.generate_events(0.01, seed=1, articles=5).events.take(slice(6000))
    >>> result = replay_many(["epsilon-greedy", "ucb"], log, runs=20, window=2000, step=200)
    >>> result["epsilon-greedy"].how, result["ucb"].how, result["ucb"].independent
    ('repeat', 'windows', 2.9)
    """
    seed_key(seed)
    labels, players = labelled(policies)
    for name, value in (("runs", runs), ("times", times), ("window", window), ("step", step)):
        whole_number(name, value, at_least=1)
    one_of("how", how, ("auto", "repeat", "windows"))
    log = _prepare(events, bin, arms, reweigh)
    options = ReplayOptions(turns, known_lifetimes, init, reweigh == "accept")
    if ground_truth is not None and ground_truth.shape != log.events.time.shape:
        raise ValueError(
            f"ground_truth must have one number per event: got {ground_truth.size:,} for "
            f"{len(log.events):,} events"
        )
    schedule = _Schedule(log, runs, times, shuffle, window, step, int(seed), ground_truth)
    auto = ["repeat" if is_stochastic(policy) else "windows" for policy in players]
    ways = auto if how == "auto" else [how] * len(players)
    everyone = [Player(policy, log, options) for policy in players]
    played: list[list[tuple[ReplayOutcome, float]]] = [[] for _ in everyone]
    with opened(executor, workers) as pool:
        blocks = [b for i, way in enumerate(ways) for b in schedule.blocks(i, way, pool.workers)]
        total = sum(len(block.runs) for block in blocks)
        work = functools.partial(_play_runs, schedule, everyone)
        for block, some in zip(blocks, map_blocks(work, blocks, pool), strict=True):
            played[block.player] += some
            if progress is not None:
                progress(sum(map(len, played)), total)
    results = map(schedule.sum_up, labels, everyone, ways, played)
    return RepeatedReplay(tuple(results), diagnose(log), int(seed))


class _RunBlock(NamedTuple):
    """Some runs of one player."""

    player: int
    how: str
    runs: range


def _play_runs(
    schedule: _Schedule, players: Sequence[Player], block: _RunBlock
) -> list[tuple[ReplayOutcome, float]]:
    return [schedule.play(players[block.player], block.how, run) for run in block.runs]


@dataclass(frozen=True)
class _Schedule:
    """Which events each run reads, and what the runs of a policy come to."""

    log: PreparedLog
    runs: int
    times: int
    shuffle: bool
    window: int
    step: int
    seed: int
    ground_truth: NDArray[np.float64] | None

    def numbers(self, how: str) -> range:
        """The runs: as many as requested, or as many windows as fit."""
        if how == "repeat":
            return range(self.runs)
        spare = len(self.log.events) - self.window
        if spare < 0:
            raise ValueError(
                f"the log has {len(self.log.events):,} events, fewer than one window of "
                f"{self.window:,}: give a smaller window="
            )
        return range(min(self.runs, spare // self.step + 1))

    def blocks(self, player: int, how: str, workers: int) -> list[_RunBlock]:
        """The runs of a player in blocks of about a second, fewer where workers would be idle."""
        runs = self.numbers(how)
        records = max(1, self.window if how == "windows" else len(self.log.events) * self.times)
        size = max(1, min(_BLOCK_RECORDS // records, -(-len(runs) // (_BLOCKS * workers))))
        return [_RunBlock(player, how, runs[at : at + size]) for at in range(0, len(runs), size)]

    def play(self, player: Player, how: str, run: int) -> tuple[ReplayOutcome, float]:
        """One run, and the mean ground truth of the events it matched."""
        order = self._order(how, run)
        trace = player.play(order, self.seed, run)
        outcome = _outcome("", player, order, trace)
        if self.ground_truth is None or not outcome.turns:
            return outcome, math.nan
        return outcome, float(self.ground_truth[order.rows(trace.matched)].sum()) / outcome.turns

    def _order(self, how: str, run: int) -> RecordOrder:
        events = len(self.log.events)
        if how == "windows":
            return RecordOrder.window(run * self.step, self.window)
        if not self.shuffle:
            return RecordOrder.whole(events, self.times)
        # The random numbers of turn 0, which no event uses.
        key = np.uint64(hash_at(turn_key(game_key(self.seed, run), 0), TIES))
        numbers = draw(key, np.arange(events * self.times, dtype=np.uint64))
        return RecordOrder.shuffled(np.argsort(numbers, kind="stable") % max(1, events))

    def sum_up(
        self, label: str, player: Player, how: str, played: list[tuple[ReplayOutcome, float]]
    ) -> Runs:
        """All runs of a policy."""
        outcomes = [outcome for outcome, _ in played]
        turns = np.array([outcome.turns for outcome in outcomes], np.int64)
        evidence = pool_evidence(outcomes)
        independent = min(float(turns.size), (turns.size - 1) * self.step / self.window + 1)
        known = self.ground_truth is not None
        return Runs(
            label=label,
            policy=str(player.policy),
            how=how,
            means=np.array([outcome.mean.value for outcome in outcomes]),
            turns=turns,
            rewards=np.array([outcome.reward for outcome in outcomes]),
            exhausted=int((turns < (player.options.turns or 0)).sum()),
            independent=independent if how == "windows" else None,
            block=-(-self.window // self.step) if how == "windows" else 0,
            ground_truth=np.array([truth for _, truth in played]) if known else None,
            read=sum(outcome.read for outcome in outcomes),
            rejected={why: sum(o.rejected[why] for o in outcomes) for why in outcomes[0].rejected},
            effective_size=evidence.effective_size,
            per_visitor=evidence.weighted.snips.value if evidence.weighted else None,
            issues=tuple(issues(evidence, diagnose(self.log).uniformity)),
        )


def _outcome(label: str, player: Player, order: RecordOrder, trace: ReplayTrace) -> ReplayOutcome:
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
        label=label,
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
    above = getattr(policy, "variant", "") == "authors_code"
    return int((G > z if above else G >= z).sum())


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
