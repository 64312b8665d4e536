"""A forecast: the expected turns, their interval, and which of them are probably busy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from highseason.core.formatting import counted, format_number, percent
from highseason.forecasters import Forecast, special_days
from highseason.multipliers import Multiplier, Threshold, as_multiplier
from highseason.report import palette
from highseason.report.drawing import drawing, legend_below, number_axis
from highseason.report.figure import Figure
from highseason.report.multiplier_plots import edges, fit, show_time, stairs
from highseason.tabular import format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The most special days that are named, and the least gap between them, as a share of the width.
_NAMED_DAYS, _LEAST_GAP = 8, 0.07
#: Where names would crowd, these come first.
_BEST_KNOWN = ("Christmas Day", "Black Friday", "Boxing Day", "New Year's Day")
#: A turn is shaded as busy if the probability of it is at least this.
LIKELY = 0.5


def forecast(
    forecast: Forecast,
    past: Any = None,
    z: float | str = "q0.75",
    level: float = 0.8,
    country: str | None = None,
    title: str | None = None,
) -> Figure:
    """The forecast turns with their interval, the last turns before them, and busy turns shaded.

    Args:
        forecast: What a forecaster predicted.
        past: The series it was fitted on; its last turns are drawn before the forecast.
        z: Turns with G >= z are busy: a number, or an expression such as "q0.75" over the past and
            the forecast's means.
        level: The coverage of the interval.
        country: Whose public holidays to name, besides shopping days.
        title: Above the figure.

    >>> import highseason as hs
    >>> days = np.datetime64("2013-10-01") + np.arange(84)
    >>> past = hs.multipliers.from_values(100 + 50 * (np.arange(84) % 7 == 4), days)
    >>> forecast(hs.forecasters.SeasonalNaive().fit(past).predict(14), past)
    <Figure: The next 14 days>
    """
    G = forecast.multiplier()
    before, known = None, G.values
    if past is not None:
        whole = as_multiplier(past)
        before = whole.window(max(1, whole.turns - max(7, len(forecast) // 2) + 1), whole.turns)
        known = np.concatenate([whole.values, G.values])
    limit = Threshold.of(z).resolve(known)
    probability = forecast.probability_above(limit)
    title = title or f"The next {_spans(G)}"
    low, high = forecast.interval(level)
    with drawing(title, [3.6, 1.2], sharex=True) as (canvas, [axes, below]):
        steps = edges(G)
        stairs(
            axes, (probability >= LIKELY).astype(np.float64), steps, fill=True, color=palette.BUSY,
            linewidth=0, transform=axes.get_xaxis_transform(), zorder=0, label="probably busy",
        )  # fmt: skip
        axes.fill_between(
            np.repeat(steps, 2)[1:-1], np.repeat(low, 2), np.repeat(high, 2), color=palette.LIGHT,
            linewidth=0, label=f"{percent(level)} interval",
        )  # fmt: skip
        stairs(axes, G.values, steps, baseline=None, color=palette.DARK, linewidth=1.8,
               label="expected")  # fmt: skip
        if before is not None:
            stairs(axes, before.values, edges(before), baseline=None, color=palette.MUTED,
                   linewidth=1.1, label="observed")  # fmt: skip
        axes.axhline(limit, color=palette.ACCENT, linestyle="--", linewidth=1.2,
                     label=f"busy from {format_number(limit)}")  # fmt: skip
        highest = 0.0 if before is None else float(before.values.max())
        axes.set_ylim(0, 1.22 * max(float(high.max()), limit, highest))
        number_axis(axes.yaxis)
        _name_days(axes, G, country)
        stairs(below, probability, steps, fill=True, color=palette.DARK, linewidth=0)
        below.set_ylim(0, 1)
        below.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
        below.set_title("Probability of being busy")
        ends = edges(G) if before is None else np.concatenate([edges(before)[:1], edges(G)[-1:]])
        axes.set_xlim(ends[0], ends[-1]) if before is not None else fit(axes, G)
        show_time(below, G)
        legend_below(canvas, [axes], columns=2)
    return Figure(canvas, title, _forecast_alt(forecast, G, limit, probability))


def _spans(G: Multiplier) -> str:
    if G.calendar is not None and G.turns > 1:
        days = (G.calendar[1] - G.calendar[0]) / np.timedelta64(1, "D")
        names = {1.0: "day", 7.0: "week"}
        if float(days) in names:
            return counted(G.turns, names[float(days)])
        if float(days) * 24 == 1:
            return counted(G.turns, "hour")
    return counted(G.turns, "turn")


def _name_days(axes: Axes, G: Multiplier, country: str | None) -> None:
    """Write the names of special days above them; the best known where they crowd."""
    if G.calendar is None or G.turns < 2 or G.calendar[1] - G.calendar[0] > np.timedelta64(1, "D"):
        return
    starts = edges(G)
    width = starts[-1] - starts[0]
    names = special_days(G.calendar, country)
    days = [
        (name, (starts[i] + starts[i + 1]) / 2)
        for i, name in enumerate(names)
        if name and "days" not in name and not (i and names[i - 1] == name)
    ]
    days.sort(
        key=lambda day: _BEST_KNOWN.index(day[0]) if day[0] in _BEST_KNOWN else len(_BEST_KNOWN)
    )
    placed: list[float] = []
    for name, middle in days:
        if len(placed) >= _NAMED_DAYS or any(abs(middle - x) < _LEAST_GAP * width for x in placed):
            continue
        axes.annotate(
            name, (middle, 1.0), (0, -4), xycoords=axes.get_xaxis_transform(),
            textcoords="offset points", rotation=90, ha="center", va="top", fontsize=8,
            color=palette.INK,
        )  # fmt: skip
        axes.axvline(middle, ymax=0.74, color=palette.MUTED, linewidth=0.6, linestyle=":")
        placed.append(middle)


def _forecast_alt(
    forecast: Forecast,
    G: Multiplier,
    limit: float,
    probability: np.ndarray[Any, np.dtype[np.float64]],
) -> str:
    busiest = int(np.argmax(G.values))
    when = f"turn {busiest + 1}" if G.calendar is None else format_time(G.calendar[busiest])
    return (
        f"{forecast.name} expects from {format_number(float(G.values.min()))} to "
        f"{format_number(float(G.values.max()))} (on {when}); {int((probability >= LIKELY).sum())} "
        f"of {counted(len(forecast), 'turn')} are probably busy ({format_number(limit)} or more)."
    )
