"""One policy along a log, event by event, in plain Python: this loop defines what replay does.

The compiled kernel matches the same events for the same seed.  The loop also plays policies whose
`step` or rule cannot be compiled.
"""

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import REWARD, draw, turn_key
from highseason.engine import learn, select
from highseason.engine.turn import choose
from highseason.logs import replay_kernel as kernel
from highseason.logs.prepared_log import PreparedLog
from highseason.logs.replay_kernel import KernelOptions, LogLifetimes, ReplayTrace
from highseason.policies import UNKNOWN_TURNS, Observation, Policy, Turn
from highseason.policies.lifetimes import mark_opening, reveal_ends
from highseason.policies.plan import UnknownFuture


def replay_reference(
    policy: Policy,
    log: PreparedLog,
    rows: NDArray[np.int64],
    lifetimes: LogLifetimes,
    options: KernelOptions,
    lowest: NDArray[np.float64] | None = None,
) -> ReplayTrace:
    """Play one policy, its thresholds resolved, along some rows of a log.

    For each event:

    1. Its arm is not studied, or not in its pool: skip it.
    2. If the log is thinned (`lowest`): skip it with a probability that leaves every arm of the
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
    run = _ReferenceRun(policy, log, rows, lifetimes, options, lowest)
    for i, row in enumerate(rows.tolist()):
        fate = run.read(i, row)
        run.counts[fate] += 1
        if fate in (kernel.NOT_STUDIED, kernel.THINNED):
            run.counts[kernel.SKIPPED] += not run.trying
        if run.failure[0] or run.turn > options.turns:
            break
    matched, kinds = np.array(run.matched, np.int64), np.array(run.kinds, np.uint8)
    return ReplayTrace(matched, kinds, run.counts, run.failure)


class _ReferenceRun:
    """The state of one run."""

    def __init__(
        self,
        policy: Policy,
        log: PreparedLog,
        rows: NDArray[np.int64],
        lifetimes: LogLifetimes,
        options: KernelOptions,
        lowest: NDArray[np.float64] | None,
    ) -> None:
        self.log, self.lifetimes, self.options, self.lowest = log, lifetimes, options, lowest
        self.rule, self.planner = policy.rule, policy.unwrapped
        self.state = self.rule.fresh_state(len(log.events.arms))
        self.state.start[:], self.state.end[:] = lifetimes.start, lifetimes.known_end
        self.state.available[:] = False
        self.rule.start(self.state)
        self.shown = _shown(log, rows)
        self.opening = np.zeros(self.shown.size, np.bool_)
        self.opened, self.trying = False, True
        self.carry, self.pool, self.turn = self.planner.begin(), -1, 1
        self.matched: list[int] = []
        self.kinds: list[int] = []
        self.counts = np.zeros(kernel.COUNTS, np.int64)
        self.failure = np.zeros(3)

    def read(self, i: int, row: int) -> int:
        """What becomes of event `i` of the run; the numbers are the steps above."""
        log, options, state = self.log, self.options, self.state
        arm, G = int(log.events.arm[row]), float(log.G[row])
        clock = int(log.bins.clock[log.bins.of[row]]) - options.start + 1
        if not log.studied[arm]:  # 1
            return kernel.NOT_STUDIED
        if log.pool[row] != self.pool:
            self._enter_pool(int(log.pool[row]), clock)
        if not state.available[arm]:
            return kernel.NOT_IN_POOL
        key = turn_key(options.key, i + 1)
        if self.lowest is not None and (  # 2
            draw(key, REWARD) * log.propensity(np.array([row]))[0] >= self.lowest[self.pool]
        ):
            return kernel.THINNED
        untried = state.available & (state.selections == 0)
        tried = bool((untried & self.opening).any())
        if tried and not (untried & self.opening)[arm]:  # 3
            return kernel.WAITING
        size = int(state.available.sum())
        view = UnknownFuture.of(self.turn, G, size, options.lowest, options.lowest)
        level, carried = self.planner.step(self.carry, view)
        if not (math.isfinite(level) and options.low <= level <= options.high):
            self.failure[:] = self.turn, -1, level
            return kernel.OTHER_ARM
        turn = Turn(self.turn, level, G, math.nan, UNKNOWN_TURNS, key, options.random_ties, clock)
        chosen, exploited = arm, False
        if not tried:  # 4
            chosen, exploited = choose(self.rule, state, turn)
            self.trying = bool(options.first_shown and untried[chosen])
            if self.trying and not untried[arm]:  # 5
                return kernel.WAITING
            if self.trying:
                chosen, tried = arm, True
            else:
                self.counts[kernel.ASKED] += 1
        if chosen != arm:  # 6
            return kernel.OTHER_ARM
        select(state, arm)  # 7
        reward = float(log.reward[row])
        value = G * reward if options.scaled else reward
        learn(self.rule, state, turn, Observation(arm, value, 1.0))
        self.matched.append(i)
        self.kinds.append(
            kernel.TRIED if tried else kernel.EXPLOITED if exploited else kernel.EXPLORED
        )
        self.carry = carried
        self.turn += 1
        return kernel.MATCHED

    def _enter_pool(self, pool: int, clock: int) -> None:
        """Other arms are available: weigh them, and at the first pool choose the opening arms."""
        state = self.state
        self.pool = pool
        state.available[:] = False
        state.available[self.log.pools[pool]] = True
        state.available[~self.shown] = False
        reveal_ends(state, self.lifetimes.end, clock)
        if state.available.any():
            self.rule.set_weights(state, clock, self.lifetimes.score, self.options.scale)
            if not self.opened:
                self.opened = True
                mark_opening(state, self.options.initial_arms, self.opening)


def _shown(log: PreparedLog, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which studied arms are shown in the run out of a pool that holds them."""
    pairs = set(zip(log.events.arm[rows].tolist(), log.pool[rows].tolist(), strict=True))
    shown = np.zeros(len(log.events.arms), np.bool_)
    shown[[arm for arm, pool in pairs if arm in log.pools[pool]]] = True
    return shown
