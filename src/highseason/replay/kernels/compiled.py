"""The replay kernel compiled, and the types of what it takes."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from highseason.core.compile import compiled
from highseason.engine.abi import function_types, numba_types, state_type
from highseason.replay.kernels.plans import plan_type
from highseason.replay.kernels.records import COUNTS, Lifetimes, Log, Manner, Track, Walk
from highseason.replay.kernels.replay import replay_kernel


@functools.cache
def compiled_replay() -> Any:
    """`replay_kernel` as machine code: one for all policies and rules."""
    types = numba_types()
    truth, whole, number = types.boolean, types.int64, types.float64
    wholes, numbers, small = whole[::1], number[::1], types.int32[::1]
    log = (small, small, small, numbers, wholes, wholes, small, truth[::1], *(numbers,) * 3)
    manner = (
        types.uint64, whole, whole, number, number, number, number, truth, whole, truth, truth,
        truth, whole,
    )  # fmt: skip
    arguments = (
        types.NamedTuple(log, Log),
        types.NamedTuple((whole, whole, whole, wholes), Walk),
        types.NamedTuple((wholes, wholes, wholes, numbers), Lifetimes),
        types.NamedTuple(manner, Manner),
        types.uint8[::1],
        numbers,
        plan_type(),
        state_type(),
        state_type(),
        *function_types(),
        types.NamedTuple((wholes, types.uint8[::1], wholes), Track),
    )
    return compiled(replay_kernel, types.void(*arguments))


def empty_track(records: int) -> Track:
    """Room for a run over so many records; memory is taken only as turns are matched."""
    counts = np.zeros(COUNTS, np.int64)
    return Track(np.empty(records, np.int64), np.empty(records, np.uint8), counts)
