"""A shape returns a multiplier with as many turns as asked, the same on every call."""

from collections.abc import Callable
from typing import Any

from highseason.checks.catalogue import CheckFailed, check, expect
from highseason.traffic import Multiplier, as_multiplier

#: How many turns a shape is called with.
SIZES = (1, 2, 3, 10, 97, 500)

Make = Callable[[int], Any]


@check()
def gives_a_multiplier(make: Make) -> None:
    """Or something that `as_multiplier` takes: an array, a Series of finite numbers above 0."""
    for turns in SIZES:
        multiplier_of(make, turns)


@check()
def has_as_many_turns_as_asked(make: Make) -> None:
    """G(1) … G(n), no more and no fewer."""
    for turns in SIZES:
        length = multiplier_of(make, turns).turns
        expect(length == turns, f"expected {turns} turns, got {length}")


@check()
def same_call_same_values(make: Make) -> None:
    """Two calls give the same bits, and so the same digest and equal multipliers."""
    for turns in SIZES:
        one, other = multiplier_of(make, turns), multiplier_of(make, turns)
        expect(
            one.digest() == other.digest() and one == other,
            f"two calls with {turns} turns must give the same values, but they differ",
        )


def multiplier_of(make: Make, turns: int) -> Multiplier:
    """What `make` returns for a number of turns, as a multiplier."""
    try:
        return as_multiplier(make(turns))
    except ValueError as reason:
        raise CheckFailed(f"with {turns} turns it gave no multiplier: {reason}") from reason
