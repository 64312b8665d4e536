"""The option index, a policy of ours: explore where it is cheap, wait where it soon will be."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.policies.base import CountingPolicy, parameter
from highseason.policies.lifetimes import LifetimeOptions
from highseason.policies.option_index import arms_to_try
from highseason.policies.option_rule import OPTION, OPTION_COUNTED, OPTION_UNREGULATED
from highseason.policies.plan import View
from highseason.policies.regulated import effective_horizons


@dataclass(frozen=True)
class OptionIndex(CountingPolicy):
    """Play the arm with the highest option index: what exploring it may bring, at today's price.

    Exploring an arm now costs G(t) and pays on the weight W(t) still to come, so the plan's level
    is a horizon: H = W(t) / G(t), or less where a cheaper turn is near enough to wait for.  The
    index of an arm is the λ at which H · E(Y - λ)⁺ = (1 + 0.3 n) (λ - p): trying it then brings as
    much as it costs, compared with an arm that pays λ.  Y is what the arm may be worth, p its mean,
    and n the turns that it is known as well as.  What arms have in common, and how noisy turns are,
    is learned during the game.  There is nothing to tune.

    With `count="visitors"` a turn that n visitors saw is worth n / (1 + (n - 1) rho) trials; how
    alike the visitors of a turn are, rho, is learned too.  A busy turn then teaches more, and only
    the part of the price that visitors do not bring back is worth waiting for.  Without it, turns
    differ in G and not in what they teach, as in the paper.

    Rewards must lie in [0, 1].  No arm is tried merely because it was never tried.

    An arm that ends has a shorter horizon: that of its own remaining life, which is taken to be the
    mean of the lifetimes that have ended if it is unknown.

    The plan needs the whole of G, known or forecast; a forecast counts with its mean.  Where turns
    come one at a time, it assumes that as much weight follows as was seen.

    >>> import highseason as hs
    >>> hs.OptionIndex().plan([1, 1, 40, 1], arms=1).levels.round(1).tolist()
    [42.0, 41.0, 0.0, 0.0]
    """

    name = "option-index"
    rule = OPTION
    uses_future_g = True
    carry_depends_on = "G"

    variant: str = parameter(
        "wait",
        "wait for cheaper turns, look at the price of this turn only, or ignore G",
        choices=("wait", "now", "unregulated"),
    )

    def _check_rule(self) -> None:
        """The rule depends on what is counted."""
        if self.count == "visitors" and type(self).rule is OPTION:
            unregulated = self.variant == "unregulated"
            rule = OPTION_UNREGULATED if unregulated else OPTION_COUNTED
            object.__setattr__(self, "rule", rule)
        super()._check_rule()

    @property
    def lifetime_options(self) -> LifetimeOptions:
        """What an arm's own life can earn follows from what is left when it ends."""
        return LifetimeOptions(scores_left=True)

    def levels(self, G: NDArray[np.float64], arms: int) -> NDArray[np.float64]:
        """The horizon of every turn of a game whose G is known."""
        if self.variant == "unregulated":
            return np.arange(G.size - 1.0, -1.0, -1.0)
        plays = int(arms_to_try(arms, G.size)) if self.variant == "wait" else G.size
        return effective_horizons(G, plays)

    def begin(self) -> Any:
        """The weight seen."""
        return 0.0

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Where the future is unknown: as much weight follows as there was, this turn included."""
        weight = 1.0 if self.variant == "unregulated" else view.G
        return (carry + weight) / weight, carry + weight
