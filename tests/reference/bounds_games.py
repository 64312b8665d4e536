"""Games played to be compared with bounds: many, small, and scored by their conditional mean.

A turn of an ε policy is scored (ε/m) sum D + (1-ε) D_leader, a turn of a pool by the mean gap of
the pool: where the costly draws are rare, a sampled score would have far too small a standard
error.  Ties go to the worst arm; the bounds hold under any rule.  Rewards are within [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled
from highseason.core.jitable import jitable
from highseason.core.random import DECISION, REWARD, draw, game_keys, turn_key

Numbers = NDArray[np.float64]

#: How arms pay: 0 or 1; or their mean plus or minus a fixed amount.
COIN, SWING = 0, 1


class Sample(NamedTuple):
    mean: float
    error: float

    @classmethod
    def of(cls, regrets: Numbers) -> Sample:
        return cls(float(regrets.mean()), float(regrets.std(ddof=1) / math.sqrt(regrets.size)))

    def exceeds(self, bound: float) -> bool:
        """Whether the mean is above the bound by more than three standard errors."""
        return self.mean - 3.0 * self.error > bound * (1 + 1e-9)


@jitable
def reward(kind: int, key: int, mean: float) -> float:
    luck = draw(key, REWARD)
    if kind == COIN:
        return 1.0 if luck < mean else 0.0
    width = min(mean, 1.0 - mean)
    return mean + width if luck < 0.5 else mean - width


@jitable
def ahead(value: float, gap: float, top: float, top_gap: float) -> bool:
    """Whether an arm takes the lead; equals go to the larger gap."""
    return value > top or (value == top and gap > top_gap)


def epsilon_games(epsilons, G, means, kind, keys, regrets):  # type: ignore[no-untyped-def]
    m = means.size
    gaps = means.max() - means
    for game in range(regrets.size):
        pulls, sums = np.zeros(m), np.zeros(m)
        total = 0.0
        for i in range(G.size):
            key = turn_key(keys[game], i + 1)
            arm = i
            if i < m:
                total += G[i] * gaps[i]
            else:
                leader = 0
                for j in range(1, m):
                    lead = sums[leader] / pulls[leader]
                    if ahead(sums[j] / pulls[j], gaps[j], lead, gaps[leader]):
                        leader = j
                e = epsilons[i]
                total += G[i] * (e * gaps.mean() + (1.0 - e) * gaps[leader])
                arm = leader
                coin = draw(key, DECISION)
                if coin < e:
                    arm = min(int(coin / e * m), m - 1)
            sums[arm] += reward(kind, key, means[arm])
            pulls[arm] += 1.0
        regrets[game] = total


def ucb_games(radii, G, means, kind, keys, regrets):  # type: ignore[no-untyped-def]
    m = means.size
    gaps = means.max() - means
    for game in range(regrets.size):
        pulls, sums = np.zeros(m), np.zeros(m)
        total = 0.0
        for i in range(G.size):
            key = turn_key(keys[game], i + 1)
            arm = i
            if i >= m:
                arm = 0
                top = sums[0] / pulls[0] + math.sqrt(radii[i] / pulls[0])
                for j in range(1, m):
                    index = sums[j] / pulls[j] + math.sqrt(radii[i] / pulls[j])
                    if ahead(index, gaps[j], top, gaps[arm]):
                        arm, top = j, index
            total += G[i] * gaps[arm]
            sums[arm] += reward(kind, key, means[arm])
            pulls[arm] += 1.0
        regrets[game] = total


@jitable
def rank(order: NDArray[np.int64], values: Numbers) -> None:
    """Order arms by falling values; equals stay as they are (NumPy's sort compiles for seconds)."""
    for i in range(1, order.size):
        arm, j = order[i], i
        while j > 0 and values[order[j - 1]] < values[arm]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = arm


def pool_games(sizes, G, means, kind, keys, regrets):  # type: ignore[no-untyped-def]
    m = means.size
    gaps = means.max() - means
    ranked = np.arange(m)
    for game in range(regrets.size):
        pulls, sums = np.zeros(m), np.zeros(m)
        total = 0.0
        for i in range(G.size):
            key = turn_key(keys[game], i + 1)
            arm = i
            if i < m:
                total += G[i] * gaps[i]
            else:
                rank(ranked, gaps)  # of equals the worst come first
                rank(ranked, sums / pulls)
                size, pool = int(sizes[i]), 0.0
                for j in range(size):
                    pool += gaps[ranked[j]]
                total += G[i] * (pool / size)
                arm = ranked[min(int(draw(key, DECISION) * size), size - 1)]
            sums[arm] += reward(kind, key, means[arm])
            pulls[arm] += 1.0
        regrets[game] = total


def mortal_games(births, deaths, stakes, psi, G, means, kind, keys, regrets):  # type: ignore[no-untyped-def]
    """`psi[t, j]`; arms alive at turn 1 are played first, unplayed arms before all others."""
    m = means.size
    for game in range(regrets.size):
        pulls, sums = np.zeros(m), np.zeros(m)
        total, opening = 0.0, 0
        for i in range(G.size):
            t = i + 1
            key = turn_key(keys[game], t)
            best = -1.0
            for j in range(m):
                if max(1, births[j]) <= t <= deaths[j]:
                    best = max(best, means[j])
            while opening < m and not (births[opening] == 0 and deaths[opening] >= t):
                opening += 1
            arm = -1
            if opening < m:
                arm = opening
                opening += 1
            else:
                top = -math.inf
                for j in range(m):
                    if max(1, births[j]) <= t <= deaths[j]:
                        index = math.inf
                        if pulls[j] > 0:
                            log = math.log1p((t - births[j]) / stakes[i])
                            index = sums[j] / pulls[j] + psi[i, j] * math.sqrt(2.0 * log / pulls[j])
                        if arm < 0 or ahead(index, -means[j], top, -means[arm]):
                            arm, top = j, index
            total += G[i] * (best - means[arm])
            sums[arm] += reward(kind, key, means[arm])
            pulls[arm] += 1.0
        regrets[game] = total


def adversarial(roots, payoffs, chosen, forced, pulls_after):  # type: ignore[no-untyped-def]
    """The last arm always pays its least, the others their most, and ties go against it.

    `roots[t]` is the number under the root; where `forced[t]`, the turn goes to the arm with the
    highest average instead (a high turn of UCB-z).  `pulls_after[t]` counts the last arm.
    """
    m = payoffs.size
    pulls = np.zeros(m)
    for i in range(roots.size):
        arm = i
        if i >= m:
            arm = 0
            root = 0.0 if forced[i] else roots[i]
            top = payoffs[0] + math.sqrt(root / pulls[0])
            for j in range(1, m):
                index = payoffs[j] + math.sqrt(root / pulls[j])
                if index > top:  # the last arm must be strictly better
                    arm, top = j, index
        pulls[arm] += 1.0
        pulls_after[i] = pulls[m - 1]
        chosen[i] = arm


def _play(kernel: Callable[..., None], *arguments: Any) -> None:
    import numba

    compiled(kernel, numba.types.void(*(numba.typeof(a) for a in arguments)))(*arguments)


def _array(values: Any) -> Numbers:
    return np.array(values, dtype=np.float64)


def _sampled(kernel: Callable[..., None], *arguments: Any, games: int, seed: int) -> Sample:
    regrets = np.empty(games)
    _play(kernel, *arguments, game_keys(seed, range(games)), regrets)
    return Sample.of(regrets)


def epsilon_sample(eps: Any, G: Any, means: Any, games: int, seed: int, kind: int = COIN) -> Sample:
    arrays = _array(eps), _array(G), _array(means)
    return _sampled(epsilon_games, *arrays, kind, games=games, seed=seed)


def ucb_sample(radii: Any, G: Any, means: Any, games: int, seed: int, kind: int = COIN) -> Sample:
    arrays = _array(radii), _array(G), _array(means)
    return _sampled(ucb_games, *arrays, kind, games=games, seed=seed)


def pool_sample(sizes: Any, G: Any, means: Any, games: int, seed: int, kind: int = COIN) -> Sample:
    arrays = _array(sizes), _array(G), _array(means)
    return _sampled(pool_games, *arrays, kind, games=games, seed=seed)


def mortal_sample(
    lifetimes: list[tuple[int, int]], G: Any, means: Any, c: float, games: int, seed: int
) -> Sample:
    weights, n = _array(G), len(G)
    births = np.array([0 if first <= 1 else first for first, _ in lifetimes])
    deaths = np.array([min(last, n) for _, last in lifetimes])
    psi = np.zeros((n, births.size))
    scores = [weights[max(1, b) - 1 : d].sum() for b, d in zip(births, deaths, strict=True)]
    for t in range(1, n + 1):
        alive = [j for j in range(births.size) if max(1, births[j]) <= t <= deaths[j]]
        for j in alive:
            psi[t - 1, j] = c * sum(scores[i] <= scores[j] for i in alive) / len(alive)
    arrays = births, deaths, weights, psi, weights, _array(means)
    return _sampled(mortal_games, *arrays, COIN, games=games, seed=seed)


def forced_pulls(
    roots: Any, payoffs: Any, forced: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """How often the last arm has been pulled after each turn, in the worst case."""
    numbers = _array(roots)
    after, chosen = np.zeros(numbers.size), np.zeros(numbers.size)
    high = np.zeros(numbers.size, bool) if forced is None else np.array(forced)
    _play(adversarial, numbers, _array(payoffs), chosen, high, after)
    return after.astype(np.int64)
