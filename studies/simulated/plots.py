"""Figures of many settings at once: rewards, increases, shapes of G, and pools of arms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from highseason.core.text import format_number, percent, signed_percent
from highseason.engine import Estimate, SimulationResult
from highseason.report import Figure, palette
from highseason.report.drawing import LEGEND_ROW, drawing, legend_below, number_axis, wrapped
from highseason.report.interval_plots import draw_intervals
from highseason.report.multiplier_plots import describe, draw_multiplier
from highseason.report.simulation_plots import draw_reward_bars
from highseason.traffic import Multiplier
from studies.simulated.side_results import ExplorationFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 10.0
#: Inches of a row of `reward_grid`, its gaps in rows, and what is above and below.
_ROW, _ROWS_BETWEEN, _HEAD, _FOOT = 0.155, 2.0, 0.62, 0.42
#: How many panels of `increase` stand side by side: few, so that it can be read on a phone.
_ABREAST = 2
#: Between panels on one axis, where 1 is the distance of two places; lines end at no estimate.
_GAP, _NOTHING = 0.15, Estimate(*[math.nan] * 4)


def reward_grid(
    results: Mapping[tuple[str, str], SimulationResult], policies: Sequence[str], title: str
) -> Figure:
    """Mean rewards, a panel per setting; rows and columns in the order of the keys.

    A column has one axis, which ends at the maximum: every turn pays 1.

    >>> import highseason as hs
    >>> arms, G = hs.rewards.bernoulli(arms=3), hs.traffic.wave(20)
    >>> result = hs.simulate([hs.UCB(), hs.Greedy()], arms, G, games=4)
    >>> reward_grid({("3 arms", "20 turns"): result}, ["ucb", "greedy"], "Rewards")
    <Figure: Rewards>
    """
    rows, columns = (list(dict.fromkeys(key)) for key in zip(*results, strict=True))
    tops = {row: i * (len(policies) + _ROWS_BETWEEN) for i, row in enumerate(rows)}
    last = tops[rows[-1]] + len(policies) - 0.5
    height = _HEAD + _ROW * (last + 0.5) + _FOOT + LEGEND_ROW
    margins = {"left": 0.175, "right": 0.975, "top": 1 - _HEAD / height, "wspace": 0.08}
    with drawing(title, [height], len(columns), _WIDTH, margins) as (canvas, panels):
        for axes, column in zip(panels, columns, strict=True):
            there = {tops[row]: result for (row, name), result in results.items() if name == column}
            _draw_grid_column(axes, there, policies)
            axes.set_ylim(last, -0.5)
        for row, column in results:
            _write(panels[columns.index(column)], 0.015, tops[row] - 0.75, f"{row}, {column}",
                   fontsize=9, fontweight="bold")  # fmt: skip
        for place, label in ((top + i, p) for top in tops.values() for i, p in enumerate(policies)):
            _write(panels[0], -0.015, place, wrapped(label), fontsize=8, ha="right", va="center")
        legend_below(canvas, panels[:1], columns=3, foot=_FOOT)
    parts = []
    for (row, column), result in results.items():
        best = max(policies, key=lambda label: result.mean("reward", label))
        share = result.mean("reward", best) / result.settings["max_reward"]
        parts.append(f"{row}, {column}: {best} earned most, {percent(share)} of the sum of G")
    return Figure(canvas, title, "; ".join(parts) + ".")


def _draw_grid_column(
    axes: Axes, results: Mapping[float, SimulationResult], policies: Sequence[str]
) -> None:
    """The bars of several results, each from its place downwards, above one axis."""
    places = [top + i for top in results for i in range(len(policies))]
    shown = [(result, result.index(label)) for result in results.values() for label in policies]
    draw_reward_bars(axes, places, shown, thin=True)
    axes.set_xlim(0, max(result.settings["max_reward"] for result in results.values()))
    axes.locator_params(axis="x", nbins=4)
    axes.xaxis.set_major_formatter(lambda value, _: _thousands(value))
    axes.tick_params(axis="x", labelsize=7.5, pad=1.5)
    axes.yaxis.set_visible(False)  # text is written faster than ticks


def _write(axes: Axes, x: float, y: float, text: str, **how: Any) -> None:
    axes.text(x, y, text, transform=axes.get_yaxis_transform(), **how)


def _thousands(value: float) -> str:
    """Short enough for a narrow panel.

    >>> _thousands(2500.0), _thousands(120000.0), _thousands(400.0)
    ('2.5k', '120k', '400')
    """
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def increase(
    results: Mapping[tuple[str, str], SimulationResult],
    base: str,
    policies: Sequence[str],
    title: str,
    beside: Sequence[str] = (),
) -> Figure:
    """The increase in mean reward over `base`, a panel per number of arms, with 95% intervals.

    Args:
        results: By a panel's title ("25 arms") and a place along its axis ("500").
        base: The baseline's label.
        policies: The labels compared with it.
        title: Above the figure.
        beside: More labels to compare, in grey: not in the original figure.

    >>> import highseason as hs
    >>> arms, G = hs.rewards.bernoulli(arms=3), hs.traffic.wave(20)
    >>> result = hs.simulate([hs.UCB(), hs.Greedy()], arms, G, games=4)
    >>> increase({("3 arms", "20"): result}, "ucb", ["greedy"], "Increase over ucb")
    <Figure: Increase over ucb>
    """
    labels = (*policies, *beside)
    gains = {key: {n: one.gain(n, base) for n in labels} for key, one in results.items()}
    panels = list(dict.fromkeys(panel for panel, _ in results))
    rows = [panels[i : i + _ABREAST] for i in range(0, len(panels), _ABREAST)]
    height = 0.8 + 2.2 * len(rows) + LEGEND_ROW * len(labels) / 2
    margins = {"left": 0.125, "right": 0.99, "top": 1 - 0.8 / height, "hspace": 0.3}
    how: Any = {"width": 4.6, "margins": margins, "sharey": True}
    above = title.replace(": ", "\n", 1)
    with drawing(above, [height / len(rows)] * len(rows), **how) as (canvas, every):
        for axes, shown in zip(every, rows, strict=True):
            _draw_panels(axes, shown, {key: gains[key] for key in gains if key[0] in shown}, beside)
            axes.set_ylabel("increase, %", fontsize=9)
        every[-1].set_xlabel("turns", fontsize=9)
        legend_below(canvas, every[:1], columns=3, foot=0.5)
    parts = []
    for label in labels:
        values = [gain[label].value for gain in gains.values()]
        parts.append(f"{label} {signed_percent(min(values))} to {signed_percent(max(values))}")
    alt = f"Increase over {base} in {len(results)} settings: {'; '.join(parts)}."
    return Figure(canvas, title, alt)


def _draw_panels(
    axes: Axes, panels: Sequence[str], gains: Mapping[tuple[str, str], Mapping[str, Estimate]],
    beside: Sequence[str],
) -> None:  # fmt: skip
    """Panels side by side on one axis, which is drawn faster than an axis for each."""
    ordered = sorted(gains, key=lambda key: panels.index(key[0]))
    places = {key: i + _GAP * panels.index(key[0]) for i, key in enumerate(ordered)}
    starts = {panel: at - 0.5 for (panel, _), at in reversed(places.items())}
    gaps = [(start, _NOTHING) for start in starts.values()]
    for panel, start in starts.items():
        axes.axvspan(start - _GAP, start, color="white", linewidth=0, zorder=0.6)  # over the grid
        axes.axvline(start, color=palette.MUTED, linewidth=0.8)
        axes.annotate(
            panel, (start, 1.0), (0, 4), xycoords=axes.get_xaxis_transform(),
            textcoords="offset points", fontweight="bold", fontsize=9,
        )  # fmt: skip
    series = {
        label: sorted([*((at, gains[key][label]) for key, at in places.items()), *gaps],
                      key=itemgetter(0))
        for label in gains[ordered[0]]
    }  # fmt: skip
    draw_intervals(axes, series, upright=True, joined=True, faded=beside, spread=0.5)
    axes.set_xticks(list(places.values()), [place for _, place in places], fontsize=9)
    axes.set_xlim(-0.5, max(places.values()) + 0.5)
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")


def pools(estimates: Sequence[float], sizes: Mapping[str, int]) -> Figure:
    """Arms by their estimated mean, those in the pool dark; a panel per pool.

    Args:
        estimates: The estimated mean of each arm.
        sizes: How many of the best arms are in the pool, by title.

    >>> pools([0.9, 0.5, 0.2], {"G low": 3, "G high": 1})
    <Figure: The pool of arms>
    """
    title, count = "The pool of arms", len(estimates)
    ranked = sorted(range(count), key=lambda arm: (-estimates[arm], arm))
    with drawing(title, [2.9], columns=len(sizes), width=9.0) as (canvas, row):
        for axes, (name, size) in zip(row, sizes.items(), strict=True):
            for kind, arms, paint in (
                ("in the pool", ranked[:size], palette.EXPLOITING),
                ("left out", ranked[size:], {**palette.EXPLORING, "linewidth": 0.5}),
            ):
                heights = [estimates[arm] for arm in arms]
                axes.bar([arm + 1 for arm in arms], heights, 0.75, label=kind, **paint)
            axes.set(xlabel="arm", xlim=(0.3, count + 0.7), ylim=(0, 1))
            axes.set_title(f"{name}: {size} of {count} arms")
            axes.grid(visible=False, axis="x")
        row[0].set_ylabel("estimated mean")
        legend_below(canvas, row[::-1])
    parts = [f"{name}: the best {size} of {count}" for name, size in sizes.items()]
    return Figure(canvas, title, f"{'; '.join(parts)}.")


def shapes(multipliers: Sequence[Multiplier], z: float | None = None, title: str = "") -> Figure:
    """Several multipliers side by side; with a threshold, busy turns are shaded.

    >>> import highseason as hs
    >>> shapes([hs.traffic.wave(100), hs.traffic.step(100)])
    <Figure: Multipliers>
    """
    title = title or ("Multipliers" if z is None else f"Multipliers, with z = {format_number(z)}")
    with drawing(title, [2.6], columns=len(multipliers), width=9.0) as (canvas, row):
        for axes, G in zip(row, multipliers, strict=True):
            draw_multiplier(axes, G, z, shaded=True)
            axes.set(title=G.name, xlabel="turn")
        if z is not None:
            legend_below(canvas, row)
    return Figure(canvas, title, "; ".join(describe(G, z) for G in multipliers) + ".")


def exploration(data: ExplorationFigure, title: str | None = None) -> Figure:
    """The probability of exploring in each turn, under ε-greedy and soft ε-greedy.

    Up to n' ε-greedy explores in every turn.  From w on both explore alike; in between soft
    ε-greedy stays below psi, and so explores less where G is high.

    Args:
        data: What `side_results.exploration_figure` returned.
        title: Above the figure.

    >>> from studies.simulated.side_results import exploration_figure
    >>> exploration(exploration_figure())
    <Figure: Probability of exploring>
    """
    title = title or "Probability of exploring"
    with drawing(title, [3.6]) as (canvas, [axes]):
        axes.plot(
            data.turns, data.psi, color=palette.LIGHT, linewidth=0.9, label="psi(t), upper limit"
        )
        axes.plot(data.turns, data.soft, color=palette.DARK, linewidth=1.3, label="soft ε-greedy")
        axes.plot(
            data.turns, data.old, color=palette.INK, linestyle="--", linewidth=1.8, label="ε-greedy"
        )
        axes.set(
            xscale="log", xlabel="turn", xlim=(float(data.turns[0]), float(data.turns[-1])),
            ylabel="probability of exploring", ylim=(0, 1.14), yticks=[0, 0.25, 0.5, 0.75, 1],
        )  # fmt: skip
        number_axis(axes.xaxis)
        for name, turn in (("n'", data.n_prime), ("w", data.w)):  # where phases end
            if data.turns[0] <= turn <= data.turns[-1]:
                axes.axvline(turn, color=palette.ACCENT, linestyle=":", linewidth=1.6)
                axes.annotate(
                    f"{name} = {format_number(turn)}", (turn, 1.07), (-4, 0),
                    textcoords="offset points", ha="right", va="center", fontsize=9,
                    color=palette.ACCENT,
                )  # fmt: skip
        legend_below(canvas, [axes])
    alt = (
        f"ε-greedy explores in every turn up to n' = {format_number(data.n_prime)}, then less and "
        f"less; soft ε-greedy stays below psi, which falls to {format_number(data.gamma)} on busy "
        f"turns; from w = {format_number(data.w)} on both explore alike."
    )
    return Figure(canvas, title, alt)
