"""What a policy counts as evidence: turns, as in the paper, or the visitors behind them."""

from dataclasses import dataclass

from highseason.policies.base import Policy
from highseason.policies.parameters import parameter
from highseason.rewards import effective_visitors


@dataclass(frozen=True)
class CountingPolicy(Policy):
    """A policy that may learn from the visitors of a turn instead of counting turns.

    Attributes:
        count: Whether every turn counts alike, or by its visitors.
    """

    count: str = parameter(
        "turns",
        "what estimates count: turns (the paper), or the visitors of each turn",
        choices=("turns", "visitors"),
        kw_only=True,
    )

    def precision(self, visitors: float) -> float:
        """The visitors, for a rule that itself learns how much they teach."""
        return 1.0 if self.count == "turns" else float(visitors)


@dataclass(frozen=True)
class WeighingPolicy(CountingPolicy):
    """A policy whose averages and radii weigh turns by a known correlation of their visitors.

    With `count="visitors"` a turn seen by n visitors counts as n / (1 + (n - 1)·rho) observations:
    estimates are weighted by that, and the radius of an index rule is sqrt(level / visitors).  The
    level stays the plan's, with the turn t in its logarithm: a choice is made once a turn, so a
    bound that holds for all choices grows with turns and not with visitors.

    Attributes:
        rho: The correlation of two visitors of the same turn, as far as the policy knows it.
    """

    rho: float = parameter(
        0.0,
        "with count=visitors: the correlation of two visitors of the same turn",
        at_least=0.0,
        at_most=1.0,
        known=True,
        kw_only=True,
    )

    def precision(self, visitors: float) -> float:
        """How many observations a turn with these visitors counts as."""
        return 1.0 if self.count == "turns" else float(effective_visitors(visitors, self.rho))
