"""Rules of thumb: fitted on some settings, judged on others, beside rules that know nothing."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.frames import Rows

Numbers = NDArray[np.float64]
Answers = NDArray[np.bool_]

#: Regulating pays if it gains more than such a share of the best arm's reward: it takes a forecast
#: of G and some care.  The first limit is the page's.
LIMITS = (0.003, 0.001, 0.01)

#: What a condition may ask, in round numbers that a reader can check: at least, and at most.
_AT_LEAST = {
    "spread": (0.1, 0.2, 0.3), "tells": (0.03, 0.1, 0.3, 1.0, 3.0),
    "varies": (0.2, 0.3, 0.5, 0.7, 0.8), "peakiness": (0.3, 0.5, 0.6, 0.7, 0.8, 0.9),
    "position": (0.4, 0.5, 0.6), "load": (0.02, 0.05, 0.1, 0.2),
}  # fmt: skip
_AT_MOST = {
    "turns_per_arm": (5.0, 12.0, 20.0, 40.0), "load": (0.25, 0.5, 1.0, 2.0),
    "position": (0.4, 0.5, 0.6), "tells": (1.0, 3.0, 10.0, 30.0),
}  # fmt: skip
_MOST_CONDITIONS = 3


@dataclass(frozen=True)
class Condition:
    """One line of a checklist."""

    trait: str
    limit: float
    at_least: bool

    def holds(self, traits: pd.DataFrame) -> Answers:
        """In which settings it holds."""
        values = traits[self.trait].to_numpy(np.float64)
        return values >= self.limit if self.at_least else values <= self.limit

    def __str__(self) -> str:
        return f"{self.trait.replace('_', ' ')} {'≥' if self.at_least else '≤'} {self.limit:g}"


@dataclass(frozen=True)
class Checklist:
    """Regulate if all conditions hold."""

    conditions: tuple[Condition, ...]

    def answers(self, traits: pd.DataFrame) -> Answers:
        """Where it says yes."""
        return np.asarray(np.logical_and.reduce([c.holds(traits) for c in self.conditions]))

    def __str__(self) -> str:
        return " and ".join(map(str, self.conditions))


def fit_checklist(fitted: pd.DataFrame, limit: float) -> Checklist:
    """The checklist with the highest gain above the limit, and of equal ones the shortest."""
    net = fitted.gain.to_numpy(np.float64) - limit
    every = list(_conditions())
    holds = {each: each.holds(fitted) for each in every}
    best, most = Checklist(()), -np.inf
    for size in range(1, _MOST_CONDITIONS + 1):
        for some in itertools.combinations(every, size):
            value = float((net * np.logical_and.reduce([holds[each] for each in some])).mean())
            if value > most + 1e-12:
                best, most = Checklist(some), value
    return best


def _conditions() -> Iterator[Condition]:
    for at_least, asked in ((True, _AT_LEAST), (False, _AT_MOST)):
        for trait, limits in asked.items():
            yield from (Condition(trait, limit, at_least) for limit in limits)


@dataclass(frozen=True)
class Formula:
    """gain = factor · scale · peakiness^b · varies^c · (1 - position)^d.

    The scale is spread · load / (1 + k·load) or, for k = None, the regret without regulation.
    """

    factor: float
    b: float
    c: float
    d: float
    k: float | None = None

    def predict(self, traits: pd.DataFrame) -> Numbers:
        """The gain in every setting."""
        return self.factor * _product(traits, self.b, self.c, self.d, self.k)

    def __str__(self) -> str:
        scale = "regret" if self.k is None else f"spread · load/(1 + {self.k:g} load)"
        powers = ((self.b, "peakiness"), (self.c, "varies"), (self.d, "(1 - position)"))
        parts = [name if power == 1 else f"{name}^{power:g}" for power, name in powers if power]
        return " · ".join([f"{self.factor:.2g}", scale, *parts])


#: The formula of an earlier map, of 312 other settings; it does not look at the position.
EARLIER = Formula(0.24, 2.0, 1.0, 0.0, 5.0)
#: What is tried: the exponents, and how a load counts.
_POWERS = ((0, 0.5, 1, 2), (0, 0.5, 1), (0, 0.5, 1, 1.5, 2))
_LOADS = (1.0, 2.0, 5.0, 10.0, 20.0)
#: Errors below this do not make a setting count for more.
_FLOOR = 0.003


def _product(traits: pd.DataFrame, b: float, c: float, d: float, k: float | None) -> Numbers:
    scale = traits.regret if k is None else traits.spread * traits.load / (1 + k * traits.load)
    powers = traits.peakiness.clip(lower=0) ** b * traits.varies**c * (1 - traits.position) ** d
    return np.asarray((scale * powers).to_numpy(np.float64))


def fit_formula(fitted: pd.DataFrame, loads: Sequence[float | None] = _LOADS) -> Formula:
    """The exponents, on a grid, and the factor with the least squares, weighted by precision."""
    gain, weight = fitted.gain.to_numpy(np.float64), 1 / (fitted.gain_se**2 + _FLOOR**2)
    best, least = EARLIER, np.inf
    for b, c, d, k in itertools.product(*_POWERS, loads):
        x = _product(fitted, b, c, d, k)
        factor = float((weight * x * gain).sum() / (weight * x * x).sum())
        squares = float((weight * (gain - factor * x) ** 2).sum())
        if squares < least:
            best, least = Formula(factor, b, c, d, k), squares
    return best


class FittedRule(NamedTuple):
    """The rules that were fitted."""

    formula: Formula  # From what a reader knows before starting
    with_regret: Formula  # From the regret of an unregulated policy, simulated or measured
    checklists: Mapping[float, Checklist]  # By limit

    @classmethod
    def on(cls, settings: pd.DataFrame) -> Self:
        """Fit them on some settings."""
        checklists = {limit: fit_checklist(settings, limit) for limit in LIMITS}
        return cls(fit_formula(settings), fit_formula(settings, (None,)), checklists)

    def answers(self, traits: pd.DataFrame, limit: float) -> dict[str, Answers]:
        """What every rule says on whether regulating gains more than the limit."""
        return {
            "always no": np.zeros(len(traits), bool),
            "always yes": np.ones(len(traits), bool),
            "earlier formula": EARLIER.predict(traits) > limit,
            "formula": self.formula.predict(traits) > limit,
            "formula with regret": self.with_regret.predict(traits) > limit,
            "checklist": self.checklists[limit].answers(traits),
        }


def judged(gains: pd.DataFrame, fitted: FittedRule, limit: float) -> Rows:
    """How every rule does in some settings: right answers, and what following it gains."""
    gain, worth = gains.gain.to_numpy(np.float64), (gains.gain > limit).to_numpy()
    resolved = ((gains.gain_low > limit) | (gains.gain_high < limit)).to_numpy()
    errors = gains.gain_se.to_numpy(np.float64)
    return [
        {
            "limit": limit, "rule": name, "settings": len(gains), "pays": int(worth.sum()),
            "yes": int(yes.sum()), "right": _mean(yes == worth),
            "resolved": int(resolved.sum()), "right_resolved": _mean((yes == worth)[resolved]),
            "gain_yes": _mean(gain[yes]), "gain_yes_se": _error(errors[yes]),
            "gain_no": _mean(gain[~yes]), "gain_no_se": _error(errors[~yes]),
            "net": _mean((gain - limit) * yes),
        }
        for name, yes in fitted.answers(gains, limit).items()
    ]  # fmt: skip


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if values.size else np.nan


def _error(errors: Numbers) -> float:
    return float(np.sqrt((errors**2).sum()) / errors.size) if errors.size else np.nan


def calibration(gains: pd.DataFrame, predicted: Numbers, groups: int = 5) -> Rows:
    """Predicted and measured gains, in groups of rising prediction."""
    place = np.argsort(np.argsort(predicted, kind="stable"), kind="stable") * groups // len(gains)
    return [
        {
            "group": i + 1, "settings": int((place == i).sum()),
            "predicted": float(predicted[place == i].mean()),
            "measured": float(gains.gain[place == i].mean()),
            "measured_se": _error(gains.gain_se.to_numpy()[place == i]),
        }
        for i in range(groups)
        if (place == i).any()
    ]  # fmt: skip
