"""The rule of thumb, and how it does beside rules that know nothing."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.frames import Rows

Numbers = NDArray[np.float64]

#: Regulating pays if it gains more than such a share of the best arm's reward: it takes a forecast
#: of G and some care.  The first limit is the page's.
LIMITS = (0.003, 0.001, 0.01)

#: The rule in words.  It was the best of many on the settings "fitted".
FORMULA = "2.2 · spread · load/(1 + 20 load) · peakiness^0.5 · (1 - position)^2"


def predicted(traits: pd.DataFrame) -> Numbers:
    """What regulating gains in every setting, by the rule."""
    trying = traits.spread * traits.load / (1 + 20 * traits.load)
    when = traits.peakiness.clip(lower=0) ** 0.5 * (1 - traits.position) ** 2
    return np.asarray(2.2 * trying * when, np.float64)


def judged(gains: pd.DataFrame, limit: float) -> Rows:
    """How every rule does in some settings: right answers, and what following it gains."""
    gain, pays = gains.gain.to_numpy(np.float64), (gains.gain > limit).to_numpy()
    resolved = ((gains.gain_low > limit) | (gains.gain_high < limit)).to_numpy()
    errors = gains.gain_se.to_numpy(np.float64)
    answers = {
        "always no": np.zeros(len(gains), bool),
        "always yes": np.ones(len(gains), bool),
        "formula": predicted(gains) > limit,
    }
    return [
        {
            "limit": limit, "rule": name, "settings": len(gains), "pays": int(pays.sum()),
            "yes": int(yes.sum()), "right": _mean(yes == pays),
            "resolved": int(resolved.sum()), "right_resolved": _mean((yes == pays)[resolved]),
            "gain_yes": _mean(gain[yes]), "gain_yes_se": _error(errors[yes]),
            "gain_no": _mean(gain[~yes]), "gain_no_se": _error(errors[~yes]),
            "net": _mean((gain - limit) * yes),
        }
        for name, yes in answers.items()
    ]  # fmt: skip


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if values.size else np.nan


def _error(errors: Numbers) -> float:
    return float(np.sqrt((errors**2).sum()) / errors.size) if errors.size else np.nan


def calibration(gains: pd.DataFrame, groups: int = 5) -> Rows:
    """Predicted and measured gains, in groups of rising prediction."""
    expected = predicted(gains)
    place = np.argsort(np.argsort(expected, kind="stable"), kind="stable") * groups // len(gains)
    return [
        {
            "group": i + 1, "settings": int((place == i).sum()),
            "predicted": float(expected[place == i].mean()),
            "measured": float(gains.gain[place == i].mean()),
            "measured_se": _error(gains.gain_se.to_numpy()[place == i]),
        }
        for i in range(groups)
        if (place == i).any()
    ]  # fmt: skip
