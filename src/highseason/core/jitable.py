"""The mark of a function that is readable Python here and machine code inside a kernel.

Rules, rewards and random numbers are written once, as plain functions of scalars, tuples and
arrays.  `play` and `Bandit` call them as they are; `simulate` compiles them.  Marking is cheap:
numba is imported only when the first kernel is compiled (`highseason.core.compile`).
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Jitable(NamedTuple):
    """A marked function, its compiled form where that differs, and whether callers take it in."""

    function: Callable[..., Any]
    native: Callable[..., Any] | None
    inline: bool = False


_registry: dict[Callable[..., Any], Jitable] = {}


def jitable(function: F) -> F:
    """Mark `function` as callable from compiled code too; it stays an ordinary function."""
    _registry.setdefault(function, Jitable(function, None))
    return function


def inlined(function: F) -> F:
    """Mark a function that compiled callers contain instead of calling it, for speed."""
    _registry.setdefault(function, Jitable(function, None, inline=True))
    return function


def jitable_as(native: Callable[..., Callable[..., Any]], inline: bool = False) -> Callable[[F], F]:
    """Mark a function whose compiled form differs from its Python form; tests hold them equal.

    `native` is what numba calls an overload: a function of the arguments' *types* that returns the
    code to compile for them, with the same argument names as the marked function.  On a GPU a
    function that makes an array cannot return it: its callers take it in.
    """

    def mark(function: F) -> F:
        _registry.setdefault(function, Jitable(function, native, inline))
        return function

    return mark


def registered(since: int = 0) -> Sequence[Jitable]:
    """All marked functions in the order of marking, without the first `since` of them."""
    return tuple(_registry.values())[since:]
