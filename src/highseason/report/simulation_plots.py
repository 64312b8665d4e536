"""Simulations: mean rewards, running totals, sensitivity to parameters, and single arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from highseason.core.formatting import format_number, percent, signed_percent
from highseason.core.validation import one_of
from highseason.multipliers import Multiplier
from highseason.report import palette
from highseason.report.drawing import (
    LEGEND_ROW,
    drawing,
    legend_below,
    name_rows,
    number_axis,
    wrapped,
)
from highseason.report.figure import Figure
from highseason.report.multiplier_plots import Numbers, draw_multiplier, show_time
from highseason.results import Curves, SimulationResult, with_interval
from highseason.tuning import Curve, Tuned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Inches: a row and the frame of `rewards`, then of `reward_grid`, whose gaps are in rows.
_ROW, _FRAME = 0.34, 1.35
_GRID_ROW, _GRID_GAP = 0.155, 2.0
_GRID_WIDTH, _GRID_HEAD, _GRID_FOOT = 10.0, 0.62, 0.42


def rewards(
    result: SimulationResult, policies: Sequence[str] | None = None, title: str | None = None
) -> Figure:
    """Mean reward of a game under each policy, with its 95% interval.

    The percentage is its share of what the best arm would have earned.

    The dark part of a bar was earned by pure exploitation, the hatched part while exploring or
    trying every arm once.  The dotted line is what the best arm would have earned.

    Args:
        result: What `simulate` returned.
        policies: The labels to show, in that order; all by default.
        title: Above the figure.

    >>> import highseason as hs
    >>> G = hs.multipliers.christmas(turns=100)
    >>> result = hs.simulate([hs.UCB(), hs.UCBZ()], hs.rewards.bernoulli(arms=5), G, games=10)
    >>> rewards(result)
    <Figure: Mean reward per game>
    """
    labels = list(result.policies if policies is None else policies)
    chosen = [result.index(label) for label in labels]
    title = title or "Mean reward per game"
    with drawing(title, [_FRAME + _ROW * len(labels)]) as (canvas, [axes]):
        draw_reward_bars(axes, range(len(chosen)), [(result, i) for i in chosen])
        axes.axvline(
            result.best_reward, color=palette.ACCENT, linestyle=":", linewidth=1.6,
            label="always the best arm",
        )  # fmt: skip
        _write_shares(axes, result, chosen)
        name_rows(axes, labels)
        axes.margins(x=0.03)
        number_axis(axes.xaxis)
        axes.locator_params(axis="x", nbins=6)
        axes.set_xlabel(result.caption, fontsize=8)
        legend_below(canvas, [axes], columns=2)
    parts = [
        f"{result.policies[i]} {format_number(result.mean('reward', i))}, of which "
        f"{percent(result.exploited_share(i))} exploiting"
        for i in chosen
    ]
    return Figure(canvas, title, f"Mean reward by policy: {'; '.join(parts)}.")


def reward_grid(
    results: Mapping[tuple[str, str], SimulationResult], policies: Sequence[str], title: str
) -> Figure:
    """Mean rewards, a panel per setting; rows and columns in the order of the keys.

    A column has one axis, which ends at the maximum: every turn pays 1.

    >>> import highseason as hs
    >>> arms, G = hs.rewards.bernoulli(arms=3), hs.multipliers.wave(20)
    >>> result = hs.simulate([hs.UCB(), hs.Greedy()], arms, G, games=4)
    >>> reward_grid({("3 arms", "20 turns"): result}, ["ucb", "greedy"], "Rewards")
    <Figure: Rewards>
    """
    rows, columns = (list(dict.fromkeys(key)) for key in zip(*results, strict=True))
    tops = {row: i * (len(policies) + _GRID_GAP) for i, row in enumerate(rows)}
    last = tops[rows[-1]] + len(policies) - 0.5
    height = _GRID_HEAD + _GRID_ROW * (last + 0.5) + _GRID_FOOT + LEGEND_ROW
    margins = {"left": 0.175, "right": 0.975, "top": 1 - _GRID_HEAD / height, "wspace": 0.08}
    with drawing(title, [height], len(columns), _GRID_WIDTH, margins) as (canvas, panels):
        for axes, column in zip(panels, columns, strict=True):
            there = {tops[row]: result for (row, name), result in results.items() if name == column}
            _draw_grid_column(axes, there, policies)
            axes.set_ylim(last, -0.5)
        for row, column in results:
            _write(panels[columns.index(column)], 0.015, tops[row] - 0.75, f"{row}, {column}",
                   fontsize=9, fontweight="bold")  # fmt: skip
        for place, label in ((top + i, p) for top in tops.values() for i, p in enumerate(policies)):
            _write(panels[0], -0.015, place, wrapped(label), fontsize=8, ha="right", va="center")
        legend_below(canvas, panels[:1], columns=3, foot=_GRID_FOOT)
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


def draw_reward_bars(
    axes: Axes, places: Sequence[float], shown: Sequence[tuple[SimulationResult, int]],
    thin: bool = False,
) -> None:  # fmt: skip
    """Draw a bar for each result and position in it, split into exploited and explored reward."""
    means, exploited = (
        np.array([result.mean(metric, i) for result, i in shown])
        for metric in ("reward", "exploited")
    )
    errors = np.array([result.error("reward", i) for result, i in shown])
    # A single game leaves the error unknown.
    ends = [with_interval(*pair).high for pair in zip(means, np.nan_to_num(errors), strict=True)]
    exploiting = {**palette.EXPLOITING, "linewidth": 0, "label": "earned exploiting"}
    _draw_bars(axes, places, np.zeros_like(means), exploited, exploiting)
    exploring = {**palette.EXPLORING, "linewidth": 0.4 if thin else 0.6}
    _draw_bars(axes, places, exploited, means, {**exploring, "label": "earned exploring"})
    axes.errorbar(
        means, places, xerr=ends - means, fmt="none", ecolor=palette.INK,
        elinewidth=1.2 if thin else 1.4, capsize=1.8 if thin else 3,
        label="95% interval of the mean",
    )  # fmt: skip


def _draw_bars(
    axes: Axes, places: Sequence[float], left: Numbers, right: Numbers, paint: dict[str, Any]
) -> None:
    """Draw bars of one kind as one shape, which is much faster than one by one."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    low, high = np.array(places) - 0.35, np.array(places) + 0.35
    corners = np.array([(left, low), (right, low), (right, high), (left, high)]).transpose(2, 0, 1)
    path = Path.make_compound_path_from_polys(corners)
    axes.add_artist(PathPatch(path, **paint)).sticky_edges.x.append(0)
    axes.update_datalim(corners.reshape(-1, 2))


