"""What a forecast is made of, and how far this very past says to trust it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from highseason.core.text import percent
from highseason.core.validation import raised_as
from highseason.traffic.forecast import Forecaster, ForecastError, Numbers, as_past, backtest
from highseason.traffic.season_ahead import FittedSeason, Outlooks, SeasonalNaive
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
    outlooks = Outlooks.of(history, known.forecaster, stop - n)
    regression = outlooks.regression
    usual = regression.week[np.unique(history.phases(0, n)[history.seen])].mean()
    week = regression.week[history.phases(n, stop)] - usual
    special = regression.of_special_days(n, stop) + regression.of_own_days(n, stop)
    trend = regression.others[0] * np.arange(stop - n) / history.year
    season = regression(n, stop) - usual - week - special - trend
    effects = outlooks.season.effects[n:stop]
    on_special = outlooks.design.places(n, stop) >= 0
    logs = {
        "week": week,
        "season": season + np.where(on_special, 0.0, effects),
        "special days": special + np.where(on_special, effects, 0.0),
    }
    factors = {name: np.exp(part[ahead]) for name, part in logs.items()}
    level = known.predict(turns).median / np.prod(list(factors.values()), axis=0)
    return {"level": level, **factors}


class PastForecast(NamedTuple):
    """How a forecast in an earlier year did, and the same weekdays of the year before it."""

    begins: str
    held: float  # the share of turns inside the 80% interval
    sum_off: float  # by what share of what came the expected sum was above it
    last_year_held: float
    last_year_sum_off: float


def check(series: Any, forecaster: Forecaster, turns: int) -> list[PastForecast]:
    """How earlier forecasts from the same weeks of the year would have done on this past.

    From a week before the same weekday to a week after it, in each earlier year that has a year
    before it.
    """
    G = as_past(series)
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
    both = {"model": forecaster, "naive": SeasonalNaive(lag=year)}
    trials = backtest(G, both, turns, origins).trials if origins else ()
    results = [
        (t.errors["coverage"], float(t.forecast.mean.sum() / t.actual.total) - 1) for t in trials
    ]
    begins = [t.actual.timeline.show(0) for t in trials[::2] if t.actual.timeline]
    rows = zip(begins, results[::2], results[1::2], strict=True)
    return [PastForecast(begin, *one, *other) for begin, one, other in rows]


def trust(forecasts: Sequence[PastForecast]) -> str:
    """Whether to trust a forecast of these weeks, in words."""
    if not forecasts:
        return "To check the forecast, the past needs a year before these weeks of last year."
    held, off, naive_held, naive_off = (
        float(np.mean(np.abs(row))) for row in list(zip(*forecasts, strict=True))[1:]
    )
    advice = {
        (True, True): "trust it",
        (True, False): "trust its sum, and expect single turns to lie further off than it says",
        (False, True): "trust its interval rather than its expected values",
        (False, False): "do not rely on it: name your own days, or give a longer past",
    }[off <= _OFF, held >= _HELD]
    nearer = "; the same weeks a year before were nearer" if naive_off < off - 0.02 else ""
    return (
        f"In these weeks of earlier years the 80% interval held {percent(held)} of the turns, and "
        f"sums were off by {percent(off)} (a year before: {percent(naive_held)} and "
        f"{percent(naive_off)}): {advice}{nearer}."
    )
