"""Thompson sampling, KL-UCB and constant ε: regulated against plain, and nanoseconds per turn.

The first table has the regret of each regulated version as a share of the plain one's, with a 95%
interval over paired games.  The form of the regulators was chosen on the settings with 500 turns,
in other games: those with 1,500 turns and the study `vs_option_index` are the honest judges.  The
second is the CPU time of a turn, on one core: the least of several rounds, as other work only adds
to it.

    make bench
"""

from __future__ import annotations

import math
import time

import numpy as np
from rich.console import Console
from rich.table import Table

import highseason as hs

GAMES, SEED, ROUNDS = 300, 20, 3
BY = ("threshold", "soft", "ahead")
PLAIN = (hs.Thompson(), hs.GaussianThompson(), hs.KLUCB(), hs.ConstantEpsilon())
#: Arms, turns, and the range of the arms' means.
WORLDS = ((25, 500, (0.0, 1.0)), (10, 500, (0.0, 0.1)), (5, 1500, (0.3, 0.7)))
SHAPES = ("wave", "christmas", "step", "constant")
SIZES = ((25, 500), (200, 1500))


def ratio(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """The ratio of two means over paired games, and half its 95% interval."""
    value = float(one.mean() / other.mean())
    error = float((one - value * other).std(ddof=1)) / math.sqrt(one.size) / float(other.mean())
    return value, 1.96 * error


def regulated_against_plain(plain: hs.Policy) -> Table:
    """A row per setting."""
    table = Table("multiplier", "arms", "turns", "means", *BY, title=f"{plain}: regulated / plain")
    for shape in SHAPES:
        for arms, turns, between in WORLDS:
            G = getattr(hs.traffic, shape)(turns)
            players = {"plain": plain} | {by: hs.regulate(plain, by) for by in BY}
            if shape == "constant":  # no turn is high
                players["threshold"] = hs.regulate(plain, "threshold", z=2 * float(G.values.max()))
            rewards = hs.rewards.bernoulli(arms=arms, between=between)
            result = hs.simulate(players, rewards, G, games=GAMES, seed=SEED, keep="games")
            assert result.games is not None
            regret = result.games["regret"]
            cells = [ratio(regret[i], regret[0]) for i in range(1, len(players))]
            words = [f"{value:.2f} ± {half:.2f}" for value, half in cells]
            table.add_row(shape, f"{arms}", f"{turns}", "{} to {}".format(*between), *words)
    return table


def nanoseconds(policy: hs.Policy, arms: int, turns: int) -> float:
    """CPU time per turn, without what comes before the first."""
    G, rewards = hs.traffic.wave(turns=turns), hs.rewards.bernoulli(arms=arms)
    games = max(1, 40_000 // turns)
    hs.simulate(policy, rewards, G, games=1, workers=1)
    best = math.inf
    for _ in range(ROUNDS):
        start = time.process_time()
        hs.simulate(policy, rewards, G, games=games, workers=1)
        best = min(best, time.process_time() - start)
    return best / games / turns * 1e9


def speed() -> Table:
    """A row per policy."""
    table = Table("policy", *(f"{arms} x {turns}, ns" for arms, turns in SIZES), title="a turn")
    limited = hs.LimitSwitching(hs.Thompson(), stay=7)
    for policy in (*PLAIN, hs.regulate("thompson"), limited, hs.UCB(), hs.OptionIndex()):
        table.add_row(str(policy), *(f"{nanoseconds(policy, *size):,.0f}" for size in SIZES))
    return table


def main() -> None:
    """Print the tables."""
    console = Console(width=110)
    console.print(speed())
    for plain in PLAIN:
        console.print(regulated_against_plain(plain))


if __name__ == "__main__":
    main()
