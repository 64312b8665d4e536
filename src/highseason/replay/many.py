"""Many runs over one log, for a distribution instead of a number.

A randomised policy plays otherwise with every seed: it is given the same log again and again, each
time several times over, because replay uses records up.  A deterministic policy would play the same
game each time: it is given windows that slide over the log.  Either way runs share records and are
not independent; results say so, and how much the windows are worth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from highseason.core.parallel import worker_count
from highseason.core.random import TIES, draw, game_key, hash_at, seed_key, turn_key
from highseason.core.validation import whole_number
from highseason.games.simulate import Policies, labelled
from highseason.logs.events import Events
from highseason.policies import Policy
from highseason.replay.api import Progress, prepare_log, resolve_thinning
from highseason.replay.diagnostics import issues
from highseason.replay.kernels.records import Track, Walk
from highseason.replay.many_result import RepeatedReplay, Runs
from highseason.replay.outcome import ReplayOutcome, outcome
from highseason.replay.player import (
    Init,
    Options,
    Player,
    is_stochastic,
    rows_of,
    walk_all,
    walk_order,
    walk_window,
)
from highseason.replay.pooled import pooled
from highseason.replay.prepared_log import PreparedLog

How = Literal["auto", "repeat", "windows"]


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
    threads: int | None = None,
    progress: Progress | None = None,
) -> RepeatedReplay:
    """Replay a log many times for every policy, as the paper's study does.

    G is counted once, on the log as it is, however often its records are played.

    Args:
        policies: As in `replay`.
        events: As in `replay`.
        runs: How many runs of each policy; of windows, as many as fit.
        how: "repeat": every run plays the whole log, `times` over, with luck of its own.
            "windows": run i plays `window` records from record i·step on.  "auto": the former for
            policies that draw lots, the latter for all others.
        times: How often the log is played over in one run.
        shuffle: Also put the records of each run in an order of its own (each keeps its G).  Only
            for a fixed pool and rates that do not drift.
        window: The records of a window.
        step: From one window's first record to the next one's.
        bin: As in `replay`; so are `arms`, `turns`, `known_lifetimes`, `init` and `reweigh`.
        arms: The arms to study.
        turns: Stop each run after so many matched turns.
        known_lifetimes: Whether it is known when an arm will die.
        init: How arms that were never played begin.
        reweigh: "accept" thins a log with known propensities.
        ground_truth: Another number for each record, of which runs give the mean too: on a log that was
            made up, the true rate of what was shown.  Policies learn nothing of it.
        seed: Same seed, same result, on any number of threads.
        threads: How many; all cores if None.
        progress: Called with (runs done, runs in all).

    >>> import numpy as np, highseason as hs
    >>> rng = np.random.default_rng(1)
    >>> shown = rng.choice(["a", "b"], 6000)
    >>> clicks = rng.random(6000) < np.where(shown == "b", 0.6, 0.2)
    >>> log = hs.logs.Events.of(np.arange(6000) // 8, shown, clicks, [["a", "b"]] * 6000)
    >>> found = replay_many(["epsilon-greedy", "ucb"], log, runs=20, window=2000, step=200)
    >>> found["epsilon-greedy"].how, found["ucb"].how, found["ucb"].independent
    ('repeat', 'windows', 2.9)
    """
    seed_key(seed)
    labels, players = labelled(policies)
    for name, value in (("runs", runs), ("times", times), ("window", window), ("step", step)):
        whole_number(name, value, at_least=1)
    if how not in ("auto", "repeat", "windows"):
        raise ValueError(f"how={how!r} must be 'auto', 'repeat' or 'windows'")
    course = prepare_log(events, bin, arms)
    options = Options(turns, known_lifetimes, init, thin=resolve_thinning(reweigh, course))
    if ground_truth is not None and ground_truth.shape != course.events.time.shape:
        raise ValueError(
            f"ground_truth has {ground_truth.size:,} numbers for {len(course.events):,} records"
        )
    plan = _Plan(course, runs, times, shuffle, window, step, int(seed), ground_truth)
    ways = [_way(policy, how) for policy in players]
    done, total = 0, sum(len(plan.numbers(way)) for way in ways)
    found = []
    with ThreadPoolExecutor(worker_count(threads)) as pool:
        for label, policy, way in zip(labels, players, ways, strict=True):
            runner = Player(policy, course, options)
            results = []
            for result in pool.map(lambda i: plan.play(runner, way, i), plan.numbers(way)):  # noqa: B023  # called before the loop goes on
                results.append(result)
                done += 1
                if progress is not None:
                    progress(done, total)
            found.append(_add_up(label, runner, way, results, plan))
    return RepeatedReplay(tuple(found), course.facts, int(seed))


def _way(policy: Policy, how: How) -> str:
    return how if how != "auto" else "repeat" if is_stochastic(policy) else "windows"


@dataclass(frozen=True)
class _Plan:
    """Which records each run meets."""

    course: PreparedLog
    runs: int
    times: int
    shuffle: bool
    window: int
    step: int
    seed: int
    ground_truth: NDArray[np.float64] | None

    def numbers(self, how: str) -> range:
        """The runs that there can be."""
        if how == "repeat":
            return range(self.runs)
        spare = len(self.course.events) - self.window
        if spare < 0:
            raise ValueError(
                f"the log has {len(self.course.events):,} records, fewer than one window of "
                f"{self.window:,}: give a smaller window="
            )
        return range(min(self.runs, spare // self.step + 1))

    def play(self, runner: Player, how: str, number: int) -> tuple[ReplayOutcome, float]:
        """One run, and the worth of what it matched."""
        walk = self.walk(how, number)
        track: Track = runner.run(walk, self.seed, number)
        wanted = runner.options.turns
        run = outcome("", runner.policy, self.course, walk, track, wanted, runner.least)
        if self.ground_truth is None or not run.turns:
            return run, math.nan
        return run, float(self.ground_truth[rows_of(walk, track.matched)].sum()) / run.turns

    def walk(self, how: str, number: int) -> Walk:
        """The records of one run, in order."""
        if how == "windows":
            return walk_window(number * self.step, self.window)
        if not self.shuffle:
            return walk_all(self.course, self.times)
        records = len(self.course.events)
        # The family of turn 0, which no record has.
        lots = np.uint64(hash_at(turn_key(game_key(self.seed, number), 0), TIES))
        drawn = draw(lots, np.arange(records * self.times, dtype=np.uint64))
        return walk_order(np.argsort(drawn, kind="stable") % max(1, records))


def _add_up(
    label: str, runner: Player, how: str, played: list[tuple[ReplayOutcome, float]], plan: _Plan
) -> Runs:
    results = [run for run, _ in played]
    turns = np.array([run.turns for run in results], np.int64)
    wanted = runner.options.turns
    together = pooled(results)
    sliding = how == "windows"
    spread = (turns.size - 1) * plan.step / plan.window + 1
    return Runs(
        label=label,
        policy=str(runner.policy),
        how=how,
        means=np.array([run.mean.value for run in results]),
        turns=turns,
        rewards=np.array([run.reward for run in results]),
        exhausted=0 if wanted is None else int((turns < wanted).sum()),
        independent=min(float(turns.size), spread) if sliding else None,
        block=-(-plan.window // plan.step) if sliding else 0,
        ground_truth=None
        if plan.ground_truth is None
        else np.array([worth for _, worth in played]),
        read=together.read,
        rejected=together.rejected,
        effective=together.effective,
        per_visitor=together.weighted.snips.value if together.weighted else None,
        issues=tuple(issues(together, plan.course.facts.uniformity)),
    )
