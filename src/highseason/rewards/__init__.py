"""What an arm pays: Bernoulli, clipped normal, or any distribution with a quantile function."""

from highseason.core.special import normal_quantile
from highseason.rewards.families import bernoulli, custom, truncated_normal
from highseason.rewards.model import Rewards, check_arms

__all__ = [
    "Rewards",
    "bernoulli",
    "check_arms",
    "custom",
    "normal_quantile",
    "truncated_normal",
]
