"""How much a turn teaches, from a history: rates, correlation of visitors, day effects.

>>> import numpy as np, pandas as pd
>>> rng = np.random.default_rng(0)
>>> visitors = rng.integers(500, 5000, 200)
>>> rates = rng.beta(0.03 * 99, 0.97 * 99, 200)  # rho = 1 / (1 + 99) = 0.01
>>> history = pd.DataFrame({"turn": np.arange(200), "visitors": visitors})
>>> history["successes"] = rng.binomial(visitors, rates)
>>> found = fit_noise(history)
>>> found.rho.low < 0.01 < found.rho.high
True
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import counted, percent
from highseason.logs.noise_history import VisitorHistory, read_history
from highseason.logs.noise_likelihood import Likelihood
from highseason.rewards import effective_visitors

if TYPE_CHECKING:
    import pandas as pd

#: Where rho and the day effect are searched, besides 0.
_RHO, _DAY = (1e-7, 0.9), (1e-3, 1.5)
_CONFIDENCE = 0.95
_GRID, _STEPS = 9, 12


class Interval(NamedTuple):
    """An estimate with its 95% interval; an upper limit where `low` is 0."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class NoiseFit:
    """What a history says about its noise.

    Attributes:
        history: The history.
        rates: The mean reward of a visitor, by arm, with intervals.
        rho: The correlation of two visitors of the same turn who see the same arm.
        day: The effect of a turn on all arms, relative to their rates; None where no two arms
            share a turn, so that it cannot be told from `rho`, which then contains it.
        turns: A row per turn: its visitors and how many independent visitors would teach as much.
    """

    history: VisitorHistory
    rates: dict[str, Interval]
    rho: Interval
    day: Interval | None
    turns: pd.DataFrame

    @property
    def rewards(self) -> str:
        """The model to simulate with, as text: `hs.rewards.parse(found.rewards, arms=…)`."""
        low = min(rate.value for rate in self.rates.values())
        high = max(rate.value for rate in self.rates.values())
        rates = f"{low:.3g}..{high:.3g}" if high > low else f"{0.9 * low:.3g}..{1.1 * low:.3g}"
        day = f",day={self.day.value:.3g}" if self.day is not None and self.day.value > 0 else ""
        return f"visitors:rates={rates},rho={self.rho.value:.3g}{day}"

    def teaches(self, visitors: float, than: float, rho: float | None = None) -> float:
        """How many times as much a turn with these visitors teaches as one with others."""
        correlation = self.rho.value if rho is None else rho
        worth = [effective_visitors(count, correlation) for count in (visitors, than)]
        return float(worth[0] / worth[1])

    def sentences(self) -> list[str]:
        """The findings in plain words."""
        return [self._about_rho(), self._about_turns(), self._about_days()]

    def _about_rho(self) -> str:
        value, low, high = self.rho
        if low == 0.0:
            first = f"No correlation of a turn's visitors is seen: rho is at most {high:.2g}"
        else:
            first = (
                f"Visitors of the same turn are alike: rho {value:.2g} ({low:.2g} to {high:.2g})"
            )
        if value <= 1e-6:
            return f"{first}."
        worth = f"{1.0 / value:,.0f} independent visitors"
        return f"{first}; at most {worth} are worth a turn, however busy."

    def _about_turns(self) -> str:
        busy, quiet, names = self._busy_and_quiet()
        more, plain = self.teaches(busy, quiet), busy / quiet
        if plain < 1.05:
            return "All turns have about the same number of visitors, so they teach alike."
        most, least = (self.teaches(busy, quiet, rho) for rho in (self.rho.low, self.rho.high))
        known = "" if most - least < 0.15 * more else f" (between {least:.1f} and {most:.1f})"
        instead = "" if more > 0.95 * plain else f", not {plain:.1f} times"
        return (
            f"{names[0]} ({busy:,.0f} visitors) teaches {more:.1f} times as much as "
            f"{names[1]} ({quiet:,.0f}){instead}{known}."
        )

    def _busy_and_quiet(self) -> tuple[float, float, tuple[str, str]]:
        """The busiest and quietest weekday, or a busy and a quiet turn, by visitors of an arm."""
        shown = np.bincount(self.history.turn)
        per_arm = self.history.traffic / np.maximum(shown, 1)
        days = _weekdays(self.history.turns)
        if days is None:
            busy, quiet = np.quantile(per_arm, (0.9, 0.1))
            return float(busy), float(max(quiet, 1.0)), ("A busy turn", "a quiet one")
        means = {day: float(per_arm[days == day].mean()) for day in dict.fromkeys(days.tolist())}
        top, low = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
        return means[top], max(means[low], 1.0), (f"A {top}", f"a {low}")

    def _about_days(self) -> str:
        if self.day is None:
            return (
                "No two arms share enough turns, so good and bad days of all arms cannot be told "
                "from the noise of one arm: rho contains both."
            )
        value, low, high = self.day
        if low == 0.0:
            return f"Good and bad days of all arms are not seen: at most {percent(high, 1)}."
        span = f"{percent(low, 1)} to {percent(high, 1)}"
        return f"Days move all arms together by {percent(value, 1)} ({span})."

    def __str__(self) -> str:
        """The findings, and the rates."""
        return "\n".join(self.sentences())

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "rho": self.rho._asdict(),
            "day": None if self.day is None else self.day._asdict(),
            "rates": {arm: rate._asdict() for arm, rate in self.rates.items()},
            "rewards": self.rewards,
            "sentences": self.sentences(),
            "turns": self.turns.astype({"turn": str}).to_dict("list"),
        }


