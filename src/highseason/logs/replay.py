"""`replay` and `replay_many`: what policies would have earned on a log, or on several.

Many runs give a distribution instead of a number.  A stochastic policy plays differently with every
seed, so it replays the same log in every run, each time several times over because replay uses up
events.  A deterministic policy would play the same run each time, so it gets windows that slide
over the log.  Either way runs share events and are not independent; results say so, and how many
independent runs the windows are equivalent to.

Several logs are independent: each is replayed by itself, and the mean of each is one number.

A block is some runs of one policy on one log, which any worker can replay by itself.  A log in a
file is read by the workers that replay it, so the caller holds none of them.
"""

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from highseason.core.parallel import Executors, map_blocks, opened
from highseason.core.random import TIES, draw, game_key, hash_at, seed_key, turn_key
from highseason.core.validation import one_of, whole_number
from highseason.logs import replay_kernel as kernel
from highseason.logs.diagnostics import (
    Evidence,
    LogSummary,
    SeparateLogs,
    diagnose,
    issues,
    pool_evidence,
)
from highseason.logs.estimators import effective_size, mean_estimate, weighted_estimates
from highseason.logs.events import Events
from highseason.logs.prepared_log import LogFile, PreparedLog, cached, forgetting_files
from highseason.logs.replay_kernel import (
    EventOrder,
    Init,
    Player,
    ReplayOptions,
    ReplayTrace,
    is_stochastic,
)
from highseason.logs.result import RepeatedReplay, ReplayResult, ReplayRun, Runs
from highseason.policies import Policy
from highseason.policies.base import Policies, labelled
from highseason.traffic.dates import Order

Progress = Callable[[int, int], None]
How = Literal["auto", "repeat", "windows"]

#: Checkpoints of the running mean.
_POINTS = 200
#: Events that a worker replays at a time, at most; and blocks of a policy for each worker.
_BLOCK_EVENTS, _BLOCKS = 8_000_000, 4

Players: TypeAlias = Sequence[Player] | LogFile

#: What is taken for a log.
AnyLog: TypeAlias = Events | PreparedLog | LogFile | str | os.PathLike[str]


