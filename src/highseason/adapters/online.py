"""One of our policies outside our games: arms are asked for and rewards learned in any order.

Other libraries know no turns and no G.  Here every question is a turn; G is 1, or what is given.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from highseason.core.random import game_key, turn_key
from highseason.engine import decide, learn
from highseason.policies import (
    UNKNOWN_TURNS,
    ArmState,
    Horizon,
    Observation,
    Plan,
    Planner,
    Policy,
    Turn,
    parse,
)
from highseason.traffic import Multiplier, as_multiplier


class OnlineGame:
    """A policy, what it has learned of arms with any names, and its plan.

    `multiplier` is the whole of G, if it is known; after its last turn G stays what it was.
    """

    def __init__(self, policy: Policy | str, seed: int = 0, multiplier: Any = None) -> None:
        self.policy = parse(policy) if isinstance(policy, str) else policy
        self.ids: list[Any] = []
        self.turn, self._asked = 0, 1.0  # the last question, and its G
        self._start = game_key(seed, 0)
        self._G: Multiplier | None = None if multiplier is None else as_multiplier(multiplier)
        self._state: ArmState = self.policy.rule.fresh_state(0)
        self._plan: Plan | None = None
        self._beliefs: list[float] = []
        self._planner: Planner | None = None

    def add(self, arm: Any) -> int:
        """The number of an arm, which joins if it is new."""
        if arm in self.ids:
            return self.ids.index(arm)
        one = self.policy.rule.fresh_state(1)
        pairs = zip(self._state, one, strict=True)
        shared = self._state.shared
        self._state = ArmState(*(np.concatenate(pair) for pair in pairs))._replace(shared=shared)
        self._state.start[-1] = self.turn + 1 if self.turn else 0
        self.ids.append(arm)
        self._plan = self._planner = None  # both depend on the number of arms
        return len(self.ids) - 1

    def choose(self, arms: Sequence[Any], visitors: float = 1.0) -> Any:
        """The arm of the next turn, of those that are offered."""
        offered = [self.add(arm) for arm in arms]
        state = self._state
        state.available[:] = False
        state.available[offered] = True
        rule, options = self.policy.rule, self.policy.lifetime_options
        self.turn += 1
        rule.set_weights(state, self.turn, np.ones(len(self.ids)), options.weight_scale)
        turn = self._next_turn(float(visitors))
        self._asked = turn.G
        arm, _ = decide(rule, state, turn)
        return self.ids[arm]

    def learn(self, arm: Any, reward: float) -> None:
        """Learn a reward of an arm, which need not have been chosen here."""
        if self.policy.rule.traits.unit_range and not 0.0 <= reward <= 1.0:
            raise ValueError(
                f"{self.policy.label} learns rewards from 0 to 1, got {reward:g}: divide each by "
                "the most that one may be"
            )
        number, state = self.add(arm), self._state
        if state.selections[number] <= state.pulls[number]:  # chosen elsewhere
            state.selections[number] += 1
        turn = Turn(self.turn, 0.0, self._asked, math.nan, UNKNOWN_TURNS, 0, False, self.turn)
        state.available[number] = True
        learn(self.policy.rule, state, turn, Observation(number, float(reward), 1.0))

    def estimates(self) -> dict[Any, float]:
        """What the policy compares each arm by; 0 for arms without any reward."""
        standings = self.policy.rule.standings(self._state, -1)
        return {self.ids[arm]: value or 0.0 for arm, value in standings}

    def _next_turn(self, visitors: float) -> Turn:
        key, ties = turn_key(self._start, self.turn), self.policy.ties == "random"
        if self._G is not None and self.turn <= self._G.turns:
            if self._plan is None:
                self._plan = self.policy.plan(self._G, len(self.ids))
            level = self._plan.at(self.turn)
            return Horizon.known(self._G.values).turn(self.turn, level, key, ties)
        G = visitors if self._G is None else float(self._G.values[-1])
        level = self._level(G)
        return Turn(self.turn, level, G, math.nan, UNKNOWN_TURNS, key, ties, self.turn)

    def _level(self, G: float) -> float:
        """The level of a turn whose G is known when it comes."""
        if self._planner is None:  # planned again from the first turn: the number of arms changed
            self._planner = Planner(self.policy, len(self.ids))
            for value in self._beliefs:
                self._planner.level(value)
                self._planner.saw(value)
        level = self._planner.level(G)
        self._planner.saw(G)
        self._beliefs.append(G)
        return level
