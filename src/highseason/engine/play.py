"""One game, turn by turn, in readable Python: the definition of `simulate`.

Both choose the same arms for the same seed; the kernels are only faster.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import REWARD, draw, game_key, turn_key
from highseason.engine.kernels.interface import Play
from highseason.engine.kernels.turns import Arms, Floats, spans_of
from highseason.engine.turn import (
    arms_at_once,
    best_present,
    expected_measure,
    learn,
    population_of,
    portions_of,
    renew,
    score_lifetimes,
)
from highseason.policies import Horizon, Observation, Plan, Policy
from highseason.policies.base import labelled
from highseason.policies.lifetimes import Lifetimes
from highseason.policies.rule import mark_opening, offer_opening
from highseason.rewards import Rewards
from highseason.rewards.model import as_rewards
from highseason.traffic import as_multiplier


class Portions(NamedTuple):
    """The portions of a game, one after the other: what one arm was shown of a turn, and brought.

    A portion is a turn with G·share.  A turn that is played whole has one, with share 1.
    """

    turn: NDArray[np.int64]  # Its turn, from 1
    arm: NDArray[np.int64]  # The arm played
    share: NDArray[np.float64]  # How much of the turn it is
    exploited: NDArray[np.bool_]  # Whether the choice exploited, as the rule defines it
    paid: NDArray[np.float64]  # Its reward X, before the multiplier


@dataclass(frozen=True, eq=False)
class Game:
    """What happened in one game.  Arms count from 0.

    Attributes:
        plan: The plan.
        means: The true mean of each arm; a row per turn if the means change by turn.
        portions: What was played, in columns: one portion a turn.
        best_arms: The arm with the highest true mean of those present, by turn.
        best_paid: What it would have paid, with the same random numbers.
    """

    plan: Plan
    means: NDArray[np.float64]
    portions: Portions
    best_arms: NDArray[np.int64]
    best_paid: NDArray[np.float64]

    @property
    def G(self) -> NDArray[np.float64]:
        """The multiplier of each turn."""
        return self.plan.multiplier.values

    @property
    def arms(self) -> NDArray[np.int64]:
        """The arm of each portion, so of each turn that was played whole."""
        return self.portions.arm

    @property
    def paid(self) -> NDArray[np.float64]:
        """The reward X of each portion, before the multiplier."""
        return self.portions.paid

    @property
    def exploited(self) -> NDArray[np.bool_]:
        """Whether the choice of each portion exploited."""
        return self.portions.exploited

    @property
    def weights(self) -> NDArray[np.float64]:
        """The multiplier of each portion: G·share."""
        return np.asarray(self.G[self.portions.turn - 1] * self.portions.share)

    @property
    def reward(self) -> float:
        """Sum of G(t)·X(t)."""
        return float((self.weights * self.paid).sum())

    @property
    def regret(self) -> float:
        """Pseudo-regret: sum of G(t) times the gap of the arm played to the best present."""
        return float(self.losses.sum())

    @property
    def losses(self) -> NDArray[np.float64]:
        """What each turn adds to the pseudo-regret."""
        turn = self.portions.turn - 1
        means = np.broadcast_to(self.means, (self.G.size, self.means.shape[-1]))
        gaps = means[turn, self.best_arms[turn]] - means[turn, self.arms]
        return self.by_turn(self.weights * gaps)

    @property
    def realised_regret(self) -> float:
        """What the best arm would have earned with the same random numbers, less the reward."""
        best_paid = self.best_paid[self.portions.turn - 1]
        return float((self.weights * (best_paid - self.paid)).sum())

    @property
    def exploited_reward(self) -> float:
        """The part of the reward that came from pure exploitation."""
        return float((self.weights * self.paid)[self.exploited].sum())

    @property
    def best_pulls(self) -> float:
        """How many turns the best arm present was played."""
        portions = self.portions
        return float(portions.share[portions.arm == self.best_arms[portions.turn - 1]].sum())

    def by_turn(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sums of values of portions, for each turn."""
        sums = np.bincount(self.portions.turn - 1, values, minlength=self.G.size)
        return sums.astype(np.float64)


