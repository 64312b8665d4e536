"""How a live game learns: from turns, from what came before them, and again after a correction."""

import math
from typing import Generic

from highseason.bandit.arm_table import ArmTable
from highseason.bandit.events import Lesson
from highseason.bandit.ledger import ArmT, Ledger, Scale
from highseason.bandit.multiplier_source import MultiplierSource
from highseason.core.random import game_key, turn_key
from highseason.engine import learn
from highseason.policies import UNKNOWN_TURNS, Observation, Policy, Turn, observe_mean
from highseason.rewards.visitors import visitors_of


class LearningGame(Generic[ArmT]):
    """Arms, multiplier and ledger, and what is learned of the arms."""

    def __init__(self, policy: Policy, seed: int, scale: Scale, source: MultiplierSource) -> None:
        self.policy, self.seed, self.scale, self.source = policy, int(seed), scale, source
        self.table: ArmTable[ArmT] = ArmTable(policy, source)
        self.ledger = Ledger()
        self.clipped = 0
        self.seq = 0  # of the last event
        self._game_key = game_key(seed, 0)

    def _turn(self, turn: int, level: float, expected: float | None) -> Turn:
        key = turn_key(self._game_key, turn)
        return self.source.turn(turn, level, key, self.policy.ties == "random", expected)

    def _learn(self, row: int, reward: float, traffic: float) -> None:
        self.ledger.learned.append(row)
        turn = self._turn(self.ledger.turns[row], self.ledger.levels[row], None)
        self._observe(turn, self.ledger.arms[row], reward, traffic)

    def _learn_past(self, lesson: Lesson[ArmT]) -> None:
        arm = self.table.index(lesson.arm)
        self.table.selected(arm)
        self.source.observed(lesson.traffic)
        self.ledger.history.append((arm, lesson.reward, lesson.traffic))
        self._observe(self._past_turn(lesson.traffic), arm, lesson.reward, lesson.traffic)

    def _past_turn(self, traffic: float) -> Turn:
        """A turn before the first: turn 0."""
        ties, key = self.policy.ties == "random", turn_key(self._game_key, 0)
        return Turn(0, 0.0, traffic, math.nan, UNKNOWN_TURNS, key, ties, 0)

    def _observe(self, turn: Turn, arm: int, reward: float, traffic: float) -> None:
        value, clipped = self.scale.learned(reward, traffic)
        self.clipped += clipped
        # The arms there now: the reward may be late, and its turn's arms gone.
        state, present = self.table.learning_state(), self.table.present(self.ledger.last_turn)
        observation = Observation(arm, value, self.weight_of(traffic))
        learn(self.policy.rule, state, turn, observation, present)

    def weight_of(self, traffic: float) -> float:
        """How many observations a reward counts as that so many visitors brought."""
        return self.policy.precision(visitors_of(1.0, traffic))

    def _correct(self, row: int, reward: float) -> None:
        """Replace a reward, and learn again what may depend on it, in the same order."""
        ledger, before = self.ledger, self.ledger.outcome(row)
        ledger.rewards[row] = reward
        if before.lesson is None:
            return
        # A plain average depends on its own arm alone.
        arm = ledger.arms[row] if self.policy.rule.observe is observe_mean else None
        difference = (
            self.scale.learned(reward, before.lesson[1])[1]
            - (self.scale.learned(*before.lesson)[1])
        )
        clipped = self.clipped + difference
        self.table.forget(arm)
        for past, came, traffic in ledger.history:
            if arm in (None, past):
                self._observe(self._past_turn(traffic), past, came, traffic)
        for each in ledger.learned:
            if arm in (None, ledger.arms[each]):
                turn = self._turn(ledger.turns[each], ledger.levels[each], None)
                lesson = ledger.rewards[each], ledger.traffic[each]
                self._observe(turn, ledger.arms[each], *lesson)
        self.clipped = clipped
