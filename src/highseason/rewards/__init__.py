"""What an arm pays: Bernoulli, clipped normal, any distribution with a quantile, or real decks."""

from highseason.rewards.cards import Decks, decks
from highseason.rewards.families import bernoulli, custom, truncated_normal
from highseason.rewards.model import Rewards, check_arms
from highseason.rewards.normal import quantile as normal_quantile

__all__ = [
    "Decks",
    "Rewards",
    "bernoulli",
    "check_arms",
    "custom",
    "decks",
    "normal_quantile",
    "truncated_normal",
]
