"""The naive policies: they average rewards as they come, multiplied by G.

An arm first tried on a busy day then looks better than it is.  They show that bias.
"""

from __future__ import annotations

from dataclasses import dataclass

from highseason.policies.epsilon_greedy import EpsilonGreedy
from highseason.policies.ucb import UCB


@dataclass(frozen=True)
class NaiveEpsilonGreedy(EpsilonGreedy):
    """ε-greedy that does not divide its rewards by G(t).

    >>> import highseason as hs
    >>> hs.NaiveEpsilonGreedy.learns_scaled
    True
    """

    name = "naive-epsilon"
    learns_scaled = True


@dataclass(frozen=True)
class NaiveUCB(UCB):
    """UCB that does not divide its rewards by G(t), so that its radius no longer fits them.

    >>> import highseason as hs
    >>> hs.NaiveUCB.learns_scaled
    True
    """

    name = "naive-ucb"
    learns_scaled = True
