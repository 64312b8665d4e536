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

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import counted, decimal, percent
from highseason.logs.noise_history import VisitorHistory, read_history
from highseason.rewards import effective_visitors
from highseason.traffic.dates import Order
from highseason.traffic.numerals import Mark

if TYPE_CHECKING:
    import pandas as pd

#: Where rho and the day effect are searched, besides 0.
_RHO, _DAY = (1e-7, 0.9), (1e-3, 1.5)
_CONFIDENCE = 0.95
_GRID, _STEPS = 9, 12
#: Nodes of the quadrature.
_NODES = 9
#: Steps of Newton's method from weighted means to the most likely rates.
_NEWTON = 4
#: Below this correlation visitors are independent to all digits.
_NONE = 1e-9

Numbers = NDArray[np.float64]


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
            share a turn: it is then indistinguishable from `rho`, which contains it.
        turns: A row per turn: its visitors and how many independent visitors would teach as much.
    """

    history: VisitorHistory
    rates: dict[str, Interval]
    rho: Interval
    day: Interval | None
    turns: pd.DataFrame

    @property
    def rewards(self) -> str:
        """The model to simulate with, as text: `hs.rewards.parse(found.rewards, arms=…)`.

        Sums of money are `spend`, with the mean basket (of cv 1, or less where every visitor buys)
        that gives the rewards their mean and variance.
        """
        means = [rate.value for rate in self.rates.values()]
        name, value, money = "visitors", 1.0, ""
        if self.history.squares is not None:
            square = self.history.squares.sum() / self.history.successes.sum()
            value = max(square / 2.0, *means, *means[:1])
            cv = math.sqrt(max(square / value - 1.0, 0.0))
            name, money = "spend", f",values={value:.3g},cv={cv:.3g}"
        low, high = min(means) / value, max(means) / value
        low, high = (low, high) if high > low else (0.9 * low, min(1.1 * low, 1.0))
        high = float(f"{high:.3g}")  # as it is written: a day effect may not be more than it allows
        day = 0.0 if self.day is None else min(self.day.value, 0.99 * math.sqrt(1.0 / high - 1.0))
        moves = f",day={day:.3g}" if day > 0.0 else ""
        return f"{name}:rates={low:.3g}..{high:.3g}{money},rho={decimal(self.rho.value, 3)}{moves}"

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
            first = f"No correlation of a turn's visitors is seen: rho is at most {decimal(high)}"
        else:
            first = (
                f"Visitors of the same turn are alike: rho {decimal(value)} "
                f"({decimal(low)} to {decimal(high)})"
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
        per_arm = self.history.visitors_per_turn / np.maximum(shown, 1)
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
                "No two arms share enough turns to separate good and bad days of all arms from the "
                "noise of one arm: rho contains both."
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
    *,
    zone: str | None = None,
    dates: Order | None = None,
    decimal: Mark | None = None,
    **columns: str | None,
) -> NoiseFit:
    """Fit rates, the correlation of a turn's visitors and the day effect to a history.

    Estimates maximise the beta-binomial likelihood; intervals are those of the profile likelihood.

    Args:
        frame: A table with a row per turn and arm, an event log, or a file: see `read_history`.
        every: Gather times into turns of this length, such as "1D".
        zone: The time zone whose days and hours count, such as "Europe/Rome".
        dates: The order of day, month and year, if the table leaves it open: dmy, mdy or ymd.
        decimal: The decimal mark, if the table leaves it open: a comma or a point.
        **columns: The names of columns that are not obvious, such as `successes="orders"`.

    Raises:
        ValueError: The history is too short, or a column is missing.
    """
    import pandas as pd

    if isinstance(frame, VisitorHistory):
        history = frame
    else:
        history = read_history(frame, every, zone=zone, dates=dates, decimal=decimal, **columns)
    entries = history.successes.size
    if entries < len(history.arms) + 5 or history.successes.sum() <= 0:
        raise ValueError(
            f"{counted(entries, 'row')} for {counted(len(history.arms), 'arm')} with "
            f"{history.successes.sum():g} successes in all cannot show how turns vary: give a "
            "longer history, with several turns for each arm"
        )
    likelihood = Likelihood(history)
    if np.allclose(likelihood.spread(0.0), 0.0, atol=1e-12):
        raise ValueError(
            "all visitors of an arm brought the same, which does not show whether those of a turn "
            "are alike: give a history in which some buy and others do not"
        )
    freedom, day = entries - len(history.arms), None

    def at_best_day(rho: float) -> float:
        if not likelihood.knows_days:
            return likelihood.at(rho, 0.0)
        return _highest(lambda day: likelihood.at(rho, day), _DAY)[1]

    rho = _interval(at_best_day, _RHO, freedom)
    if likelihood.knows_days:
        near = (max(_RHO[0], rho.value / 20.0), min(_RHO[1], max(20.0 * rho.value, 1e-3)))
        day = _interval(lambda d: _highest(lambda r: likelihood.at(r, d), near)[1], _DAY, freedom)
    effective = effective_visitors(history.visitors, rho.value)
    turns = {
        "turn": history.turns,
        "visitors": history.visitors_per_turn,
        "effective": np.bincount(history.turn, effective, history.turns.size),
    }
    rates = _rates(likelihood, history, rho, day)
    return NoiseFit(history, rates, rho, day, pd.DataFrame(turns))


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
    if profile(inside) <= height:  # the estimate is 0, and the limit below the range
        return inside
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


def _weekdays(turns: NDArray[Any]) -> NDArray[Any] | None:
    """The names of the turns' weekdays, if turns are days of two weeks or more."""
    import pandas as pd

    index = pd.Index(turns)
    if not isinstance(index, pd.DatetimeIndex) or index.size < 14:
        return None
    whole = bool((index == index.floor("1D")).all())
    return np.asarray(index.day_name()) if whole and index.day_of_week.nunique() == 7 else None


