"""The steps of the one-step forecasters: plain functions here, machine code inside a scan.

Each takes the value of a turn into its memory, a short array of numbers, and returns what it
expects of the next.  Settings stand at the front of the memory.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable

Memory = NDArray[np.float64]


@jitable
def random_walk(memory: Memory, value: float) -> float:
    """Tomorrow is as today."""
    memory[0] = value
    return value


@jitable
def simple_average(memory: Memory, value: float) -> float:
    """The mean of all that was seen: memory is (count, sum)."""
    memory[0] += 1.0
    memory[1] += value
    return float(memory[1] / memory[0])


@jitable
def moving_average(memory: Memory, value: float) -> float:
    """The mean of the last few: memory is (count, the last values, the newest first)."""
    window = memory.size - 1
    held = int(min(memory[0] + 1.0, window))
    total = value
    for i in range(held - 1, 0, -1):  # each value moves on by one place
        memory[1 + i] = memory[i]
        total += memory[i]
    memory[0] += 1.0
    memory[1] = value
    return total / held


@jitable
def weighted_moving_average(memory: Memory, value: float) -> float:
    """The mean of the last few, weighed 1, 2, …, the newest heaviest; memory as above."""
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
    """A level that follows: memory is (alpha, count, level)."""
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
