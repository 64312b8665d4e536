"""A step taken through a whole series, compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled, function_type
from highseason.forecasters.kernels.steps import (
    double_exponential_smoothing,
    exponential_smoothing,
    moving_average,
    random_walk,
    simple_average,
    weighted_moving_average,
)

Step = Callable[[NDArray[np.float64], float], float]

#: Our own steps, in the order in which `own_kernel` counts them.
_OWN: tuple[Step, ...] = (
    random_walk,
    simple_average,
    moving_average,
    weighted_moving_average,
    exponential_smoothing,
    double_exponential_smoothing,
)


def scan_kernel(
    step: Step,
    memory: NDArray[np.float64],
    values: NDArray[np.float64],
    beliefs: NDArray[np.float64],
) -> None:
    """H(1) = G(1), and for every later turn what `step` expected; never below the least G seen."""
    beliefs[0] = values[0]
    lowest = values[0]
    for t in range(1, values.size):
        lowest = min(lowest, values[t - 1])
        beliefs[t] = max(step(memory, values[t - 1]), lowest)


def own_kernel(
    which: int,
    memory: NDArray[np.float64],
    values: NDArray[np.float64],
    beliefs: NDArray[np.float64],
) -> None:
    """The same with one of our own steps: handing over a function costs more than the scan."""
    beliefs[0] = values[0]
    lowest = values[0]
    for t in range(1, values.size):
        seen = values[t - 1]
        lowest = min(lowest, seen)
        if which == 0:
            belief = random_walk(memory, seen)
        elif which == 1:
            belief = simple_average(memory, seen)
        elif which == 2:
            belief = moving_average(memory, seen)
        elif which == 3:
            belief = weighted_moving_average(memory, seen)
        elif which == 4:
            belief = exponential_smoothing(memory, seen)
        else:
            belief = double_exponential_smoothing(memory, seen)
        beliefs[t] = max(belief, lowest)


@functools.cache
def compiled_scan(step: Step) -> Callable[..., None]:
    """`scan(memory, values, beliefs)` with this step, as machine code."""
    from numba.core import types

    numbers = types.float64[::1]
    if step in _OWN:
        kernel = compiled(own_kernel, types.void(types.int64, numbers, numbers, numbers))
        return functools.partial(kernel, _OWN.index(step))
    signature = types.float64(numbers, types.float64)
    kernel = compiled(scan_kernel, types.void(function_type(signature), numbers, numbers, numbers))
    native: Any = compiled(step, signature)
    return functools.partial(kernel, native)
