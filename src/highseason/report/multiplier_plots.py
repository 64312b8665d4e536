"""The multiplier G over time and its forecast, with busy turns; and the time axis of all figures.

A turn is a step from one edge to the next.  Equal neighbours are drawn as one step, which keeps the
file of a long season small.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import counted, format_number, percent
from highseason.report import palette
from highseason.report.drawing import drawing, legend_below, number_axis
from highseason.report.figure import Figure
from highseason.traffic import Forecast, Multiplier, Threshold, as_multiplier, special_days
from highseason.traffic.dates import format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Where the highest G is this many times its median, only a logarithmic axis shows both.
STEEP = 10.0
#: The most special days that are named, and the least gap between them, as a share of the width.
_NAMED_DAYS, _LEAST_GAP = 8, 0.07
#: Where names would crowd, these come first.
_BEST_KNOWN = ("Christmas Day", "Black Friday", "Boxing Day", "New Year's Day")
#: A turn is shaded as busy if the probability of it is at least this.
LIKELY = 0.5

Numbers = NDArray[np.float64]


def edges(G: Multiplier) -> Numbers:
    """Where each turn begins and the last one ends: turn numbers, or days of the calendar."""
    if G.calendar is None:
        return np.arange(0.5, G.turns + 1.0)
    dates: Any = import_module("matplotlib.dates")  # its functions carry no annotations
    days = np.asarray(dates.date2num(G.calendar), dtype=np.float64)
    if days.size == 1:
        return np.array([days[0], days[0] + 1.0])
    middle = (days[1:] + days[:-1]) / 2
    return np.concatenate([[2 * days[0] - middle[0]], middle, [2 * days[-1] - middle[-1]]])


def stairs(axes: Axes, values: NDArray[Any], steps: Numbers, **look: Any) -> None:
    """Draw one value per turn."""
    changes = np.flatnonzero(np.diff(values)) + 1
    starts = np.concatenate([[0], changes]).astype(np.intp)
    axes.stairs(values[starts], np.concatenate([steps[starts], steps[-1:]]), **look)


def show_time(axes: Axes, G: Multiplier) -> None:
    """Label the axis with turns, or with dates."""
    if G.calendar is None:
        axes.set_xlabel("turn")
        axes.locator_params(axis="x", integer=True)
        return
    dates: Any = import_module("matplotlib.dates")
    locator = dates.AutoDateLocator(minticks=3, maxticks=7)
    axes.xaxis.set_major_locator(locator)
    # Every day with its month: "29 … Jan … 05" leaves one guessing.
    formats = dates.ConciseDateFormatter(
        locator,
        formats=["%Y", "%b", "%d %b", "%H:%M", "%H:%M", "%S.%f"],
        zero_formats=["", "%b\n%Y", "%d %b", "%d %b", "%H:%M", "%H:%M"],
        offset_formats=["", "%Y", "%Y", "%d %b %Y", "%d %b %Y", "%d %b %Y %H:%M"],
    )
    axes.xaxis.set_major_formatter(formats)


def shade_turns(
    axes: Axes,
    chosen: NDArray[np.bool_],
    steps: Numbers,
    label: str = "",
    color: str = palette.BUSY,
) -> None:
    """Shade some turns from top to bottom."""
    stairs(
        axes, chosen.astype(np.float64), steps, fill=True, color=color, linewidth=0,
        transform=axes.get_xaxis_transform(), zorder=0, label=label,
    )  # fmt: skip


def draw_multiplier(
    axes: Axes, G: Multiplier, z: float | None, shaded: bool = False, line: str = "threshold z"
) -> None:
    """Draw G over time, with a `line` at its threshold if there is one, and busy turns `shaded`."""
    steps = edges(G)
    if shaded and z is not None:
        shade_turns(axes, G.values >= z, steps, f"busy: G ≥ {format_number(z)}")
    stairs(axes, G.values, steps, baseline=None, color=palette.INK, linewidth=1.2)
    axes.set_ylabel("G")
    if float(G.values.max()) > STEEP * float(np.median(G.values)):
        axes.set_yscale("log")
        axes.set_ylabel("G (log scale)")
        axes.locator_params(axis="y", numticks=6)
    else:
        axes.set_ylim(bottom=0)
    number_axis(axes.yaxis)
    if z is not None:
        axes.axhline(z, color=palette.ACCENT, linestyle="--", linewidth=1.2, label=line)
    fit(axes, G)


def fit(axes: Axes, G: Multiplier) -> None:
    """Limit the axis to the season."""
    ends = edges(G)
    margin = 0.01 * (ends[-1] - ends[0])
    axes.set_xlim(ends[0] - margin, ends[-1] + margin)


def multiplier(G: Any, z: float | str | None = None, title: str | None = None) -> Figure:
    """G over the turns; with a threshold, busy turns are shaded.

    Args:
        G: Anything `as_multiplier` takes.
        z: A number, a quantile ("q0.75") or a share of the highest G ("0.75*max").
        title: Above the figure.

    >>> import highseason as hs
    >>> multiplier(hs.traffic.wave(turns=100), z=30)
    <Figure: Multiplier wave>
    """
    G = as_multiplier(G)
    level = None if z is None else Threshold.of(z).resolve(G.values)
    title = title or f"Multiplier {G.name}"
    with drawing(title, [2.5]) as (canvas, [axes]):
        draw_multiplier(axes, G, level, shaded=True)
        show_time(axes, G)
        if level is not None:
            axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1, ncols=2)
    return Figure(canvas, title, f"{describe(G, level)}.")


def describe(G: Multiplier, z: float | None) -> str:
    """G in words: its turns, its range, and with a threshold how many turns are busy."""
    low, high = format_number(float(G.values.min())), format_number(float(G.values.max()))
    text = f"{G.name}: {counted(G.turns, 'turn')}, G from {low} to {high}"
    if z is None:
        return text
    share = percent(float((G.values >= z).mean()))
    return f"{text}, {share} of turns busy (G ≥ {format_number(z)})"


def forecast(
    forecast: Forecast,
    past: Any = None,
    z: float | str = "q0.75",
    confidence: float = 0.8,
    country: str | None = None,
    title: str | None = None,
    parts: Mapping[str, Numbers] | None = None,
) -> Figure:
    """The forecast turns with their interval, the last turns before them, and busy turns shaded.

    Args:
        forecast: What a forecaster predicted.
        past: The series it was fitted on; its last turns are drawn before the forecast, and those
            of a year ago beside it.
        z: Turns with G >= z are busy: a number, or an expression such as "q0.75" over the past and
            the forecast's means.
        confidence: How often the interval should hold what comes.
        country: Whose public holidays to name, besides shopping days.
        title: Above the figure.
        parts: What the forecast is made of, as `hs.traffic.parts` gives it: drawn below it.

    >>> import highseason as hs
    >>> days = np.datetime64("2013-10-01") + np.arange(84)
    >>> past = hs.traffic.from_values(100 + 50 * (np.arange(84) % 7 == 4), days)
    >>> forecast(hs.traffic.SeasonalNaive().fit(past).predict(14), past)
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
    low, high = forecast.interval(confidence)
    heights = [3.6, 1.7, 1.2] if parts else [3.6, 1.2]
    with drawing(title, heights, sharex=True) as (canvas, [axes, *made, below]):
        steps = edges(G)
        highest = 0.0 if before is None else float(before.values.max())
        shade_turns(axes, probability >= LIKELY, steps, "probably busy")
        axes.fill_between(
            np.repeat(steps, 2)[1:-1], np.repeat(low, 2), np.repeat(high, 2), color=palette.LIGHT,
            linewidth=0, label=f"{percent(confidence)} interval",
        )  # fmt: skip
        stairs(axes, G.values, steps, baseline=None, color=palette.DARK, linewidth=1.8,
               label="expected")  # fmt: skip
        if before is not None:
            stairs(axes, before.values, edges(before), baseline=None, color=palette.MUTED,
                   linewidth=1.1, label="observed")  # fmt: skip
        if before is not None and (last := _last_year(whole, G)) is not None:
            stairs(axes, last, steps, baseline=None, color=palette.look(3).color, linewidth=1.4,
                   linestyle=":", label="a year ago")  # fmt: skip
            highest = max(highest, float(np.nanmax(last)))
        axes.axhline(limit, color=palette.ACCENT, linestyle="--", linewidth=1.2,
                     label=f"busy from {format_number(limit)}")  # fmt: skip
        axes.set_ylim(0, 1.22 * max(float(high.max()), limit, highest))
        number_axis(axes.yaxis)
        _name_days(axes, G, country)
        stairs(below, probability, steps, fill=True, color=palette.DARK, linewidth=0)
        below.set(ylim=(0, 1), title="Probability of being busy")
        below.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
        for panel in made:
            _draw_parts(panel, parts or {}, steps)
        fit(axes, G)
        if before is not None:
            axes.set_xlim(edges(before)[0], steps[-1])
        show_time(below, G)
        legend_below(canvas, [axes, *made], columns=3)
    busiest = int(np.argmax(G.values))
    when = f"turn {busiest + 1}" if G.calendar is None else format_time(G.calendar[busiest])
    alt = (
        f"{forecast.name} expects from {format_number(float(G.values.min()))} to "
        f"{format_number(float(G.values.max()))} (on {when}); {int((probability >= LIKELY).sum())} "
        f"of {counted(len(forecast), 'turn')} are probably busy ({format_number(limit)} or more)."
    )
    return Figure(canvas, title, alt)


