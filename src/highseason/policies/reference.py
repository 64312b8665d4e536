"""The two baselines of every study: never explore, and never learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from highseason.policies.base import Policy
from highseason.policies.view import View
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
