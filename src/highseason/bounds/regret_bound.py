"""A bound on the regret: its parts, its value, and what it says in words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import aligned, percent, plain, six_figures, wrapped

Numbers = NDArray[np.float64]
Form = Literal["safe", "paper"]
FORMS: tuple[Form, ...] = get_args(Form)

#: A sum of clipped terms reaches the worst case only up to rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class RegretBound:
    """An upper bound on the mean regret of a policy, sum of G(t) times the gap of the arm played.

    Attributes:
        policy: The policy, as the command line writes it.
        form: "safe", our corrected form, which always holds; or "paper", the formula as printed.
        arms: The number of arms.
        curves: Each part for the game stopped at each turn.
        limits: For each part, its value with the worst arm in all its turns.
        worst: The cost of always playing the worst arm by each turn; it ends in `trivial`.
        exact: The parts that are not bounds but the mean regret itself.
        reasons: Why it is not known to be a bound, in sentences; none if it is one.
        remarks: What else to know about it.
        cross_terms: With a forecast, the cost of turns that the forecast put on the wrong side of
            the threshold.  These sums are contained in the parts.

    >>> import highseason as hs
    >>> G = hs.traffic.step(turns=20_000)
    >>> bound = hs.bounds.regret(hs.EpsilonZGreedy(k=50, z=30), means=[0.9, 0.1], multiplier=G)
    >>> print(bound)
    epsilon-z:k=50,z=30, safe form, 2 arms, 20,000 turns
    part                bound  worst case
    ────────────────────────────────────────────────────────────────────
    initialisation        0.8         0.8  exact
    exploration       223.205      446.41  exact
    low               1.99846    7,551.19  0.03% of the worst case
    high            0.0285948     320,032  under 0.01% of the worst case
    total             226.032     328,030  0.07% of the worst case
    The mean regret is at most 226.032, 0.07% of the worst case.
    """

    policy: str
    form: Form
    arms: int
    curves: dict[str, Numbers]
    limits: dict[str, float]
    worst: Numbers
    exact: frozenset[str] = frozenset()
    reasons: Sequence[str] = ()
    remarks: Sequence[str] = ()
    cross_terms: dict[str, float] = field(default_factory=dict)

    @cached_property
    def curve(self) -> Numbers:
        """The sum of the parts; a safe form never exceeds the worst case, not even by rounding."""
        with np.errstate(invalid="ignore"):  # inf - inf: a printed form that broke down
            curve = np.sum(list(self.curves.values()), axis=0)
        return np.asarray(np.minimum(curve, self.worst) if self.form == "safe" else curve)

    @property
    def parts(self) -> dict[str, float]:
        """The summands of `total`, by name."""
        return {name: float(values[-1]) for name, values in self.curves.items()}

    @property
    def total(self) -> float:
        """The bound after the last turn; inf or nan where a printed formula breaks down."""
        return float(self.curve[-1])

    @property
    def trivial(self) -> float:
        """The cost of the worst arm in every turn after the first round."""
        return float(self.worst[-1])

    @property
    def valid(self) -> bool:
        """Whether `total` is known to be a bound."""
        return not self.reasons and math.isfinite(self.total)

    @property
    def vacuous(self) -> bool:
        """Whether `total` is no better than `trivial` (or not a number)."""
        return not self.total < self.trivial * (1 - ROUNDING)

    @property
    def notes(self) -> list[str]:
        """What to know about it, in sentences."""
        return list(dict.fromkeys((*self.reasons, *self.remarks)))

    @property
    def turns(self) -> int:
        """The number of turns."""
        return int(self.curve.size)

    @property
    def vacuous_parts(self) -> tuple[str, ...]:
        """The parts that are no better than the worst arm in all their turns."""
        return tuple(
            name
            for name, value in self.parts.items()
            if name not in self.exact
            and self.limits[name] > 0
            and not value < self.limits[name] * (1 - ROUNDING)
        )

    @property
    def sentence(self) -> str:
        """What the bound says, or why it says nothing."""
        if self.trivial == 0.0:
            return "All arms are equally good: there is no regret."
        if not self.valid:
            why = self.notes[0] if self.notes else "the formula breaks down here."
            return f"{six_figures(self.total)} is not a valid bound: {why}"
        if self.vacuous:
            return (
                "The bound is vacuous: always playing the worst arm costs no more than "
                f"{six_figures(self.trivial)}."
            )
        share = _share(self.total, self.trivial)
        text = f"The mean regret is at most {six_figures(self.total)}, {share}"
        vacuous = "', '".join(self.vacuous_parts)
        return f"{text}; the part '{vacuous}' is vacuous." if vacuous else f"{text}."

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; infinity and NaN become None."""
        names = ("policy", "form", "arms", "turns", "total", "parts", "trivial", "valid", "vacuous",
                 "vacuous_parts", "cross_terms", "notes", "sentence")  # fmt: skip
        return {name: plain(getattr(self, name)) for name in names}

    def __str__(self) -> str:
        """A table of the parts, a sentence, and the notes."""
        head = f"{self.policy}, {self.form} form, {self.arms} arms, {self.turns:,} turns"
        verdict = "vacuous" if self.vacuous else _share(self.total, self.trivial)
        rows = [
            ("part", "bound", "worst case", ""),
            *((name, six_figures(value), six_figures(self.limits[name]), self._verdict(name, value))
              for name, value in self.parts.items()),
            ("total", six_figures(self.total), six_figures(self.trivial), verdict),
        ]  # fmt: skip
        notes = [f"note: {note}" for note in self.notes if note not in self.sentence]
        return "\n".join(
            [wrapped(head), aligned(rows, "<>><"), *map(wrapped, [self.sentence, *notes])]
        )

    __repr__ = __str__

    def _verdict(self, name: str, value: float) -> str:
        if name in self.exact:
            return "exact"
        if name in self.vacuous_parts:
            return "vacuous"
        return _share(value, self.limits[name])


def compared(
    printed: RegretBound, safe: RegretBound, broken: str = "it is not a finite number."
) -> RegretBound:
    """A printed form; below the safe form it is not known to be a bound."""
    if not math.isfinite(printed.total):
        return replace(printed, reasons=[broken])
    below = f"it is below the safe form, {safe.total:,.6g}."
    return printed if printed.total >= safe.total else replace(printed, reasons=[below])


def _share(value: float, limit: float) -> str:
    if limit <= 0:
        return ""
    share = value / limit
    return f"{percent(share, 2 if share < 0.1 else 1)} of the worst case"
