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
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from highseason.core.parallel import map_blocks
from highseason.core.random import TIES, draw, game_key, hash_at, seed_key, turn_key
from highseason.core.validation import one_of, whole_number
from highseason.games.simulate import Policies, labelled
from highseason.logs.events import Events
from highseason.replay.diagnostics import diagnose, issues, pool_evidence
from highseason.replay.kernels.records import RecordOrder
from highseason.replay.player import Init, Player, ReplayOptions, is_stochastic
from highseason.replay.prepared_log import PreparedLog
from highseason.replay.result import RepeatedReplay, ReplayOutcome, ReplayResult, Runs, outcome_of

Progress = Callable[[int, int], None]
How = Literal["auto", "repeat", "windows"]


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
    log = _prepare_log(events, bin, arms)
    options = ReplayOptions(turns, known_lifetimes, init, _resolve_thinning(reweigh, log))
    order = RecordOrder.whole(len(log.events))
    outcomes = []
    for i, (label, policy) in enumerate(zip(labels, players, strict=True)):
        player = Player(policy, log, options)
        outcomes.append(outcome_of(label, player, order, player.play(order, seed)))
        if progress is not None:
            progress(i + 1, len(players))
    return ReplayResult(tuple(outcomes), diagnose(log), int(seed))


def _prepare_log(
    events: Events | PreparedLog,
    bin: float,  # noqa: A002  # as in replay
    arms: Sequence[str] | None,
) -> PreparedLog:
    """The prepared log; one that is prepared already has its bins and its arms."""
    if not isinstance(events, PreparedLog):
        return PreparedLog.of(events, bin, arms)
    if bin != 1 or arms is not None:
        raise ValueError("a PreparedLog already has bins and arms: pass them to PreparedLog.of")
    return events


def _resolve_thinning(reweigh: str | None, log: PreparedLog) -> bool:
    """Whether to thin the log, which needs propensities."""
    if reweigh not in (None, "accept"):
        raise ValueError(f"reweigh must be 'accept' or None, got {reweigh!r}")
    if reweigh is not None and log.events.propensity is None:
        raise ValueError("the log has no propensities to thin it by: leave reweigh= out")
    return reweigh == "accept"


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
    log = _prepare_log(events, bin, arms)
    options = ReplayOptions(turns, known_lifetimes, init, _resolve_thinning(reweigh, log))
    if ground_truth is not None and ground_truth.shape != log.events.time.shape:
        raise ValueError(
            f"ground_truth must have one number per event: got {ground_truth.size:,} for "
            f"{len(log.events):,} events"
        )
    schedule = _Schedule(log, runs, times, shuffle, window, step, int(seed), ground_truth)
    auto = ["repeat" if is_stochastic(policy) else "windows" for policy in players]
    ways = auto if how == "auto" else [how] * len(players)
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
