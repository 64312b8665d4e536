"""The kernels of replay and the plans of policies, compiled, and the types of their arguments.

A plan must follow a log that is not known in advance, so a policy's `step` is compiled.  It sees
the policy as a NumPy record of the parameters.  The record is passed as bytes and the carry as a
number, so all plans are functions of one type and the replay kernel is compiled once for all.
"""

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled, function_type
from highseason.core.jitable import jitable
from highseason.engine.abi import function_types, numba_types, state_type
from highseason.logs.kernels import records
from highseason.logs.kernels.records import LogColumns
from highseason.logs.kernels.replay import replay_kernel
from highseason.policies import Policy
from highseason.policies.plan import UnknownFuture, View


def _log_type() -> Any:
    t = numba_types()
    small, wholes, reals = t.int32[::1], t.int64[::1], t.float64[::1]
    columns = (small, small, small, reals, wholes, wholes, small, t.boolean[::1], *(reals,) * 3)
    return t.NamedTuple(columns, LogColumns)


@functools.cache
def compiled_replay() -> Any:
    """`replay_kernel` as machine code: one for all policies and rules."""
    t = numba_types()
    flag, whole, real = t.boolean, t.int64, t.float64
    flags, wholes, reals = flag[::1], whole[::1], real[::1]
    options = (
        t.uint64, whole, whole, real, real, real, real, flag, whole, flag, flag, flag, whole,
    )  # fmt: skip
    arguments = (
        _log_type(),
        t.NamedTuple((whole, whole, whole, wholes), records.RecordOrder),
        t.NamedTuple((wholes, wholes, wholes, reals), records.LogLifetimes),
        t.NamedTuple(options, records.KernelOptions),
        t.uint8[::1],
        reals,
        function_type(_signature()),
        state_type(),
        state_type(),
        t.NamedTuple((flags, flags, flags, wholes, wholes, reals), records.Scratch),
        *function_types(),
        t.NamedTuple((wholes, t.uint8[::1], wholes, reals), records.ReplayTrace),
    )
    return compiled(replay_kernel, t.void(*arguments))


def count_displays(
    log: LogColumns,
    busy: NDArray[np.bool_],
    cuts: NDArray[np.int64],
    place: NDArray[np.int64],
    table: NDArray[np.int64],
) -> None:
    """Add one for each event at [2 · quarter + (1 if its bin is busy), place of its arm].

    The place of an arm is where `log.members` lists it for the event's pool; events whose arm is
    not in their pool are skipped.  Quarter q is the events from cuts[q] to cuts[q + 1].  `place` is
    working memory, one entry per arm, and starts at -1.
    """
    current, first, last = -1, 0, 0
    for quarter in range(cuts.size - 1):
        for i in range(cuts[quarter], cuts[quarter + 1]):
            if log.pool[i] != current:
                for j in range(first, last):
                    place[log.members[j]] = -1
                current = log.pool[i]
                first, last = log.offsets[current], log.offsets[current + 1]
                for j in range(first, last):
                    place[log.members[j]] = j
            if place[log.arm[i]] >= 0:
                table[2 * quarter + (1 if busy[log.bin[i]] else 0), place[log.arm[i]]] += 1


@functools.cache
def compiled_count() -> Any:
    """`count_displays` as machine code."""
    t = numba_types()
    wholes, table = t.int64[::1], t.int64[:, ::1]
    return compiled(count_displays, t.void(_log_type(), t.boolean[::1], wholes, wholes, table))


class CompiledPlan(NamedTuple):
    """A plan as the kernel takes it: `plan(parameters, carry, view)`."""

    plan: Any
    parameters: NDArray[np.uint8]
    carry: NDArray[np.float64]


class CannotCompileError(Exception):
    """Why the step of a policy must run in Python."""


def compiled_plan(policy: Policy) -> CompiledPlan:
    """The step of a policy with resolved thresholds, compiled once per class."""
    record = _record(policy)
    begin = policy.begin()
    if isinstance(begin, bool) or not isinstance(begin, int | float):
        raise CannotCompileError(f"it carries {begin!r}, but a compiled plan carries a number")
    function = _compiled(policy.compilable_step(), record.dtype, isinstance(begin, int))
    plan = CompiledPlan(function, record.view(np.uint8), np.array([begin, begin], np.float64))
    _require_agreement(policy, plan)
    return plan


def _record(policy: Policy) -> NDArray[Any]:
    """The parameters as one record; text is as long as the longest choice."""
    kinds: list[tuple[str, Any]] = []
    values = []
    for entry in fields(policy):
        value = getattr(policy, entry.name)
        if isinstance(value, str):
            choices = getattr(entry.metadata.get("limits"), "choices", ())
            kind = f"U{max(len(word) for word in (value, 'x', *choices))}"
        elif isinstance(value, Policy):
            inner = _record(value)
            kinds.append((entry.name, inner.dtype))
            values.append(tuple(inner[0]))
            continue
        elif isinstance(value, bool | int | float | np.number):
            kind = np.dtype(type(value)).str
        else:
            raise CannotCompileError(f"its parameter {entry.name} is {type(value).__name__}")
        kinds.append((entry.name, kind))
        values.append(value)
    return np.array([tuple(values)], np.dtype((np.record, kinds)))


@functools.cache
def _compiled(step: Callable[..., Any], record: Any, whole: bool) -> Any:
    """The step, with its policy and its carry read from arrays."""
    from numba.core.errors import NumbaError

    jitted, convert = jitable(step), int if whole else float

    def plan(parameters: Any, carry: Any, view: View) -> float:
        level, after = jitted(parameters.view(record)[0], convert(carry[0]), view)
        carry[1] = after
        return level  # type: ignore[no-any-return]  # a step may be a user's

    try:
        return compiled(plan, _signature())
    except NumbaError as reason:
        raise CannotCompileError(f"numba says: {reason}") from None


def _require_agreement(policy: Policy, plan: CompiledPlan) -> None:
    """Compiled and plain steps must give the same level; otherwise the plain one is used."""
    for turn in ((1, 1.0, 1, 1.0, 1.0), (977, 13.0, 24, 2.0, 2.0)):
        blind, carry = UnknownFuture.of(*turn), plan.carry.copy()
        level, after = policy.step(policy.begin(), blind)
        same = plan.plan(plan.parameters, carry, View(*blind)) == level and carry[1] == after
        if not (same or level != level):
            raise CannotCompileError("its compiled step gives other levels")


@functools.cache
def _signature() -> Any:
    t = numba_types()
    whole, number = t.int64, t.float64
    view = t.NamedTuple((whole, number, whole, number, number, number, whole), View)
    return number(t.uint8[::1], number[::1], view)