def _write_shares(axes: Axes, result: SimulationResult, chosen: list[int]) -> None:
    """In a column of their own, where no bar and no line crosses them."""
    for place, i in enumerate(chosen):
        axes.annotate(
            percent(result.best_share(i), 1), (1.0, place), (8, 0),
            xycoords=axes.get_yaxis_transform(), textcoords="offset points", va="center",
            fontsize=9,
        )  # fmt: skip
    axes.annotate(
        "of best", (1.0, 1.0), (8, 4), xycoords="axes fraction", textcoords="offset points",
        fontsize=8,
    )  # fmt: skip


def _thousands(value: float) -> str:
    """Short enough for a narrow panel.

    >>> _thousands(2500.0), _thousands(120000.0), _thousands(400.0)
    ('2.5k', '120k', '400')
    """
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


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


def deck_game(cards: Sequence[int], ones: Sequence[int], G: Multiplier, title: str) -> Figure:
    """The click rate of every arm with its 95% interval, and G in the days of the game.

    >>> import highseason as hs
    >>> deck_game([2551, 2629], [39, 68], hs.multipliers.wave(turns=28), "A test")
    <Figure: A test>
    """
    rates = np.array(ones) / np.array(cards)
    errors = 100 * 1.96 * np.sqrt(rates * (1 - rates) / np.array(cards))
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


_ALONE, _STACKED = 3.8, 2.5
#: More lines than this leave no room for a legend inside.
_LINES_WITH_LEGEND_INSIDE = 6


