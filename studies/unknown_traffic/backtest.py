"""What forecasts cost over all origins of a backtest."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from highseason.policies import Policy
from highseason.rewards import Rewards
from highseason.traffic import Backtest, Multiplier
from studies.unknown_traffic.forecast_cost import KNOWN, UNREGULATED, ForecastCost, forecast_cost


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

    >>> import numpy as np, highseason as hs
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
