"""Bounds: what a policy can cost at most, before it is played; as printed, and as it holds."""

from highseason.bounds.comparisons import (
    Decay,
    DecayTable,
    ExplorationFigure,
    HighTurnAdvantage,
    decay_table,
    exploration_figure,
    high_turn_advantage,
    printed_beta,
)
from highseason.bounds.epsilon_greedy import epsilon_greedy
from highseason.bounds.epsilon_z_greedy import epsilon_z_greedy
from highseason.bounds.growth import Growth, growth
from highseason.bounds.logarithmic_growth import LogarithmicGrowth, logarithmic_growth
from highseason.bounds.minimum_pulls import (
    minimum_pulls,
    minimum_pulls_ranges,
    need,
    phi,
    pull_steps,
    soft_minimum_pulls,
    tau,
)
from highseason.bounds.remarks import beta_from_floor, exploration_sum, remark_floor, true_floor
from highseason.bounds.result import RegretBound
from highseason.bounds.setting import Setting
from highseason.bounds.soft_epsilon_greedy import soft_epsilon_greedy
from highseason.bounds.soft_ucb import soft_ucb
from highseason.bounds.soft_ucb_mortal import mortal_regret
from highseason.bounds.tails import leader_regret, tail, trivial
from highseason.bounds.theorems import NoTheoremError, provable, regret, theorem
from highseason.bounds.two_values import TwoValues, two_values
from highseason.bounds.ucb import ucb
from highseason.bounds.ucb_z import ucb_z
from highseason.bounds.variable_pool import (
    PoolHypothesis,
    pool_hypothesis,
    required_c,
    variable_pool,
)

__all__ = [
    "Decay",
    "DecayTable",
    "ExplorationFigure",
    "Growth",
    "HighTurnAdvantage",
    "LogarithmicGrowth",
    "NoTheoremError",
    "PoolHypothesis",
    "RegretBound",
    "Setting",
    "TwoValues",
    "beta_from_floor",
    "decay_table",
    "epsilon_greedy",
    "epsilon_z_greedy",
    "exploration_figure",
    "exploration_sum",
    "growth",
    "high_turn_advantage",
    "leader_regret",
    "logarithmic_growth",
    "minimum_pulls",
    "minimum_pulls_ranges",
    "mortal_regret",
    "need",
    "phi",
    "pool_hypothesis",
    "printed_beta",
    "provable",
    "pull_steps",
    "regret",
    "remark_floor",
    "required_c",
    "soft_epsilon_greedy",
    "soft_minimum_pulls",
    "soft_ucb",
    "tail",
    "tau",
    "theorem",
    "trivial",
    "true_floor",
    "two_values",
    "ucb",
    "ucb_z",
    "variable_pool",
]
