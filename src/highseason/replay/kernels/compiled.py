"""The kernels of replay compiled, and the types of their arguments."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled
from highseason.engine.abi import function_types, numba_types, state_type
from highseason.replay.kernels.plans import plan_type
from highseason.replay.kernels.records import (
    KernelOptions,
    LogColumns,
    LogLifetimes,
    RecordOrder,
    ReplayTrace,
    Scratch,
)
from highseason.replay.kernels.replay import replay_kernel


@functools.cache
def compiled_replay() -> Any:
    """`replay_kernel` as machine code: one for all policies and rules."""
    t = numba_types()
    flag, whole, real = t.boolean, t.int64, t.float64
    flags, wholes, reals, small = flag[::1], whole[::1], real[::1], t.int32[::1]
    log = (small, small, small, reals, wholes, wholes, small, flags, *(reals,) * 3)
    options = (
        t.uint64, whole, whole, real, real, real, real, flag, whole, flag, flag, flag, whole,
    )  # fmt: skip
    arguments = (
        t.NamedTuple(log, LogColumns),
        t.NamedTuple((whole, whole, whole, wholes), RecordOrder),
        t.NamedTuple((wholes, wholes, wholes, reals), LogLifetimes),
        t.NamedTuple(options, KernelOptions),
        t.uint8[::1],
        reals,
        plan_type(),
        state_type(),
        state_type(),
        t.NamedTuple((flags, flags, flags, wholes, wholes, reals), Scratch),
        *function_types(),
        t.NamedTuple((wholes, t.uint8[::1], wholes, reals), ReplayTrace),
    )
    return compiled(replay_kernel, t.void(*arguments))


def fill_display_table(
    arm: NDArray[np.int32],
    pool: NDArray[np.int32],
    bin_of: NDArray[np.int32],
    busy: NDArray[np.bool_],
    studied: NDArray[np.bool_],
    cuts: NDArray[np.int64],
    table: NDArray[np.int64],
) -> None:
    """Add one for each record at [2 · quarter + (1 if its bin is busy), pool · arms + arm].

    Records of arms that are not studied are skipped; quarter q is the records from cuts[q] to
    cuts[q + 1].
    """
    for quarter in range(cuts.size - 1):
        for i in range(cuts[quarter], cuts[quarter + 1]):
            if studied[arm[i]]:
                part = 2 * quarter + (1 if busy[bin_of[i]] else 0)
                table[part, np.int64(pool[i]) * studied.size + arm[i]] += 1


@functools.cache
def compiled_count() -> Any:
    """`fill_display_table` as machine code."""
    t = numba_types()
    small, flags, wholes = t.int32[::1], t.boolean[::1], t.int64[::1]
    arguments = (small, small, small, flags, flags, wholes, t.int64[:, ::1])
    return compiled(fill_display_table, t.void(*arguments))
