"""Arms that pay 1 or 0: the paper's coins."""

from collections.abc import Sequence
from typing import NamedTuple

from highseason.core.jitable import jitable
from highseason.rewards.model import (
    Drawn,
    Kind,
    Numbers,
    Rewards,
    Users,
    check_rates,
    drifting_arms,
    named,
)


class Bernoulli(NamedTuple("Bernoulli", []), Kind):
    """A coin a turn."""

    is_coin = True

    @jitable
    def draw(self, quantile: Users, u: float, mean: float, t: int, G: float) -> Drawn:
        """1 for the upper `mean` share of the uniform numbers, else 0."""
        x = 1.0 if u >= 1.0 - mean else 0.0
        return Drawn(x, x)


def bernoulli(
    arms: int | None = None,
    means: Sequence[float] | Numbers | str | None = None,
    between: tuple[float, float] = (0.0, 1.0),
    prior: tuple[float, float] | None = None,
    drift: float = 0.0,
    change: int | None = None,
    then: Sequence[float] | Numbers | None = None,
) -> Rewards:
    """Arms that pay 1 or 0: one coin a turn, however busy it is, as in the paper.

    Args:
        arms: How many; every game draws its means uniformly `between` two numbers.
        means: Or the means themselves, the same in every game; or a text for `between`: "2%..4%".
        between: Where means are drawn.
        prior: Draw them from a beta distribution with this mean and standard deviation instead.
        drift: By how much a mean moves in a turn, as a standard deviation; it is reflected at the
            ends of `between` (0 and 1 for given means and priors).
        change: The turn from which means change.
        then: The new means.  Means that every game draws are drawn again instead.

    >>> bernoulli(means=[0.9, 0.5]).arms
    2
    >>> bernoulli(means=[0.9, 0.5], change=100, then=[0.1, 0.5]).drift.change
    100.0
    """
    means_of_arms = check_rates("bernoulli", arms, means, between, prior, "means")
    how = drifting_arms("bernoulli", means_of_arms, drift, change, then)
    name = named("bernoulli", means_of_arms, Bernoulli(), (), drift, change)
    return Rewards(name, kind=Bernoulli(), **how)
