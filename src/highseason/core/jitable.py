"""The mark of a function that is readable Python here and machine code inside a kernel.

Rules, rewards and random numbers are written once, as plain functions of scalars, tuples and
arrays.  `play` and `Bandit` call them as they are; `simulate` compiles them.  Marking a function
costs nothing: numba is imported only when the first kernel is compiled
(`highseason.core.compile`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Marked(NamedTuple):
    """A marked function and, where Python and machine words differ, its compiled twin."""

    function: Callable[..., Any]
    native: Callable[..., Any] | None


_waiting: list[Marked] = []


def jitable(function: F) -> F:
    """Mark `function` as callable from compiled code too; it stays an ordinary function."""
    _waiting.append(Marked(function, None))
    return function


def jitable_as(native: Callable[..., Callable[..., Any]]) -> Callable[[F], F]:
    """Mark a function whose compiled form differs from its Python form.

    `native` is what numba calls an overload: a function of the arguments' *types* that gives the
    code to compile for them, with the same names of arguments as the function that is marked.  The
    two forms must agree; the tests hold them to it.
    """

    def mark(function: F) -> F:
        _waiting.append(Marked(function, native))
        return function

    return mark


def take_marked() -> list[Marked]:
    """Hand over the functions marked since the last call (`compile` registers them with numba)."""
    taken = _waiting.copy()
    _waiting.clear()
    return taken