def fit_noise(
    frame: pd.DataFrame | VisitorHistory | str | Path,
    every: str | None = None,
    **columns: str | None,
) -> NoiseFit:
    """Fit rates, the correlation of a turn's visitors and the day effect to a history.

    Estimates maximise the beta-binomial likelihood; intervals are those of the profile likelihood.

    Args:
        frame: A table with a row per turn and arm, an event log, or a file: see `read_history`.
        every: Gather times into turns of this length, such as "1D".
        **columns: The names of columns that are not obvious, such as `successes="orders"`.

    Raises:
        ValueError: The history is too short, or a column is missing.
    """
    history = frame if isinstance(frame, VisitorHistory) else read_history(frame, every, **columns)
    entries = history.successes.size
    if entries < len(history.arms) + 5 or history.successes.sum() <= 0:
        raise ValueError(
            f"{counted(entries, 'row')} for {counted(len(history.arms), 'arm')} with "
            f"{history.successes.sum():g} successes in all cannot show how turns vary: give a "
            "longer history, with several turns for each arm"
        )
    likelihood = Likelihood(history)
    freedom = entries - len(history.arms)
    rho = _interval(lambda r: _best_day(likelihood, r)[1], _RHO, freedom)
    day = None
    if likelihood.knows_days:
        day = _interval(lambda d: _best_rho(likelihood, d, rho.value), _DAY, freedom)
    return NoiseFit(history, _rates(likelihood, history, rho, day), rho, day, _turns(history, rho))


def _best_day(likelihood: Likelihood, rho: float) -> tuple[float, float]:
    """The day effect that suits this rho best, and the log-likelihood there."""
    if not likelihood.knows_days:
        return 0.0, likelihood.at(rho, 0.0)
    return _highest(lambda day: likelihood.at(rho, day), _DAY)


def _best_rho(likelihood: Likelihood, day: float, near: float) -> float:
    around = (max(_RHO[0], near / 20.0), min(_RHO[1], max(20.0 * near, 1e-3)))
    return _highest(lambda rho: likelihood.at(rho, day), around)[1]


