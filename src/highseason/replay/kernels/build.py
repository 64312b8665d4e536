"""The replay kernel compiled, and the types of what it takes."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from highseason.core.compile import compiled
from highseason.games.kernels.rule_functions import function_types, numba_types, state_type
from highseason.replay.kernels.plans import plan_type
from highseason.replay.kernels.replay import replay_kernel
from highseason.replay.kernels.shapes import COUNTS, Lives, Log, Manner, Track, Walk


@functools.cache
def compiled_replay() -> Any:
    """`replay_kernel` as machine code: one for all policies and rules."""
    types = numba_types()
    truth, whole, number = types.boolean, types.int64, types.float64
    small = types.int32[::1]
    arguments = (
        types.NamedTuple(
            (
                small, small, small, number[::1], whole[::1], whole[::1], small, truth[::1],
                number[::1], number[::1], number[::1],
            ),
            Log,
        ),  # fmt: skip
        types.NamedTuple((whole, whole, whole, whole[::1]), Walk),
        types.NamedTuple((whole[::1], whole[::1], whole[::1], number[::1]), Lives),
        types.NamedTuple(
            (
                types.uint64, whole, whole, number, number, number, number, truth, whole, truth,
                truth, truth, whole,
            ),
            Manner,
        ),  # fmt: skip
        types.uint8[::1],
        number[::1],
        plan_type(),
        state_type(),
        state_type(),
        *function_types(),
        types.NamedTuple((whole[::1], truth[::1], whole[::1]), Track),
    )
    return compiled(replay_kernel, types.void(*arguments))


def empty_track(records: int) -> Track:
    """Room for a run over so many records; memory is taken only as turns are matched."""
    return Track(np.empty(records, np.int64), np.empty(records, np.bool_), np.zeros(COUNTS, np.int64))
