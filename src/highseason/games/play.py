"""One game, turn by turn, in readable Python: what `simulate` means.

Both choose the same arms for the same seed; this loop is the definition, the kernels are fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import REWARD, draw, game_key, turn_key
from highseason.multipliers import as_multiplier
from highseason.policies import Plan, Policy
from highseason.rewards import Rewards
from highseason.rules import Turn, wrong_arm


@dataclass(frozen=True, eq=False)
class Game:
    """What happened in one game.  Arrays have one entry per turn, arms count from 0.

    Attributes:
        plan: The plan that was followed.
        means: The true mean of each arm.
        arms: The arm played.
        paid: Its reward X, before the multiplier.
        best_paid: What the best arm would have paid, with the same luck.
        exploited: Whether the turn was pure exploitation, as the policy's family defines it.
    """

    plan: Plan
    means: NDArray[np.float64]
    arms: NDArray[np.int64]
    paid: NDArray[np.float64]
    best_paid: NDArray[np.float64]
    exploited: NDArray[np.bool_]

    @property
    def G(self) -> NDArray[np.float64]:
        """The multiplier."""
        return self.plan.multiplier.values

    @property
    def best(self) -> int:
        """The arm with the highest true mean."""
        return int(np.argmax(self.means))

    @property
    def reward(self) -> float:
        """Sum of G(t)·X(t)."""
        return float((self.G * self.paid).sum())

    @property
    def regret(self) -> float:
        """Pseudo-regret: sum of G(t) times the gap of the arm played."""
        return float((self.G * (self.means.max() - self.means[self.arms])).sum())

    @property
    def realised_regret(self) -> float:
        """What the best arm would have earned with the same luck, less the reward."""
        return float((self.G * (self.best_paid - self.paid)).sum())

    @property
    def exploited_reward(self) -> float:
        """The part of the reward that came from pure exploitation."""
        return float((self.G * self.paid)[self.exploited].sum())

    @property
    def best_pulls(self) -> int:
        """How often the best arm was played."""
        return int((self.arms == self.best).sum())


def play(
    policy: Policy,
    rewards: Rewards,
    multiplier: Any,
    seed: int = 0,
    game: int = 0,
    forecast: Any = None,
) -> Game:
    """Play game number `game` of the run that `simulate(…, seed=seed)` plays.

    Args:
        policy: Who plays.
        rewards: What the arms pay.
        multiplier: G, as `as_multiplier` takes it.
        seed: The seed of the run.
        game: Which of its games, from 0.
        forecast: What the policy believes of each turn before it comes; None when G is known.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=50)
    >>> game = play(hs.UCBZ(), hs.rewards.bernoulli(means=[0.9, 0.1]), G, seed=1)
    >>> game.arms[:2]
    array([0, 1])
    >>> game.best_pulls > 25
    True
    """
    G = as_multiplier(multiplier)
    plan = policy.plan(G, rewards.arms, forecast)
    start = game_key(seed, game)
    parameters = rewards.parameters(np.array([start], np.uint64))[0]
    means = rewards.means(parameters)
    best = int(np.argmax(means))

    rule = policy.decides_by
    state = rule.fresh_state(rewards.arms)
    arms, paid, best_paid = np.empty(G.turns, np.int64), np.empty(G.turns), np.empty(G.turns)
    exploited = np.empty(G.turns, np.bool_)
    for i, value in enumerate(G.values):
        turn = Turn(i + 1, plan[i], turn_key(start, i + 1), policy.ties == "random", i + 1)
        arm, exploited[i] = rule.choose(state, turn)
        if not 0 <= arm < rewards.arms:
            raise ValueError(wrong_arm(rule, i + 1, arm, rewards.arms))
        state.decided[arm] += 1
        u = draw(turn.key, REWARD)
        arms[i], paid[i] = arm, rewards.quantile(u, parameters[arm], rewards.scale)
        best_paid[i] = rewards.quantile(u, parameters[best], rewards.scale)
        scaled = value * paid[i]
        rule.observe(state, turn, arm, scaled if policy.learns_scaled else scaled / value)
    return Game(plan, means, arms, paid, best_paid, exploited)
