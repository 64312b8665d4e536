"""What an arm pays: a quantile function, a mean, and how the arms of a game differ.

A reward is `quantile(u, …)`: one uniform number per turn, the same for every arm and every policy
of the game, so that policies differ by their decisions and not by their luck.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.core.random import arm_uniforms
from highseason.core.validation import whole_number
from highseason.rewards.drift import Drift, move_means

#: `(u, parameter, scale)`, or `(u, parameters, t, G)` for models that look at the turn.
Quantile = Callable[..., float]


@dataclass(frozen=True, eq=False)
class Rewards:
    """A family of arms.  Made by `visitors`, `spend`, `bernoulli`, `truncated_normal` or `custom`.

    Attributes:
        name: What it is called on the command line and in results.
        arms: How many arms a game has.
        quantile: `(u, parameter, scale)` gives the reward; compiled inside kernels.  A model with
            `mean_at` has `(u, parameters, t, G)`.
        mean_of: The true mean of an arm, given its parameter(s): an array in, an array out.
        fixed: The parameter of each arm, or None when every game draws its own; one row per arm
            where an arm has several.
        between: Parameters drawn per game are uniform between these two (arrays where an arm has
            several parameters).
        scale: A number shared by all arms (the sigma of a normal).
        bounds: The lowest and the highest reward an arm can pay; may be infinite.
        mean_at: `(parameters, t, G)` gives the true mean of one arm in turn t, for models that
            depend on the turn, on its G, or on several parameters per arm; None for all others.
        width: How many parameters an arm has.
        noise: How the visitors of a turn vary, for models that count them; `quantile` is then
            `(u, parameters, noise, G)`.
        drift: How means move from turn to turn; an arm's parameters are then its first mean, and
            its second one if there is a change.
        draw_arms: The parameters for an array of uniform numbers, with a row per game; None if
            they are uniform between two numbers.
    """

    name: str
    arms: int
    quantile: Quantile
    mean_of: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None
    fixed: NDArray[np.float64] | None
    between: tuple[Any, Any]
    scale: float = 0.0
    bounds: tuple[float, float] = (0.0, 1.0)
    mean_at: Callable[[NDArray[np.float64], int, float], float] | None = None
    width: int = 1
    noise: Any = None
    drift: Drift | None = None
    draw_arms: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None

    @property
    def varies(self) -> bool:
        """Whether true means change by turn."""
        return self.mean_at is not None or self.drift is not None

    def parameters(self, keys: NDArray[np.uint64]) -> NDArray[np.float64]:
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

    def means(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The true mean of every arm, for models whose means do not change by turn."""
        if self.mean_of is None:
            raise ValueError(
                f"{self.name}: means change by turn; use means_at(parameters, t, G) for one game"
            )
        means = np.asarray(self.mean_of(parameters), dtype=np.float64)
        if means.shape != (parameters.shape if self.width == 1 else parameters.shape[:-1]):
            raise ValueError(
                f"{self.name}: mean returned shape {means.shape} for parameters of shape "
                f"{parameters.shape}; it must return one mean per parameter"
            )
        return means

    def means_at(self, parameters: NDArray[np.float64], t: int, G: float) -> NDArray[np.float64]:
        """The true mean of every arm of one game in turn t."""
        if self.mean_at is None:
            return self.means(parameters)
        return np.array([self.mean_at(row, t, G) for row in parameters], dtype=np.float64)

    def means_by_turn(
        self, parameters: NDArray[np.float64], game: int, G: NDArray[np.float64]
    ) -> NDArray[np.float64]:
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
        return 1.0 if self.noise is None else max(1.0, math.floor(self.noise.share * G + 0.5))

    def draw(self, u: float, parameters: Any, t: int, G: float) -> float:
        """What an arm with these parameters pays in turn t at the uniform number `u`.

        For arms that drift, the parameter is the mean of that turn.
        """
        if self.noise is not None:
            return self.quantile(u, parameters, self.noise, G)
        if self.mean_at is None:
            return self.quantile(u, parameters, self.scale)
        return self.quantile(u, parameters, t, G)


def describe_arms(
    name: str,
    arms: int | None,
    fixed: ArrayLike | None,
    between: tuple[Any, Any],
    allowed: tuple[float, float],
    what: str,
    per_turn: bool = False,
) -> dict[str, Any]:
    """Check how a game gets its arms, and return the fields of `Rewards` that say so.

    With `per_turn` an arm may have several parameters: `fixed` has a row per arm, or `between` two
    sequences with a number per parameter.
    """
    low, high = (np.array(b, dtype=np.float64) for b in between)
    inside = f"between {allowed[0]:g} and {allowed[1]:g}"
    rising = low.shape == high.shape and ((allowed[0] <= low) & (low <= high)).all()
    if not (rising and (high <= allowed[1]).all() and low.ndim <= int(per_turn)):
        raise ValueError(f"{name}: between={between} must be two rising numbers {inside}")
    if fixed is None:
        if arms is None:
            raise ValueError(f"{name}: give the number of arms (arms=25) or {what}=[…]")
        ends = (low, high) if low.ndim else (float(low), float(high))
        return {"arms": check_arms(arms), "fixed": None, "between": ends, "width": low.size}
    values = np.array(fixed, dtype=np.float64)
    if per_turn and values.ndim == 1:
        values = values[:, None]
    if values.ndim != 1 + int(per_turn) or values.size == 0:
        raise ValueError(f"{name}: {what} must be a non-empty list of numbers")
    if arms is not None and arms != len(values):
        raise ValueError(f"{name}: arms={arms}, but {what} has {len(values)} numbers")
    for arm, value in enumerate(values, start=1):
        if not (np.isfinite(value) & (allowed[0] <= value) & (value <= allowed[1])).all():
            raise ValueError(f"{name}: {what} of arm {arm} is {value}; it must be {inside}")
    values.setflags(write=False)
    ends = (float(low.min()), float(high.max()))
    return {"arms": len(values), "fixed": values, "between": ends, "width": values[0].size}


def check_arms(arms: int) -> int:
    """A whole number of arms, at least 1."""
    return whole_number("arms", arms, at_least=1)
