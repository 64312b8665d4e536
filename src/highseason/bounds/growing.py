"""How the parts of a bound grow with the number of turns: orders of magnitude in numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.result import Form, RegretBound, show
from highseason.bounds.setting import Means
from highseason.bounds.theorems import regret
from highseason.multipliers import Multiplier, as_multiplier
from highseason.policies import Policy

Numbers = NDArray[np.float64]
Stakes = Callable[[int], Multiplier]


@dataclass(frozen=True, eq=False, repr=False)
class Growth:
    """A bound at several numbers of turns.

    Attributes:
        turns: The grid.
        bounds: The bound at each.
    """

    turns: tuple[int, ...]
    bounds: tuple[RegretBound, ...]

    def part(self, name: str) -> Numbers:
        """One part over the grid, or "total"."""
        return np.array([b.total if name == "total" else b.parts[name] for b in self.bounds])

    def exponents(self, name: str) -> Numbers:
        """The power of n with which a part grows from each n of the grid to the next.

        Near 0 it grows like a logarithm or not at all; 1 is linear.
        """
        with np.errstate(all="ignore"):
            return np.diff(np.log(self.part(name))) / np.diff(np.log(self.turns))

    def __str__(self) -> str:
        """A row for each number of turns, a column for each part."""
        names = [*self.bounds[0].parts, "total"]
        rows = [("turns", *names)]
        rows += [
            (f"{n:,}", *(show(self.part(name)[i]) for name in names))
            for i, n in enumerate(self.turns)
        ]
        widths = [max(len(row[i]) for row in rows) for i in range(len(names) + 1)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        )

    __repr__ = __str__


def growth(
    policy: Policy,
    means: Means | None = None,
    gaps: Sequence[float] | Numbers | None = None,
    multiplier: Stakes | Any = None,
    turns: Sequence[int] = (1_000, 10_000, 100_000),
    form: Form = "safe",
    r: float = 1.0,
) -> Growth:
    """Evaluate a bound for games of growing length.

    Args:
        policy: A policy with a theorem.
        means: Of the arms.
        gaps: Or their gaps.
        multiplier: A shape, such as `hs.multipliers.step`, called with each number of turns; or a
            multiplier of at least the longest game, of which the first turns are taken.
        turns: The grid.
        form: "safe" or "paper".
        r: The range of the rewards.

    >>> import highseason as hs
    >>> G = np.tile([2.0, 1.0], 5_000)
    >>> found = growth(hs.UCBZ(z=2), gaps=[0, 0.7], multiplier=G, turns=(1_000, 10_000))
    >>> (found.part("high") / 2).round().tolist()  # in turns' worth of regret
    [343.0, 1415.0]
    """
    grid = tuple(int(n) for n in turns)
    stakes = multiplier if callable(multiplier) else _first_turns(multiplier)
    bounds = tuple(regret(policy, means, gaps, stakes(n), form, r=r) for n in grid)
    return Growth(grid, bounds)


def _first_turns(multiplier: Any) -> Stakes:
    whole = as_multiplier(multiplier)
    return lambda n: whole.window(1, n)
