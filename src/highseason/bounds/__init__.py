"""Bounds: the most a policy can cost, before it is played; as printed, and as corrected.

`regret` bounds the mean regret of a policy.  `minimum_pulls` and `pull_steps` say how often UCB
must pull every arm.  Everything else that the theorems are built from is in `bounds.paper`.
"""

# Importing a family registers its theorems.
from highseason.bounds import epsilon_family, ucb_family, variable_pool
from highseason.bounds import paper as paper
from highseason.bounds.minimum_pulls import minimum_pulls, pull_steps
from highseason.bounds.regret_bound import RegretBound
from highseason.bounds.setting import Setting, read_plan
from highseason.bounds.soft_ucb_mortal import mortal_regret
from highseason.bounds.theorems import NoTheoremError, provable, regret, theorem

__all__ = [
    "NoTheoremError",
    "RegretBound",
    "Setting",
    "epsilon_family",
    "minimum_pulls",
    "mortal_regret",
    "paper",
    "provable",
    "pull_steps",
    "read_plan",
    "regret",
    "theorem",
    "ucb_family",
    "variable_pool",
]
