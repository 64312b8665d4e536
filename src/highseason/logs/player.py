"""Policies on logs: one run of one policy, and all runs of a replay in blocks for the workers.

The kernel of a run is compiled where possible, otherwise it is plain Python.  A block is some runs
of one policy on one log, which any worker can replay by itself.  A log in a file is read by the
workers that replay it, so the caller holds none of them.
"""

import functools
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import TIES, draw, game_key, hash_at, turn_key
from highseason.core.validation import one_of, whole_number
from highseason.engine import illegal_arm
from highseason.engine.kernels.interface import RuleFunctions, rule_functions
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
from highseason.logs.prepared_log import LogFile, PreparedLog, cached
from highseason.logs.replay_kernel import EventOrder, KernelOptions, LogLifetimes, ReplayTrace
from highseason.logs.result import ReplayOutcome, Runs
from highseason.policies import Policy
from highseason.policies.plan import UnknownFuture, View, require_future

Init = Literal["first-shown", "rule"]

_NO_LIMIT = 2**62
#: Checkpoints of the running mean.
_POINTS = 200
#: Events that a worker replays at a time, at most; and blocks of a policy for each worker.
_BLOCK_EVENTS, _BLOCKS = 8_000_000, 4

#: The policies on a log; or its file, for which each worker makes them ready.
Players: TypeAlias = "Sequence[Player] | LogFile"

logger = logging.getLogger("highseason")


@dataclass(frozen=True)
class ReplayOptions:
    """How policies are replayed; `replay` explains each option."""

    turns: int | None = None
    known_lifetimes: bool = True
    init: Init = "first-shown"
    thin: bool = False

    def __post_init__(self) -> None:
        one_of("init", self.init, ("first-shown", "rule"))
        if self.turns is not None:
            whole_number("turns", self.turns, at_least=1)


#: The kernel's constants for `RuleTraits.stable`.
_KEEPS = {
    "never": kernel.NEVER_KEPT,
    "until-change": kernel.INDEX,
    "unless-coin-explores": kernel.COIN,
    "while-level-at-most-1": kernel.SMALL_POOL,
}


def is_stochastic(policy: Policy) -> bool:
    """Whether the policy draws random numbers, so that another seed plays differently."""
    return policy.ties == "random" or policy.rule.traits.stochastic


class Player:
    """One policy on one prepared log, its thresholds resolved from the log's G.

    `play` may be called from any thread.
    """

    def __init__(self, policy: Policy, log: PreparedLog, options: ReplayOptions) -> None:
        if policy.lifetime_options.needs_end and not options.known_lifetimes:
            raise ValueError(
                f"{policy} explores by the time that arms have left, so it needs to know when they "
                "end: leave lifetimes known"
            )
        if options.thin and log.events.propensity is None:
            raise ValueError("the log has no propensities to thin it by: leave reweigh= out")
        resolve = bool(policy.unresolved_thresholds()) and len(log.events) > 0
        self.policy = policy.resolve_thresholds(log.G) if resolve else policy
        self.log, self.options = log, options
        _refuse_future(self.policy, log)
        self._columns = log.columns(options.thin)
        self._plan: kernel.CompiledPlan | None = None
        self._functions: RuleFunctions | None = None
        if not len(log.events):
            return
        try:
            self._functions = rule_functions(policy.rule)
            self._plan = kernel.compiled_plan(self.policy.unwrapped)
            kernel.compiled_replay()  # here, not in every thread that plays
        except (kernel.CannotCompileError, ValueError) as reason:
            _warn_slow(type(policy).__name__, str(reason).partition("\n")[0])

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        """A copy in another process compiles for itself."""
        return type(self), (self.policy, self.log, self.options)

    @property
    def lowest_propensity(self) -> NDArray[np.float64] | None:
        """The propensity that every event of a pool is thinned to; None if nothing is thinned."""
        return self._columns.lowest if self.options.thin else None

    def play(self, order: EventOrder, seed: int = 0, run: int = 0) -> ReplayTrace:
        """Replay these events as run `run` of `seed`."""
        trace = ReplayTrace.empty(order.events)
        if order.events == 0:
            return trace
        lifetimes, options = self.settings(order, seed, run)
        rule, arms = self.policy.rule, len(self.log.events.arms)
        largest = int(self.log.pools.sizes.max(initial=0))
        # In plain Python, where anything may be carried, or compiled.
        play: Any = kernel.replay_kernel
        plan: Any = self._plain_plan
        carry: Any = [self.policy.unwrapped.begin()] * 2
        functions: Any = [getattr(rule, name) for name in RuleFunctions._fields]
        if self._plan is not None:
            play, (plan, parameters, carry) = kernel.compiled_replay(), self._plan
            key: Any = np.uint64(options.key)  # a machine word, however small
            functions, options = self._functions, options._replace(key=key, parameters=parameters)
        memory = kernel.Memory.of(rule, arms, largest, carry)
        play(self._columns, order, lifetimes, options, memory, plan, *functions, trace)
        if trace.failure[0]:
            raise self._failure(*trace.failure.tolist())
        return trace.trimmed()

    def _plain_plan(self, parameters: Any, carry: list[Any], view: View) -> float:
        """The plan of a policy that cannot be compiled, as the kernel calls it."""
        level, carry[1] = self.policy.unwrapped.step(carry[0], UnknownFuture(*view))
        return level

    def settings(
        self, order: EventOrder, seed: int, run: int
    ) -> tuple[LogLifetimes, KernelOptions]:
        """The arms' lifetimes in a run, and what else the kernel needs to know."""
        policy, rule, bins = self.policy, self.policy.rule, self.log.bins
        is_whole = order.covers(len(self.log.events))
        clock = bins.clock[np.array([0, -1]) if is_whole else bins.of[order.rows()]]
        first, last = int(clock.min()), int(clock.max())
        mortal, random_ties = policy.lifetime_options, policy.ties == "random"
        options = KernelOptions(
            key=game_key(seed, run),
            start=first,
            turns=self.options.turns or _NO_LIMIT,
            lowest=self.log.lowest_G,
            scale=float(mortal.weight_scale),
            low=rule.allowed[0],
            high=rule.allowed[1],
            first_shown=self.options.init == "first-shown" and rule.traits.tries_each_arm,
            initial_arms=mortal.initial_arms,
            random_ties=random_ties,
            scaled=policy.learns_scaled,
            # Random ties depend on the arms' indices and on the random numbers of each event.
            compact=rule.traits.local and not random_ties,
            keeps=kernel.NEVER_KEPT if random_ties else _KEEPS[rule.traits.stable],
            parameters=np.zeros(0, np.uint8),
        )
        known = self.options.known_lifetimes
        return self.log.lifetimes(first, last, known, mortal.ranks_by_end), options

    def _failure(self, turn: float, arm: float, level: float) -> ValueError:
        rule, (low, high) = self.policy.rule, self.policy.rule.allowed
        if np.isfinite(level) and low <= level <= high:
            return illegal_arm(rule, int(turn), int(arm), len(self.log.events.arms))
        return ValueError(
            f"{self.policy}: the plan's level at turn {turn:.0f} is {level}, but the {rule.name} "
            f"rule accepts finite levels from {low:g} to {high:g}"
        )


