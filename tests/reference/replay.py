"""One policy along a log, event by event, in the slow and obvious way."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import REWARD, draw, turn_key
from highseason.engine import learn, select
from highseason.engine.turn import choose
from highseason.logs import PreparedLog
from highseason.logs import replay_kernel as kernel
from highseason.logs.replay_kernel import (
    EventOrder,
    KernelOptions,
    LogLifetimes,
    Player,
    ReplayTrace,
)
from highseason.policies import UNKNOWN_TURNS, Observation, Policy, Turn
from highseason.policies.plan import UnknownFuture
from highseason.policies.rule import mark_opening, reveal_ends


def replay(player: Player, order: EventOrder, seed: int = 0, run: int = 0) -> ReplayTrace:
    """Play one policy along the events of a run.

    The numbers in `_ReferenceRun.read` are the steps of `replay_kernel`.
    """
    lifetimes, options = player.settings(order, seed, run)
    rows = order.rows()
    game = _ReferenceRun(
        player.policy, player.log, rows, lifetimes, options, player.lowest_propensity
    )
    for i, row in enumerate(rows.tolist()):
        fate = game.read(i, row)
        game.counts[fate] += 1
        if fate in (kernel.NOT_STUDIED, kernel.THINNED):
            game.counts[kernel.SKIPPED] += not game.trying
        if game.turn > options.turns:
            break
    matched, kinds = np.array(game.matched, np.int64), np.array(game.kinds, np.uint8)
    return ReplayTrace(matched, kinds, game.counts, np.zeros(3))


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
        assert math.isfinite(level)
        assert options.low <= level <= options.high
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
