"""Thompson sampling, for rates (a Beta prior) and for means of any rewards (a normal posterior)."""

from dataclasses import dataclass
from typing import Any

from highseason.policies.base import WeighingPolicy, exploration, parameter
from highseason.policies.plan import View
from highseason.policies.sampling_rule import BETA_SAMPLING, NORMAL_SAMPLING, beta_sampling


@dataclass(frozen=True)
class Thompson(WeighingPolicy):
    """Draw a rate for each arm from its posterior, and play the highest draw (Thompson 1933).

    The posterior is Beta(successes + sum, failures + pulls - sum): for rewards between 0 and 1, a
    reward x counts as x successes and 1 - x failures.  Nothing depends on G: regulated versions are
    `RegulateByThreshold(Thompson())` and its siblings.

    The deviation of the draws is `width` times that of the posterior.  1 is the textbook's; less
    explores less.

    >>> import highseason as hs
    >>> hs.Thompson(width=0.5).plan([1, 1, 1], arms=2).levels  # of the variance
    array([0.25, 0.25, 0.25])
    """

    name = "thompson"
    rule = BETA_SAMPLING
    carry_depends_on = "nothing"

    width: float = exploration(
        1.0, "times the deviation of the posterior; 1 is the textbook's", search=(0.01, 3.0, "log")
    )
    successes: float = parameter(
        1.0, "successes of the prior; 1 and 1 is uniform", above=0.0, known=True, kw_only=True
    )
    failures: float = parameter(1.0, "failures of the prior", above=0.0, known=True, kw_only=True)

    def _check_rule(self) -> None:
        object.__setattr__(self, "rule", beta_sampling(self.successes, self.failures))
        super()._check_rule()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """By how much the variance of the draws is scaled."""
        return self.width * self.width, carry


@dataclass(frozen=True)
class GaussianThompson(WeighingPolicy):
    """Draw a mean for each arm from N(estimate, sigma² / pulls), and play the highest draw.

    That is Thompson sampling with a flat prior for rewards with the normal noise `sigma`.  It takes
    rewards of any size.  Every arm is tried once first.  Nothing depends on G.

    The default suits rewards between 0 and 1, whose deviation is 0.5 at most.  For purchases of 20
    to 40 euros it is about 10; with `count="visitors"` it is the deviation of one visitor.

    >>> import highseason as hs
    >>> hs.GaussianThompson().plan([1, 1, 1], arms=2).levels
    array([0.25, 0.25, 0.25])
    """

    name = "gaussian-thompson"
    rule = NORMAL_SAMPLING
    carry_depends_on = "nothing"

    sigma: float = exploration(0.5, "the standard deviation of a reward", search=(1e-3, 1e2, "log"))

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The variance of a reward: that of a draw, times the pulls."""
        return self.sigma * self.sigma, carry
