"""Arms that pay a normal number, clipped to [0, 1], as the paper has them."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from highseason.core.compile import compiled
from highseason.core.jitable import jitable
from highseason.core.special import clipped_normal_mean, normal_quantile
from highseason.rewards.model import Drawn, Kind, Numbers, Rewards, Users, describe_arms

#: Below this many arms in all, a loop in Python is faster than loading compiled code.
_WORTH_COMPILING = 2_000
#: A normal of at least this sigma, centred within [0, 1], leaves that range wherever its quantile
#: takes a logarithm (beyond 1.44 sigma).
_WIDE = 0.7


@jitable
def clipped_normal_quantile(u: float, centre: float, sigma: float) -> float:
    """N(centre, sigma), with everything below 0 at 0 and everything above 1 at 1."""
    reach = 1.4 * sigma  # the outer 7.5% on either side lie further out: they need no quantile
    if u > 0.925 and centre + reach >= 1.0:
        return 1.0
    if u < 0.075 and centre - reach <= 0.0:
        return 0.0
    return max(0.0, min(1.0, centre + sigma * normal_quantile(u)))


class ClippedNormal(NamedTuple("ClippedNormal", [("scale", float)]), Kind):
    """N(centre, scale), clipped to [0, 1]; the true mean of an arm is not its centre."""

    mean_is_parameter = False

    @property
    def ignores_logarithms(self) -> bool:
        """Where it is wide: it pays 0 or 1 wherever its quantile takes one."""
        return self.scale >= _WIDE

    def means(self, centres: Numbers) -> Numbers:
        """The true mean of every arm."""
        flat = np.ascontiguousarray(np.ravel(centres), dtype=np.float64)
        out = np.empty_like(flat)
        fill = _fill_clipped_means if flat.size < _WORTH_COMPILING else _compiled_fill()
        fill(flat, self.scale, out)
        return out.reshape(np.shape(centres))

    @jitable
    def draw(self, quantile: Users, u: float, centre: float, t: int, G: float) -> Drawn:
        """The quantile."""
        x = clipped_normal_quantile(u, centre, self.scale)
        return Drawn(x, x)


def _fill_clipped_means(centres: Numbers, sigma: float, out: Numbers) -> None:
    for i in range(centres.size):
        out[i] = clipped_normal_mean(centres[i], sigma)


def _compiled_fill() -> Callable[..., None]:
    from numba import types

    numbers = types.float64[::1]
    return compiled(_fill_clipped_means, types.void(numbers, types.float64, numbers))


def truncated_normal(
    arms: int | None = None,
    centres: Sequence[float] | Numbers | None = None,
    sigma: float = 0.1,
    between: tuple[float, float] = (0.0, 1.0),
) -> Rewards:
    """Arms that pay N(centre, sigma) clipped to [0, 1] (the paper says *truncated*).

    The true mean of such an arm is not its centre; gaps and regret use the true mean.

    >>> rewards = truncated_normal(centres=[1.0], sigma=1.0)
    >>> rewards.means(rewards.fixed).round(3)
    array([0.684])
    """
    if not isinstance(sigma, int | float) or not (math.isfinite(sigma) and sigma > 0):
        raise ValueError(f"truncated_normal: sigma must be a number > 0, not {sigma!r}")
    how = describe_arms("truncated_normal", arms, centres, between, (0.0, 1.0), "centres")
    return Rewards(
        "truncated-normal",
        kind=ClippedNormal(float(sigma)),
        **how,
    )