def curves(
    result: SimulationResult,
    metric: str = "regret",
    policies: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    band: tuple[float, float] = (0.1, 0.9),
    title: str | None = None,
) -> Figure:
    """How reward or regret grows over the turns of a game: mean and quantile band.

    Args:
        result: What `simulate(…, curves=True)` returned.
        metric: "regret" or "reward".
        policies: The labels to show, all by default; or several panels, by title, each with its
            labels and a scale of its own.
        band: The quantiles between which the shaded band lies.
        title: Above the figure.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=60)
    >>> arms = hs.rewards.bernoulli(arms=5)
    >>> curves(hs.simulate([hs.UCB(), hs.Greedy()], arms, G, games=20, curves=True))
    <Figure: Cumulative regret>
    """
    if not result.curves:
        raise ValueError("the result has no curves: simulate with curves=True (or --curves)")
    totals = result.curves[one_of("metric", metric, result.curves)]
    groups = policies if isinstance(policies, Mapping) else {"": policies or result.policies}
    title = title or f"Cumulative {metric}"
    height = _ALONE if len(groups) == 1 else _STACKED
    with drawing(title, [height] * len(groups), sharex=True) as (canvas, rows):
        for axes, (name, labels) in zip(rows, groups.items(), strict=True):
            _draw_totals(axes, totals, {label: result.index(label) for label in labels}, band)
            axes.set(title=name, ylabel=metric)
            inside = len(labels) <= _LINES_WITH_LEGEND_INSIDE
            place: dict[str, Any] = {} if inside else {"bbox_to_anchor": (0, -0.2), "ncols": 3}
            axes.legend(loc="upper left", **place)
        rows[-1].set_xlabel(f"turn   (band: {percent(band[0])} to {percent(band[1])} of games)")
        canvas.supxlabel(result.caption, fontsize=8)
    shown = dict.fromkeys(label for labels in groups.values() for label in labels)
    parts = [f"{label} {format_number(totals.mean[result.index(label), -1])}" for label in shown]
    return Figure(canvas, title, f"Mean {metric} after the last turn: {', '.join(parts)}.")


def _draw_totals(
    axes: Axes, totals: Curves, lines: dict[str, int], band: tuple[float, float]
) -> None:
    (low, high), mean = (totals.quantile(q) for q in band), totals.mean
    spacing = max(1, totals.turns.size // 8)
    for place, (label, i) in enumerate(lines.items()):
        how = palette.look(place)
        axes.fill_between(totals.turns, low[i], high[i], color=how.color, alpha=0.13, linewidth=0)
        axes.plot(
            totals.turns, mean[i], how.line, color=how.color, marker=how.marker, markersize=5,
            # Staggered, so that markers of lines that run together do not hide each other.
            markevery=(place * spacing // max(1, len(lines)), spacing), linewidth=1.7, label=label,
        )  # fmt: skip
    axes.set_ylim(bottom=min(0.0, float(np.min(mean))))
    axes.margins(x=0.02)
    number_axis(axes.yaxis)


def sensitivity(tuned: Tuned, title: str | None = None) -> Figure:
    """The change in mean reward as one parameter changes and the others stay as tuned.

    Args:
        tuned: What `hs.tune` returned.
        title: Above the figure.

    >>> import highseason as hs
    >>> G, arms = hs.multipliers.wave(turns=100), hs.rewards.bernoulli(arms=5)
    >>> sensitivity(hs.tune(hs.UCBZ, arms, G, trials=4, games=20, search="spread"))
    <Figure: Sensitivity of ucb-z to its parameters>
    """
    title = title or f"Sensitivity of {tuned.policy.name} to its parameters"
    with drawing(title, [2.3] * len(tuned.curves)) as (canvas, rows):
        for axes, curve in zip(rows, tuned.curves, strict=True):
            _draw_sensitivity(axes, curve, tuned)
        rows[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.1)
        canvas.supxlabel(tuned.reported.caption, fontsize=8)
    parts = []
    for curve in tuned.curves:
        worst = int(np.argmin([change.value for change in curve.changes]))
        parts.append(
            f"{curve.axis.name} from {curve.values[0]:g} to {curve.values[-1]:g}: the reward "
            f"changes by {signed_percent(curve.changes[worst].value)} at worst, at "
            f"{curve.values[worst]:g}."
        )
    return Figure(canvas, title, " ".join(parts))


def _draw_sensitivity(axes: Axes, curve: Curve, tuned: Tuned) -> None:
    axis = curve.axis
    shown = [i for i, value in enumerate(curve.values) if axis.kind != "log" or value > 0]
    x = [curve.values[i] for i in shown]
    low, mid, high = (
        [100 * getattr(curve.changes[i], end) for i in shown] for end in ("low", "value", "high")
    )
    axes.fill_between(
        x, low, high, color=palette.DARK, alpha=0.18, linewidth=0, label="95% interval"
    )
    axes.plot(x, mid, "-o", color=palette.DARK, markersize=4, linewidth=1.6, label="reward")
    axes.axhline(0, color=palette.MUTED, linewidth=0.8)
    if axis.kind == "log":
        axes.set_xscale("log")
    chosen = getattr(tuned.policy, axis.name)
    if axis.kind != "log" or chosen > 0:
        axes.axvline(chosen, color=palette.ACCENT, linestyle="--", linewidth=1.4, label="tuned")
    axes.set(xlabel=axis.name, ylabel="reward vs. tuned, %")
