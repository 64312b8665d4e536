"""Estimates that forget, around any policy: for rewards that drift."""

from __future__ import annotations

from dataclasses import dataclass

from highseason.policies.parameters import parameter, window
from highseason.policies.wrappers.base import Wrapper
from highseason.rules import Rule
from highseason.rules.wrapped import discounted, windowed


@dataclass(frozen=True)
class Discounted(Wrapper):
    """With every new reward of an arm its older ones count a little less.

    pulls := discount · pulls + 1 and sum := discount · sum + reward, so an estimate rests on at
    most 1 / (1 - discount) rewards, and the bonus of an index rule stays as wide as that.

    >>> import highseason as hs
    >>> print(Discounted(hs.UCB(), discount=0.99))
    discounted:discount=0.99+ucb
    """

    name = "discounted"

    discount: float = parameter(
        0.999,
        "what is left of a reward's weight after the next",
        above=0.0,
        at_most=1.0,
        search=(1e-3, 1.0, "log"),
    )

    def wrapped(self, rule: Rule) -> Rule:
        """With fading averages."""
        return discounted(rule, self.discount)


@dataclass(frozen=True)
class Windowed(Wrapper):
    """Only an arm's last rewards count.

    >>> import highseason as hs
    >>> print(Windowed(hs.EpsilonGreedy(), window=50))
    windowed:window=50+epsilon-greedy
    """

    name = "windowed"

    window: int = window(1000, "how many of an arm's rewards count")

    def wrapped(self, rule: Rule) -> Rule:
        """With averages of the last rewards."""
        return windowed(rule, self.window)
