"""Baselines: never explore, never learn, and average rewards as they come, multiplied by G.

An arm first tried on a busy day looks better than it is to the naive policies: they show that bias.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from highseason.policies.base import Policy
from highseason.policies.epsilon import EpsilonGreedy
from highseason.policies.plan import View
from highseason.policies.ucb import UCB
from highseason.rules import EPSILON


@dataclass(frozen=True)
class Greedy(Policy):
    """Try every arm once, then always play the leader.

    Not in the paper, and a necessary baseline: in its simulated settings greedy ties with the best.

    >>> import highseason as hs
    >>> hs.Greedy().plan([1, 1, 1], arms=2).levels
    array([0., 0., 0.])
    """

    name = "greedy"
    rule = EPSILON
    profiles = {"paper": {}, "authors_code": {}}
    suppress_plan_warning = True

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Never explore."""
        return 0.0, carry


@dataclass(frozen=True)
class UniformRandom(Policy):
    """Try every arm once, then play any arm with equal probability: the worst baseline.

    >>> import highseason as hs
    >>> hs.UniformRandom().plan([1, 1, 1], arms=2).levels
    array([1., 1., 1.])
    """

    name = "uniform"
    rule = EPSILON
    profiles = {"paper": {}, "authors_code": {}}
    suppress_plan_warning = True

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Always explore."""
        return 1.0, carry


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
