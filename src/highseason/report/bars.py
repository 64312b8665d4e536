"""Bars of mean reward, with the part that came from pure exploitation (the paper's bars)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from highseason.core.formatting import format_number, percent
from highseason.report.drawing import ACCENT, DARK, INK, LIGHT, panels, style
from highseason.report.figure import Figure
from highseason.report.setting import setting
from highseason.results import SimulationResult, with_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.34
_FRAME = 1.35
_LONG = 20


def rewards(
    result: SimulationResult, policies: Sequence[str] | None = None, title: str | None = None
) -> Figure:
    """Mean reward of a game under each policy: a bar, its 95% interval, and its share of the most.

    The dark part of a bar was earned by pure exploitation, the hatched part while exploring or
    trying every arm once.  The dotted line is what the best arm would have earned.

    Args:
        result: What `simulate` gave.
        policies: Labels of those to show, in that order; all if None.
        title: Above the figure.

    >>> import highseason as hs
    >>> G = hs.multipliers.christmas(turns=100)
    >>> result = hs.simulate([hs.UCB(), hs.UCBZ()], hs.rewards.bernoulli(arms=5), G, games=10)
    >>> rewards(result)
    <Figure: Mean reward of a game>
    """
    labels = list(result.policies if policies is None else policies)
    chosen = [result.index(label) for label in labels]
    title = title or "Mean reward of a game"
    with style():
        canvas, (axes,) = panels([_FRAME + _ROW * len(labels)])
        _draw_bars(axes, result, chosen)
        _draw_best(axes, result, chosen)
        _write_shares(axes, result, chosen)
        axes.set_yticks(range(len(labels)), [_broken(label) for label in labels])
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_formatter(lambda value, _: format_number(value))
        axes.locator_params(axis="x", nbins=6)
        axes.set_xlabel(setting(result), fontsize=8)
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        canvas.legend(loc="outside lower center", ncols=2)
    return Figure(canvas, title, _words(result, chosen))


def _draw_bars(axes: Axes, result: SimulationResult, chosen: list[int]) -> None:
    places = range(len(chosen))
    means = [result.mean("reward", i) for i in chosen]
    exploited = [result.mean("exploited", i) for i in chosen]
    rest = [mean - part for mean, part in zip(means, exploited, strict=True)]
    axes.barh(places, exploited, 0.68, color=DARK, label="earned exploiting")
    axes.barh(
        places, rest, 0.68, exploited, facecolor=LIGHT, hatch="////", edgecolor=DARK, linewidth=0.6,
        label="earned exploring",
    )  # fmt: skip
    widths = [_half_width(result.mean("reward", i), result.error("reward", i)) for i in chosen]
    axes.errorbar(
        means, places, xerr=widths, fmt="none", ecolor=INK, elinewidth=1.4, capsize=3,
        label="95% interval of the mean",
    )  # fmt: skip
    axes.margins(x=0.03)


def _write_shares(axes: Axes, result: SimulationResult, chosen: list[int]) -> None:
    """In a column of their own, where no bar and no line crosses them."""
    most = result.settings["max_reward"]
    known = math.isfinite(most) and most > 0
    for place, i in enumerate(chosen):
        mean = result.mean("reward", i)
        text = percent(mean / most, 1) if known else format_number(mean)
        axes.annotate(
            text, (1.0, place), (8, 0), xycoords=axes.get_yaxis_transform(),
            textcoords="offset points", va="center", fontsize=9,
        )  # fmt: skip
    if known:
        axes.annotate(
            "of max", (1.0, 1.0), (8, 4), xycoords="axes fraction", textcoords="offset points",
            fontsize=8,
        )  # fmt: skip


def _draw_best(axes: Axes, result: SimulationResult, chosen: list[int]) -> None:
    # The best arm's takings are the same whoever plays: reward and realised regret add up to them.
    best = result.mean("reward", chosen[0]) + result.mean("realised_regret", chosen[0])
    axes.axvline(best, color=ACCENT, linestyle=":", linewidth=1.6, label="always the best arm")


def _broken(label: str) -> str:
    """A long label in two lines, parted where the parameters begin."""
    return label.replace(":", ":\n", 1) if len(label) > _LONG else label


def _half_width(mean: float, error: float) -> float:
    """Nothing where a single game leaves the error unknown."""
    return with_interval(mean, error).high - mean if math.isfinite(error) else 0.0


def _words(result: SimulationResult, chosen: list[int]) -> str:
    told = [
        f"{result.policies[i]} {format_number(result.mean('reward', i))}, of which "
        f"{percent(result.exploited_share(i))} exploiting"
        for i in chosen
    ]
    return f"Mean reward by policy: {'; '.join(told)}."
