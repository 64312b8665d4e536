"""`replay` and `replay_many`: what policies would have earned on a log, or on several.

Many runs give a distribution instead of a number.  A stochastic policy plays differently with every
seed, so it replays the same log in every run, each time several times over because replay uses up
events.  A deterministic policy would play the same run each time, so it gets windows that slide
over the log.  Either way runs share events and are not independent; results say so, and how many
independent runs the windows are equivalent to.

Several logs are independent: each is replayed by itself, and the mean of each is one number.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from highseason.core.executors import Executors, opened
from highseason.core.parallel import map_blocks
from highseason.core.random import seed_key
from highseason.core.validation import one_of, whole_number
from highseason.logs.diagnostics import LogSummary, SeparateLogs
from highseason.logs.events import Events
from highseason.logs.player import Init, Player, ReplayOptions, Schedule, is_stochastic
from highseason.logs.prepared_log import LogFile, PreparedLog, forgetting_files
from highseason.logs.result import RepeatedReplay, ReplayOutcome, ReplayResult
from highseason.policies import Policy
from highseason.policies.base import Policies, labelled

Progress = Callable[[int, int], None]
How = Literal["auto", "repeat", "windows"]

#: What `replay_many` takes for a log.
AnyLog: TypeAlias = Events | PreparedLog | LogFile | str | os.PathLike[str]


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
    corrects it.  `logs.replay_kernel` says step by step what happens to an event.

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
    log = _prepare(events, bin, arms)
    options = _options(turns, known_lifetimes, init, reweigh)
    seated = [_seated(players, log, options)]
    schedule = Schedule(players, ["repeat"] * len(players), seated, options, int(seed))
    [by_policy], [summary] = _play(schedule, executor, workers, progress)
    outcomes = [
        replace(run, label=label) for label, [(run, _)] in zip(labels, by_policy, strict=True)
    ]
    return ReplayResult(tuple(outcomes), summary, int(seed))


def _play(
    schedule: Schedule, executor: Executors, workers: int | None, progress: Progress | None
) -> tuple[list[list[list[tuple[ReplayOutcome, float]]]], list[LogSummary]]:
    """All runs, by log and policy, each with its ground truth; and the summary of each log."""
    played: list[list[list[tuple[ReplayOutcome, float]]]]
    played, logs = [[[] for _ in schedule.policies] for _ in schedule.logs], []
    with opened(executor, workers) as pool, forgetting_files():
        blocks, done = schedule.blocks(pool.workers), 0
        total = sum(len(block.runs) for block in blocks)
        for block, some in zip(blocks, map_blocks(schedule.play, blocks, pool), strict=True):
            played[block.log][block.policy] += some.runs
            logs += [some.log] if some.log is not None else []
            done += len(block.runs)
            if progress is not None:
                progress(done, total)
    return played, logs


def _prepare(log: Events | PreparedLog, length: float, arms: Sequence[str] | None) -> PreparedLog:
    if not isinstance(log, PreparedLog):
        log = PreparedLog.of(log, length, arms)
    elif length != 1 or arms is not None:
        raise ValueError("a PreparedLog already has bins and arms: pass them to PreparedLog.of")
    return log


def _options(
    turns: int | None, known_lifetimes: bool, init: Init, reweigh: str | None
) -> ReplayOptions:
    if reweigh not in (None, "accept"):
        raise ValueError(f"reweigh must be 'accept' or None, got {reweigh!r}")
    return ReplayOptions(turns, known_lifetimes, init, reweigh == "accept")


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
    options = _options(turns, known_lifetimes, init, reweigh)
    one = isinstance(events, Events | PreparedLog | LogFile | str | os.PathLike)
    given = cast(Sequence[AnyLog], [events] if one else events)
    logs = [_ready(log, bin, arms) for log in given]
    names = _names(logs)
    _check_ground_truth(ground_truth, logs)
    auto = ["repeat" if is_stochastic(policy) else "windows" for policy in players]
    schedule = Schedule(
        players,
        auto if how == "auto" else [how] * len(players),
        [_seated(players, log, options) for log in logs],
        options, int(seed), runs, times, shuffle, window, step, ground_truth,
    )  # fmt: skip
    played, summaries = _play(schedule, executor, workers, progress)
    summary = summaries[0] if one else SeparateLogs(names, tuple(summaries))
    results = [
        schedule.sum_up(label, i, [of_log[i] for of_log in played], summary)
        for i, label in enumerate(labels)
    ]
    return RepeatedReplay(tuple(results), summary, int(seed))


def _seated(
    policies: Sequence[Policy], log: PreparedLog | LogFile, options: ReplayOptions
) -> Sequence[Player] | LogFile:
    if isinstance(log, LogFile):
        return log
    return [Player(policy, log, options) for policy in policies]


def _ready(log: AnyLog, length: float, arms: Sequence[str] | None) -> PreparedLog | LogFile:
    if isinstance(log, str | os.PathLike):
        chosen = arms if arms is None or isinstance(arms, str) else tuple(arms)
        return LogFile(log, length, chosen)
    return log if isinstance(log, LogFile) else _prepare(log, length, arms)


def _names(logs: Sequence[PreparedLog | LogFile]) -> tuple[str, ...]:
    """What each log is called; one given twice would count twice."""
    names = tuple(
        str(log.path) if isinstance(log, LogFile) else f"log {i}" for i, log in enumerate(logs, 1)
    )
    if len(set(names)) < len(names) or not names:
        raise ValueError(f"expected different logs, at least one, got {', '.join(names) or 'none'}")
    return names


def _check_ground_truth(
    truth: NDArray[np.float64] | None, logs: Sequence[PreparedLog | LogFile]
) -> None:
    if truth is None:
        return
    events = [len(log.events) for log in logs if isinstance(log, PreparedLog)]
    if [truth.size] != events or len(logs) > 1:
        raise ValueError(
            f"ground_truth must have one number per event of one log in memory: got {truth.size:,} "
            f"for {', '.join(f'{n:,}' for n in events) or 'unread'} events"
        )
