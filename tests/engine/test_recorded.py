"""Simulations have the numbers they had, game by game: they change only where that is meant.

After a change that is meant: `python -m tests.engine.test_recorded`, and look at what differs.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.recorded import Cases, assert_recorded, defaults_of, record

import highseason as hs
from highseason.engine import Moments, SimulationResult
from highseason.engine.simulate import Simulation
from studies.unknown_traffic.backtest import backtest_cost
from studies.unknown_traffic.forecast_cost import forecast_cost

RECORDED = Path(__file__).parent / "recorded.json"
G = hs.traffic.wave(turns=24)
ARMS = hs.rewards.bernoulli(arms=3)
SPANS = [(1, 24), (1, 9), (5, 20), (10, 24)]


class InTurn:
    """A player of another library: every arm in turn, the best of them twice."""

    def __init__(self) -> None:
        self.sums, self.asked = [0.0] * 3, 0

    def pull(self, arms: list[int]) -> int:
        self.asked += 1
        return max(arms, key=self.sums.__getitem__) if self.asked % 2 else arms[self.asked % 3]

    def update(self, arm: int, reward: float) -> None:
        self.sums[arm] += reward


#: Policies and what else `simulate` takes; nine games, so that lanes of eight are not full.
SETTINGS: dict[str, tuple[Any, dict[str, Any]]] = {
    "ucb": ([hs.UCB(), hs.UCBZ(z=30), hs.SoftUCB()], {}),
    "ucb, many arms": ([hs.UCB()], {"rewards": hs.rewards.bernoulli(arms=11)}),
    "ucb, normal": ([hs.UCB()], {"rewards": hs.rewards.truncated_normal(arms=3, sigma=0.3)}),
    "ucb, scaled": ([hs.policies.NaiveUCB()], {}),
    "ucb, random ties": ([hs.UCB(ties="random"), hs.Greedy(ties="random")], {}),
    "epsilon": ([hs.EpsilonGreedy(k=1), hs.EpsilonZGreedy(k=1, z=20)], {}),
    "epsilon, many arms": ([hs.EpsilonGreedy(k=0.3)], {"rewards": hs.rewards.bernoulli(arms=12)}),
    "pool": ([hs.VariablePool(c=3, unit=1)], {}),
    "pool, many arms": ([hs.VariablePool(c=6, unit=1)], {"rewards": hs.rewards.bernoulli(arms=9)}),
    "any rule": ([hs.Thompson(), hs.KLUCB(), hs.UniformRandom()], {}),
    "visitors": (["option-index:count=visitors", "ucb:count=visitors"],
                 {"rewards": hs.rewards.visitors(arms=3, rho=0.01)}),
    "walking": ([hs.UCB(), hs.VariablePool(c=3, unit=1)],
                {"rewards": hs.rewards.bernoulli(arms=3, drift=0.1)}),
    "lives": ([hs.SoftUCBMortal(), hs.EpsilonGreedy(k=1)],
              {"rewards": hs.rewards.bernoulli(arms=4), "lifetimes": hs.lifetimes.fixed(SPANS)}),
    "unknown lives": (["ucb", "peak-grabber"],
                      {"rewards": hs.rewards.bernoulli(arms=4),
                       "lifetimes": hs.lifetimes.fixed(SPANS, known=False)}),
    "forecast": ([hs.UCBZ()], {"forecast": hs.traffic.RandomWalk()}),
    "an object": ([hs.policies.ForeignPolicy.of(InTurn())], {}),
}  # fmt: skip


def simulated(name: str, games: int = 9, **more: Any) -> SimulationResult:
    policies, options = SETTINGS[name]
    options = {"rewards": ARMS, **options, **more}
    rewards = options.pop("rewards")
    return hs.simulate(policies, rewards, G, games, 4, curves=4, realised=True, **options)


def numbers_of(name: str) -> dict[str, Any]:
    """Every game's totals, and what is said of all of them."""
    result = simulated(name)
    assert result.games is not None
    totals = result.curves["regret"]
    document = result.to_dict()
    document.pop("version", None)
    return {
        "games": dict(result.games),
        "document": document,
        "text": str(result).splitlines(),
        "curves": [totals.turns, totals.mean, totals.error, totals.quantile(0.2), totals.least,
                   totals.most],
    }  # fmt: skip


def played(name: str) -> list[Any]:
    """One game, turn by turn."""
    policies, options = SETTINGS[name]
    options = {"rewards": ARMS, **options}
    found = []
    for policy in policies:
        one = hs.play(policy, options["rewards"], G, 4, 2, options.get("forecast"),
                      options.get("lifetimes"))  # fmt: skip
        arms = "".join(map(str, one.arms.tolist()))
        best = "".join(map(str, one.best_arms.tolist()))
        found.append([arms, best, one.reward, one.regret, one.realised_regret,
                      one.exploited_reward, one.best_pulls, one.losses[:5]])  # fmt: skip
    return found


def compared() -> dict[str, Any]:
    """Gains, shares and single numbers of policies, and what a forecast costs."""
    result = simulated("ucb")
    one = result["ucb-z:z=30"]
    walk = {"walk": hs.traffic.RandomWalk(), "flat": np.full(24, 20.0)}
    cost = forecast_cost(hs.UCBZ(z=30), ARMS, G, walk, games=6, seed=2)
    trials = hs.traffic.backtest(hs.traffic.wave(turns=40), [hs.traffic.RandomWalk()], 10, 2)
    back = backtest_cost(hs.UCBZ(z=30), ARMS, trials, games=4)
    merged = Moments.of(np.array([[1.0, 2.0], [3.0, 5.0]])).merge(Moments.of(np.eye(2)))
    return {
        "policy": [vars(one.reward), vars(one.gain), one.best_share, one.exploited_share],
        "gain": [vars(result.gain(2, over=1, confidence=0.5)), vars(result.mean_ratio_gain(1))],
        "best": [result.best_reward, result.best_share(2)],
        "cost": {label: [cost.reward(label), vars(cost.lost(label)), cost.survives(label)]
                 for label in cost.labels},
        "backtest": {label: [back.lost(label), back.survives(label)] for label in back.labels},
        "moments": [merged.count, merged.mean, merged.scatter, merged.covariance, merged.error],
    }  # fmt: skip


def prepared() -> dict[str, Any]:
    """How games are cut into blocks, and what one costs."""
    found = {}
    for turns, arms in ((10, 2), (500, 25), (5000, 200)):
        one = Simulation.prepare([hs.UCB(), hs.Thompson()], hs.rewards.bernoulli(arms=arms),
                                 hs.traffic.wave(turns), 1, curves=7)  # fmt: skip
        blocks = [[len(one.blocks(games)), len(one.blocks(games)[0])] for games in (5, 900, 50_000)]
        found[f"{turns} turns"] = [blocks, one.seconds, one.checkpoints]
    return found


CASES: Cases = {
    **{f"simulate, {name}": partial(numbers_of, name) for name in SETTINGS},
    **{f"play, {name}": partial(played, name) for name in SETTINGS},
    "compared": compared,
    "prepared": prepared,
    "defaults": partial(defaults_of, "engine"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.filterwarnings("ignore::highseason.traffic.ThresholdWarning")
def test_games_are_those_that_were_recorded(name: str) -> None:
    assert_recorded(RECORDED, CASES, name)


if __name__ == "__main__":
    record(RECORDED, CASES)
