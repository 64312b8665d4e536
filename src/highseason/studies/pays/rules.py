"""Rules of thumb: fitted on some settings, judged on others, beside rules that know nothing."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from highseason.studies.frames import Rows
from highseason.studies.pays.settings import Traits

Numbers = NDArray[np.float64]
Answers = NDArray[np.bool_]

#: Regulating pays if it gains more than this share of the best arm's reward: it is not for free.
WORTH = 0.001

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


def fit_checklist(fitted: pd.DataFrame) -> Checklist:
    """The checklist with the highest mean net gain, and of equal ones the shortest."""
    net = fitted.gain.to_numpy(np.float64) - WORTH
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
    """gain = factor · spread^a · peakiness^b · varies^c · load / (1 + k·load)."""

    factor: float
    a: float
    b: float
    c: float
    k: float

    def predict(self, traits: pd.DataFrame) -> Numbers:
        """The gain in every setting."""
        return self.factor * _product(traits, self.a, self.b, self.c, self.k)

    def answers(self, traits: pd.DataFrame) -> Answers:
        """Where it expects more than what regulating must gain."""
        return self.predict(traits) > WORTH

    def __str__(self) -> str:
        powers = ((self.a, "spread"), (self.b, "peakiness"), (self.c, "varies"))
        parts = [name if p == 1 else f"{name}^{p:g}" for p, name in powers if p]
        return f"{self.factor:.3g} · {' · '.join([*parts, f'load/(1 + {self.k:g} load)'])}"


#: The formula of an earlier map, of 312 other settings.
EARLIER = Formula(0.24, 1.0, 2.0, 1.0, 5.0)


def _product(traits: pd.DataFrame, a: float, b: float, c: float, k: float) -> Numbers:
    load = traits.load.to_numpy(np.float64)
    powers = traits.spread**a * traits.peakiness.clip(lower=0) ** b * traits.varies**c
    return np.asarray(powers.to_numpy(np.float64) * load / (1 + k * load))


def fit_formula(fitted: pd.DataFrame) -> Formula:
    """The exponents, on a grid, and the factor with the least squares, weighted by precision."""
    gain, weight = fitted.gain.to_numpy(np.float64), 1 / (fitted.gain_se**2 + 1e-3**2)
    best, least = EARLIER, np.inf
    for a, b, c, k in itertools.product(
        (0.5, 1, 1.5), (0, 1, 2, 3), (0, 0.5, 1), (1, 2, 5, 10, 20)
    ):
        x = _product(fitted, a, b, c, k)
        factor = float((weight * x * gain).sum() / (weight * x * x).sum())
        squares = float((weight * (gain - factor * x) ** 2).sum())
        if squares < least:
            best, least = Formula(factor, a, b, c, k), squares
    return best


Rule = Callable[[pd.DataFrame], Answers]


def rules_of(checklist: Checklist, formula: Formula) -> Mapping[str, Rule]:
    """Every rule that is judged."""
    return {
        "always no": lambda traits: np.zeros(len(traits), bool),
        "always yes": lambda traits: np.ones(len(traits), bool),
        "earlier formula": EARLIER.answers,
        "formula": formula.answers,
        "checklist": checklist.answers,
    }


def judged(gains: pd.DataFrame, rules: Mapping[str, Rule]) -> Rows:
    """How every rule does in some settings: right answers, and what following it gains."""
    gain, worth = gains.gain.to_numpy(np.float64), (gains.gain > WORTH).to_numpy()
    resolved = ((gains.gain_low > WORTH) | (gains.gain_high < WORTH)).to_numpy()
    rows = []
    for name, rule in rules.items():
        yes = rule(gains)
        right = yes == worth
        rows.append({
            "rule": name, "settings": len(gains), "yes": int(yes.sum()), "pays": int(worth.sum()),
            "right": float(right.mean()), "resolved": int(resolved.sum()),
            "right_resolved": float(right[resolved].mean()) if resolved.any() else np.nan,
            "gain_yes": _mean(gain[yes]), "gain_no": _mean(gain[~yes]),
            "gain_yes_se": _error(gains.gain_se.to_numpy()[yes]),
            "gain_no_se": _error(gains.gain_se.to_numpy()[~yes]),
            "net": float(((gain - WORTH) * yes).mean()),
        })  # fmt: skip
    return rows


def _mean(values: Numbers) -> float:
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


#: The traits that rules look at.
TRAITS = Traits._fields
