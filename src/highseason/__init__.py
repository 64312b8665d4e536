"""Bandits for demand that comes in seasons: explore while it is quiet, exploit when it counts."""

from highseason import multipliers, policies, rewards, rules
from highseason.core.version import __version__
from highseason.games import Game, play, simulate
from highseason.policies import (
    UCB,
    UCBZ,
    EpsilonGreedy,
    EpsilonZGreedy,
    Greedy,
    NaiveEpsilonGreedy,
    NaiveUCB,
    Plan,
    PlanWarning,
    Policy,
    SoftEpsilonGreedy,
    SoftUCB,
    UniformRandom,
    VariablePool,
)
from highseason.results import SimulationResult

__all__ = [
    "UCB",
    "UCBZ",
    "EpsilonGreedy",
    "EpsilonZGreedy",
    "Game",
    "Greedy",
    "NaiveEpsilonGreedy",
    "NaiveUCB",
    "Plan",
    "PlanWarning",
    "Policy",
    "SimulationResult",
    "SoftEpsilonGreedy",
    "SoftUCB",
    "UniformRandom",
    "VariablePool",
    "__version__",
    "multipliers",
    "play",
    "policies",
    "rewards",
    "rules",
    "simulate",
]
