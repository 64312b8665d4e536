"""Counting what was shown, in one pass over the log."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled
from highseason.engine.abi import numba_types


def count_shown(
    arm: NDArray[np.int32],
    pool: NDArray[np.int32],
    bin_of: NDArray[np.int32],
    busy: NDArray[np.bool_],
    studied: NDArray[np.bool_],
    cuts: NDArray[np.int64],
    table: NDArray[np.int64],
) -> None:
    """Add one for each event at [2 · quarter + (1 if its bin is busy), pool · arms + arm].

    Arms that are not studied are passed over; quarter q is the events from cuts[q] to cuts[q + 1].
    """
    for quarter in range(cuts.size - 1):
        for i in range(cuts[quarter], cuts[quarter + 1]):
            if studied[arm[i]]:
                part = 2 * quarter + (1 if busy[bin_of[i]] else 0)
                table[part, np.int64(pool[i]) * studied.size + arm[i]] += 1


@functools.cache
def compiled_count() -> Any:
    """`count_shown` as machine code."""
    types = numba_types()
    small, flags, wholes = types.int32[::1], types.boolean[::1], types.int64[::1]
    arguments = (small, small, small, flags, flags, wholes, types.int64[:, ::1])
    return compiled(count_shown, types.void(*arguments))
