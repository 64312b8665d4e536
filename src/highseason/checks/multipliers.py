"""A shape gives one finite number above zero for every turn, the same whenever it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from highseason.checks.catalogue import check
from highseason.checks.failure import CheckFailed, expect
from highseason.multipliers import Multiplier, as_multiplier

#: Numbers of turns a shape is asked for.
SIZES = (1, 2, 3, 10, 97, 500)

Make = Callable[[int], Any]


@check()
def gives_a_multiplier(make: Make) -> None:
    """Or something that can be made one: an array, a Series."""
    for turns in SIZES:
        made(make, turns)


@check()
def has_as_many_turns_as_asked(make: Make) -> None:
    """G(1) … G(n), no more and no fewer."""
    for turns in SIZES:
        found = made(make, turns).turns
        expect(found == turns, f"asked for {turns} turns, it gave {found}")


@check()
def is_positive_and_finite(make: Make) -> None:
    """Every value of every size."""
    for turns in SIZES:
        values = made(make, turns).values
        wrong = np.flatnonzero(~((values > 0) & np.isfinite(values)))
        if wrong.size:
            i = int(wrong[0])
            raise CheckFailed(f"G must be finite and > 0; G({i + 1}) of {turns} is {values[i]}")


@check()
def cannot_be_changed(make: Make) -> None:
    """The values are read-only: results store a digest of them."""
    for turns in SIZES:
        expect(not made(make, turns).values.flags.writeable, "the values of G must be read-only")


@check()
def same_call_same_values(make: Make) -> None:
    """Asked twice, the same bits, and so the same digest and an equal multiplier."""
    for turns in SIZES:
        one, other = made(make, turns), made(make, turns)
        expect(
            one.digest() == other.digest() and one == other,
            f"asked twice for {turns} turns, it must give the same values both times",
        )


@check()
def digest_tells_values_apart(make: Make) -> None:
    """Another value in the last turn is another digest; the way there does not matter."""
    for turns in SIZES:
        G = made(make, turns)
        copy = Multiplier(G.values.copy())
        last = np.arange(turns) == turns - 1
        other = Multiplier(np.where(last, 2.0 * G.values, G.values))
        expect(G.digest() == copy.digest(), "equal values must have equal digests")
        expect(G.digest() != other.digest(), "different values must have different digests")


@check()
def a_window_is_its_part(make: Make) -> None:
    """The first turns of a multiplier are the first of its values."""
    for turns in SIZES:
        G = made(make, turns)
        half = (turns + 1) // 2
        part = G.window(1, half).values
        expect(np.array_equal(part, G.values[:half]), "window(1, n) must be the first n values")


def made(make: Make, turns: int) -> Multiplier:
    """What `make` gives for so many turns, as a multiplier."""
    try:
        return as_multiplier(make(turns))
    except ValueError as reason:
        raise CheckFailed(f"asked for {turns} turns, it gave no multiplier: {reason}") from reason
