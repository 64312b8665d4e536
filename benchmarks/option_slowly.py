"""The option index and its rivals once more, by a program that shares no code with the package.

NumPy and SciPy only, written from the formulas, with random numbers and a search of its own: a
check on the claim that the option index, untuned, stays ahead of rivals that are tuned to the
setting.  It plays the six smallest settings of the paper with Bernoulli rewards, one turn of all
games at a time.  Each rival draws its constants at random and keeps what is best in the games of
tuning; then all play other games.  Prints, for each setting, the regret of the option index over
that of the best tuned rival, picked on the games of tuning, and the geometric mean.

    python benchmarks/option_slowly.py --games 400 --tuning 150 --candidates 48
"""

import argparse
import math
import sys
import time

import numpy as np
from scipy.special import betainc

SIZES, SHAPES = ((25, 500), (50, 500)), ("wave", "step", "christmas")


def multiplier(shape, n):
    t = np.arange(1, n + 1)
    wave = 21 + 20 * np.sin(0.25 * t)
    if shape == "christmas":
        return np.where((8 * n <= 10 * t) & (10 * t <= 9 * n), 1000.0, wave)
    return np.where(((10 * t // n) % 2 == 1) | (t == n), 40.0, 1.0) if shape == "step" else wave


class Games:
    """The means and all random numbers of some games."""

    def __init__(self, rng, count, arms, turns):
        self.means = rng.random((count, arms))
        self.rewards, self.coins, self.picks = (rng.random((turns, count)) for _ in range(3))


# -- what rivals explore with: a level for each candidate and turn


def levels(family, rng, count, G, m):
    """Constants at random, and the levels that they give: a row for each candidate."""
    t, top = np.arange(1, G.size + 1.0), G.max()

    def log_uniform(low, high):
        return np.exp(rng.uniform(math.log(low), math.log(high), (count, 1)))

    P, k, c = log_uniform(1e-4, 5), log_uniform(1e-4, 30), log_uniform(1.01, 1000)
    unit, z = log_uniform(1e-3, 10) * top, np.quantile(G, rng.random((count, 1)))
    if family == "epsilon-greedy":
        return np.minimum(1, k * m / t)
    if family == "epsilon-z":
        return np.where(z <= G, 0, np.minimum(1, k * m / np.maximum(1, np.cumsum(z > G, axis=1))))
    if family == "soft-epsilon":
        psi = np.log1p(unit / G) / np.log1p(unit / G[m:].min())
        return np.minimum(np.minimum(1, psi), k * m / t)
    if family == "ucb":
        return P * np.log(t)
    if family == "ucb-z":
        return np.where(z <= G, 0, P * np.log(t))
    if family == "soft-ucb":
        return P * np.log1p(t * unit / G)
    if family == "ada-ucb":
        low, high = np.sort(np.quantile(G, rng.random((count, 2))), axis=1).T[:, :, None]
        load = np.clip((G - low) / np.where(high > low, high - low, 1), 0, 1)
        load = np.where(high > low, load, low < G)
        return P * (1 - load) * np.log(t)
    if family == "variable-pool":
        return np.clip(np.floor(c * m * unit / (t * G)), 1, m)
    return np.zeros((1, G.size))  # greedy


FAMILIES = ("epsilon-greedy", "epsilon-z", "soft-epsilon", "ucb", "ucb-z", "soft-ucb", "ada-ucb",
            "variable-pool", "greedy")  # fmt: skip


def play(family, plan, G, games):
    """The regret of every candidate in every game."""
    candidates, count, m = len(plan), *games.means.shape
    pulls, sums = np.zeros((2, candidates, count, m))
    who, game = np.arange(candidates)[:, None], np.arange(count)
    regret, best = np.zeros((candidates, count)), games.means.max(axis=1)
    for t in range(G.size):
        if t < m:
            arm = np.full((candidates, count), t)
        else:
            estimates, level = sums / pulls, plan[:, t]
            if "ucb" in family:
                estimates += np.sqrt(level)[:, None, None] / np.sqrt(pulls)
            arm = estimates.argmax(axis=2)
            if "epsilon" in family:
                drawn = (games.picks[t] * m).astype(int)
                arm = np.where(games.coins[t] < level[:, None], drawn, arm)
            elif family == "variable-pool":
                wide = np.flatnonzero(level > 1)
                order = np.argsort(-estimates[wide], axis=2, kind="stable")
                rank = (games.picks[t] * level[wide, None]).astype(int)
                arm[wide] = np.take_along_axis(order, rank[:, :, None], axis=2)[:, :, 0]
        mean = games.means[game, arm]
        pulls[who, game, arm] += 1
        sums[who, game, arm] += games.rewards[t] < mean
        regret += G[t] * (best - mean)
    return regret


# -- the option index


def horizons(G, m):
    """1/H = the larger of G/W and the K-th best rate at which waiting saves; the slow way."""
    K, H = int(min(m, 2 * math.sqrt(G.size))), np.zeros(G.size)
    for t in range(G.size - 1):
        passed = np.cumsum(G[t + 1 :])
        rates = np.sort((G[t] - G[t + 1 :]) / passed)[::-1]
        waiting = rates[K - 1] if rates.size >= K else 0.0
        H[t] = 1.0 / max(G[t] / passed[-1], waiting)
    return H


NU = 2.0 ** np.array([0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13])[:, None]
PI = 1 / (1 + np.exp(-np.linspace(-8, 8, 81)))
PRIOR = np.log(PI * (1 - PI)) - 0.5 * abs(np.log2(NU / 2)) + np.where(NU > 128, math.log(2), 0)


def surplus(x, p, n, rate):
    """What an arm may bring beyond x, less what trying it costs; n (Beta) trials with mean p."""
    a, b = p * n, (1 - p) * n
    call = p * (1 - betainc(a + 1, b, x)) - x * (1 - betainc(a, b, x))
    return call - rate * (x - p)


def index(p, n, rate):
    """Where the surplus is 0, by bisection."""
    low, high = p.copy(), np.ones_like(p)
    for _ in range(45):
        middle = (low + high) / 2
        positive = surplus(middle, p, n, rate) > 0
        low, high = np.where(positive, middle, low), np.where(positive, high, middle)
    return low


def play_option(G, games):
    """The regret of the option index in every game."""
    count, m = games.means.shape
    H, game = horizons(G, m), np.arange(count)
    trials, wins, logs = np.zeros((count, m)), np.zeros((count, m)), np.tile(PRIOR, (count, 1, 1))
    regret, best = np.zeros(count), games.means.max(axis=1)
    for t in range(G.size):
        weights = np.exp(logs - logs.max(axis=(1, 2), keepdims=True))
        weights /= weights.sum(axis=(1, 2), keepdims=True)
        pi = (weights * PI).sum(axis=(1, 2))
        variance = (weights * (PI * (1 - PI) / (NU + 1) + (PI - pi[:, None, None]) ** 2)).sum(
            axis=(1, 2)
        )
        nu = 1 / np.minimum(0.9, variance / (pi * (1 - pi))) - 1
        n = nu[:, None] + trials
        p = (nu * pi)[:, None] + wins
        p /= n
        arm = p.argmax(axis=1)
        if H[t] > 0:
            rates = (1 + 0.3 * n) / H[t]
            first = game, arm
            top = index(
                p[first], n[first], rates[first]
            )  # of the highest mean; then of those above
            above = surplus(np.maximum(top[:, None], p), p, n, rates) > 0
            above[first] = False
            where = np.nonzero(above)
            values = np.full(p.shape, -np.inf)
            values[first] = top
            values[where] = index(p[where], n[where], rates[where])
            arm = (values > values.max(axis=1, keepdims=True) - 1e-11).argmax(axis=1)
        mean = games.means[game, arm]
        won = games.rewards[t] < mean
        seen, had = trials[game, arm][:, None, None], wins[game, arm][:, None, None]
        share = np.where(won[:, None, None], NU * PI + had, NU * (1 - PI) + seen - had)
        logs += np.log(share / (NU + seen))
        trials[game, arm] += 1
        wins[game, arm] += won
        regret += G[t] * (best - mean)
    return regret


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--tuning", type=int, default=150, help="other games, to tune on")
    parser.add_argument("--candidates", type=int, default=48, help="of each rival")
    parser.add_argument("--seed", type=int, default=2026)
    given = parser.parse_args()
    logs, errors, begin = [], [], time.process_time()
    for (m, n), shape in ((size, shape) for size in SIZES for shape in SHAPES):
        rng, G = (
            np.random.default_rng([given.seed, m, n, SHAPES.index(shape)]),
            multiplier(shape, n),
        )
        tuning, judged = Games(rng, given.tuning, m, n), Games(rng, given.games, m, n)
        lost = {}
        for family in FAMILIES:
            plans = levels(family, rng, given.candidates, G, m)
            means = play(family, plans, G, tuning).mean(axis=1)
            chosen = plans[means.argmin()][None]
            lost[family] = means.min(), play(family, chosen, G, judged)[0]
        rival = min(lost, key=lambda family: lost[family][0])
        own, other = play_option(G, judged), lost[rival][1]
        ratio = own.mean() / other.mean()
        error = (own / own.mean() - other / other.mean()).std(ddof=1) / math.sqrt(given.games)
        low, high = ratio * math.exp(-1.96 * error), ratio * math.exp(1.96 * error)
        logs.append(math.log(ratio))
        errors.append(error)
        shares = ", ".join(f"{each.mean() / G.sum():.4f}" for each in (own, other))
        print(f"bernoulli-{shape}-{m}-arms-{n}-turns: {ratio:.3f} ({low:.3f} to {high:.3f}) of "
              f"{rival}; regret over the sum of G {shares}")  # fmt: skip
        sys.stdout.flush()
    mean, half = np.mean(logs), 1.96 * math.hypot(*errors) / len(errors)
    print(f"geometric mean {math.exp(mean):.3f} ({math.exp(mean - half):.3f} to "
          f"{math.exp(mean + half):.3f})")  # fmt: skip
    print(f"{time.process_time() - begin:.0f} seconds of CPU")


if __name__ == "__main__":
    main()
