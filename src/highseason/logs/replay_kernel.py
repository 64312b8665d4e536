"""One run of one policy on a log, event by event, and the plans of policies as it calls them.

A choice that nothing has changed since is reused.  All memory is handed in, and nothing raises:
`trace.failure` reports.

A plan must follow a log that is not known in advance, so it is called turn by turn: compiled steps
are functions of one type, and the kernel is compiled once for all.
"""

import functools
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled
from highseason.core.jitable import jitable
from highseason.core.random import DECISION, REWARD, draw, game_key, turn_key
from highseason.core.special import share_of
from highseason.core.validation import one_of, whole_number
from highseason.engine.kernels.interface import (
    RULE_FUNCTIONS,
    function_types,
    rule_functions,
)
from highseason.engine.turn import illegal_arm, is_legal
from highseason.logs.prepared_log import LogColumns, LogLifetimes, PreparedLog
from highseason.policies import UNKNOWN_TURNS, ArmState, Observation, Policy, Turn
from highseason.policies.plan import (
    CannotCompileError,
    CompiledPlan,
    UnknownFuture,
    View,
    compiled_plan,
    plan_signature,
    require_future,
)
from highseason.policies.rule import SetWeights, fresh_state, mark_opening, reveal_ends

#: What became of an event, as positions in an array of counts.
NOT_STUDIED, NOT_IN_POOL, THINNED, WAITING, OTHER_ARM, MATCHED = 0, 1, 2, 3, 4, 5
#: Two more counts: events on which the rule chose, and events skipped while it did.
ASKED, SKIPPED = 6, 7
COUNTS = 8

#: What a matched turn was.
EXPLORED, EXPLOITED, TRIED = 0, 1, 2
#: How long a rule's choice can be reused.  Never; until an arm, the pool, the level or the clock
#: changes (index rules); or, for the leading arm, until an arm or the pool changes: on every event
#: whose coin says exploit (the ε rule), or while the pool holds one arm (the pool rule).
NEVER_KEPT, INDEX, COIN, SMALL_POOL = 0, 1, 2, 3

_IN_ORDER = np.zeros(0, np.int64)


