"""Panels for many settings at once: reward bars, and the increase over a baseline.

Drawn without an automatic layout: with dozens of panels that takes longer than all the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from highseason.core.formatting import format_number, percent, signed_percent
from highseason.report.drawing import INK, LIGHT, MUTED, look, style
from highseason.report.figure import Figure
from highseason.results import SimulationResult, with_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

#: The paper paints what pure exploitation earned in red; dark enough to stand out in grey.
RED = "#a3161b"

_WIDE = 10.0
_PANEL, _ROW = 0.62, 0.155
_HEAD, _FOOT, _LEFT = 0.62, 0.62, 1.75


def reward_grid(
    results: Mapping[tuple[str, str], SimulationResult],
    policies: Sequence[str],
    title: str,
) -> Figure:
    """Bars of mean reward, a panel for each setting; rows and columns in the order of the keys.

    The red part was earned by pure exploitation.  An axis ends where every turn would pay 1.

    >>> import highseason as hs
    >>> arms, G = hs.rewards.bernoulli(arms=3), hs.multipliers.wave(20)
    >>> result = hs.simulate([hs.UCB(), hs.Greedy()], arms, G, games=4)
    >>> reward_grid({("3 arms", "20 turns"): result}, ["ucb", "greedy"], "Rewards")
    <Figure: Rewards>
    """
    rows = list(dict.fromkeys(row for row, _ in results))
    columns = list(dict.fromkeys(column for _, column in results))
    height = _HEAD + _FOOT + len(rows) * (_PANEL + _ROW * len(policies))
    with style():
        canvas = _canvas(height)
        axes = canvas.subplots(
            len(rows), len(columns), squeeze=False, sharey=True,
            gridspec_kw=_margins(height) | {"wspace": 0.08, "hspace": 0.3},
        )  # fmt: skip
        for (row, column), result in results.items():
            panel = axes[rows.index(row), columns.index(column)]
            _bars(panel, result, policies)
            panel.set_title(f"{row}, {column}", fontsize=9)
        axes[0, 0].set_yticks(range(len(policies)), list(policies))
        axes[0, 0].set_ylim(len(policies) - 0.4, -0.6)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        canvas.legend(
            handles, labels, loc="lower center", ncols=3, bbox_to_anchor=(0.5, 0.0), fontsize=9
        )
        canvas.text(0.01, 1 - 0.2 / height, title, fontsize=11, fontweight="bold", va="top")
    return Figure(canvas, title, _told_bars(results, policies))


def _canvas(height: float) -> Canvas:
    from matplotlib.figure import Figure as Canvas

    return Canvas(figsize=(_WIDE, height))


def _margins(height: float) -> dict[str, float]:
    return {
        "left": _LEFT / _WIDE,
        "right": 0.975,
        "top": 1 - _HEAD / height,
        "bottom": _FOOT / height,
    }


def _bars(axes: Axes, result: SimulationResult, policies: Sequence[str]) -> None:
    places = range(len(policies))
    means = [result.mean("reward", label) for label in policies]
    exploited = [result.mean("exploited", label) for label in policies]
    rest = [mean - part for mean, part in zip(means, exploited, strict=True)]
    axes.barh(places, exploited, 0.72, color=RED, label="from pure exploitation")
    axes.barh(
        places, rest, 0.72, exploited, facecolor=LIGHT, edgecolor=MUTED, linewidth=0.4,
        label="while exploring, and the first pull of each arm",
    )  # fmt: skip
    widths = [_half(result.mean("reward", p), result.error("reward", p)) for p in policies]
    axes.errorbar(
        means, places, xerr=widths, fmt="none", ecolor=INK, elinewidth=1.2, capsize=1.8,
        label="95% interval of the mean",
    )  # fmt: skip
    axes.set_xlim(0, result.settings["max_reward"])
    axes.locator_params(axis="x", nbins=4)
    axes.xaxis.set_major_formatter(lambda value, _: _thousands(value))
    axes.tick_params(axis="x", labelsize=7.5, pad=1.5)
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.grid(visible=False, axis="y")


def _thousands(value: float) -> str:
    """Short enough to stand under a narrow panel.

    >>> _thousands(2500.0), _thousands(120000.0), _thousands(400.0)
    ('2.5k', '120k', '400')
    """
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def _half(mean: float, error: float) -> float:
    return with_interval(mean, error).high - mean if math.isfinite(error) else 0.0


def _told_bars(results: Mapping[tuple[str, str], SimulationResult], policies: Sequence[str]) -> str:
    told = []
    for (row, column), result in results.items():
        best = max(policies, key=lambda label: result.mean("reward", label))
        share = result.mean("reward", best) / result.settings["max_reward"]
        told.append(f"{row}, {column}: {best} earned most, {percent(share)} of the sum of G")
    return "; ".join(told) + "."


def increase(
    results: Mapping[str, SimulationResult],
    base: str,
    policies: Sequence[str],
    title: str,
    beside: Sequence[str] = (),
) -> Figure:
    """The increase in mean reward over `base`, a place for each setting, with 95% intervals.

    Args:
        results: By what stands under each place ("25a, 500t").
        base: The baseline's label.
        policies: Who is compared with it.
        title: Above the figure.
        beside: More to compare, drawn hollow: what the original figure does not show.

    >>> import highseason as hs
    >>> arms, G = hs.rewards.bernoulli(arms=3), hs.multipliers.wave(20)
    >>> result = hs.simulate([hs.UCB(), hs.Greedy()], arms, G, games=4)
    >>> increase({"3a": result}, "ucb", ["greedy"], "Increase over ucb")
    <Figure: Increase over ucb>
    """
    height = 3.9
    everybody = [*policies, *beside]
    with style():
        canvas = _canvas(height)
        canvas.set_size_inches(7.2, height)
        axes = canvas.subplots(
            gridspec_kw={"left": 0.095, "right": 0.985, "top": 0.9, "bottom": 0.285}
        )
        for i in range(0, len(results), 2):
            axes.axvspan(i - 0.5, i + 0.5, color="#f1f4f7", linewidth=0, zorder=0)
        for i, label in enumerate(everybody):
            shift = (i - (len(everybody) - 1) / 2) * 0.8 / len(everybody)
            gains = [result.gain(label, base) for result in results.values()]
            how = look(i)
            hollow = label in beside
            axes.errorbar(
                [place + shift for place in range(len(results))],
                [100 * gain.value for gain in gains],
                yerr=[100 * _half(gain.value, gain.error) for gain in gains],
                fmt=how.marker, color=MUTED if hollow else how.color, markersize=4.6,
                markerfacecolor="white" if hollow else how.color, elinewidth=1.0, capsize=0,
                label=label,
            )  # fmt: skip
        axes.axhline(0, color=INK, linewidth=0.9)
        axes.set_xticks(range(len(results)), list(results), fontsize=8)
        axes.set_xlim(-0.5, len(results) - 0.5)
        axes.tick_params(axis="x", length=0)
        axes.grid(visible=False, axis="x")
        axes.set_ylabel(f"increase over {base}, %", fontsize=9)
        axes.set_title(title, fontsize=10)
        canvas.legend(loc="lower center", ncols=4, bbox_to_anchor=(0.5, 0.0), fontsize=8.5)
    return Figure(canvas, title, _told_increase(results, base, everybody))


def _told_increase(
    results: Mapping[str, SimulationResult], base: str, policies: Sequence[str]
) -> str:
    told = []
    for label in policies:
        gains = [result.gain(label, base).value for result in results.values()]
        told.append(f"{label} {signed_percent(min(gains))} to {signed_percent(max(gains))}")
    return f"Increase over {base} in {format_number(len(results))} settings: {'; '.join(told)}."
