"""A user's own rule against the built-in scan: the generic path may cost at most 6 times as much.

The built-in scan is the obvious compiled loop, written out here in one function: no functions
passed in, no set of available arms, no plan.  Both play UCB, choose the same arms and keep the same
totals.

    make bench
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

import highseason as hs
from highseason.core.random import REWARD, draw, game_keys, turn_key
from highseason.rules import UCB_RULE, ArmState, Rule, Turn
from highseason.rules.ranking import untried

GAMES = 200


def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """UCB as a user would write it."""
    first = untried(state)
    if first >= 0:
        return first, False
    best, top = 0, -1.0
    for arm in range(state.pulls.size):
        radius = math.sqrt(turn.level) * (1.0 / math.sqrt(state.pulls[arm]))
        index = state.sums[arm] / state.pulls[arm] + radius
        if index > top:
            best, top = arm, index
    return best, False


@dataclass(frozen=True)
class MyUCB(hs.UCB):
    """UCB with that rule."""

    name = ""
    rule = Rule("my-ucb", choose, UCB_RULE.intensity)


@numba.njit
def scan(keys: Any, means: Any, G: Any, numbers: Any, out: Any) -> None:
    """The built-in scan."""
    arms = means.shape[1]
    for game in range(keys.size):
        pulls, sums = np.zeros(arms), np.zeros(arms)
        reward, regret, top_mean = 0.0, 0.0, means[game].max()
        for i in range(G.size):
            arm, top, root = i, -1.0, math.sqrt(numbers[i])
            if i >= arms:
                for j in range(arms):
                    index = sums[j] / pulls[j] + root * (1.0 / math.sqrt(pulls[j]))
                    if index > top:
                        arm, top = j, index
            u = draw(turn_key(keys[game], i + 1), REWARD)
            paid = G[i] * (1.0 if u >= 1.0 - means[game, arm] else 0.0)
            sums[arm] += paid / G[i]
            pulls[arm] += 1
            reward += paid
            regret += G[i] * (top_mean - means[game, arm])
        out[game, 0], out[game, 1] = reward, regret


def least(work: Callable[[], object], times: int = 5) -> float:
    """The smallest CPU time of several runs."""
    spent = []
    for _ in range(times):
        begin = time.process_time()
        work()
        spent.append(time.process_time() - begin)
    return min(spent)


def ratio(arms: int, turns: int) -> float:
    """The cost of the own rule over that of the scan, after checking that they play alike."""
    rewards, G = hs.rewards.bernoulli(arms=arms), hs.multipliers.wave(turns)
    keys, out = game_keys(0, range(GAMES)), np.empty((GAMES, 2))
    numbers = hs.UCB().plan(G, arms).levels
    setting = (keys, rewards.parameters(keys), np.array(G.values), np.array(numbers), out)
    result = hs.simulate(MyUCB(), rewards, G, games=GAMES, workers=1)
    scan(*setting)
    if not np.allclose(result.games["regret"][0], out[:, 1]):
        sys.exit("the two did not play the same games")
    own = least(lambda: hs.simulate(MyUCB(), rewards, G, games=GAMES, workers=1))
    found = own / least(lambda: scan(*setting))
    each = own / GAMES / turns * 1e9
    print(f"{arms} arms, {turns} turns: {each:.0f} ns a turn, {found:.1f} x the built-in scan")
    return found


def main() -> None:
    """Print the ratio at two sizes; exit 1 where it is above 6."""
    warnings.simplefilter("ignore", hs.PlanWarning)
    sys.exit(max(ratio(25, 500), ratio(200, 1500)) > 6)


if __name__ == "__main__":
    main()
