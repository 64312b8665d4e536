"""Many runs over one log, for a distribution instead of a number.

A stochastic policy plays differently with every seed, so it replays the same log in every run, each
time several times over because replay uses up events.  A deterministic policy would play the same
run each time, so it gets windows that slide over the log.  Either way runs share events and are
not independent; results say so, and how many independent runs the windows are equivalent to.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from highseason.core.parallel import map_blocks
from highseason.core.random import TIES, draw, game_key, hash_at, seed_key, turn_key
from highseason.core.validation import one_of, whole_number
from highseason.games.simulate import Policies, labelled
from highseason.logs.events import Events
from highseason.policies import Policy
from highseason.replay.api import Progress, prepare_log, resolve_thinning
from highseason.replay.diagnostics import diagnose, issues, pool_evidence
from highseason.replay.kernels.records import RecordOrder
from highseason.replay.many_result import RepeatedReplay, Runs
from highseason.replay.player import Init, Player, ReplayOptions, is_stochastic
from highseason.replay.prepared_log import PreparedLog
from highseason.replay.result import ReplayOutcome, outcome_of

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
        seed: Same seed, same result, on any number of threads.
        threads: How many; all cores if None.
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
    log = prepare_log(events, bin, arms)
    options = ReplayOptions(turns, known_lifetimes, init, resolve_thinning(reweigh, log))
    if ground_truth is not None and ground_truth.shape != log.events.time.shape:
        raise ValueError(
            f"ground_truth must have one number per event: got {ground_truth.size:,} for "
            f"{len(log.events):,} events"
        )
    schedule = _Schedule(log, runs, times, shuffle, window, step, int(seed), ground_truth)
    ways = [_way(policy, how) for policy in players]
    done, total = 0, sum(len(schedule.numbers(way)) for way in ways)
    results = []
    for label, policy, way in zip(labels, players, ways, strict=True):
        player = Player(policy, log, options)
        played = []
        play = functools.partial(schedule.play, player, way)
        for one in map_blocks(play, schedule.numbers(way), threads):
            played.append(one)
            done += 1
            if progress is not None:
                progress(done, total)
        results.append(_sum_up(label, player, way, played, schedule))
    return RepeatedReplay(tuple(results), diagnose(log), int(seed))


def _way(policy: Policy, how: How) -> str:
    return how if how != "auto" else "repeat" if is_stochastic(policy) else "windows"


@dataclass(frozen=True)
class _Schedule:
    """Which events each run reads."""

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

    def play(self, player: Player, how: str, run: int) -> tuple[ReplayOutcome, float]:
        """One run, and the mean ground truth of the events it matched."""
        order = self.order(how, run)
        trace = player.play(order, self.seed, run)
        outcome = outcome_of("", player, order, trace)
        if self.ground_truth is None or not outcome.turns:
            return outcome, math.nan
        return outcome, float(self.ground_truth[order.rows(trace.matched)].sum()) / outcome.turns

    def order(self, how: str, run: int) -> RecordOrder:
        """The events of one run, in order."""
        records = len(self.log.events)
        if how == "windows":
            return RecordOrder.window(run * self.step, self.window)
        if not self.shuffle:
            return RecordOrder.whole(records, self.times)
        # The random numbers of turn 0, which no event uses.
        key = np.uint64(hash_at(turn_key(game_key(self.seed, run), 0), TIES))
        numbers = draw(key, np.arange(records * self.times, dtype=np.uint64))
        return RecordOrder.shuffled(np.argsort(numbers, kind="stable") % max(1, records))


def _sum_up(
    label: str,
    player: Player,
    how: str,
    played: list[tuple[ReplayOutcome, float]],
    schedule: _Schedule,
) -> Runs:
    outcomes = [outcome for outcome, _ in played]
    turns = np.array([outcome.turns for outcome in outcomes], np.int64)
    requested = player.options.turns
    evidence = pool_evidence(outcomes)
    windows, known = how == "windows", schedule.ground_truth is not None
    spread = (turns.size - 1) * schedule.step / schedule.window + 1
    return Runs(
        label=label,
        policy=str(player.policy),
        how=how,
        means=np.array([outcome.mean.value for outcome in outcomes]),
        turns=turns,
        rewards=np.array([outcome.reward for outcome in outcomes]),
        exhausted=0 if requested is None else int((turns < requested).sum()),
        independent=min(float(turns.size), spread) if windows else None,
        block=-(-schedule.window // schedule.step) if windows else 0,
        ground_truth=np.array([truth for _, truth in played]) if known else None,
        read=sum(outcome.read for outcome in outcomes),
        rejected={
            why: sum(outcome.rejected[why] for outcome in outcomes) for why in outcomes[0].rejected
        },
        effective_size=evidence.effective_size,
        per_visitor=evidence.weighted.snips.value if evidence.weighted else None,
        issues=tuple(issues(evidence, diagnose(schedule.log).uniformity)),
    )
