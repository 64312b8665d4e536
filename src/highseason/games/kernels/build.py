"""The types of the kernels' arguments, and the kernels compiled for them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled, function_type
from highseason.games.kernels.epsilon import epsilon_kernel
from highseason.games.kernels.generic import WrongArmError, generic_kernel
from highseason.games.kernels.law import Law
from highseason.games.kernels.luck import best_totals
from highseason.games.kernels.pool import pool_kernel
from highseason.games.kernels.stage import Stage
from highseason.games.kernels.ucb_groups import ucb_groups_kernel
from highseason.games.kernels.ucb_lanes import ucb_lanes_kernel
from highseason.rewards.model import Quantile
from highseason.rules import EPSILON, POOL, UCB_RULE, Rule, Turn, fresh_state, wrong_arm

Kernel = Callable[..., None]

#: A batch of eight UCB games scans every arm; from this many arms on, groups of arms are faster …
_MANY_ARMS = 256
#: … unless the game is so long that hardly two arms have the same number of pulls.
_LONG_GAME = 40


def _ucb_kernel(arms: int, turns: int) -> Kernel:
    if arms > _MANY_ARMS and turns < _LONG_GAME * arms:
        return ucb_groups_kernel
    return ucb_lanes_kernel


#: Rules that bring a kernel of their own, given `(arms, turns)`; any other takes the generic one.
_OWN_KERNELS: dict[Rule, Callable[[int, int], Kernel]] = {
    EPSILON: lambda arms, turns: epsilon_kernel,
    UCB_RULE: _ucb_kernel,
    POOL: lambda arms, turns: pool_kernel,
}


@functools.cache
def kernel_for(rule: Rule, random_ties: bool, law: type[Any], arms: int, turns: int) -> Kernel:
    """The fastest compiled kernel that plays this rule: `kernel(stage, quantile, keys, …)`."""
    if rule in _OWN_KERNELS and not random_ties:
        return compiled(_OWN_KERNELS[rule](arms, turns), _types().void(*_kernel_arguments(law)))
    return generic_kernel_for(rule, random_ties, law)


def generic_kernel_for(rule: Rule, random_ties: bool, law: type[Law]) -> Kernel:
    """The generic kernel with this rule's functions and a state to play with."""
    types, state, turn = _types(), _state_type(), _turn_type()
    start = types.void(state)
    choose = types.Tuple((types.int64, types.boolean))(state, turn)
    observe = types.void(state, turn, types.int64, types.float64)
    signature = types.void(
        *_kernel_arguments(law),
        state,
        types.boolean,
        *(function_type(s) for s in (start, choose, observe)),
    )
    kernel = compiled(generic_kernel, signature)
    functions = [
        _users_function(rule.start, start, "start(state)"),
        _users_function(rule.choose, choose, "choose(state, turn) -> (arm, exploited)"),
        _users_function(rule.observe, observe, "observe(state, turn, arm, value)"),
    ]

    def play(*arguments: Any) -> None:
        parameters = arguments[3]
        state = fresh_state(parameters.shape[1], rule.memory)
        try:
            kernel(*arguments, state, random_ties, *functions)
        except WrongArmError as found:
            turn, arm = found.args
            raise ValueError(wrong_arm(rule, turn, arm, parameters.shape[1])) from None

    return play


@functools.cache
def luck_kernel(law: type[Any]) -> Kernel:
    """`best_totals`, compiled."""
    types = _types()
    arguments = _kernel_arguments(law)[:5]
    return compiled(best_totals, types.void(*arguments, types.float64[::1]))


@functools.cache
def compiled_quantile(quantile: Quantile) -> Quantile:
    """A reward model's quantile function, compiled."""
    shape = "quantile(u, parameter, scale)"
    found: Quantile = _users_function(quantile, _quantile_signature(), shape)
    return found


def _users_function(function: Callable[..., Any], signature: Any, shape: str) -> Any:
    """Compile a function that may be a user's; what cannot be compiled is said plainly."""
    from numba.core.errors import NumbaError

    try:
        return compiled(function, signature)
    except NumbaError as reason:
        raise ValueError(
            f"{getattr(function, '__name__', function)!r} cannot be compiled as {shape}: use "
            f"numbers, arrays, the math module and functions marked @jitable. numba says: {reason}"
        ) from None


def _types() -> Any:
    from numba.core import types

    return types


@functools.cache
def _quantile_signature() -> Any:
    number = _types().float64
    return number(number, number, number)


def _kernel_arguments(law: type[Law]) -> tuple[Any, ...]:
    types = _types()
    numbers, table = types.float64[::1], types.float64[:, ::1]
    stage = types.NamedTuple(
        (numbers, numbers, numbers, types.int64[::1], types.NamedUniTuple(types.float64, 1, law)),
        Stage,
    )
    quantile = function_type(_quantile_signature())
    return (stage, quantile, types.uint64[::1], table, table, table, types.float64[:, :, ::1])


@functools.cache
def _state_type() -> Any:
    import numba

    return numba.typeof(fresh_state(1))


@functools.cache
def _turn_type() -> Any:
    types = _types()
    return types.NamedTuple((types.int64, types.float64, types.uint64, types.boolean), Turn)


def writable(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A copy as the kernels take it: to numba a read-only array is of another type."""
    return np.array(values, dtype=np.float64, order="C")
