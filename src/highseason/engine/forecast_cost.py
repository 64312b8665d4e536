"""What a wrong forecast costs: a policy with G known, with each forecast, and unregulated."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from highseason.core.warnings import quiet
from highseason.engine.results import Estimate, Moments, SimulationResult, ratio_gain
from highseason.engine.simulate import simulate
from highseason.policies import UCB, PlanWarning, Policy
from highseason.rewards import Rewards
from highseason.traffic import Backtest, Multiplier, ThresholdWarning, as_multiplier

KNOWN, UNREGULATED = "G known", "unregulated"


@dataclass(frozen=True)
class ForecastCost:
    """Rewards of one policy under several states of knowledge, over the same games.

    Attributes:
        policy: The policy.
        results: For each label, what was simulated; `G known` and `unregulated` among them.
    """

    policy: Policy
    results: Mapping[str, SimulationResult]

    @property
    def labels(self) -> tuple[str, ...]:
        """G known, the forecasts in the order given, unregulated."""
        return tuple(self.results)

    def reward(self, label: str) -> float:
        """The mean reward of a game."""
        return self.results[label].mean("reward", 0)

    def lost(self, label: str) -> Estimate:
        """The share of the reward with G known that is lost, paired game by game."""
        gain = self._gain(label, KNOWN)
        return Estimate(-gain.value, gain.error, -gain.high, -gain.low)

    def gain(self, label: str) -> Estimate:
        """The gain over the unregulated policy, paired game by game."""
        return self._gain(label, UNREGULATED)

    def survives(self, label: str) -> float:
        """The share of the known-G gain over the unregulated policy that is left."""
        most = self.reward(KNOWN) - self.reward(UNREGULATED)
        return (self.reward(label) - self.reward(UNREGULATED)) / most if most else float("nan")

    def _gain(self, label: str, over: str) -> Estimate:
        games = [self.results[name].games for name in (label, over)]
        if games[0] is None or games[1] is None:
            raise ValueError("too many games to compare them in pairs: play 100,000 or fewer")
        pair = np.vstack([games[0]["reward"][0], games[1]["reward"][0]])
        return ratio_gain(Moments.of(pair), 0, 1)


def forecast_cost(
    policy: Policy,
    rewards: Rewards,
    multiplier: Any,
    forecasts: Mapping[str, Any],
    games: int = 1000,
    seed: int = 0,
    unregulated: Policy | None = None,
) -> ForecastCost:
    """Play the same games with G known, with each forecast, and without regulation.

    Args:
        policy: The policy, which looks at G or at its forecast.
        rewards: What the arms pay.
        multiplier: The actual G.
        forecasts: What was expected of it, by label: numbers, one-step forecasters, or forecasts
            of the whole season.
        games: How many games.
        seed: All are played with the same random numbers.
        unregulated: A policy that explores regardless of G; UCB if None.

    >>> import highseason as hs
    >>> G = hs.traffic.wave(turns=300)
    >>> beliefs = {"random walk": hs.traffic.RandomWalk()}
    >>> cost = forecast_cost(hs.UCBZ(z=30), hs.rewards.bernoulli(arms=10), G, beliefs, games=200)
    >>> cost.survives("random walk") > 0.5
    True
    """
    G = as_multiplier(multiplier)
    results: dict[str, SimulationResult] = {}
    # A forecast that never reaches the threshold is a finding here, and reported as a cost.
    with quiet(PlanWarning, ThresholdWarning):
        results[KNOWN] = simulate(policy, rewards, G, games, seed)
        for label, forecast in forecasts.items():
            results[label] = simulate(policy, rewards, G, games, seed, forecast=forecast)
        results[UNREGULATED] = simulate(unregulated or UCB(), rewards, G, games, seed)
    return ForecastCost(policy, results)


@dataclass(frozen=True)
class BacktestCost:
    """What forecasts from several origins cost one policy.

    Attributes:
        costs: By the last turn that was known.
    """

    costs: Mapping[int, ForecastCost]

    @property
    def labels(self) -> tuple[str, ...]:
        """G known, the forecasters in the order given, unregulated."""
        return next(iter(self.costs.values())).labels

    def lost(self, label: str) -> float:
        """The share of the reward with G known that is lost, over all origins together."""
        known = math.fsum(cost.reward(KNOWN) for cost in self.costs.values())
        return 1.0 - math.fsum(cost.reward(label) for cost in self.costs.values()) / known

    def survives(self, label: str) -> float:
        """The share of the known-G gain over the unregulated policy that is left."""
        most = self.lost(UNREGULATED)
        return 1.0 - self.lost(label) / most if most else float("nan")


def backtest_cost(
    policy: Policy,
    rewards: Rewards,
    trials: Backtest,
    games: int = 1000,
    seed: int = 0,
    unregulated: Policy | None = None,
) -> BacktestCost:
    """Play the seasons of a backtest with G known, with each forecaster, and unregulated.

    >>> import highseason as hs
    >>> G = hs.traffic.from_values(100 + 80 * (np.arange(140) % 7 == 0))
    >>> naive = hs.traffic.SeasonalNaive(periods=(7,))
    >>> trials = hs.traffic.backtest(G, [naive], turns=28, origins=2)
    >>> cost = backtest_cost(hs.UCBZ(), hs.rewards.bernoulli(arms=3), trials, games=20)
    >>> cost.labels
    ('G known', 'seasonal-naive:periods=(7,)', 'unregulated')
    """
    seasons: dict[int, tuple[Multiplier, dict[str, Any]]] = {}
    for trial in trials.trials:
        _, forecasts = seasons.setdefault(trial.origin, (trial.actual, {}))
        forecasts[trial.forecaster] = trial.forecast
    return BacktestCost(
        {
            origin: forecast_cost(policy, rewards, *season, games, seed, unregulated)
            for origin, season in seasons.items()
        }
    )