def _highest(
    function: Callable[[float], float], ends: tuple[float, float], tolerance: float = 0.03
) -> tuple[float, float]:
    """Where a function of 0 and of a range (searched in equal factors) is highest."""
    from scipy.optimize import minimize_scalar

    grid = np.geomspace(*ends, _GRID)
    values = [function(x) for x in grid.tolist()]
    top = int(np.argmax(values))
    bracket = np.log(grid[[max(top - 1, 0), min(top + 1, _GRID - 1)]])
    inner = minimize_scalar(
        lambda x: -function(math.exp(x)),
        bounds=tuple(bracket),
        method="bounded",
        options={"xatol": tolerance, "maxiter": _STEPS},
    )
    candidates = [(0.0, function(0.0)), (math.exp(inner.x), -float(inner.fun))]
    candidates.append((float(grid[top]), float(values[top])))
    return max(candidates, key=lambda pair: pair[1])


def _interval(
    profile: Callable[[float], float], ends: tuple[float, float], freedom: int
) -> Interval:
    """The estimate, and where the profile likelihood falls too far below its top."""
    from scipy.stats import f

    best, top = _highest(profile, ends, 0.01)
    drop = 0.5 * float(f.ppf(_CONFIDENCE, 1, freedom))
    return Interval(
        best,
        0.0 if top - profile(0.0) <= drop else _crossing(profile, top - drop, best, ends[0]),
        _crossing(profile, top - drop, max(best, ends[0]), ends[1]),
    )


def _crossing(
    profile: Callable[[float], float], height: float, inside: float, outside: float
) -> float:
    """Where the profile passes `height` between the two; `outside` where it does not."""
    from scipy.optimize import brentq

    if profile(outside) >= height:
        return outside
    ends = math.log(inside), math.log(outside)
    return math.exp(brentq(lambda x: profile(math.exp(x)) - height, *ends, xtol=0.01))


def _rates(
    likelihood: Likelihood, history: VisitorHistory, rho: Interval, day: Interval | None
) -> dict[str, Interval]:
    """Wilson's interval with as many visitors as would vary as much as the estimate."""
    from scipy.stats import t

    rates, spread = likelihood.rates(rho.value), likelihood.spread(rho.value)
    weight = effective_visitors(history.visitors, rho.value)
    total = np.bincount(history.arm, weight, rates.size)
    squares = np.bincount(history.arm, weight**2, rates.size)
    common = 0.0 if day is None else (day.value * rates) ** 2 / np.maximum(spread, 1e-12)
    worth = 1.0 / (1.0 / total + common * squares / total**2)
    entries = np.bincount(history.arm, minlength=rates.size)
    z = t.ppf(0.5 + _CONFIDENCE / 2, np.maximum(1, entries - 1))
    share = z * z / worth
    centre, half = rates, z * np.sqrt(spread / worth)
    if history.squares is None:
        centre = (rates + share / 2) / (1 + share)
        half = np.sqrt(share * spread + share**2 / 4) / (1 + share)
    columns = (rates, centre - half, centre + half)
    limits = zip(*(column.tolist() for column in columns), strict=True)
    return {arm: Interval(*row) for arm, row in zip(history.arms, limits, strict=True)}


def _turns(history: VisitorHistory, rho: Interval) -> pd.DataFrame:
    import pandas as pd

    effective = effective_visitors(history.visitors, rho.value)
    return pd.DataFrame(
        {
            "turn": history.turns,
            "visitors": history.traffic,
            "effective": np.bincount(history.turn, effective, history.turns.size),
        }
    )


def _weekdays(turns: NDArray[Any]) -> NDArray[Any] | None:
    """The names of the turns' weekdays, if turns are days of two weeks or more."""
    import pandas as pd

    index = pd.Index(turns)
    if not isinstance(index, pd.DatetimeIndex) or index.size < 14:
        return None
    whole = bool((index == index.floor("1D")).all())
    return np.asarray(index.day_name()) if whole and index.day_of_week.nunique() == 7 else None
