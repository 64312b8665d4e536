"""One game, turn by turn, with other libraries; each function gives the seconds a game took.

Peers accept live rewards one turn at a time, which is what they are made for; our kernels play
simulated games only.  `Bandit` is the like-for-like counterpart of these classes.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np

Game = Callable[[int, int, int], float]


def rewards_of(arms: int, turns: int, seed: int) -> np.ndarray:
    """Bernoulli rewards of every arm in every turn, drawn outside the clock."""
    rng = np.random.default_rng(seed)
    return (rng.random((turns, arms)) < rng.random(arms)).astype(float)


def mabwiser_ucb(arms: int, turns: int, seed: int) -> float:
    """MABWiser's UCB1: predict, then partial_fit, one turn at a time."""
    from mabwiser.mab import MAB, LearningPolicy

    paid = rewards_of(arms, turns, seed)
    player = MAB(list(range(arms)), LearningPolicy.UCB1(alpha=1.0), seed=seed)
    begin = time.process_time()
    player.fit(decisions=list(range(arms)), rewards=paid[0, :].tolist())
    for t in range(arms, turns):
        arm = player.predict()
        player.partial_fit([arm], [paid[t, arm]])
    return time.process_time() - begin


def _river(player: object, arms: int, turns: int, seed: int) -> float:
    paid = rewards_of(arms, turns, seed)
    names = list(range(arms))
    begin = time.process_time()
    for t in range(turns):
        arm = player.pull(names)  # type: ignore[attr-defined]  # River's policies share no base here
        player.update(arm, paid[t, arm])  # type: ignore[attr-defined]  # as above
    return time.process_time() - begin


def river_ucb(arms: int, turns: int, seed: int) -> float:
    """River's UCB."""
    from river import bandit

    return _river(bandit.UCB(delta=1, burn_in=1, seed=seed), arms, turns, seed)


def river_epsilon(arms: int, turns: int, seed: int) -> float:
    """River's ε-greedy, with a decaying ε."""
    from river import bandit

    player = bandit.EpsilonGreedy(epsilon=1.0, decay=0.01, burn_in=1, seed=seed)
    return _river(player, arms, turns, seed)


def smpybandits_ucb(arms: int, turns: int, seed: int) -> float:
    """SMPyBandits' UCB."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from SMPyBandits.Policies import UCB

    paid = rewards_of(arms, turns, seed)
    player = UCB(arms)
    player.startGame()
    begin = time.process_time()
    for t in range(turns):
        arm = player.choice()
        player.getReward(arm, paid[t, arm])
    return time.process_time() - begin


PEERS: dict[str, tuple[str, Game]] = {
    "MABWiser UCB1": ("ucb", mabwiser_ucb),
    "River UCB": ("ucb", river_ucb),
    "River ε-greedy": ("epsilon", river_epsilon),
    "SMPyBandits UCB": ("ucb", smpybandits_ucb),
}
