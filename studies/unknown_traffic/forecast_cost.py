"""What a wrong forecast costs: a policy with G known, with each forecast, and unregulated."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from highseason.core.warnings import quiet
from highseason.engine import Estimate, Moments, SimulationResult, ratio_gain, simulate
from highseason.policies import UCB, PlanWarning, Policy
from highseason.rewards import Rewards
from highseason.traffic import ThresholdWarning, as_multiplier

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
