"""What an arm pays: visitors who buy or spend, Bernoulli, clipped normal, or any distribution."""

from highseason.core.special import normal_quantile
from highseason.rewards.families import bernoulli, custom, truncated_normal
from highseason.rewards.model import Rewards, check_arms
from highseason.rewards.text import parse
from highseason.rewards.visitors import effective_visitors, spend, visitors

__all__ = [
    "Rewards",
    "bernoulli",
    "check_arms",
    "custom",
    "effective_visitors",
    "normal_quantile",
    "parse",
    "spend",
    "truncated_normal",
    "visitors",
]
