"""The steps of the one-step forecasters, and a compiled scan of one through a whole series.

A step takes the value of a turn into its memory, a short array of numbers, and returns what it
expects of the next turn.  Settings stand at the front of the memory.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled, function_type
from highseason.core.jitable import jitable

Memory = NDArray[np.float64]  # the same type for series of values and beliefs


@jitable
def random_walk(memory: Memory, value: float) -> float:
    """The next turn is like this one: memory is the last value."""
    memory[0] = value
    return value


@jitable
def simple_average(memory: Memory, value: float) -> float:
    """The mean of all turns: memory is (count, sum)."""
    memory[0] += 1.0
    memory[1] += value
    return float(memory[1] / memory[0])


@jitable
def moving_average(memory: Memory, value: float) -> float:
    """The mean of the last few: memory is (count, last values, newest first)."""
    window = memory.size - 1
    held = int(min(memory[0] + 1.0, window))
    total = value
    for i in range(held - 1, 0, -1):  # each value moves back by one place
        memory[1 + i] = memory[i]
        total += memory[i]
    memory[0] += 1.0
    memory[1] = value
    return total / held


@jitable
def weighted_moving_average(memory: Memory, value: float) -> float:
    """The mean of the last few, weighted 1, 2, …, newest heaviest; memory as above."""
    window = memory.size - 1
    held = int(min(memory[0] + 1.0, window))
    total = held * value
    for i in range(held - 1, 0, -1):
        memory[1 + i] = memory[i]
        total += (held - i) * memory[i]
    memory[0] += 1.0
    memory[1] = value
    return total / (0.5 * held * (held + 1))


@jitable
def exponential_smoothing(memory: Memory, value: float) -> float:
    """A smoothed level: memory is (alpha, count, level)."""
    alpha = memory[0]
    level = value if memory[1] == 0.0 else alpha * value + (1.0 - alpha) * memory[2]
    memory[1] += 1.0
    memory[2] = level
    return level


@jitable
def double_exponential_smoothing(memory: Memory, value: float) -> float:
    """A level and a trend (Holt): memory is (alpha, beta, count, level, trend)."""
    alpha, beta = memory[0], memory[1]
    if memory[2] == 0.0:
        level, trend = value, 0.0
    else:
        before = memory[3]
        level = alpha * value + (1.0 - alpha) * (before + memory[4])
        trend = beta * (level - before) + (1.0 - beta) * memory[4]
    memory[2] += 1.0
    memory[3] = level
    memory[4] = trend
    return level + trend


Step = Callable[[Memory, float], float]

#: The built-in steps, in the order in which `own_kernel` numbers them.
_OWN: tuple[Step, ...] = (
    random_walk,
    simple_average,
    moving_average,
    weighted_moving_average,
    exponential_smoothing,
    double_exponential_smoothing,
)


def scan_kernel(step: Step, memory: Memory, values: Memory, beliefs: Memory) -> None:
    """H(1) = G(1); every later turn is what `step` expects, never below the lowest G so far."""
    beliefs[0] = values[0]
    lowest = values[0]
    for t in range(1, values.size):
        lowest = min(lowest, values[t - 1])
        beliefs[t] = max(step(memory, values[t - 1]), lowest)


def own_kernel(which: int, memory: Memory, values: Memory, beliefs: Memory) -> None:
    """The same with a built-in step: passing a function costs more than the scan itself."""
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
    """Return a compiled `scan(memory, values, beliefs)` for this step."""
    from numba.core import types

    numbers = types.float64[::1]
    if step in _OWN:
        kernel = compiled(own_kernel, types.void(types.int64, numbers, numbers, numbers))
        return functools.partial(kernel, _OWN.index(step))
    signature = types.float64(numbers, types.float64)
    kernel = compiled(scan_kernel, types.void(function_type(signature), numbers, numbers, numbers))
    native: Any = compiled(step, signature)
    return functools.partial(kernel, native)
