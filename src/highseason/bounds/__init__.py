"""Bounds: the most a policy can cost, before it is played; as printed, and as corrected.

`regret` bounds the mean regret of a policy.  `minimum_pulls` and `pull_steps` say how often UCB
must pull every arm.  Everything else that the theorems are built from is in `bounds.paper`.
"""

from highseason.bounds import epsilon, mortal, pool, ucb  # noqa: F401  # theorems
from highseason.bounds import paper as paper
from highseason.bounds.minimum_pulls import minimum_pulls as minimum_pulls
from highseason.bounds.minimum_pulls import pull_steps as pull_steps
from highseason.bounds.regret_bound import RegretBound as RegretBound
from highseason.bounds.setting import Setting as Setting
from highseason.bounds.setting import read_plan as read_plan
from highseason.bounds.theorems import NoTheoremError as NoTheoremError
from highseason.bounds.theorems import provable as provable
from highseason.bounds.theorems import regret as regret
from highseason.bounds.theorems import theorem as theorem
from highseason.core.names import public_names as _public_names

__dir__ = _public_names(__name__, "paper")
