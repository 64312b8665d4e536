"""Thresholds: where the low season ends, as a number or as an expression on G."""

import math
import re
from dataclasses import dataclass
from numbers import Real
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from highseason.core.ordered import WithOne
from highseason.core.text import exact, six_figures
from highseason.core.warnings import warn_user

Kind = Literal["number", "max", "quantile"]

_FORMS = 'a number such as 30, "0.75*max", or "q0.75"'


class ThresholdError(ValueError):
    """The text or number is not a threshold; the message says how to write one."""


class ThresholdWarning(UserWarning):
    """The threshold separates nothing: no turn, or every turn, is high."""


@dataclass(frozen=True)
class Threshold:
    r"""A threshold z: turn t is low when G(t) < z and high when G(t) ≥ z.

    Three ways to write it, with a the ``amount``:

    | `kind` | written | z |
    | --- | --- | --- |
    | number | `30` | a |
    | max | `"0.75*max"` | a · max G |
    | quantile | `"q0.75"` | the a-quantile of G (linear between neighbouring values) |

    >>> Threshold.of("0.75*max").resolve([1.0, 20.0, 40.0])
    30.0
    >>> str(Threshold.of(30)), Threshold.of(30).fixed
    ('30', True)
    """

    kind: Kind
    amount: float

    def __post_init__(self) -> None:
        if math.isnan(self.amount):
            raise ThresholdError(f"a threshold cannot be NaN: give {_FORMS}")
        if self.kind == "quantile" and not 0 <= self.amount <= 1:
            percent = 1 < self.amount <= 100
            hint = f'; did you mean "q{exact(self.amount / 100)}"?' if percent else ""
            raise ThresholdError(
                f"the quantile of a threshold must lie between 0 and 1, not {self.amount:g}{hint}"
            )
        if self.kind == "max" and not (math.isfinite(self.amount) and self.amount > 0):
            raise ThresholdError(
                f"the share of the maximum must be a finite number > 0, not {self.amount:g}"
            )

    @classmethod
    def of(cls, given: "Threshold | float | str") -> "Threshold":
        """Read a threshold from a number, a text or another threshold.

        >>> Threshold.of("q0.75")
        Threshold(kind='quantile', amount=0.75)
        >>> Threshold.of("inf").amount
        inf
        """
        if isinstance(given, Threshold):
            return given
        if isinstance(given, str):
            return _parse(given)
        if isinstance(given, Real) and not isinstance(given, bool):
            return cls("number", float(given))
        raise ThresholdError(f"{given!r} is not a threshold: give {_FORMS}")

    @property
    def fixed(self) -> bool:
        """Whether z is a plain number; an expression needs the whole of G."""
        return self.kind == "number"

    def resolve(self, values: ArrayLike | WithOne) -> float:
        """Return z for these values of G; of sorted ones by looking at few."""
        if self.fixed:
            return self.amount
        if isinstance(values, WithOne):
            by_share = self.kind == "quantile"
            return values.quantile(self.amount) if by_share else self.amount * values.max()
        array = np.asarray(values, dtype=np.float64)
        if array.size == 0:
            raise ThresholdError(f"the threshold {self} needs at least one value of G")
        if self.kind == "max":
            return float(self.amount * array.max())
        return float(np.quantile(array, self.amount))

    def __str__(self) -> str:
        """Write the threshold so that ``Threshold.of`` reads it back unchanged."""
        return _WRITTEN[self.kind].format(exact(self.amount))


_WRITTEN: dict[Kind, str] = {"number": "{}", "max": "{}*max", "quantile": "q{}"}
_READ: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("max", re.compile(r"(.+?)\s*\*\s*max")),
    ("quantile", re.compile(r"q\s*(.+)")),
    ("number", re.compile(r"(.+)")),
)


def _parse(text: str) -> Threshold:
    for kind, pattern in _READ:
        match = pattern.fullmatch(text.strip().lower())
        if match is not None:
            try:
                amount = float(match[1])
            except ValueError:
                break
            return Threshold(kind, amount)
    raise ThresholdError(f"{text!r} is not a threshold: give {_FORMS}")


def warn_if_one_sided(values: ArrayLike, z: float, what: str = "the threshold") -> bool:
    """Warn when z separates nothing: no turn of G, or every turn, is high; say whether it did.

    This happens to quantiles of multipliers with few distinct values, and to a z on another
    scale than G. An infinite z is deliberate: never (or always) high, no warning.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_if_one_sided([1.0, 40.0], z=41.0)
    True
    >>> print(caught[0].message)
    the threshold: z = 41 is above every G (1 to 40), so no turn is high: the policy explores in \
high season as in low; choose z above 1 and up to 40
    """
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0 or math.isinf(z):
        return False
    low, high = float(array.min()), float(array.max())
    if low < z <= high:
        return False
    side, follows = (
        ("above every G", "no turn is high: the policy explores in high season as in low")
        if z > high
        else (
            "not above any G",
            "every turn is high: the policy never explores once it has started",
        )
    )
    remedy = (
        "G is constant, so no z separates its turns"
        if low == high
        else f"choose z above {six_figures(low)} and up to {six_figures(high)}"
    )
    span = f"{six_figures(low)} to {six_figures(high)}"
    message = f"{what}: z = {six_figures(z)} is {side} ({span}), so {follows}; {remedy}"
    warn_user(message, ThresholdWarning)
    return True
