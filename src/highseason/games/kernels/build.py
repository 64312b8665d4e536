"""The types of the kernels' arguments, and the kernels compiled for them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled, function_type
from highseason.engine.abi import (
    function_types,
    numba_types,
    rule_functions,
    state_type,
    users_function,
)
from highseason.engine.lifetimes import Lifetimes
from highseason.engine.lifetimes.presence import Population, population_of
from highseason.engine.step import illegal_arm
from highseason.games.kernels.epsilon import epsilon_kernel
from highseason.games.kernels.generic import WrongArmError, generic_kernel
from highseason.games.kernels.law import Law
from highseason.games.kernels.luck import best_totals
from highseason.games.kernels.mortal import best_alive_totals, mortal_kernel
from highseason.games.kernels.pool import pool_kernel
from highseason.games.kernels.stage import Stage
from highseason.games.kernels.ucb_groups import ucb_groups_kernel
from highseason.games.kernels.ucb_lanes import ucb_lanes_kernel
from highseason.policies import Policy
from highseason.rewards.model import Quantile
from highseason.rules import EPSILON, POOL, UCB_RULE, Rule, fresh_state

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
        return compiled(
            _OWN_KERNELS[rule](arms, turns), numba_types().void(*_kernel_arguments(law))
        )
    return generic_kernel_for(rule, random_ties, law)


def generic_kernel_for(rule: Rule, random_ties: bool, law: type[Law]) -> Kernel:
    """The generic kernel with this rule's functions and a state to play with."""
    types = numba_types()
    signature = types.void(
        *_kernel_arguments(law), state_type(), types.boolean, *function_types()[:3]
    )
    kernel = compiled(generic_kernel, signature)
    functions = rule_functions(rule)[:3]

    def play(*arguments: Any) -> None:
        parameters = arguments[3]
        state = fresh_state(parameters.shape[1], rule.memory, rule.shared)
        try:
            kernel(*arguments, state, random_ties, *functions)
        except WrongArmError as found:
            turn, arm = found.args
            raise illegal_arm(rule, turn, arm, parameters.shape[1]) from None

    return play


def mortal_kernel_for(
    policy: Policy, law: type[Law], lifetimes: Lifetimes | None, worth: NDArray[np.float64]
) -> Kernel:
    """The kernel for arms that come and go, with this policy's functions and a state."""
    types, rule = numba_types(), policy.rule
    signature = types.void(
        *_mortal_arguments(law),
        types.float64[:, ::1],
        types.float64[:, :, ::1],
        state_type(),
        _population_type(),
        types.float64[::1],
        types.boolean,
        types.boolean,
        *function_types(),
    )
    kernel, functions = compiled(mortal_kernel, signature), rule_functions(rule)

    def play(*arguments: Any) -> None:
        first, last = arguments[5], arguments[6]
        arms = first.shape[1]
        state = fresh_state(arms, rule.memory, rule.shared)
        people = population_of(
            policy, np.stack([first[0], last[0]], axis=1), lifetimes, worth.size - 1
        )
        ways = policy.ranks_by_end, policy.ties == "random"
        try:
            kernel(*arguments, state, people, worth, *ways, *functions)
        except WrongArmError as found:
            turn, arm = found.args
            raise illegal_arm(rule, turn, arm, arms) from None

    return play


@functools.cache
def luck_kernel(law: type[Any], mortal: bool) -> Kernel:
    """What the best arm, or the best of those there, would have paid in each game."""
    types = numba_types()
    kernel = best_alive_totals if mortal else best_totals
    arguments = _mortal_arguments(law) if mortal else _kernel_arguments(law)[:5]
    return compiled(kernel, types.void(*arguments, types.float64[::1]))


@functools.cache
def compiled_quantile(quantile: Quantile) -> Quantile:
    """A reward model's quantile function, compiled."""
    shape = "quantile(u, parameter, scale)"
    found: Quantile = users_function(quantile, _quantile_signature(), shape)
    return found


@functools.cache
def _quantile_signature() -> Any:
    number = numba_types().float64
    return number(number, number, number)


def _kernel_arguments(law: type[Law]) -> tuple[Any, ...]:
    types = numba_types()
    numbers, table = types.float64[::1], types.float64[:, ::1]
    stage = types.NamedTuple(
        (
            numbers,
            numbers,
            numbers,
            types.int64[::1],
            types.NamedUniTuple(types.float64, 1, law),
            numbers,
            numbers,
        ),
        Stage,
    )
    quantile = function_type(_quantile_signature())
    return (stage, quantile, types.uint64[::1], table, table, table, types.float64[:, :, ::1])


def _mortal_arguments(law: type[Law]) -> tuple[Any, ...]:
    """Stage, quantile, keys, parameters, means, first and last turns."""
    turns = numba_types().int64[:, ::1]
    return (*_kernel_arguments(law)[:5], turns, turns)


@functools.cache
def _population_type() -> Any:
    types = numba_types()
    flags, counts = types.boolean[::1], types.int64[::1]
    numbers = types.float64[::1]
    word = types.int64
    fields = (counts, counts, numbers, flags, flags, types.boolean, word, types.float64, word)
    return types.NamedTuple(fields, Population)


def writable(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A copy as the kernels take it: to numba a read-only array is of another type."""
    return np.array(values, dtype=np.float64, order="C")
