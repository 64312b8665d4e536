"""A rule in a made-up story, one display after the other."""

from __future__ import annotations

import math
from collections.abc import Iterable

from highseason.core.random import game_key, turn_key
from highseason.policies import NO_END, Observation, Rule, Turn


class Story:
    """Each display is a turn; nothing else happens."""

    def __init__(
        self, rule: Rule, arms: int, number: float = 0.0, random_ties: bool = False, seed: int = 1
    ) -> None:
        self.rule, self.number, self.t = rule, number, 0
        self.random_ties, self.seed = random_ties, seed
        self.state = rule.fresh_state(arms)

    def turn(self) -> Turn:
        key = turn_key(game_key(self.seed, 0), self.t + 1)
        return Turn(self.t + 1, self.number, 1.0, math.nan, -1, key, self.random_ties, self.t + 1)

    def tell(self, arm: int, values: Iterable[float]) -> None:
        for value in values:
            turn = self.turn()
            self.state.selections[arm] += 1
            self.rule.observe(self.state, turn, Observation(arm, value, 1.0))
            self.t += 1

    def ask(self) -> tuple[int, bool]:
        """The choice, asked twice: asking changes nothing."""
        first, second = (self.rule.choose(self.state, self.turn()) for _ in range(2))
        assert first == second
        assert self.rule.probabilities is not None
        chances = self.rule.probabilities(self.state, self.turn())
        assert chances[first[0]] == 1.0
        assert chances.sum() == 1.0
        return int(first[0]), bool(first[1])

    def dies(self, arm: int) -> None:
        """The arm's last turn was the one before."""
        self.state.available[arm] = False
        self.state.end[arm] = self.t
        self.weigh()

    def weigh(self) -> None:
        self.rule.set_weights(self.state, self.t + 1, self.state.sums * 0.0, 1.0)

    def lifetimes(self, arm: int, birth: int, expiry: int = NO_END) -> None:
        self.state.start[arm], self.state.end[arm] = birth, expiry


def clicks(count: int, of: int) -> list[float]:
    """So many clicks, then none."""
    return [1.0] * count + [0.0] * (of - count)
