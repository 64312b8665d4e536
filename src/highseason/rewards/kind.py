"""A kind of reward: how an arm pays and what is learned of it, as code that kernels contain.

A kind is a named tuple of numbers whose marked methods are scalar code, one file each.  Python
calls the methods as they are.  The compiler picks them by the tuple's type, so a kernel for
Bernoulli arms contains no trace of the others: a branch in the hottest loop, with a call behind it,
would cost as much as the rest of the turn.  Compiled code is kept on disk by the sources of this
package: for arms of your own use `custom`, which looks at your functions.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import inlined, jitable, jitable_as

Numbers: TypeAlias = NDArray[np.float64]
#: A function of a user's; None for kinds that need none.
Users: TypeAlias = Any
F = TypeVar("F", bound=Callable[..., Any])


class Drawn(NamedTuple):
    """What the visitors of a turn did, and what that is worth.

    The reward is the share of them who acted times what an act was worth.  That is 1, but for
    money: there it is the mean of the baskets that were drawn.
    """

    seen: float  # The share who bought, or clicked: from 0 to 1; the turn itself where it is a coin
    paid: float  # The reward X: what a visitor brought, from all of them


class Kind:
    """What a kind does unless it says otherwise.  Marked methods are compiled into kernels."""

    __slots__ = ()
    #: What the functions of a user's take; nothing where the kind needs none.
    quantile_takes: ClassVar[tuple[str, ...]] = ()
    mean_takes: ClassVar[tuple[str, ...]] = ()
    #: Whether X is always 0 or 1: then (G·X)/G is X to the last bit, and needs no division.
    is_coin: ClassVar[bool] = False
    #: Whether an arm's one parameter is its mean, which may then move.
    mean_is_parameter: ClassVar[bool] = True
    share: float = 0.0  # Visitors who see an arm, per unit of G; 0 where they are not counted
    rho: Any = None  # The correlation of a turn's visitors; None where it is not known
    scale: float = 0.0  # A number shared by all arms (the sigma of a normal)

    @property
    def counts_visitors(self) -> bool:
        """Whether a turn teaches as much as its visitors do."""
        return self.share > 0.0

    @property
    def ignores_logarithms(self) -> bool:
        """Whether the last bit of a logarithm makes no difference to any reward."""
        return False

    def means(self, parameters: Numbers) -> Numbers:
        """The true mean of every arm."""
        return parameters

    @jitable
    def visitors(self, G: float) -> float:
        """How many visitors a turn has; 1 if they are not counted."""
        return 1.0

    def draw(self, quantile: Users, u: float, parameter: Any, t: int, G: float) -> Drawn:
        """What an arm with this parameter, or these, gives at the uniform number `u`."""
        raise NotImplementedError

    @jitable
    def parameter(self, parameters: Numbers, means: Numbers, arm: int) -> Any:
        """The arm's parameter, or all it has, out of those of a game and the means of the turn."""
        return parameters[arm]

    @jitable
    def learned(self, x: float) -> float:
        """A reward as policies learn it: itself, or its share of the most that it may be."""
        return x

    @jitable
    def booked(self, x: float, paid: float) -> float:
        """What is added to a total of `paid` = G·X; NaN where a user's reward breaks its bounds."""
        return paid

    @jitable
    def update_means(
        self, mean_at: Users, game: int, parameters: Numbers, t: int, G: float, means: Numbers
    ) -> bool:
        """Fill in the means of turn t; False for the kinds whose means stay."""
        return False


def _called(method: F, inline: bool = False) -> F:
    """A method of kinds as a function of the kind: compiled code has no methods of tuples."""
    name = method.__name__

    @jitable_as(lambda kind, *others: getattr(kind.instance_class, name), inline)
    @functools.wraps(method)
    def call(kind: Kind, *others: Any) -> Any:
        return getattr(kind, name)(*others)

    return call  # type: ignore[return-value]  # of the same arguments


visitors_in = _called(Kind.visitors)
draw_reward = _called(Kind.draw)
parameter_of = _called(Kind.parameter, inline=True)  # it may be a part of the array
learned_of = _called(Kind.learned)
booked = _called(Kind.booked)
update_means = _called(Kind.update_means)


class CountsVisitors(Kind):
    """A kind of which a turn shows n = share·G visitors an arm."""

    __slots__ = ()

    @jitable
    def visitors(self, G: float) -> float:
        """How many see the arm."""
        return visitors_of(self.share, G)


@inlined
def visitors_of(share: float, G: float) -> float:
    """How many visitors a turn has: a whole number, at least 1."""
    return max(1.0, float(math.floor(share * G + 0.5)))


@jitable
def effective_visitors(visitors: Any, rho: Any) -> Any:
    """How many independent visitors would teach as much as these.

    >>> effective_visitors(1000.0, 0.0), effective_visitors(1000.0, 0.01)
    (1000.0, 90.99...)
    """
    return visitors / (1.0 + (visitors - 1.0) * rho)