def replay(
    policies: Policies,
    events: AnyLog | Any,
    *,
    time: str = "time",
    arm: str = "arm",
    reward: str = "reward",
    pool: str | None = None,
    propensity: str | None = None,
    dates: Order | None = None,
    bin: float = 1,  # noqa: A002  # the paper's word for it
    arms: Sequence[str] | None = None,
    turns: int | None = None,
    known_lifetimes: bool = True,
    init: Init = "first-shown",
    reweigh: str | None = None,
    reward_range: tuple[float, float] | None = None,
    seed: int = 0,
    executor: Executors = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ReplayResult:
    """Replay a log for every policy: use the events whose arm the policy would have shown.

    On a log that was drawn uniformly at random from pools of one size, the mean over the events
    used is an unbiased estimate of what the policy earns per turn, because whether an event is used
    does not depend on its reward.  Where pools differ in size, an event is used with probability
    one over its pool's size: the mean over-weights small pools, and `ReplayRun.weighted`
    corrects it.  `logs.replay_kernel` says step by step what happens to an event.

    G(t) is the number of events in the event's time bin, including those of arms that are not
    studied.  It regulates the policy; rewards are not multiplied by it.  Thresholds on G (`q0.75`)
    and the smallest G are computed from all events of the log, as in the paper's study, where
    traffic is known in advance; the weight of the turns to come (`view.future`) is not.  Ages and
    ends of arms are counted in bins.

    Args:
        policies: One, several, or several by label; text is parsed as on the command line.
        events: The log; a `PreparedLog` to reuse the preparation; or the path of an event table, or
            a `LogFile`, which the worker reads; or a DataFrame with a row per display.
        time: The column of times of a DataFrame.
        arm: Its column of the arms shown.
        reward: Its column of rewards.
        pool: Its column of the arms on offer, each a list; None: the one called pool, or else every
            arm always was.
        propensity: Its column of the probability with which the arm was shown; None: the one called
            propensity, if there is one.
        dates: The order of day, month and year, if its dates leave it open: dmy, mdy or ymd.
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
        reward_range: The least and the greatest that a reward may be, such as (0, 70): policies
            learn rewards as shares of it, so the unit of money makes no difference.  Rewards from 0
            to 1 need none, and neither do policies such as greedy, which take any rewards.
        seed: Same seed, same result.  A stochastic policy draws again for every event.
        executor: Where policies are replayed, each by one worker: "local" (all cores), "serial",
            "ray", "dask", "ray://HOST:PORT", "dask://HOST:PORT", or any
            `concurrent.futures.Executor`.
        workers: How many workers; all there are if None.
        progress: Called with (policies done, total).

    Returns:
        A `ReplayResult`: `result["ucb"]` is what a policy would have earned, as a `ReplayRun`;
        printing it shows a table, what was used of the log, and how far to trust each estimate.

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
    if hasattr(events, "iloc"):
        events = Events.from_frame(events, time, arm, reward, pool, propensity, dates)
    options = ReplayOptions(turns, known_lifetimes, init, reweigh, reward_range)
    logs = [_players(players, events, bin, arms, options)]
    schedule = _Schedule(players, ["repeat"] * len(players), logs, options, int(seed))
    [by_policy], [summary] = schedule.play(executor, workers, progress)
    runs = [replace(run, label=label) for label, [(run, _)] in zip(labels, by_policy, strict=True)]
    return ReplayResult(tuple(runs), summary, int(seed))


def replay_many(
    policies: Policies,
    events: AnyLog | Sequence[AnyLog],
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
    reward_range: tuple[float, float] | None = None,
    ground_truth: NDArray[np.float64] | None = None,
    seed: int = 0,
    executor: Executors = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> RepeatedReplay:
    """Replay a log many times for every policy, as the paper's study does; or many logs.

    G is counted once, on the log itself, however often its events are replayed.

    Several logs are several histories: policies start afresh on each, thresholds such as q0.75 and
    lifetimes are those of each, and the mean over its runs is one number of the result, whatever
    its length.  Logs are taken for independent, so errors and tests between logs are valid.  Files
    that continue each other are one log: `convert` makes one of them.

    Args:
        policies: As in `replay`.
        events: As in `replay`; or several logs, also as paths of event tables or `LogFile`s, which
            the workers read.
        runs: The number of runs of each policy; with windows, at most as many as fit.
        how: "repeat": every run replays the whole log, `times` over, with its own random numbers.
            "windows": run i replays `window` events from event i·step on.  "auto": repeat for
            stochastic policies, windows for deterministic ones.
        times: How many times each run replays the log.
        shuffle: Also shuffle the events of each run (each keeps its G).  Valid only for a fixed
            pool and rates that do not drift.
        window: The number of events in a window.
        step: From the first event of one window to that of the next.
        bin: As in `replay`; so are `arms`, `turns`, `known_lifetimes`, `init`, `reweigh` and
            `reward_range`.
        arms: The arms to study.
        turns: Stop each run after this many matched turns.
        known_lifetimes: Whether policies know when an arm ends.
        init: How untried arms begin.
        reweigh: "accept" thins a log with known propensities.
        reward_range: The least and the greatest that a reward may be.
        ground_truth: Another number per event whose mean over each run is reported: for a
            generated log, the true rate of the arm shown.  Policies do not learn from it.
        seed: Same seed, same result, on any executor and any number of workers.
        executor: As in `replay`; a worker replays a few runs of a policy at a time.
        workers: How many workers; all there are if None.
        progress: Called with (runs done, total).

    Returns:
        A `RepeatedReplay`: `result["ucb"]` are the `Runs` of a policy, and
        `result.compare("ucb", "greedy")` tests whether one earns more than another.

    >>> import highseason as hs
    >>> t, shown = np.arange(6000), np.random.default_rng(1).choice(list("abcde"), 6000)
    >>> log = hs.logs.Events.of(t // 9, shown, t % 9 == 0, [list("abcde")] * 6000)
    >>> result = replay_many(["epsilon-greedy", "ucb"], log, runs=20, window=2000, step=200)
    >>> result["epsilon-greedy"].how, result["ucb"].how, result["ucb"].independent
    ('repeat', 'windows', 2.9)
    """
    seed_key(seed)
    labels, players = labelled(policies)
    for name, value in (("runs", runs), ("times", times), ("window", window), ("step", step)):
        whole_number(name, value, at_least=1)
    one_of("how", how, ("auto", "repeat", "windows"))
    options = ReplayOptions(turns, known_lifetimes, init, reweigh, reward_range)
    single = isinstance(events, Events | PreparedLog | LogFile | str | os.PathLike)
    is_one = single or hasattr(events, "iloc")
    given = cast(Sequence[AnyLog], [events] if is_one else events)
    logs = [_players(players, log, bin, arms, options) for log in given]
    names = tuple(
        str(log.path) if isinstance(log, LogFile) else f"log {i}" for i, log in enumerate(logs, 1)
    )
    if len(set(names)) < len(names) or not names:  # one given twice would count twice
        raise ValueError(f"expected different logs, at least one, got {', '.join(names) or 'none'}")
    if ground_truth is not None:
        counts = [len(log[0].log.events) for log in logs if not isinstance(log, LogFile)]
        if [ground_truth.size] != counts or len(logs) > 1:
            raise ValueError(
                "ground_truth must have one number per event of one log in memory: got "
                f"{ground_truth.size:,} for {', '.join(map(str, counts)) or 'unread'} events"
            )
    auto = ["repeat" if is_stochastic(policy) else "windows" for policy in players]
    ways = auto if how == "auto" else [how] * len(players)
    schedule = _Schedule(
        players, ways, logs, options, int(seed), runs, times, shuffle, window, step, ground_truth
    )
    played, summaries = schedule.play(executor, workers, progress)
    summary = summaries[0] if is_one else SeparateLogs(names, tuple(summaries))
    results = [
        schedule.sum_up(label, i, [of_log[i] for of_log in played], summary)
        for i, label in enumerate(labels)
    ]
    return RepeatedReplay(tuple(results), summary, int(seed))


def _players(
    policies: Sequence[Policy],
    log: AnyLog,
    length: float,
    arms: Sequence[str] | None,
    options: ReplayOptions,
) -> Players:
    """The policies on a log; or its file, for which each worker makes them ready."""
    if isinstance(log, str | os.PathLike):
        chosen = arms if arms is None or isinstance(arms, str) else tuple(arms)
        return LogFile(log, length, chosen)
    if isinstance(log, LogFile):
        return log
    if hasattr(log, "iloc"):
        log = Events.from_frame(log)
    if isinstance(log, Events):
        log = PreparedLog.of(log, length, arms)
    elif length != 1 or arms is not None:
        raise ValueError("a PreparedLog already has bins and arms: pass them to PreparedLog.of")
    return [Player(policy, log, options) for policy in policies]


#: What one run earned, and the mean ground truth of the events it matched.
_Played: TypeAlias = tuple[ReplayRun, float]


class _RunBlock(NamedTuple):
    """Some runs of one policy on one log."""

    log: int
    policy: int
    runs: range


@dataclass(frozen=True)
class _Schedule:
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

    def play(
        self, executor: Executors, workers: int | None, progress: Progress | None
    ) -> tuple[list[list[list[_Played]]], list[LogSummary]]:
        """All runs by log and policy, each with its ground truth; and the summary of each log."""
        played: list[list[list[_Played]]]
        played, logs = [[[] for _ in self.policies] for _ in self.logs], []
        with opened(executor, workers) as pool, forgetting_files():
            blocks = [
                _RunBlock(log, policy, part)
                for log in range(len(self.logs))
                for policy in range(len(self.policies))
                for part in self._parts(log, policy, pool.workers)
            ]
            done, total = 0, sum(len(block.runs) for block in blocks)
            results = map_blocks(self.play_block, blocks, pool)
            for block, (some, summary) in zip(blocks, results, strict=True):
                played[block.log][block.policy] += some
                logs += [summary] if summary is not None else []
                done += len(block.runs)
                if progress is not None:
                    progress(done, total)
        return played, logs

    def _parts(self, log: int, policy: int, workers: int) -> list[range]:
        """The runs of a policy on a log, in parts of about a second if its length is known."""
        players, how, runs, read = self.logs[log], self.ways[policy], range(self.runs), 1
        if not isinstance(players, LogFile):
            events = len(players[policy].log.events)
            read = max(1, self.window if how == "windows" else events * self.times)
            runs = self._numbers(how, events)
        parts = max(1, _BLOCKS * workers // len(self.logs))
        size = max(1, min(_BLOCK_EVENTS // read, -(-len(runs) // parts)))
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

    def play_block(self, block: _RunBlock) -> tuple[list[_Played], LogSummary | None]:
        """What a worker does; with the first block of a log comes its summary."""
        players, how = self.logs[block.log], self.ways[block.policy]
        if isinstance(players, LogFile):
            player = Player(self.policies[block.policy], cached(players), self.options)
        else:
            player = players[block.policy]
        there = self._numbers(how, len(player.log.events))
        played = [self._run(player, how, block.log, i) for i in block.runs if i in there]
        first = block.policy == 0 and block.runs.start == 0
        return played, diagnose(player.log) if first else None

    def _run(self, player: Player, how: str, log: int, run: int) -> _Played:
        """One run, with random numbers of its own, and the ground truth of the events matched."""
        number = log * self.runs + run
        order = self._order(how, run, number, len(player.log.events))
        trace = player.play(order, self.seed, number)
        done = _run_of(player, order, trace)
        if self.ground_truth is None or not done.turns:
            return done, math.nan
        return done, float(self.ground_truth[order.rows(trace.matched)].sum()) / done.turns

    def _order(self, how: str, run: int, number: int, events: int) -> EventOrder:
        if how == "windows":
            return EventOrder.window(run * self.step, self.window)
        if not self.shuffle:
            return EventOrder.whole(events, self.times)
        # The random numbers of turn 0, which no event uses.
        key = np.uint64(hash_at(turn_key(game_key(self.seed, number), 0), TIES))
        numbers = draw(key, np.arange(events * self.times, dtype=np.uint64))
        return EventOrder.shuffled(np.argsort(numbers, kind="stable") % max(1, events))

    def sum_up(
        self,
        label: str,
        policy: int,
        by_log: Sequence[Sequence[_Played]],
        log: LogSummary | SeparateLogs,
    ) -> Runs:
        """All runs of a policy; of several logs, those of each are taken together."""
        played = [one for runs in by_log for one in runs]
        runs = [run for run, _ in played]
        units: list[list[ReplayRun]] = [[run] for run in runs]
        evidence: Evidence = pool_evidence(runs)
        how = self.ways[policy]
        if isinstance(log, SeparateLogs):
            units, how = [[run for run, _ in log] for log in by_log], "logs"
            evidence = pool_evidence([pool_evidence(unit) for unit in units])
        with_turns = [[run.mean.value for run in unit if run.turns] for unit in units]
        count, known = len(units), self.ground_truth is not None
        independent = min(float(count), (count - 1) * self.step / self.window + 1)
        ended = [run.turns < (self.options.turns or 0) for run in runs]
        return Runs(
            label=label,
            policy=runs[0].policy,
            how=how,
            means=np.array([mean_estimate(np.array(unit)).value for unit in with_turns]),
            turns=np.array([sum(run.turns for run in unit) for unit in units], np.int64),
            rewards=np.array([math.fsum(run.reward for run in unit) for unit in units]),
            exhausted=sum(ended),
            independent=independent if how == "windows" else None,
            block={"windows": -(-self.window // self.step), "logs": 1}.get(how, 0),
            ground_truth=np.array([truth for _, truth in played]) if known else None,
            read=sum(run.read for run in runs),
            rejected={why: sum(o.rejected[why] for o in runs) for why in runs[0].rejected},
            effective_size=evidence.effective_size,
            per_visitor=evidence.weighted.snips.value if evidence.weighted else None,
            issues=tuple(issues(evidence, log.uniformity)),
        )


def _run_of(player: Player, order: EventOrder, trace: ReplayTrace) -> ReplayRun:
    """Sum up one run of a player."""
    log, policy, counts = player.log, player.policy, trace.counts
    rows, lowest = order.rows(trace.matched), player.lowest_propensity
    reward, turns = log.reward[rows], int(counts[kernel.MATCHED])
    at = np.unique(np.linspace(1, turns, min(_POINTS, turns)).round().astype(np.int64))
    asked, chosen = int(counts[kernel.ASKED]), trace.kind != kernel.TRIED
    propensity = log.propensity(rows) if lowest is None else lowest[log.pool[rows]]
    weighted = None
    has_propensities = log.events.propensity is not None and lowest is None
    if has_propensities or np.unique(propensity[chosen]).size > 1:
        read = asked + int(counts[kernel.SKIPPED])
        weighted = weighted_estimates(reward[chosen], propensity[chosen], read)
    rejected = {reason: int(counts[place]) for reason, place in _REASONS.items()}
    rejected["after the last turn"] = order.events - sum(rejected.values()) - turns
    z, high_turns = policy.threshold, None
    if isinstance(z, int | float) and not math.isinf(z):  # which is not meant to separate turns
        high_turns = int((log.bins.counts[log.bins.of[rows]] >= z).sum())
    return ReplayRun(
        label="",
        policy=str(policy),
        read=order.events,
        rejected=rejected,
        turns=turns,
        requested=player.options.turns,
        reward=float(reward.sum()),
        rewarded=int(np.count_nonzero(reward)),
        mean=mean_estimate(reward),
        asked=asked,
        matched_share=int(chosen.sum()) / asked if asked else math.nan,
        expected_share=_expected_share(player, order, trace),
        exploited_share=float((trace.kind == kernel.EXPLOITED).mean()) if turns else math.nan,
        effective_size=effective_size(1.0 / propensity),
        curve_turns=at,
        curve_means=np.cumsum(reward)[at - 1] / at if turns else np.zeros(0),
        weighted=weighted,
        thinned=rejected["thinned"],
        high_turns=high_turns,
    )


#: Why an event was not used, with its place among the counts of a trace.
_REASONS = {
    "arm not studied": kernel.NOT_STUDIED,
    "arm not in its pool": kernel.NOT_IN_POOL,
    "thinned": kernel.THINNED,
    "while other arms were untried": kernel.WAITING,
    "another arm chosen": kernel.OTHER_ARM,
}


def _expected_share(player: Player, order: EventOrder, trace: ReplayTrace) -> float:
    """The mean of one over the pool's size, over the events of studied arms that were read."""
    log, lowest, sizes = player.log, player.lowest_propensity, np.maximum(player.log.pools.sizes, 1)
    is_complete = trace.matched.size == player.options.turns  # and read no further
    if order.covers(len(log.events)) and not is_complete and log.studied.all():
        read = log.pool_events.astype(np.float64)
    else:
        rows = order.rows(np.arange(int(trace.matched[-1]) + 1) if is_complete else None)
        pools = log.pool[rows[log.studied[log.events.arm[rows]]]]
        read = np.bincount(pools, minlength=len(log.pools)).astype(np.float64)
    if not read.any():
        return math.nan
    if lowest is not None:  # the share of a pool's events that thinning leaves
        read *= np.where(read > 0, sizes * lowest, 0.0)
    return float((read / sizes).sum() / read.sum())
