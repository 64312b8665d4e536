"""Bounds: the regret of simulated games against its bound, turn by turn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from highseason.bounds import RegretBound
from highseason.core.text import format_number, percent
from highseason.engine import SimulationResult
from highseason.engine.results import errors_wide
from highseason.report import palette
from highseason.report.drawing import by_label, drawing, legend_below, number_axis
from highseason.report.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ALONE, _STACKED = 4.4, 3.6
#: The axis ends at this share of the worst case.
_DEPTH = 1e-6
#: Strokes of the parts, which are all grey so that the total stands out.
_STROKES = ("--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 1)))
_MARKERS = ("o", "s", "^", "D", "v")
_BAND = (0.1, 0.9)
_POINTS = 400

Bounds = RegretBound | Sequence[RegretBound] | Mapping[str, RegretBound]


def bound(
    bounds: Bounds, result: SimulationResult | None = None, title: str | None = None
) -> Figure:
    """The bound for a game stopped at each turn, its parts, and the regret of simulated games.

    Both axes are logarithmic.  The games are drawn as their mean with its 95% interval, and a
    lighter band that holds four games in five.

    Args:
        bounds: One bound, several (a panel each), or several by label.
        result: What `simulate(…, curves=True)` returned for the same policies in the same order.
        title: Above the figure.

    >>> import highseason as hs
    >>> G = hs.traffic.step(turns=2000)
    >>> policy, means = hs.EpsilonZGreedy(k=50, z=30), [0.9, 0.1]
    >>> computed = hs.bounds.regret(policy, means=means, multiplier=G)
    >>> played = hs.simulate(policy, hs.rewards.bernoulli(means=means), G, games=20, curves=True)
    >>> bound(computed, played)
    <Figure: Regret: bound and simulation>
    """
    labelled = by_label(bounds, RegretBound, lambda one: one.policy)
    _check(labelled, result)
    title = title or ("Regret: bound and simulation" if result else "Regret: the bound")
    names = list(dict.fromkeys(name for one in labelled.values() for name in one.parts))
    height = _ALONE if len(labelled) == 1 else _STACKED
    with drawing(title, [height] * len(labelled)) as (canvas, rows):
        for i, (axes, (label, one)) in enumerate(zip(rows, labelled.items(), strict=True)):
            _draw_bound(axes, one, names)
            if result is not None:
                _draw_games(axes, result, i)
            _finish_axes(axes, one, label)
        caption = "" if result is None else f"\n{result.caption}"
        rows[-1].set_xlabel(f"turn at which the game stops{caption}", fontsize=8)
        legend_below(canvas, rows, columns=2)
    return Figure(canvas, title, _bound_alt(labelled, result))


def _check(bounds: dict[str, RegretBound], result: SimulationResult | None) -> None:
    if result is None:
        return
    if "regret" not in result.curves:
        raise ValueError("the result has no curves: simulate with curves=True")
    if len(result.policies) != len(bounds):
        raise ValueError(
            f"{len(bounds)} bounds but {len(result.policies)} simulated policies: both must be of "
            "the same policies, in the same order"
        )
    for one in bounds.values():
        if (one.turns, one.arms) != (result.settings["turns"], result.settings["arms"]):
            raise ValueError(
                "the bound and the result are of different games: draw each in its own figure"
            )


def _draw_bound(axes: Axes, bound: RegretBound, names: list[str]) -> None:
    shown = np.unique(np.geomspace(1, bound.turns, _POINTS).round().astype(np.int64))
    at = shown - 1
    axes.plot(
        shown, bound.worst[at], color=palette.ACCENT, linewidth=1.2, linestyle=(0, (1, 2)),
        label="always the worst arm",
    )  # fmt: skip
    total = _above_zero(bound.curve[at])
    axes.plot(shown, total, color=palette.INK, linewidth=3.0, label="the bound")
    for name, curve in bound.curves.items():
        i = names.index(name)
        axes.plot(
            shown, _above_zero(curve[at]), color=palette.MUTED, linewidth=1.2,
            linestyle=_STROKES[i % len(_STROKES)], marker=_MARKERS[i % len(_MARKERS)],
            markersize=4, markevery=(5 * i, shown.size // 6 or 1), label=f"part: {name}",
        )  # fmt: skip


def _draw_games(axes: Axes, result: SimulationResult, place: int) -> None:
    totals = result.curves["regret"]
    mean, error = totals.mean[place], totals.error[place]
    low, high = (_above_zero(totals.quantile(q)[place]) for q in _BAND)
    axes.fill_between(
        totals.turns, low, high, color=palette.LIGHT, alpha=0.55, linewidth=0,
        label="four games in five",
    )  # fmt: skip
    if math.isfinite(float(error[-1])):
        half = errors_wide() * error
        axes.fill_between(
            totals.turns, _above_zero(mean - half), mean + half, color=palette.DARK,
            alpha=0.4, linewidth=0, label="95% interval of the mean",
        )  # fmt: skip
    axes.plot(
        totals.turns, _above_zero(mean), color=palette.DARK, linewidth=1.4, marker="*",
        markersize=8, markevery=(9, totals.turns.size // 5 or 1), label="simulated: mean regret",
    )  # fmt: skip


def _finish_axes(axes: Axes, bound: RegretBound, label: str) -> None:
    axes.set(xscale="log", yscale="log", title=label, ylabel="cumulative regret")
    largest = np.max(bound.curve, where=np.isfinite(bound.curve), initial=1e-300)
    top = max(float(bound.worst[-1]), float(largest))
    drawn = np.concatenate([np.asarray(line.get_ydata(), np.float64) for line in axes.lines])
    low = float(np.min(drawn, where=np.isfinite(drawn), initial=top))
    axes.set_ylim(max(low, top * _DEPTH) / 1.5, top * 2)
    axes.grid(visible=False, which="minor")
    number_axis(axes.xaxis)
    axes.yaxis.set_major_formatter(lambda value, _: _power(value))
    if not bound.valid:
        axes.annotate(
            "not valid as a bound", (0.02, 0.9), xycoords="axes fraction", fontsize=9,
            color=palette.ACCENT, fontweight="bold",
        )  # fmt: skip


def _above_zero(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """NaN where a logarithmic axis has no place for a value."""
    return np.where(np.isfinite(values) & (values > 0), values, np.nan)


def _power(value: float) -> str:
    """A tick of a logarithmic axis.

    >>> _power(1000.0), _power(1e7), _power(0.01)
    ('1,000', '10⁷', '0.01')
    """
    exponent = round(math.log10(value))
    if -3 <= exponent <= 5:
        return format_number(value)
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _bound_alt(bounds: dict[str, RegretBound], result: SimulationResult | None) -> str:
    parts = []
    for i, (label, one) in enumerate(bounds.items()):
        share = percent(one.total / one.trivial, 1) if one.trivial else "–"
        text = f"{label}: the bound after {one.turns:,} turns is {format_number(one.total)}"
        text += f" ({share} of the worst case)" if math.isfinite(one.total) else ""
        if result is not None:
            text += f"; simulated, the mean regret is {format_number(result.mean('regret', i))}"
        parts.append(f"{text}.")
    return " ".join(parts)