class EventOrder(NamedTuple):
    """Which events a run reads, in which order: `order`, or `first + i % length` if it is empty.

    >>> EventOrder.whole(3, times=2).rows().tolist(), EventOrder.window(5, 2).rows().tolist()
    ([0, 1, 2, 0, 1, 2], [5, 6])
    """

    first: int
    length: int
    events: int
    order: NDArray[np.int64]

    @classmethod
    def whole(cls, events: int, times: int = 1) -> Self:
        """A log in its own order, `times` times over."""
        return cls(0, max(1, events), events * times, _IN_ORDER)

    @classmethod
    def window(cls, first: int, length: int) -> Self:
        """`length` events from `first` on."""
        return cls(first, max(1, length), length, _IN_ORDER)

    @classmethod
    def shuffled(cls, order: NDArray[np.int64]) -> Self:
        """The events in an order of your own."""
        return cls(0, max(1, order.size), order.size, np.require(order, np.int64, ["C", "W"]))

    def rows(self, positions: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """The rows of the log at some positions of the run; at all of them if None."""
        at = np.arange(self.events) if positions is None else positions
        return self.order[at] if self.order.size else self.first + at % self.length

    def covers(self, events: int) -> bool:
        """Whether the run reads every event of a log in its own order."""
        return self.order.size == 0 and self.length == events


class KernelOptions(NamedTuple):
    """How one run is played."""

    key: int  # of the run's random numbers
    start: int  # the log's clock at which the clock of the run is 1
    turns: int  # stop after this many matched turns
    lowest: float  # the smallest G of the log
    scale: float  # the factor of the weights that `Rule.set_weights` computes
    low: float  # the smallest level the rule accepts
    high: float  # the largest
    first_shown: bool  # whether any untried arm counts where the rule asks for an untried one
    initial_arms: int  # how many arms of the first pool are tried before the rule chooses at all
    random_ties: bool  # whether ties are broken at random
    scaled: bool  # whether rewards are learnt multiplied by G
    keeps: int  # how long a choice can be reused: one of the constants above
    parameters: NDArray[np.uint8]  # of the plan


class ReplayTrace(NamedTuple):
    """What a run leaves behind."""

    matched: NDArray[np.int64]  # the position in the run of each matched event, from 0
    kind: NDArray[np.uint8]  # whether that turn explored, exploited, or tried an arm
    counts: NDArray[np.int64]  # what became of the events
    #: The turn, the arm (-1 if the plan failed) and the level at which a rule or plan broke its
    #: contract; turn 0 if none did.
    failure: NDArray[np.float64]


class Memory(NamedTuple):
    """Working memory of one run."""

    state: ArmState  # of all arms of the log
    carry: Any  # of the plan: now, and after the event if it matches; an array if compiled
    shown: NDArray[np.bool_]  # by arm: whether the run shows it, out of a pool that holds it
    opening: NDArray[np.bool_]  # whether it is tried before the rule chooses at all


@jitable
def row_at(order: EventOrder, i: int) -> int:
    """The row of event `i` of the run."""
    if order.order.size > 0:
        return order.order[i]  # type: ignore[no-any-return]  # a NumPy scalar
    return order.first + i % order.length


@jitable
def find_shown(log: LogColumns, order: EventOrder, shown: NDArray[np.bool_]) -> None:
    """Mark the studied arms that are shown, out of a pool that holds them, anywhere in the run."""
    left = shown.size
    for i in range(min(order.events, order.length)):
        row = row_at(order, i)
        arm, pool = log.arm[row], log.pool[row]
        if not shown[arm] and log.studied[arm]:
            shown[arm] = arm in log.members[log.offsets[pool] : log.offsets[pool + 1]]
            left -= shown[arm]
            if left == 0:
                return


@jitable
def offer_pool(log: LogColumns, pool: int, memory: Memory) -> int:
    """Offer the arms of a pool that are shown in this run, and count them."""
    available, size = memory.state.available, 0
    available[:] = False
    for place in range(log.offsets[pool], log.offsets[pool + 1]):
        arm = log.members[place]
        available[arm] = memory.shown[arm]
        size += memory.shown[arm]
    return size


@jitable
def untried_opening(memory: Memory) -> int:
    """How many opening arms of the pool are still untried."""
    state, left = memory.state, 0
    for arm in range(memory.opening.size):
        left += memory.opening[arm] and state.available[arm] and state.selections[arm] == 0
    return left


@jitable
def is_reusable(keeps: int, level: float, key: int) -> bool:
    """Whether the rule would repeat its kept choice on this event."""
    if keeps == COIN:
        return bool(draw(key, DECISION) >= level)
    return keeps == INDEX or (keeps == SMALL_POOL and level <= 1.0)


def replay_kernel(
    log: LogColumns,
    order: EventOrder,
    lifetimes: LogLifetimes,
    options: KernelOptions,
    memory: Memory,
    plan: Callable[[NDArray[np.uint8], NDArray[np.float64], View], float],
    start: Callable[[ArmState], None],
    choose: Callable[[ArmState, Turn], tuple[int, bool]],
    observe: Callable[[ArmState, Turn, Observation], None],
    set_weights: SetWeights,
    trace: ReplayTrace,
) -> None:
    """Play one policy along the events of a run.

    For each event:

    1. Its arm is not studied, or not in its pool: skip it.
    2. If the log is thinned (`log.lowest`): skip it with a probability that leaves every arm of the
       pool equally likely.
    3. If the policy opens with some arms (`options.initial_arms`, the paper's M_I) and one of them
       is available and untried: an event that shows such an arm is its first turn; discard any
       other.
    4. Otherwise ask the rule, with turn = matched turns + 1, the G of the event's bin and the arms
       of the pool.  A stochastic policy draws again for every event.
    5. The rule asks for an untried arm (and `options.first_shown`): an event that shows any untried
       arm is that arm's first turn; discard one that shows a tried arm.  So rules that try every
       arm once begin with the first display of each.  An arm that starts later is untried when it
       appears and, unless the rule prefers another, holds up everything else until it was shown
       once.  Arms that never occur in the run count as unavailable.
    6. The rule asks for another arm than the one shown: discard the event.  Nothing is learned and
       no turn passes.
    7. It asks for the arm shown: the turn counts, its reward is learned, and the plan moves on.
    """
    find_shown(log, order, memory.shown)
    state, carry = memory.state, memory.carry
    state.start[:] = lifetimes.start
    state.end[:] = lifetimes.known_end
    start(state)
    counts, failure, keeps = trace.counts, trace.failure, options.keeps
    pool, size, opening, opened, trying, turn = -1, 0, 0, False, True, 1
    last_turn, last_G, last_size, last_clock, level = -1, -1.0, -1, -1, 0.0
    standing, kept, kept_exploited = False, -1, False
    for i in range(order.events):
        row = row_at(order, i)
        arm: Any = np.int64(log.arm[row])
        if not log.studied[arm]:
            counts[NOT_STUDIED] += 1
            counts[SKIPPED] += not trying
            continue
        clock = log.bin_clock[log.bin[row]] - options.start + 1
        if log.pool[row] != pool:
            pool = log.pool[row]
            size = offer_pool(log, pool, memory)
            reveal_ends(state, lifetimes.end, clock)
            if size > 0:
                set_weights(state, clock, lifetimes.score, options.scale)
                if not opened:
                    opened = True
                    mark_opening(state, options.initial_arms, memory.opening)
            opening = untried_opening(memory)
            standing = False
        if not state.available[arm]:
            counts[NOT_IN_POOL] += 1
            continue
        key = turn_key(options.key, i + 1)
        if log.lowest.size > 0 and draw(key, REWARD) * log.propensity[row] >= log.lowest[pool]:
            counts[THINNED] += 1
            counts[SKIPPED] += not trying
            continue
        tried = opening > 0  # this turn tries an arm: the rule does not choose
        if tried and (not memory.opening[arm] or state.selections[arm] > 0):
            counts[WAITING] += 1
            continue
        G = log.bin_weight[log.bin[row]]
        if turn != last_turn or G != last_G or size != last_size:
            last_turn, last_G, last_size, before = turn, G, size, level
            view = View(turn, G, size, options.lowest, options.lowest, np.nan, UNKNOWN_TURNS)
            level = plan(options.parameters, carry, view)
            if not (math.isfinite(level) and options.low <= level <= options.high):
                failure[0], failure[1], failure[2] = turn, -1, level
                return
            standing = standing and (level == before or keeps != INDEX)
        if clock != last_clock:
            standing, last_clock = standing and keeps != INDEX, clock
        asked = Turn(turn, level, G, np.nan, UNKNOWN_TURNS, key, options.random_ties, clock)
        chosen, exploited = arm, False
        if tried:
            opening -= 1
        else:
            if standing and is_reusable(keeps, level, key):
                chosen, exploited = kept, kept_exploited
            else:
                chosen, exploited = choose(state, asked)
                if not is_legal(state.available, chosen):
                    failure[0], failure[1], failure[2] = turn, chosen, level
                    return
                if keeps == INDEX or (exploited and keeps > 0):
                    standing, kept, kept_exploited = True, chosen, exploited
            trying = options.first_shown and state.selections[chosen] == 0
            if not trying:
                counts[ASKED] += 1
            elif state.selections[arm] > 0:
                counts[WAITING] += 1
                continue
            else:
                chosen, tried = arm, True
        if chosen != arm:
            counts[OTHER_ARM] += 1
            continue
        state.selections[arm] += 1
        reward = log.reward[row]
        value = G * reward if options.scaled else reward
        observe(state, asked, Observation(arm, value, 1.0))
        carry[0] = carry[1]
        standing = False
        trace.matched[turn - 1] = i
        kind = EXPLOITED if exploited else EXPLORED
        trace.kind[turn - 1] = TRIED if tried else kind
        counts[MATCHED] = turn
        if turn == options.turns:
            return
        turn += 1


@functools.cache
def compiled_replay() -> Any:
    """`replay_kernel` as machine code: one for all policies and rules."""
    from numba import typeof
    from numba import types as t

    small, flags, octets = np.zeros(1, np.int32), np.zeros(1, np.bool_), np.zeros(1, np.uint8)
    wholes, reals = np.zeros(1, np.int64), np.zeros(1)
    log = LogColumns(small, small, small, reals, wholes, wholes, small, flags, reals, reals, reals)
    order, lifetimes = EventOrder.whole(1), LogLifetimes(wholes, wholes, wholes, reals)
    numbers: Any = np.uint64(0), 0, 0, 0.0, 0.0, 0.0, 0.0, True, 0, True, True, 0
    memory = Memory(fresh_state(1), reals, flags, flags)
    given = map(typeof, (log, order, lifetimes, KernelOptions._make((*numbers, octets)), memory))
    trace = typeof(ReplayTrace(wholes, octets, wholes, reals))
    plan = t.FunctionType(plan_signature())
    return compiled(replay_kernel, t.void(*given, plan, *function_types(), trace))


Init = Literal["first-shown", "rule"]

_NO_LIMIT = 2**62
logger = logging.getLogger("highseason")


@dataclass(frozen=True)
class ReplayOptions:
    """How policies are replayed; `replay` explains each option."""

    turns: int | None = None
    known_lifetimes: bool = True
    init: Init = "first-shown"
    reweigh: str | None = None
    reward_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        low, high = self.reward_range or (0.0, 1.0)
        if not (low < high and math.isfinite(high - low)):
            raise ValueError(f"reward_range must be two rising numbers, got {self.reward_range!r}")
        one_of("init", self.init, ("first-shown", "rule"))
        if self.turns is not None:
            whole_number("turns", self.turns, at_least=1)
        if self.reweigh not in (None, "accept"):
            raise ValueError(f"reweigh must be 'accept' or None, got {self.reweigh!r}")


#: The kernel's constants for `RuleTraits.stable`.
_KEEPS = {
    "never": NEVER_KEPT,
    "until-change": INDEX,
    "unless-coin-explores": COIN,
    "while-level-at-most-1": SMALL_POOL,
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
        if options.reweigh and log.events.propensity is None:
            raise ValueError("the log has no propensities to thin it by: leave reweigh= out")
        resolve = bool(policy.unresolved_thresholds()) and len(log.events) > 0
        self.policy = policy.resolve_thresholds(log.G) if resolve else policy
        self.log, self.options = log, options
        _refuse_future(self.policy, log)
        columns = log.columns(thin=options.reweigh is not None)
        self._columns = columns._replace(reward=self._learned(columns.reward))
        self._plan: CompiledPlan | None = None
        self._functions: tuple[Any, ...] | None = None
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

    def _learned(self, rewards: NDArray[np.float64]) -> NDArray[np.float64]:
        """The rewards as the policy learns them: as shares of their range, if one is given."""
        given, (least, most) = self.options.reward_range, self.log.reward_range
        low, high = given or (0.0, 1.0)
        if (given or self.policy.rule.traits.unit_range) and not low <= least <= most <= high:
            raise ValueError(
                f"rewards go from {least:g} to {most:g}, outside reward_range=({low:g}, {high:g}): "
                "give the least and the greatest that a reward may be, such as "
                f"reward_range=({min(0.0, least):g}, {most:g})"
            )
        return rewards if (low, high) == (0.0, 1.0) else np.asarray(share_of(rewards, low, high))

    @property
    def lowest_propensity(self) -> NDArray[np.float64] | None:
        """The propensity that every event of a pool is thinned to; None if nothing is thinned."""
        return self._columns.lowest if self.options.reweigh else None

    def play(self, order: EventOrder, seed: int = 0, run: int = 0) -> ReplayTrace:
        """Replay these events as run `run` of `seed`."""
        # Memory is used only as turns match.
        matched, kind = np.empty(order.events, np.int64), np.empty(order.events, np.uint8)
        trace = ReplayTrace(matched, kind, np.zeros(COUNTS, np.int64), np.zeros(3))
        if order.events == 0:
            return trace
        lifetimes, options = self.settings(order, seed, run)
        rule, arms = self.policy.rule, len(self.log.events.arms)
        # In plain Python, where anything may be carried, or compiled.
        play: Any = replay_kernel
        plan: Any = self._plain_plan
        carry: Any = [self.policy.unwrapped.begin()] * 2
        functions: Any = [getattr(rule, name) for name in RULE_FUNCTIONS]
        if self._plan is not None:
            play, (plan, parameters, carry) = compiled_replay(), self._plan
            key: Any = np.uint64(options.key)  # a machine word, however small
            functions, options = self._functions, options._replace(key=key, parameters=parameters)
        memory = Memory(rule.fresh_state(arms), carry.copy(), *np.zeros((2, arms), np.bool_))
        play(self._columns, order, lifetimes, options, memory, plan, *functions, trace)
        if trace.failure[0]:
            raise self._failure(*trace.failure.tolist())
        turns = int(trace.counts[MATCHED])
        return trace._replace(matched=matched[:turns].copy(), kind=kind[:turns].copy())

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
            keeps=NEVER_KEPT if random_ties else _KEEPS[rule.traits.stable],
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
