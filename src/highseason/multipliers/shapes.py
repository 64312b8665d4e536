"""The paper's multipliers, and the registry of shapes by name."""

from collections.abc import Callable
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from highseason.core.validation import one_of, positive_number, whole_number
from highseason.multipliers.series import Multiplier
from highseason.multipliers.validation import MultiplierError, Values

Variant = Literal["paper", "authors_code"]
"""``"paper"``: as printed, t from 1. ``"authors_code"``: as simulated, t from 0."""

Shape = Callable[..., Multiplier]
ShapeT = TypeVar("ShapeT", bound=Shape)

SHAPES: dict[str, Shape] = {}
"""Every shape by name; each takes ``turns`` and needs nothing else."""


def shape(function: ShapeT) -> ShapeT:
    """Register a function in ``SHAPES``, where the command line and the checks look.

    >>> sorted(SHAPES)
    ['christmas', 'constant', 'sine', 'step', 'wave']
    """
    SHAPES[function.__name__] = function
    return function


@shape
def wave(turns: int, *, variant: Variant = "paper") -> Multiplier:
    """Rise and fall like the days of a week: G(t) = 21 + 20 sin(t/4).

    The authors' code counts t from 0, so it is one turn ahead.

    >>> wave(turns=3).values.round(2)
    array([25.95, 30.59, 34.63])
    """
    return Multiplier(_wave(_clock(turns, variant)), name="wave")


@shape
def christmas(turns: int, *, variant: Variant = "paper") -> Multiplier:
    """The wave with a peak of 1000 in which almost everything is earned.

    The peak is 0.8n ≤ t ≤ 0.9n. In the authors' code it is 0.5n ≤ t < 0.6n, with t from 0.

    >>> christmas(turns=10).values.round(2)
    array([  25.95,   30.59,   34.63,   37.83,   39.98,   40.95,   40.68,
           1000.  , 1000.  ,   32.97])
    """
    t = _clock(turns, variant)
    n = t.size
    # Whole numbers: 0.9 n is inexact in floating point.
    if variant == "authors_code":
        peak = (5 * n <= 10 * t) & (10 * t < 6 * n)
    else:
        peak = (8 * n <= 10 * t) & (10 * t <= 9 * n)
    return Multiplier(np.where(peak, 1000.0, _wave(t)), name="christmas")


@shape
def step(turns: int, *, variant: Variant = "paper") -> Multiplier:
    """Two alternating levels.

    1 and 40 by tenths of the game: 40 where floor(10 t/n) is odd, and in the last turn. In the
    authors' code 20 and 40 by quarters: 40 where floor(4 t/n) is odd, with t from 0.

    >>> step(turns=10).values
    array([40.,  1., 40.,  1., 40.,  1., 40.,  1., 40., 40.])
    """
    t = _clock(turns, variant)
    n = t.size
    if variant == "authors_code":
        return Multiplier(np.where((4 * t // n) % 2 == 1, 40.0, 20.0), name="step")
    high = ((10 * t // n) % 2 == 1) | (t == n)
    return Multiplier(np.where(high, 40.0, 1.0), name="step")


@shape
def constant(turns: int, value: float = 1.0) -> Multiplier:
    """The same stakes in every turn: the standard bandit.

    >>> constant(turns=3, value=5).values
    array([5., 5., 5.])
    """
    return Multiplier(
        np.full(_count(turns), positive_number("value", value, MultiplierError)), name="constant"
    )


@shape
def sine(turns: int) -> Multiplier:
    """The multiplier of the paper's figure of exploration probabilities: G(t) = 20 + 19 sin(t/2).

    >>> sine(turns=3).values.round(2)
    array([29.11, 35.99, 38.95])
    """
    return Multiplier(20.0 + 19.0 * np.sin(_clock(turns, "paper") / 2.0), name="sine")


def _wave(t: NDArray[np.int64]) -> Values:
    return np.asarray(21.0 + 20.0 * np.sin(0.25 * t))


def _clock(turns: int, variant: Variant) -> NDArray[np.int64]:
    one_of("variant", variant, ("paper", "authors_code"), MultiplierError)
    first = 0 if variant == "authors_code" else 1
    return np.arange(first, first + _count(turns), dtype=np.int64)


def _count(turns: int) -> int:
    return whole_number("turns", turns, 1, MultiplierError)
