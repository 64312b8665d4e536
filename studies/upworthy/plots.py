"""Figures of the headline tests: one of them as a game, and gains by how much G varies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from highseason.core.text import format_number, percent, with_range
from highseason.engine.results import errors_wide
from highseason.report import Figure, palette
from highseason.report.drawing import drawing, legend_below
from highseason.report.interval_plots import Points, draw_intervals
from highseason.report.multiplier_plots import draw_multiplier, show_time
from highseason.traffic import Multiplier


def deck_game(cards: Sequence[int], ones: Sequence[int], G: Multiplier, title: str) -> Figure:
    """The click rate of every arm with its 95% interval, and G in the days of the game.

    >>> import highseason as hs
    >>> deck_game([2551, 2629], [39, 68], hs.traffic.wave(turns=28), "A test")
    <Figure: A test>
    """
    rates = np.array(ones) / np.array(cards)
    errors = 100 * errors_wide() * np.sqrt(rates * (1 - rates) / np.array(cards))
    names = [f"arm {i}\n{ones[i - 1]:,} of {cards[i - 1]:,}" for i in range(1, len(rates) + 1)]
    with drawing(title, [2.4, 1.9]) as (canvas, [top, below]):
        top.bar(
            names, 100 * rates, yerr=errors, width=0.6, capsize=3,
            color=[palette.DARK if rate == max(rates) else palette.LIGHT for rate in rates],
            ecolor=palette.ACCENT,
        )  # fmt: skip
        top.set(ylabel="clicks, %", title="Clicks per impression; the best arm is dark")
        top.tick_params(axis="x", labelsize=7 if len(names) > 5 else 8, length=0)
        top.grid(visible=False, axis="x")
        draw_multiplier(below, G, None)
        show_time(below, G)
        below.set_title("G: the number of cards dealt per day is proportional to it")
    parts = ", ".join(f"arm {i} {percent(rate, 2)}" for i, rate in enumerate(rates, start=1))
    most = format_number(float(G.values.max() / G.values.mean()))
    alt = f"Click rates: {parts}. Over {G.turns} days G peaks at {most} times its mean."
    return Figure(canvas, title, alt)


def dose_response(
    panels: Mapping[str, Mapping[str, Points]], xlabel: str, ylabel: str, title: str
) -> Figure:
    """A panel per setting, a line per comparison: its gain at every dose.

    Args:
        panels: By the setting's name, by the comparison's: pairs of a dose and a gain (a share,
            drawn as a percentage).
        xlabel: The dose.
        ylabel: The gain.
        title: Above the figure.

    >>> from highseason.engine import Estimate
    >>> curve = [(1.5, Estimate(0.0, 0.01, -0.02, 0.02)), (3.0, Estimate(0.1, 0.01, 0.08, 0.12))]
    >>> dose_response({"4 weeks": {"ucb-z": curve}}, "max / mean", "gain, %", "Gain over spread")
    <Figure: Gain over spread>
    """
    with drawing(title, [0.5 + 2.2] * len(panels)) as (canvas, axes):
        for panel, (name, series) in zip(axes, panels.items(), strict=True):
            doses = [dose for points in series.values() for dose, _ in points]
            spread = 0.012 * len(series) * (max(doses) - min(doses))
            draw_intervals(panel, series, upright=True, joined=True, spread=spread)
            panel.set_title(name)
            panel.set_ylabel(ylabel, fontsize=9)
        axes[-1].set_xlabel(xlabel, fontsize=9)
        legend_below(canvas, axes, columns=2)
    parts = [
        f"{panel}, {name}: "
        + ", ".join(
            f"{with_range(e.value, e.low, e.high)} at {format_number(x)}" for x, e in points
        )
        for panel, series in panels.items()
        for name, points in series.items()
    ]
    return Figure(canvas, title, f"{'; '.join(parts)}.")
