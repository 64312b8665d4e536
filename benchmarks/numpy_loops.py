"""The obvious NumPy simulations: one game at a time, and fifty games at once.

They do what `simulate` does by default: rewards multiplied by G and divided again before they are
learnt, and the totals of reward, regret and exploited reward.
"""

from __future__ import annotations

import time

import numpy as np

Choice = tuple[np.ndarray, np.ndarray]


def wave(turns: int) -> np.ndarray:
    """The multiplier of every benchmark."""
    return 21 + 20 * np.sin(0.25 * np.arange(1, turns + 1))


def one_game(kind: str, arms: int, turns: int, seed: int) -> float:
    """Seconds of one game, with a vectorised argmax over arms in every turn."""
    rng = np.random.default_rng(seed)
    means, G = rng.random(arms), wave(turns)
    gaps = means.max() - means
    begin = time.process_time()
    pulls, sums = np.ones(arms), (rng.random(arms) < means).astype(float)
    reward, regret, exploited = (G[:arms] * sums).sum(), (G[:arms] * gaps).sum(), 0.0
    for t in range(arms + 1, turns + 1):
        if kind == "ucb":
            estimates = sums / pulls
            arm = int(np.argmax(estimates + np.sqrt(2 * np.log(t) / pulls)))
            greedy = estimates[arm] >= estimates.max()
        else:
            greedy = rng.random() >= arms / t
            arm = int(np.argmax(sums / pulls)) if greedy else int(rng.integers(arms))
        paid = G[t - 1] * (rng.random() < means[arm])
        sums[arm] += paid / G[t - 1]
        pulls[arm] += 1
        reward += paid
        regret += G[t - 1] * gaps[arm]
        exploited += paid if greedy else 0.0
    return time.process_time() - begin


def many_games(kind: str, arms: int, turns: int, seed: int, games: int = 50) -> float:
    """Seconds per game when fifty games stand side by side in arrays."""
    rng = np.random.default_rng(seed)
    means, G = rng.random((games, arms)), wave(turns)
    gaps = means.max(axis=1, keepdims=True) - means
    rows = np.arange(games)
    begin = time.process_time()
    pulls, sums = np.ones((games, arms)), (rng.random((games, arms)) < means).astype(float)
    reward, regret, exploited = sums @ G[:arms], gaps @ G[:arms], np.zeros(games)
    for t in range(arms + 1, turns + 1):
        chosen, greedy = _choose(kind, rng, sums / pulls, pulls, t, G[t - 1])
        paid = G[t - 1] * (rng.random(games) < means[rows, chosen])
        sums[rows, chosen] += paid / G[t - 1]
        pulls[rows, chosen] += 1
        reward += paid
        regret += G[t - 1] * gaps[rows, chosen]
        exploited += paid * greedy
    return (time.process_time() - begin) / games


def _choose(
    kind: str, rng: np.random.Generator, estimates: np.ndarray, pulls: np.ndarray, t: int, g: float
) -> Choice:
    games, arms = estimates.shape
    if kind == "ucb":
        chosen = np.argmax(estimates + np.sqrt(2 * np.log(t) / pulls), axis=1)
        return chosen, estimates[np.arange(games), chosen] >= estimates.max(axis=1)
    if kind == "epsilon":
        greedy = rng.random(games) >= arms / t
        leader, lot = np.argmax(estimates, axis=1), rng.integers(arms, size=games)
        return np.where(greedy, leader, lot), greedy
    size = max(1, min(arms, int(10 * arms / (t * g))))
    order = np.argsort(-estimates, axis=1)
    return order[np.arange(games), rng.integers(size, size=games)], np.full(games, size == 1)
