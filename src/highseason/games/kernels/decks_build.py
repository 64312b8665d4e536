"""The kernel of games with decks, compiled for the types of its arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from highseason.core.compile import compiled, function_type
from highseason.games.kernels.decks import Days, Round, Shelf, decks_kernel
from highseason.games.kernels.rule_functions import (
    function_types,
    numba_types,
    rule_functions,
    state_type,
)
from highseason.rules import Rule, fresh_state


@functools.cache
def decks_kernel_for(rule: Rule) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """The compiled kernel, and the compiled functions of a rule that it is given last."""
    types = numba_types()
    fresh = state_type()(types.int64, types.int64, types.int64)
    whole, table = types.int64[::1], types.float64[:, ::1]
    signature = types.void(
        types.NamedTuple((whole, types.int64[:, ::1], types.int64[:, ::1], table), Shelf),
        types.NamedUniTuple(table, 2, Days),
        types.NamedTuple((types.uint64[::1], whole, whole, whole, whole), Round),
        types.float64[:, :, ::1],
        types.int64,
        types.int64,
        types.boolean,
        types.float64[:, :, ::1],
        function_type(fresh),
        *function_types()[:3],
    )
    return compiled(decks_kernel, signature), (
        compiled(fresh_state, fresh),
        *rule_functions(rule)[:3],
    )
