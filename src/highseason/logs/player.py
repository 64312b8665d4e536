"""One policy on one prepared log: compiled where possible, otherwise in plain Python."""

import functools
import logging
from dataclasses import dataclass
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import game_key
from highseason.core.validation import one_of, whole_number
from highseason.engine import illegal_arm
from highseason.engine.abi import RuleFunctions, rule_functions
from highseason.logs.kernels import records
from highseason.logs.kernels.compiled import (
    CannotCompileError,
    CompiledPlan,
    compiled_plan,
    compiled_replay,
)
from highseason.logs.kernels.records import KernelOptions, LogLifetimes, RecordOrder, ReplayTrace
from highseason.logs.prepared_log import PreparedLog
from highseason.logs.reference import replay_reference
from highseason.policies import Policy
from highseason.policies.plan import UnknownFuture, require_future

Init = Literal["first-shown", "rule"]

_NO_LIMIT = 2**62

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
    "never": records.NEVER_KEPT,
    "until-change": records.INDEX,
    "unless-coin-explores": records.COIN,
    "while-level-at-most-1": records.SMALL_POOL,
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
        self._plan: CompiledPlan | None = None
        self._functions: RuleFunctions | None = None
        if not len(log.events):
            return
        try:
            self._functions = rule_functions(policy.rule)
            self._plan = compiled_plan(self.policy.unwrapped)
            compiled_replay()  # here, not in every thread that plays
        except (CannotCompileError, ValueError) as reason:
            _warn_slow(type(policy).__name__, str(reason).partition("\n")[0])

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        """A copy in another process compiles for itself."""
        return type(self), (self.policy, self.log, self.options)

    @property
    def lowest_propensity(self) -> NDArray[np.float64] | None:
        """The propensity that every event of a pool is thinned to; None if nothing is thinned."""
        return self._columns.lowest if self.options.thin else None

    def play(
        self, order: RecordOrder, seed: int = 0, run: int = 0, compiled: bool = True
    ) -> ReplayTrace:
        """Replay these events as run `run` of `seed`, compiled if the policy can be."""
        if order.records == 0:
            return ReplayTrace.empty(0)
        first, last = self._span(order)
        options = self.kernel_options(first, game_key(seed, run))
        known, by_end = self.options.known_lifetimes, self.policy.lifetime_options.ranks_by_end
        lifetimes = self.log.lifetimes(first, last, known, by_end)
        if self._plan is None or not compiled:
            options, rows = options._replace(key=int(options.key)), order.rows()
            lowest = self.lowest_propensity
            trace = replay_reference(self.policy, self.log, rows, lifetimes, options, lowest)
        else:
            trace = self._play_compiled(order, lifetimes, options)
        if trace.failure[0]:
            raise self._failure(*trace.failure.tolist())
        return trace.trimmed()

    def kernel_options(self, first: int, key: int) -> KernelOptions:
        """What the kernel needs to know, for a run that starts at bin `first` of the log."""
        policy, rule = self.policy, self.policy.rule
        random_ties = policy.ties == "random"
        return KernelOptions(
            key=cast(int, np.uint64(key)),  # a machine word, however small
            start=first,
            turns=self.options.turns or _NO_LIMIT,
            lowest=self.log.lowest_G,
            scale=float(policy.lifetime_options.weight_scale),
            low=rule.allowed[0],
            high=rule.allowed[1],
            first_shown=self.options.init == "first-shown" and rule.traits.tries_each_arm,
            initial_arms=policy.lifetime_options.initial_arms,
            random_ties=random_ties,
            scaled=policy.learns_scaled,
            # Random ties depend on the arms' indices and on the random numbers of each event.
            compact=rule.traits.local and not random_ties,
            keeps=records.NEVER_KEPT if random_ties else _KEEPS[rule.traits.stable],
        )

    def _span(self, order: RecordOrder) -> tuple[int, int]:
        """The first and the last clock of a run."""
        bins, whole = self.log.bins, order.covers(len(self.log.events))
        read = np.array([0, -1]) if whole else bins.of[order.rows()]
        return int(bins.clock[read].min()), int(bins.clock[read].max())

    def _play_compiled(
        self, order: RecordOrder, lifetimes: LogLifetimes, options: KernelOptions
    ) -> ReplayTrace:
        assert self._plan is not None
        assert self._functions is not None
        rule, arms = self.policy.rule, len(self.log.events.arms)
        trace = ReplayTrace.empty(order.records)
        compiled_replay()(
            self._columns,
            order,
            lifetimes,
            options,
            self._plan.parameters,
            self._plan.carry.copy(),
            self._plan.plan,
            rule.fresh_state(arms),
            rule.fresh_state(int(self.log.pools.sizes.max(initial=0))),
            records.Scratch.of(arms),
            *self._functions,
            trace,
        )
        return trace

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
