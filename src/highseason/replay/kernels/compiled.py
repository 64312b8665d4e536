"""The kernels of replay compiled, and the types of their arguments."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled
from highseason.engine.abi import function_types, numba_types, state_type
from highseason.replay.kernels import records
from highseason.replay.kernels.plans import plan_type
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
        t.NamedTuple(log, records.LogColumns),
        t.NamedTuple((whole, whole, whole, wholes), records.RecordOrder),
        t.NamedTuple((wholes, wholes, wholes, reals), records.LogLifetimes),
        t.NamedTuple(options, records.KernelOptions),
        t.uint8[::1],
        reals,
        plan_type(),
        state_type(),
        state_type(),
        t.NamedTuple((flags, flags, flags, wholes, wholes, reals), records.Scratch),
        *function_types(),
        t.NamedTuple((wholes, t.uint8[::1], wholes, reals), records.ReplayTrace),
    )
    return compiled(replay_kernel, t.void(*arguments))


def count_displays(
    arm: NDArray[np.int32],
    pool: NDArray[np.int32],
    bin_of: NDArray[np.int32],
    busy: NDArray[np.bool_],
    offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    cuts: NDArray[np.int64],
    place: NDArray[np.int64],
    table: NDArray[np.int64],
) -> None:
    """Add one for each event at [2 · quarter + (1 if its bin is busy), place of its arm].

    The place of an arm is where `members` lists it for the event's pool; events whose arm is not
    in their pool are skipped.  Quarter q is the events from cuts[q] to cuts[q + 1].  `place` is
    working memory, one entry per arm, and starts at -1.
    """
    current, first, last = -1, 0, 0
    for quarter in range(cuts.size - 1):
        for i in range(cuts[quarter], cuts[quarter + 1]):
            if pool[i] != current:
                for j in range(first, last):
                    place[members[j]] = -1
                current = pool[i]
                first, last = offsets[current], offsets[current + 1]
                for j in range(first, last):
                    place[members[j]] = j
            if place[arm[i]] >= 0:
                table[2 * quarter + (1 if busy[bin_of[i]] else 0), place[arm[i]]] += 1


@functools.cache
def compiled_count() -> Any:
    """`count_displays` as machine code."""
    t = numba_types()
    small, wholes = t.int32[::1], t.int64[::1]
    flags, table = t.boolean[::1], t.int64[:, ::1]
    return compiled(
        count_displays, t.void(small, small, small, flags, wholes, small, wholes, wholes, table)
    )