class Likelihood:
    """The log-likelihood of a history as a function of rho and the day effect, up to a constant.

    Successes are beta-binomial with rate p_j·f_t; sums of other rewards are normal with the same
    first two moments.  log f_t is normal with standard deviation `day` and is integrated out turn
    by turn by adaptive Gauss-Hermite quadrature.  The rates are weighted means, with the weights of
    that rho.  Each value is computed once.
    """

    def __init__(self, history: VisitorHistory) -> None:
        self._h, self._x = history, history.successes / history.visitors
        self.arms, self.turns = len(history.arms), history.turns.size
        # Turns with several arms tell a day's effect from the noise of an arm.
        self.knows_days = bool(self._x.size - self.arms - self.turns + 1 >= 5)
        self._nodes, self._weights = np.polynomial.hermite.hermgauss(_NODES)
        self.at, self.rates = functools.cache(self._at), functools.cache(self._rates)

    def _rates(self, rho: float) -> Numbers:
        """The rate of each arm: most likely for successes, a weighted mean for other rewards."""
        weight = effective_visitors(self._h.visitors, rho)
        total = np.bincount(self._h.arm, weight, self.arms)
        rates = np.bincount(self._h.arm, weight * self._x, self.arms) / total
        if self._h.squares is None and rho >= _NONE:
            for _ in range(_NEWTON):
                rates = self._improved(rates, rho)
        return np.asarray(rates)

    def _improved(self, rates: Numbers, rho: float) -> Numbers:
        """A step of Newton's method, at most to a factor of 2."""
        from scipy.special import polygamma, psi

        y, n, sums = self._h.successes, self._h.visitors, 1.0 / rho - 1.0
        safe = np.clip(rates, 1e-9, 1.0 - 1e-9)
        a, b = safe[self._h.arm] * sums, (1.0 - safe[self._h.arm]) * sums
        slope = psi(y + a) - psi(a) - psi(n - y + b) + psi(b)
        bend = polygamma(1, a) - polygamma(1, y + a) + polygamma(1, b) - polygamma(1, n - y + b)
        slopes = np.bincount(self._h.arm, slope, self.arms)
        bends = sums * np.bincount(self._h.arm, bend, self.arms)
        moved = safe + slopes / np.maximum(bends, 1e-300)
        moved = np.clip(moved, safe / 2.0, 1.0 - (1.0 - safe) / 2.0)
        return np.where(rates > 0.0, np.minimum(moved, 2.0 * safe), 0.0)

    def spread(self, rho: float) -> Numbers:
        """The variance of one visitor's reward, by arm."""
        rates = self.rates(rho)
        if self._h.squares is None:
            return rates * (1.0 - rates)
        total = np.bincount(self._h.arm, self._h.visitors, self.arms)
        return np.bincount(self._h.arm, self._h.squares, self.arms) / total - rates**2

    def _at(self, rho: float, day: float) -> float:
        means = self.rates(rho)[self._h.arm]
        if day <= 0.0:
            return float(self._cells(means[:, None], rho).sum())
        middle, width = self._modes(means, rho, day)
        nodes = middle[:, None] + math.sqrt(2.0) * width[:, None] * self._nodes
        by_node = self._cells(means[:, None] * np.exp(nodes[self._h.turn]), rho)
        sums = [np.bincount(self._h.turn, column, self.turns) for column in by_node.T]
        by_turn = np.stack(sums, axis=1).astype(np.float64)
        by_turn += self._nodes**2 + np.log(self._weights) - 0.5 * ((nodes / day + 0.5 * day) ** 2)
        top = by_turn.max(axis=1)
        inner = np.log(np.exp(by_turn - top[:, None]).sum(axis=1)) + top
        return float((inner + np.log(width / (math.sqrt(math.pi) * day))).sum())

    def _modes(self, means: Numbers, rho: float, day: float) -> tuple[Numbers, Numbers]:
        """Where a turn's effect lies, and how widely: its estimate combined with its prior."""
        spread = np.maximum(self.spread(rho)[self._h.arm], 1e-12)
        weight = effective_visitors(self._h.visitors, rho) * means / spread
        seen = np.bincount(self._h.turn, weight * self._x, self.turns)
        due = np.bincount(self._h.turn, weight * means, self.turns)
        precision = due + 1.0 / day**2
        estimate = np.log((seen + 0.5) / (due + 0.5))
        return (due * estimate - 0.5) / precision, 1.0 / np.sqrt(precision)

    def _cells(self, means: Numbers, rho: float) -> Numbers:
        """The log-likelihood of each entry at each of its means (a column per node)."""
        from scipy.special import gammaln as g

        y, n = self._h.successes[:, None], self._h.visitors[:, None]
        if self._h.squares is not None:
            spread = np.maximum(self.spread(rho)[self._h.arm][:, None], 1e-12)
            variance = spread / effective_visitors(n, rho)
            return np.asarray(
                -0.5 * ((self._x[:, None] - means) ** 2 / variance + np.log(variance))
            )
        means = np.clip(means, 1e-12, 1.0 - 1e-9)
        if rho < _NONE:
            return np.asarray(y * np.log(means) + (n - y) * np.log1p(-means))
        total = 1.0 / rho - 1.0
        a, b = means * total, (1.0 - means) * total
        return np.asarray(g(y + a) - g(a) + g(n - y + b) - g(b) + (g(total) - g(n + total)))
