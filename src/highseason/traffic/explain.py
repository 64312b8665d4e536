"""What a forecast is made of, and how far this very past says to trust it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from highseason.core.text import percent
from highseason.core.validation import raised_as
from highseason.traffic.forecast import BacktestTrial, Forecaster, ForecastError, Numbers, backtest
from highseason.traffic.season_ahead import FittedSeason, Outlooks, SeasonalNaive
from highseason.traffic.sources import as_multiplier
from highseason.traffic.timeline import Calendar, MultiplierError

#: Forecasts are to be trusted if their 80% intervals held so many turns, and sums were so near.
_HELD, _OFF = 0.7, 0.1


def parts(known: FittedSeason, turns: int) -> dict[str, Numbers]:
    """The parts of the forecast of the typical turn, whose product it is.

    The level with its trend, and factors: the time of the week, the season of the year, special
    and own days.

    >>> from highseason.traffic import Blend, from_values
    >>> days = np.arange("2013-01-07", "2015-01-05", dtype="datetime64[D]")
    >>> G = from_values(100 + 50 * (np.arange(days.size) % 7 == 4), days)
    >>> {name: part.round(1).tolist() for name, part in parts(Blend().fit(G), 3).items()}["week"]
    [0.9, 0.9, 0.9]
    """
    history, n = known.history, known.history.turns
    ahead = history.ahead(turns)
    stop = n + int(ahead[-1]) + 1
    outlooks = Outlooks.of(history, known.forecaster).with_season(stop - n)
    regression = outlooks.regression
    usual = regression.week[np.unique(history.phases(0, n)[history.seen])].mean()
    week = regression.week[history.phases(n, stop)] - usual
    special = regression.of_special_days(n, stop) + regression.of_own_days(n, stop)
    trend = regression.others[0] * np.arange(stop - n) / history.year
    season = regression(n, stop) - usual - week - special - trend
    effects = np.zeros(stop - n) if outlooks.season is None else outlooks.season.effects[n:stop]
    on_special = outlooks.design.places(n, stop) >= 0
    logs = {
        "week": week,
        "season": season + np.where(on_special, 0.0, effects),
        "special days": special + np.where(on_special, effects, 0.0),
    }
    factors = {name: np.exp(part[ahead]) for name, part in logs.items()}
    level = known.predict(turns).median / np.prod(list(factors.values()), axis=0)
    return {"level": level, **factors}


@dataclass(frozen=True)
class Check:
    """Forecasts from the same weeks of earlier years, each beside the same days a year before it.

    Attributes:
        trials: What the forecaster said, the earliest first, and what came.
        naive: The same of the same weekdays a year before.
    """

    trials: tuple[BacktestTrial, ...]
    naive: tuple[BacktestTrial, ...]

    def held(self, naive: bool = False) -> float:
        """The share of turns inside their 80% interval."""
        return float(
            np.mean([t.errors["coverage"] for t in (self.naive if naive else self.trials)])
        )

    def off(self, naive: bool = False) -> float:
        """By what share sums were off, on average."""
        return float(np.mean([abs(sum_off(t)) for t in (self.naive if naive else self.trials)]))

    @property
    def verdict(self) -> str:
        """Whether to trust the forecast, in words."""
        if not self.trials:
            return "To check the forecast, the past needs a year before these weeks of last year."
        near, wide = self.off() <= _OFF, self.held() >= _HELD
        trust = {
            (True, True): "trust it",
            (True, False): "trust its sum, and expect single turns to lie further off than it says",
            (False, True): "trust its interval rather than its expected values",
            (False, False): "do not rely on it: name your own days, or give a longer past",
        }[near, wide]
        worse = self.off(True) < self.off() - 0.02
        return (
            f"In these weeks of earlier years the 80% interval held {percent(self.held())} of the "
            f"turns, and sums were off by {percent(self.off())} (a year before: "
            f"{percent(self.held(True))} and {percent(self.off(True))}): {trust}"
            f"{'; the same weeks a year before were nearer' if worse else ''}."
        )


def sum_off(trial: BacktestTrial) -> float:
    """By what share of what came the expected sum was above it."""
    return float(trial.forecast.mean.sum() / trial.actual.total) - 1


def check(series: Any, forecaster: Forecaster, turns: int) -> Check:
    """How earlier forecasts from the same weeks of the year would have done on this past.

    From a week before the same weekday to a week after it, in each earlier year that has a year
    before it.
    """
    G = as_multiplier(series)
    if G.timeline is None:
        raise ForecastError("without dates there are no weeks of the year to check")
    with raised_as(ForecastError, MultiplierError):
        grid, places, _ = Calendar.around(G.timeline)
    week = 1 if grid.step is None else max(1, round(float(np.timedelta64(7, "D") / grid.step)))
    year = 12 // grid.months if grid.step is None else 52 * week
    years = range(int(places[-1]) // year, 0, -1)
    ends = [int(places[-1]) - k * year + week * w for k in years for w in (-1, 0, 1)]
    least = year if grid.daily else round(2.01 * year)  # weeks and months have no shorter season
    origins = [int(np.searchsorted(places, end, "right")) for end in ends if end > least]
    if not origins:
        return Check((), ())
    both = backtest(
        G, {"model": forecaster, "naive": SeasonalNaive(lag=year)}, turns, origins, min(week, 7)
    ).trials
    return Check(both[::2], both[1::2])
