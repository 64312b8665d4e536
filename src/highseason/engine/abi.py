"""The numba interface of rules: their compiled functions, and the types of what these take.

Kernels take the functions as first-class functions, so a kernel is compiled once for all rules.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from highseason.core.compile import compiled, function_type
from highseason.policies.state import Observation, Turn, fresh_state


class RuleFunctions(NamedTuple):
    """The functions a kernel calls, in the order in which kernels take them."""

    start: Any
    choose: Any
    observe: Any
    set_weights: Any


_SHAPES = RuleFunctions(
    start="start(state)",
    choose="choose(state, turn) -> (arm, exploited)",
    observe="observe(state, turn, observation)",
    set_weights="set_weights(state, clock, scores, scale)",
)


@functools.cache
def rule_functions(rule: Any) -> RuleFunctions:
    """The functions of a rule, compiled; a `ValueError` if one of them cannot be."""
    functions = (getattr(rule, name) for name in RuleFunctions._fields)
    return RuleFunctions(*map(users_function, functions, _signatures(), _SHAPES))


def function_types() -> RuleFunctions:
    """The numba types of those functions, for the signature of a kernel."""
    return RuleFunctions(*(function_type(signature) for signature in _signatures()))


def users_function(function: Callable[..., Any], signature: Any, shape: str) -> Any:
    """Compile a function that may be a user's, and explain what it must look like if it fails."""
    from numba.core.errors import NumbaError

    try:
        return compiled(function, signature)
    except NumbaError as reason:
        raise ValueError(
            f"{getattr(function, '__name__', function)!r} cannot be compiled as {shape}: use "
            f"numbers, arrays, the math module and functions marked @jitable. numba says: {reason}"
        ) from None


def numba_types() -> Any:
    """numba's types, imported late."""
    from numba.core import types

    return types


@functools.cache
def state_type() -> Any:
    """The type of an `ArmState`."""
    import numba

    return numba.typeof(fresh_state(1))


@functools.cache
def turn_type() -> Any:
    """The type of a `Turn`."""
    types = numba_types()
    whole, number = types.int64, types.float64
    fields = (whole, number, number, number, whole, types.uint64, types.boolean, whole)
    return types.NamedTuple(fields, Turn)


@functools.cache
def _signatures() -> RuleFunctions:
    types, state, turn = numba_types(), state_type(), turn_type()
    whole, number = types.int64, types.float64
    observation = types.NamedTuple((whole, number, number), Observation)
    return RuleFunctions(
        start=types.void(state),
        choose=types.Tuple((whole, types.boolean))(state, turn),
        observe=types.void(state, turn, observation),
        set_weights=types.void(state, whole, number[::1], number),
    )
