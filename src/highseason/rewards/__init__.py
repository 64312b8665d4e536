"""What an arm pays: Bernoulli, clipped normal, or any distribution with a quantile function."""

from highseason.rewards.families import bernoulli, custom, truncated_normal
from highseason.rewards.model import Rewards, check_arms
from highseason.rewards.normal import quantile as normal_quantile

__all__ = [
    "Rewards",
    "bernoulli",
    "check_arms",
    "custom",
    "normal_quantile",
    "truncated_normal",
]
