"""The kernel of games with decks, compiled for the types of its arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from highseason.core.compile import compiled, function_type
from highseason.games.kernels.decks import Days, Round, Shelf, decks_kernel
from highseason.rules import Rule, Turn, fresh_state


@functools.cache
def decks_kernel_for(rule: Rule) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """The compiled kernel, and the compiled functions of a rule that it is given last."""
    import numba

    types: Any = numba.types
    key: Any = np.uint64(0)
    state, turn = numba.typeof(fresh_state(1)), numba.typeof(Turn(1, 0.0, key, False, 1))
    fresh = state(types.int64, types.int64)
    start = types.void(state)
    choose = types.Tuple((types.int64, types.boolean))(state, turn)
    observe = types.void(state, turn, types.int64, types.float64)
    whole, table = types.int64[::1], types.float64[:, ::1]
    signature = types.void(
        types.NamedTuple((whole, types.int64[:, ::1], types.int64[:, ::1], table), Shelf),
        types.NamedUniTuple(table, 2, Days),
        types.NamedTuple((types.uint64[::1], whole, whole, whole, whole), Round),
        types.float64[:, :, ::1],
        types.int64,
        types.boolean,
        types.float64[:, :, ::1],
        *(function_type(each) for each in (fresh, start, choose, observe)),
    )
    functions = (
        compiled(fresh_state, fresh),
        compiled(rule.start, start),
        compiled(rule.choose, choose),
        compiled(rule.observe, observe),
    )
    return compiled(decks_kernel, signature), functions