def _refuse_future(policy: Policy, log: PreparedLog) -> None:
    """How many turns will match is unknown, so their weight is unknown too."""
    require_future(policy, "a replay")
    if not len(log.events):
        return
    # Some turns, tried before the run, catch a plan that looks ahead without declaring it.
    unwrapped, arms = policy.unwrapped, int(log.pools.sizes.max())
    carry = unwrapped.begin()
    for G in (log.lowest_G, log.bins.median, float(log.bins.counts.max())):
        for turn in (1, 2, 10, 1000):
            view = UnknownFuture.of(turn, G, arms, log.lowest_G, log.lowest_G)
            _, carry = unwrapped.step(carry, view)


@functools.cache
def _warn_slow(name: str, reason: str) -> None:
    logger.warning("%s cannot be compiled and is replayed in slow Python (%s)", name, reason)


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


def _outcome(player: Player, order: EventOrder, trace: ReplayTrace) -> ReplayOutcome:
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
    low, high = log.reward_range
    unsuitable = policy.rule.traits.unit_range and (low < 0 or high > 1)
    return ReplayOutcome(
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
    "arm not studied": kernel.NOT_STUDIED,
    "arm not in its pool": kernel.NOT_IN_POOL,
    "thinned": kernel.THINNED,
    "while other arms were untried": kernel.WAITING,
    "another arm chosen": kernel.OTHER_ARM,
}


def _expected_share(player: Player, order: EventOrder, trace: ReplayTrace) -> float:
    """The mean of one over the pool's size, over the events of studied arms that were read."""
    log, lowest = player.log, player.lowest_propensity
    sizes = np.maximum(log.pools.sizes, 1)
    read = _pool_events(player, order, trace).astype(np.float64)
    if not read.any():
        return math.nan
    if lowest is not None:  # the share of a pool's events that thinning leaves
        read *= np.where(read > 0, sizes * lowest, 0.0)
    return float((read / sizes).sum() / read.sum())


def _pool_events(player: Player, order: EventOrder, trace: ReplayTrace) -> NDArray[np.int64]:
    """How many events of studied arms each pool has in the run, up to the last turn requested."""
    log, complete = player.log, trace.matched.size == player.options.turns
    if order.covers(len(log.events)) and not complete and log.studied.all():
        return log.pool_events
    rows = order.rows(np.arange(int(trace.matched[-1]) + 1) if complete else None)
    rows = rows[log.studied[log.events.arm[rows]]]
    return np.bincount(log.pool[rows], minlength=len(log.pools))
