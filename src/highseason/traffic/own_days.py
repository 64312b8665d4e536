"""Days that a shop names itself, past and coming: promotions, closures and other events."""

import math
from collections.abc import Mapping
from datetime import date, timedelta
from os import PathLike
from typing import Any

import numpy as np

from highseason.core.validation import raised_as
from highseason.traffic.dates import Order, TableError, is_range
from highseason.traffic.files import Conventions
from highseason.traffic.forecast import ForecastError, Numbers
from highseason.traffic.history import History, special_days
from highseason.traffic.sources import any_table

#: A day is unusual if it lies so many times, and so many deviations, above or below the others.
_UNUSUAL, _DEVIATIONS = 1.75, 4.0
#: What columns of kinds are called; those above come first.
_KINDS = (
    "kind kinds art event events ereignis anlass type typ aktion promotion promotions holiday "
    "holidays feiertag occasion name"
).split()
_EACH = "give each day a row of its own"


@raised_as(ForecastError, TableError)
def own_days(given: Any, dates: Order | None = None) -> dict[date, str]:
    """The kind of each own day, in lower case.

    Days of the kind `closed` have no turn.  Every other kind has an effect, which is learned from
    its earlier days.

    Args:
        given: A mapping from dates to kinds, or a table or a file with a row per day: its date and
            its kind, such as "sale", in a column called so (kind, event, …) or the only one of
            text.  Rows without a kind are ordinary days.
        dates: The order of day, month and year where the table leaves it open, such as "dmy".

    >>> own_days({"2026-11-20": "Sale", "2026-12-25": "closed"})
    {datetime.date(2026, 11, 20): 'sale', datetime.date(2026, 12, 25): 'closed'}
    """
    import pandas as pd

    if isinstance(given, Mapping):
        given = pd.DataFrame({"date": list(given), "event": list(given.values())}, dtype=object)
    if hasattr(given, "columns") and not len(given):
        return {}
    if not isinstance(given, str | PathLike) and not hasattr(given, "columns"):
        raise ForecastError(
            "own days are a mapping from dates to kinds, or a table or a file with a row per day, "
            f"not {type(given).__name__}"
        )
    table = any_table(given, Conventions(dates), "the table of own days")
    time = table.find_time()
    texts = [one for one in table.columns if np.isnan(one.numbers).all() and any(one.texts)]
    words = [one for one in texts if not one.time_reading.share]
    if time is None or not words:
        raise TableError(
            f"{table.source} needs a column of dates and one of kinds, such as 'sale' or 'closed'"
        )
    instants = table.times(time).instants.astype("datetime64[D]")
    for one in texts:
        if np.any(one.time_reading.stamps.instants.astype("datetime64[D]") > instants):
            raise TableError(f"{table.source} has days from {time.name!r} to {one.name!r}: {_EACH}")
    named = [one for name in _KINDS for one in words if one.name.lower() == name]
    if len(words) > 1 and not named:
        raise TableError(
            f"{table.source} has several columns that could be the kinds: "
            f"{', '.join(one.name for one in words)}; call the right one 'kind'"
        )
    kinds = (named or words)[0]
    days: dict[date, str] = {}
    for i, (day, kind) in enumerate(zip(instants.tolist(), kinds.texts, strict=True)):
        if kind and is_range(cell := time.text(i)):
            raise TableError(f"{table.where(time)(i)}: {cell!r} is more than a day: {_EACH}")
        if kind and days.setdefault(day, kind.lower()) != kind.lower():
            raise TableError(f"{table.where(kinds)(i)}: {day} is of the kind {days[day]!r} already")
    return days


def unusual_days(history: History, turns: int) -> list[str]:
    """In words, which of the days to come have no name and were unusual a year before.

    >>> from highseason.traffic import Multiplier
    >>> days = np.arange("2024-09-02", "2025-11-10", dtype="datetime64[D]")
    >>> sale = Multiplier(np.where(days == np.datetime64("2024-11-15"), 240.0, 100.0), days)
    >>> unusual_days(History.of(sale), turns=7)
    ['Fri 14 Nov: last year 2.4 times a usual Friday']
    """
    import pandas as pd

    grid, n, own = history.grid, history.turns, history.own
    if grid is None or grid.step != np.timedelta64(1, "D"):
        return []
    logs = np.where(history.seen, np.log(history.values), np.nan)
    lift = logs - around(logs)
    above = logs - pd.Series(lift).groupby(history.phases(0, n)).transform("median").to_numpy()
    above = np.append(above - around(above), np.nan)
    least = max(math.log(_UNUSUAL), _DEVIATIONS * 1.4826 * float(np.nanmedian(np.abs(above))))
    absent = np.pad(~history.seen & ~history.closed(0, n), (7, 8))
    # A day that was absent in the weeks before and after it, too, was closed then.
    absent = absent[7:-7] & ~(absent[:-14] & absent[14:])
    places = n + history.ahead(turns)
    days = grid.at(places).astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    dates = (months - np.timedelta64(12, "M")).astype("datetime64[D]") + (days - months)
    # Days before the past began, and after its end, are at n: neither unusual nor absent.
    weekday, same = (
        np.where((at >= 0) & (at < n), at, n) for at in (places - 364, grid.places(dates))
    )
    told = []
    for i, (day, name) in enumerate(zip(days.tolist(), special_days(days), strict=True)):
        factor, shown = float(above[weekday[i]]), f"{day:%a} {day.day} {day:%b}"
        if day in own or day - timedelta(364) in own:
            continue
        if absent[same[i]]:
            told.append(f"{shown}: missing last year")
        elif abs(factor) >= least and not name:
            told.append(f"{shown}: last year {math.exp(factor):.1f} times a usual {day:%A}")
    return told


def around(values: Numbers) -> Numbers:
    """The median of each day and the three days before and after it."""
    import pandas as pd

    return pd.Series(values).rolling(7, center=True, min_periods=1).median().to_numpy()
