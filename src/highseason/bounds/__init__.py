"""Bounds: what a policy can cost at most, before it is played; as printed, and as it holds."""

# One module a theorem, named after its policy: importing it enters the theorem.
from highseason.bounds import (
    epsilon_greedy,
    epsilon_z_greedy,
    soft_epsilon_greedy,
    soft_ucb,
    soft_ucb_mortal,
    ucb,
    ucb_z,
    variable_pool,
)
from highseason.bounds.corollary import TwoValues, two_values
from highseason.bounds.decay import Decay, DecayTable, decay_table
from highseason.bounds.epsilon_family import printed_beta
from highseason.bounds.exploration import ExplorationFigure, exploration_figure
from highseason.bounds.growing import Growth, growth
from highseason.bounds.high_turns import HighTurnAdvantage, high_turn_advantage
from highseason.bounds.omega import LogarithmicGrowth, logarithmic_growth
from highseason.bounds.pulls import (
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
from highseason.bounds.setting import Setting, read_plan
from highseason.bounds.soft_ucb_mortal import mortal_regret
from highseason.bounds.tails import leader_regret, tail, trivial
from highseason.bounds.theorems import NoTheoremError, provable, regret, theorem
from highseason.bounds.variable_pool import PoolHypothesis, pool_hypothesis, required_c

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
    "read_plan",
    "regret",
    "remark_floor",
    "required_c",
    "soft_epsilon_greedy",
    "soft_minimum_pulls",
    "soft_ucb",
    "soft_ucb_mortal",
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