def _last_year(past: Multiplier, G: Multiplier) -> Numbers | None:
    """The turns of the same weekdays 52 weeks before; NaN where one is not known."""
    if past.calendar is None or G.calendar is None:
        return None
    known = dict(zip(past.calendar.astype("datetime64[s]").tolist(), past.values, strict=True))
    before = (G.calendar - np.timedelta64(364, "D")).astype("datetime64[s]").tolist()
    last = np.array([known.get(time, np.nan) for time in before])
    return None if np.isnan(last).all() else last


def _draw_parts(axes: Axes, parts: Mapping[str, Numbers], steps: Numbers) -> None:
    """Draw the factors of a forecast; the level is in the title."""
    level = parts["level"]
    ends = " to ".join(format_number(float(one)) for one in (level.min(), level.max()))
    axes.set_title(f"Its parts: a level of {ends}, times")
    for i, (name, part) in enumerate((n, p) for n, p in parts.items() if n != "level"):
        look = palette.look(i)
        stairs(axes, part, steps, baseline=None, color=look.color, linestyle=look.line,
               linewidth=1.4, label=name)  # fmt: skip
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    low, high = min(low, 0.68), max(high, 1.47)  # three ticks at least
    octaves = float(np.log2(high / low))
    step = next(one for one in (0.5, 1.0, 2.0, 4.0, octaves) if octaves < 6.5 * one)
    factors = (2.0 ** (step * np.arange(-40, 41))).tolist()
    ticks = [float(f"{one:.2g}") for one in factors if low <= one <= high]
    axes.set_yticks(ticks, [format_number(tick) for tick in ticks])
    axes.set_ylim(low, high)
    axes.minorticks_off()


def _spans(G: Multiplier) -> str:
    hours = 0.0
    if G.calendar is not None and G.turns > 1:
        hours = float(np.diff(G.calendar).min() / np.timedelta64(1, "h"))
    return counted(G.turns, {1.0: "hour", 24.0: "day", 168.0: "week"}.get(hours, "turn"))


def _name_days(axes: Axes, G: Multiplier, country: str | None) -> None:
    """Write the names of special days above them; the best known where they crowd."""
    if G.calendar is None or G.turns < 2 or np.diff(G.calendar).min() > np.timedelta64(1, "D"):
        return
    starts = edges(G)
    width = starts[-1] - starts[0]
    names = special_days(G.calendar, country)
    days = [
        (name, (starts[i] + starts[i + 1]) / 2)
        for i, name in enumerate(names)
        if name and "days" not in name and not (i and names[i - 1] == name)
    ]
    days.sort(key=lambda day: (*_BEST_KNOWN, day[0]).index(day[0]))
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
