"""A user's own rule: what a turn costs on the generic path, and what of it is the rule itself.

- Against the built-in scan: the obvious compiled loop, written out here in one function, with no
  functions passed in, no set of available arms and no plan.  Both play UCB, choose the same arms
  and keep the same totals; the generic path may cost at most 6 times as much.
- Against the limit: the arithmetic of `choose` alone, a division, a root and another division for
  each arm in each turn, which no path can avoid.
- With a rule that keeps an arm's estimate and radius in `state.memory` and renews them where they
  change, in `observe`.
- With the rule's functions compiled into the kernel, as in simulations of 100 million turns and
  more.  We aim at 60 ns a turn with 25 arms and 250 ns with 200.

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
from highseason.core.compile import compiled
from highseason.core.random import REWARD, draw, game_keys, turn_key
from highseason.engine.kernels import interface
from highseason.policies import UCB_RULE, ArmState, Observation, Rule, Turn
from highseason.policies.ranking import untried

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


def choose_kept(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """The same rule, with what depends on one arm alone looked up."""
    if turn.t <= state.pulls.size:
        return turn.t - 1, False
    root, best, top = math.sqrt(turn.level), 0, -1.0
    for arm in range(state.pulls.size):
        index = state.memory[arm, 0] + root * state.memory[arm, 1]
        if index > top:
            best, top = arm, index
    return best, False


def observe_kept(state: ArmState, turn: Turn, observation: Observation) -> None:
    """Learn, and renew what is looked up."""
    arm = observation.arm
    state.pulls[arm] += observation.precision
    state.sums[arm] += observation.precision * observation.value
    state.memory[arm, 0] = state.sums[arm] / state.pulls[arm]
    state.memory[arm, 1] = 1.0 / math.sqrt(state.pulls[arm])


@dataclass(frozen=True)
class KeptUCB(hs.UCB):
    """UCB with that rule."""

    name = ""
    rule = Rule("kept-ucb", choose_kept, UCB_RULE.intensity, observe=observe_kept, memory=2)


def arithmetic(pulls: Any, sums: Any, level: float, turns: int) -> int:
    """The arithmetic of `choose`, and nothing else."""
    total = 0
    for turn in range(turns):
        best, top = 0, -1.0
        for arm in range(pulls.size):
            radius = math.sqrt(level + turn) * (1.0 / math.sqrt(pulls[arm]))
            index = sums[arm] / pulls[arm] + radius
            if index > top:
                best, top = arm, index
        total += best
        sums[best] += 0.9
        pulls[best] += 1.0
    return total


def limit(arms: int) -> float:
    """Nanoseconds a turn that this arithmetic takes."""
    sums, turns = 5 * np.random.default_rng(1).random(arms), 20_000
    row = numba.float64[::1]
    alone = compiled(arithmetic, numba.int64(row, row, numba.float64, numba.int64))
    return least(lambda: alone(np.full(arms, 5.0), sums.copy(), 2.0, turns)) / turns * 1e9


@numba.njit(error_model="numpy")
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


def costs(arms: int, turns: int) -> tuple[float, float]:
    """The own rule's cost over the scan's; nanoseconds a turn of the one that looks up, bound.

    Checks first that all play alike.
    """
    rewards, G = hs.rewards.bernoulli(arms=arms), hs.traffic.wave(turns)
    keys, out = game_keys(0, range(GAMES)), np.empty((GAMES, 2))
    numbers = hs.UCB().plan(G, arms).levels
    setting = (keys, rewards.parameters(keys), np.array(G.values), np.array(numbers), out)
    result = hs.simulate(MyUCB(), rewards, G, games=GAMES, workers=1)
    scan(*setting)
    if not np.allclose(result.games["regret"][0], out[:, 1]):
        sys.exit("the two did not play the same games")
    same = hs.simulate(KeptUCB(), rewards, G, games=GAMES, workers=1)
    if not np.array_equal(result.games["regret"], same.games["regret"]):
        sys.exit("the rule that looks up what it needs did not play the same games")
    by_hand = least(lambda: scan(*setting)) / GAMES / turns * 1e9
    alone, cost, usual = limit(arms), {}, interface.WORTH_BINDING
    print(f"{arms} arms, {turns} turns, ns: by hand {by_hand:.0f}, arithmetic alone {alone:.0f}")
    for how, enough in (("by pointers", usual), ("compiled in", 0)):
        interface.WORTH_BINDING = enough
        own, kept = (each_turn(policy, rewards, G) for policy in (MyUCB(), KeptUCB()))
        print(f"  {how}: {own:.0f} ({own / by_hand:.1f} x the scan); looked up: {kept:.0f}")
        cost[how] = own, kept
    interface.WORTH_BINDING = usual
    return cost["by pointers"][0] / by_hand, cost["compiled in"][1]


def each_turn(policy: hs.Policy, rewards: Any, G: Any) -> float:
    """Nanoseconds a turn, warm."""
    hs.simulate(policy, rewards, G, games=GAMES, workers=1)
    seconds = least(lambda: hs.simulate(policy, rewards, G, games=GAMES, workers=1))
    return seconds / GAMES / G.turns * 1e9


def main() -> None:
    """Print the costs at two sizes; exit 1 where one is above what is allowed."""
    warnings.simplefilter("ignore", hs.policies.PlanWarning)
    few, many = costs(25, 500), costs(200, 1500)
    print(f"looked up and compiled in: {few[1]:.0f} and {many[1]:.0f} ns; we aim at 60 and 250")
    sys.exit(max(few[0], many[0]) > 6)


if __name__ == "__main__":
    main()
