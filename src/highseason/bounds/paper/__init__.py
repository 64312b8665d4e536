"""The paper's side results: lemmas, remarks, tables and figures, evaluated.

Nothing here is needed to bound a policy's regret (`bounds.regret`); it is what one needs to check
the paper, or to see why a bound is what it is.
"""

from highseason.bounds.epsilon_family import printed_beta
from highseason.bounds.minimum_pulls import minimum_pulls_ranges, need, phi, soft_minimum_pulls, tau
from highseason.bounds.paper.asymptotics import (
    Growth,
    LogarithmicGrowth,
    growth,
    logarithmic_growth,
)
from highseason.bounds.paper.epsilon_phases import (
    Decay,
    DecayTable,
    ExplorationFigure,
    HighTurnAdvantage,
    TwoValues,
    beta_from_floor,
    decay_table,
    exploration_figure,
    exploration_sum,
    high_turn_advantage,
    remark_floor,
    true_floor,
    two_values,
)
from highseason.bounds.setting import leader_regret, tail, trivial
from highseason.bounds.variable_pool import (
    PoolHypothesis,
    PoolRepair,
    pool_hypothesis,
    repair,
    required_c,
)

__all__ = [
    "Decay",
    "DecayTable",
    "ExplorationFigure",
    "Growth",
    "HighTurnAdvantage",
    "LogarithmicGrowth",
    "PoolHypothesis",
    "PoolRepair",
    "TwoValues",
    "beta_from_floor",
    "decay_table",
    "exploration_figure",
    "exploration_sum",
    "growth",
    "high_turn_advantage",
    "leader_regret",
    "logarithmic_growth",
    "minimum_pulls_ranges",
    "need",
    "phi",
    "pool_hypothesis",
    "printed_beta",
    "remark_floor",
    "repair",
    "required_c",
    "soft_minimum_pulls",
    "tail",
    "tau",
    "trivial",
    "true_floor",
    "two_values",
]
