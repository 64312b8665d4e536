"""What an arm pays: a kind of reward, a mean, and how the arms of a game differ.

A reward is a function of one uniform number per turn, the same for every arm and every policy of
the game, so that policies differ by their decisions and not by their luck.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import arm_uniforms
from highseason.rewards.arms import Drift, Drifting, move_means
from highseason.rewards.kind import Drawn, Kind, Numbers

#: `(u, parameter, scale)`; or `(u, parameters, t, G)` for models that look at the turn; those that
#: count visitors are given their number instead of the scale, or of G.
Quantile = Callable[..., float]


class Offer(NamedTuple):
    """What an arm offers, where arms are prices of one thing.

    >>> Offer(9.5, cost=6.0).margin
    3.5
    """

    price: float
    cost: float = 0.0

    @property
    def margin(self) -> float:
        """What is earned with each that is sold."""
        return self.price - self.cost


@dataclass(frozen=True, eq=False, repr=False)
class Rewards:
    """A family of arms.  Made by `visitors`, `spend`, `bernoulli`, `truncated_normal` or `custom`.

    Attributes:
        name: What it is called on the command line and in results.
        arms: How many arms a game has.
        kind: How an arm pays, and what is learned of it.
        fixed: The parameter of each arm, or None when every game draws its own; one row per arm
            where an arm has several.
        between: Parameters drawn per game are uniform between these two (arrays where an arm has
            several parameters).
        bounds: The lowest and the highest reward an arm can pay, as little and as much as one
            visitor may bring.
        width: How many parameters an arm has.
        drift: How means move from turn to turn; an arm's parameters are then its first mean, and
            its second one if there is a change.
        draw_arms: The parameters for an array of uniform numbers, with a row per game; None if
            they are uniform between two numbers.
        quantile: Of `custom`: `(u, parameter, scale)` gives the reward; compiled inside kernels.
            A model with `mean_at` has `(u, parameters, t, G)`; see `custom` for visitors.
        mean_of: Of `custom`: the true mean of an arm, given its parameter: an array in, an array
            out.
        mean_at: Of `custom`: `(parameters, t, G)` gives the true mean of one arm in turn t, for
            models that depend on the turn, on its G, or on several parameters per arm.
        offers: What each arm offers, for rules that know it; None where arms are mere names.
    """

    name: str
    arms: int
    kind: Kind
    fixed: Numbers | None
    between: tuple[Any, Any]
    bounds: tuple[float, float] = (0.0, 1.0)
    width: int = 1
    drift: Drift | None = None
    draw_arms: Callable[[Numbers], Numbers] | None = None
    quantile: Quantile | None = None
    mean_of: Callable[[Numbers], Numbers] | None = None
    mean_at: Callable[[Numbers, int, float], float] | None = None
    offers: tuple[Offer, ...] | None = None

    def __repr__(self) -> str:
        return f"<Rewards {self.name}: {self.arms} arms>"

    @property
    def varies(self) -> bool:
        """Whether true means change by turn."""
        return self.mean_at is not None or self.drift is not None

    @property
    def reward_range(self) -> tuple[float, float]:
        """What policies learn as 0, nothing or the lowest reward below it, and what as 1."""
        low, high = self.bounds
        return min(low, 0.0), high

    @property
    def scale(self) -> float:
        """A number shared by all arms (the sigma of a normal)."""
        return self.kind.scale

    @property
    def counts_visitors(self) -> bool:
        """Whether a turn teaches as much as its visitors do."""
        return self.kind.counts_visitors

    @property
    def kernel_kind(self) -> Kind:
        """The kind as kernels are given it, drift included."""
        return self.kind if self.drift is None else Drifting(self.kind, self.drift)

    def learned(self, x: float) -> float:
        """A reward as policies learn it."""
        low, high = self.reward_range
        if not low <= x <= high:
            raise self.out_of_bounds(f"a reward of {x:g} is")
        return self.kind.learned(x)

    def out_of_bounds(self, found: str) -> ValueError:
        """The error for a reward that breaks the bounds."""
        ends = "({:g}, {:g})".format(*self.bounds)
        return ValueError(
            f"{self.name}: {found} outside bounds={ends}: declare how far rewards can reach"
        )

    def parameters(self, keys: NDArray[np.uint64]) -> Numbers:
        """The arms of each game: one row per game key; a third axis for several numbers per arm."""
        if self.fixed is not None:
            return np.tile(self.fixed, (keys.size,) + (1,) * self.fixed.ndim)
        low, high = self.between
        uniforms = arm_uniforms(keys, self.arms * self.width)
        if self.draw_arms is not None:
            return self.draw_arms(uniforms)
        if self.mean_at is not None:
            uniforms = uniforms.reshape(keys.size, self.arms, self.width)
        return np.asarray(low + (high - low) * uniforms)

    def means(self, parameters: Numbers) -> Numbers:
        """The true mean of every arm, for models whose means do not change by turn."""
        if self.varies:
            raise ValueError(
                f"{self.name}: means change by turn; use means_at(parameters, t, G) for one game"
            )
        mean_of = self.kind.means if self.mean_of is None else self.mean_of
        means = np.asarray(mean_of(parameters), dtype=np.float64)
        if means.shape != (parameters.shape if self.width == 1 else parameters.shape[:-1]):
            raise ValueError(
                f"{self.name}: mean returned shape {means.shape} for parameters of shape "
                f"{parameters.shape}; it must return one mean per parameter"
            )
        return means

    def means_at(self, parameters: Numbers, t: int, G: float) -> Numbers:
        """The true mean of every arm of one game in turn t."""
        if self.mean_at is None:
            return self.means(parameters)
        return np.array([self.mean_at(row, t, G) for row in parameters], dtype=np.float64)

    def means_by_turn(self, parameters: Numbers, game: int, G: Numbers) -> Numbers:
        """The true means of a game, a row per turn; one row if they do not change by turn."""
        if self.drift is None:
            turns = enumerate(G if self.varies else G[:1], start=1)
            return np.stack([self.means_at(parameters, t, value) for t, value in turns])
        path, means = np.empty((G.size, self.arms)), np.empty(self.arms)
        for t in range(1, G.size + 1):
            move_means(self.drift, game, parameters.ravel(), t, means)
            path[t - 1] = means
        return path

    def visitors_at(self, G: float) -> float:
        """How many visitors a turn with this G shows; 1 for models that do not count them."""
        return self.kind.visitors(G)

    def drawn(self, u: float, parameters: Any, t: int, G: float) -> Drawn:
        """What visitors do and bring in turn t at the uniform number `u`.

        For arms that drift, the parameter is the mean of that turn.
        """
        return self.kind.draw(self.quantile, u, parameters, t, G)

    def draw(self, u: float, parameters: Any, t: int, G: float) -> float:
        """The same: what an arm with these parameters pays, X."""
        return self.drawn(u, parameters, t, G).paid


def as_rewards(rewards: Any) -> Rewards:
    """A reward model, or what its text means."""
    model = rewards
    if isinstance(rewards, str):
        from highseason.rewards.text import parse  # late: it names the models of this module

        model = parse(rewards)
    if not isinstance(model, Rewards):
        raise ValueError(
            f"rewards must be a reward model such as hs.rewards.bernoulli(arms=25), got {model!r}"
        )
    return model
