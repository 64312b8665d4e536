"""A shape returns one finite number above zero per turn, the same on every call."""

from collections.abc import Callable
from typing import Any

import numpy as np

from highseason.checks.catalogue import CheckFailed, check, expect
from highseason.traffic import Multiplier, as_multiplier

#: How many turns a shape is called with.
SIZES = (1, 2, 3, 10, 97, 500)

Make = Callable[[int], Any]


@check()
def gives_a_multiplier(make: Make) -> None:
    """Or something that `as_multiplier` takes: an array, a Series."""
    for turns in SIZES:
        multiplier_of(make, turns)


@check()
def has_as_many_turns_as_asked(make: Make) -> None:
    """G(1) … G(n), no more and no fewer."""
    for turns in SIZES:
        length = multiplier_of(make, turns).turns
        expect(length == turns, f"expected {turns} turns, got {length}")


@check()
def is_positive_and_finite(make: Make) -> None:
    """Every value of every size."""
    for turns in SIZES:
        values = multiplier_of(make, turns).values
        for i in np.flatnonzero(~((values > 0) & np.isfinite(values)))[:1]:
            raise CheckFailed(f"G must be finite and > 0; G({i + 1}) of {turns} is {values[i]}")


@check()
def cannot_be_changed(make: Make) -> None:
    """The values are read-only, since results store a digest of them."""
    for turns in SIZES:
        writeable = multiplier_of(make, turns).values.flags.writeable
        expect(not writeable, "the values of G must be read-only")


@check()
def same_call_same_values(make: Make) -> None:
    """Two calls give the same bits, and so the same digest and equal multipliers."""
    for turns in SIZES:
        one, other = multiplier_of(make, turns), multiplier_of(make, turns)
        expect(
            one.digest() == other.digest() and one == other,
            f"two calls with {turns} turns must give the same values, but they differ",
        )


@check()
def digest_tells_values_apart(make: Make) -> None:
    """Another value in the last turn is another digest; equal values have equal digests."""
    for turns in SIZES:
        G = multiplier_of(make, turns)
        copy = Multiplier(G.values.copy())
        last = np.arange(turns) == turns - 1
        other = Multiplier(np.where(last, 2.0 * G.values, G.values))
        expect(G.digest() == copy.digest(), "equal values must have equal digests")
        expect(G.digest() != other.digest(), "different values must have different digests")


@check()
def a_window_is_its_part(make: Make) -> None:
    """The first turns of a multiplier are the first of its values."""
    for turns in SIZES:
        G, half = multiplier_of(make, turns), (turns + 1) // 2
        part = G.window(1, half).values
        expect(np.array_equal(part, G.values[:half]), "window(1, n) must be the first n values")


def multiplier_of(make: Make, turns: int) -> Multiplier:
    """What `make` returns for a number of turns, as a multiplier."""
    try:
        return as_multiplier(make(turns))
    except ValueError as reason:
        raise CheckFailed(f"with {turns} turns it gave no multiplier: {reason}") from reason
