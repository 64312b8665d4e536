"""What an arm pays: a quantile function, a mean, and how the arms of a game differ.

A reward is `quantile(u, parameter, scale)`: one uniform number per turn, the same for every arm and
every policy of the game, so that policies differ by their decisions and not by their luck.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import arm_uniforms
from highseason.core.validation import whole_number

Quantile = Callable[[float, float, float], float]


@dataclass(frozen=True, eq=False)
class Rewards:
    """A family of arms.  Made by `bernoulli`, `truncated_normal` or `custom`.

    Attributes:
        name: What it is called on the command line and in results.
        arms: How many arms a game has.
        quantile: `(u, parameter, scale)` gives the reward; compiled inside kernels.
        mean_of: The true mean of an arm, given its parameter(s): an array in, an array out.
        fixed: The parameter of each arm, or None when every game draws its own.
        between: Parameters drawn per game are uniform between these two.
        scale: A number shared by all arms (the sigma of a normal).
        bounds: The lowest and the highest reward an arm can pay; may be infinite.
    """

    name: str
    arms: int
    quantile: Quantile
    mean_of: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    fixed: NDArray[np.float64] | None
    between: tuple[float, float]
    scale: float = 0.0
    bounds: tuple[float, float] = (0.0, 1.0)

    def parameters(self, keys: NDArray[np.uint64]) -> NDArray[np.float64]:
        """The arms of each game: one row for each game key."""
        if self.fixed is not None:
            return np.tile(self.fixed, (keys.size, 1))
        low, high = self.between
        return low + (high - low) * arm_uniforms(keys, self.arms)

    def means(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The true mean of every arm."""
        found = np.asarray(self.mean_of(parameters), dtype=np.float64)
        if found.shape != parameters.shape:
            raise ValueError(
                f"{self.name}: mean gives shape {found.shape} for parameters of shape "
                f"{parameters.shape}; it must give one mean for each parameter"
            )
        return found


def describe_arms(
    name: str,
    arms: int | None,
    fixed: Sequence[float] | NDArray[np.float64] | None,
    between: tuple[float, float],
    allowed: tuple[float, float],
    what: str,
) -> dict[str, Any]:
    """Check how a game gets its arms, and give the fields of `Rewards` that say so."""
    low, high = (float(b) for b in between)
    inside = f"between {allowed[0]:g} and {allowed[1]:g}"
    if not allowed[0] <= low <= high <= allowed[1]:
        raise ValueError(f"{name}: between={between} must be two rising numbers {inside}")
    if fixed is None:
        if arms is None:
            raise ValueError(f"{name}: say how many arms (arms=25) or what they pay ({what}=[…])")
        return {"arms": check_arms(arms), "fixed": None, "between": (low, high)}
    values = np.array(fixed, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{name}: {what} must be a non-empty list of numbers")
    if arms is not None and arms != values.size:
        raise ValueError(f"{name}: arms={arms}, but {what} has {values.size} numbers")
    for arm, value in enumerate(values, start=1):
        if not (math.isfinite(value) and allowed[0] <= value <= allowed[1]):
            raise ValueError(f"{name}: {what} of arm {arm} is {value}; it must be {inside}")
    values.setflags(write=False)
    return {"arms": values.size, "fixed": values, "between": (low, high)}


def check_arms(arms: int) -> int:
    """A whole number of arms, at least 1."""
    return whole_number("arms", arms, at_least=1)
