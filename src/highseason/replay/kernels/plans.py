"""A policy's `step`, compiled, so that a plan can follow a log that nobody knows ahead.

A compiled step sees its policy as a NumPy record of the parameters.  The record comes as bytes and
the carry as a number, so that every policy's plan is a function of one and the same type and the
replay kernel is compiled once for all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled, function_type
from highseason.core.jitable import jitable
from highseason.engine.abi import numba_types
from highseason.policies.view import UnknownFuture, View

if TYPE_CHECKING:
    from highseason.policies import Policy


class CompiledPlan(NamedTuple):
    """A plan as the kernel takes it: `plan(parameters, carry, view)`."""

    plan: Any
    parameters: NDArray[np.uint8]
    carry: NDArray[np.float64]


class CannotCompileError(Exception):
    """Why the step of a policy must run as Python."""


def compiled_plan(policy: Policy) -> CompiledPlan:
    """The step of a settled policy, compiled once for its class; the parameters are data."""
    record = _record(policy)
    begin = policy.begin()
    if isinstance(begin, bool) or not isinstance(begin, int | float):
        raise CannotCompileError(f"it carries {begin!r}, and compiled plans carry a number")
    plan = _compiled(type(policy).step, record.dtype, isinstance(begin, int))
    found = CompiledPlan(plan, record.view(np.uint8), np.array([begin, begin], np.float64))
    _require_agreement(policy, found)
    return found


def plan_type() -> Any:
    """The type of all compiled plans."""
    return function_type(_signature())


def _record(policy: Policy) -> NDArray[Any]:
    """The parameters in one record, words in as many letters as the longest choice has."""
    kinds, values = [], []
    for entry in fields(policy):
        value = getattr(policy, entry.name)
        if isinstance(value, str):
            choices = getattr(entry.metadata.get("limits"), "choices", ())
            kind = f"U{max(len(word) for word in (value, 'x', *choices))}"
        elif isinstance(value, bool | int | float | np.number):
            kind = np.dtype(type(value)).str
        else:
            raise CannotCompileError(f"its parameter {entry.name} is {type(value).__name__}")
        kinds.append((entry.name, kind))
        values.append(value)
    return np.array([tuple(values)], np.dtype((np.record, kinds)))


@functools.cache
def _compiled(step: Callable[..., Any], record: Any, whole: bool) -> Any:
    from numba.core.errors import NumbaError

    try:
        return compiled(_plan_of(jitable(step), record, whole), _signature())
    except NumbaError as reason:
        raise CannotCompileError(f"numba says: {reason}") from None


def _plan_of(step: Callable[..., Any], record: Any, whole: bool) -> Callable[..., float]:
    """The step with its policy and its carry taken out of arrays."""
    if whole:

        def plan(parameters: Any, carry: Any, view: View) -> float:
            number, after = step(parameters.view(record)[0], int(carry[0]), view)
            carry[1] = after
            return number  # type: ignore[no-any-return]  # a step may be a user's
    else:

        def plan(parameters: Any, carry: Any, view: View) -> float:
            number, after = step(parameters.view(record)[0], carry[0], view)
            carry[1] = after
            return number  # type: ignore[no-any-return]  # as above

    return plan


def _require_agreement(policy: Policy, found: CompiledPlan) -> None:
    """Python and machine words must give the same number, or Python's is the one that counts."""
    for blind in (UnknownFuture.of(1, 1.0, 1, 1.0, 1.0), UnknownFuture.of(977, 13.0, 24, 2.0, 2.0)):
        number, after = policy.step(policy.begin(), blind)
        view = View(*blind)
        carry = found.carry.copy()
        same = found.plan(found.parameters, carry, view) == number and carry[1] == after
        if not (same or (number != number)):
            raise CannotCompileError("compiled, its step gives other numbers")


@functools.cache
def _signature() -> Any:
    types = numba_types()
    number = types.float64
    view = types.NamedTuple(
        (types.int64, number, types.int64, number, number, number, types.int64), View
    )
    return number(types.uint8[::1], number[::1], view)