def play(
    policy: Policy | str,
    rewards: Rewards | str,
    multiplier: Any,
    seed: int = 0,
    game: int = 0,
    forecast: Any = None,
    lifetimes: Lifetimes | None = None,
) -> Game:
    """Play game `game` of the run that `simulate(…, seed=seed)` plays.

    Args:
        policy: The policy that plays, or its text.
        rewards: What the arms pay, or its text.
        multiplier: G, as `as_multiplier` takes it.
        seed: The seed of the run.
        game: Which of its games, from 0.
        forecast: What is expected of each turn before it comes; None when G is known.
        lifetimes: When each arm is there; None if all arms always are.  The plan is made for the
            average number of arms present, and lifetimes are weighed by G, or by its forecast.

    Returns:
        The game, turn by turn: the plan, the portions that were played with the arm and the reward
        of each, and what the best arm would have paid.

    >>> import highseason as hs
    >>> G = hs.traffic.wave(turns=50)
    >>> game = play(hs.UCBZ(), hs.rewards.bernoulli(means=[0.9, 0.1]), G, seed=1)
    >>> game.arms[:2]
    array([0, 1])
    >>> game.best_pulls > 25
    True
    """
    G, rewards = as_multiplier(multiplier), as_rewards(rewards)
    _, [player] = labelled(policy, visitors=rewards.counts_visitors)
    arms = rewards.arms if lifetimes is None else arms_at_once(rewards, lifetimes, G.turns)
    plan = player.plan(G, arms, forecast)
    return play_planned(plan, rewards, game_key(seed, game), forecast, lifetimes)


def play_planned(
    plan: Plan,
    rewards: Rewards,
    start: int,
    forecast: Any = None,
    lifetimes: Lifetimes | None = None,
) -> Game:
    """The same with the plan made, and the key at which the game's random numbers begin."""
    policy, G = plan.policy, plan.multiplier
    key = np.array([start], np.uint64)
    parameters = rewards.parameters(key)[0]
    varies = rewards.varies
    means = rewards.means_by_turn(parameters, start, G.values)
    population = population_of(
        policy, spans_of(lifetimes, key, rewards.arms, G.turns)[0], lifetimes, G.turns
    )
    use = policy.lifetime_options
    score_lifetimes(population, expected_measure(G.values, forecast, use), use.at_end, G.turns)

    rule, horizon = policy.rule, Horizon.of(G, forecast)
    state = rule.fresh_state(rewards.arms, rewards.offers)
    played: list[tuple[Any, ...]] = []
    best_arms, best_paid = np.empty(G.turns, np.int64), np.empty(G.turns)
    change, opening, best = 1, True, -1
    for i, value in enumerate(G.values):
        if i + 1 == change:
            change = renew(state, population, i + 1, rule.set_weights)
            best = best_present(population.alive, means[0])
        if varies:
            best = best_present(population.alive, means[i])
        if i == 0:
            mark_opening(state, population.initial_arms, population.opening)
        if opening:
            opening = offer_opening(state, population.opening, population.alive)
        turn = horizon.turn(i + 1, plan[i], turn_key(start, i + 1), policy.ties == "random")
        portions = portions_of(rule, state, turn)
        u = draw(turn.key, REWARD)
        now = parameters if rewards.drift is None else means[i]
        best_arms[i], best_paid[i] = best, rewards.draw(u, now[best], i + 1, value)
        for arm, share, exploited in portions:
            weight = value * share
            drawn = rewards.drawn(u, now[arm], i + 1, weight)
            played.append((i + 1, arm, share, exploited, drawn.paid))
            earned = weight * rewards.learned(drawn.paid)
            learned = earned if policy.learns_scaled else earned / weight
            if rule.traits.learns == "seen":
                learned = drawn.seen
            observation = Observation(arm, learned, policy.precision(rewards.visitors_at(weight)))
            # The opening restricts choices, not learning.
            learn(rule, state, turn._replace(G=turn.G * share), observation, population.alive)
    if not varies:
        means = means[0]
    columns = Portions(*map(np.array, zip(*played, strict=True)))
    return Game(plan, means, columns, best_arms, best_paid)


def readable_player(
    plan: Plan,
    rewards: Rewards,
    checkpoints: NDArray[np.int64],
    forecast: Any,
    lifetimes: Lifetimes | None,
) -> Play:
    """What plays games as kernels do, for a policy that cannot be compiled: this loop."""

    def play(keys: NDArray[np.uint64], arms: Arms, out: Floats, trace: Floats) -> None:
        for i, key in enumerate(keys.tolist()):
            game = play_planned(plan, rewards, key, forecast, lifetimes)
            out[i] = game.reward, game.regret, game.exploited_reward, game.best_pulls
            earned = game.by_turn(game.weights * game.paid)
            running = np.cumsum([earned, game.losses], axis=1)
            trace[i] = running.T[checkpoints - 1]

    return play
