"""A bound over time: its parts, the worst case, and what play really cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from highseason.bounds import RegretBound
from highseason.core.formatting import format_number, percent
from highseason.report.drawing import ACCENT, DARK, INK, LIGHT, MUTED, one_legend, panels, style
from highseason.report.figure import Figure
from highseason.report.setting import setting
from highseason.results import SimulationResult, unique_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ALONE, _STACKED = 4.4, 3.6
#: How far below the worst case a line is still worth room on the axis.
_DEPTH = 1e-6
#: The strokes of the parts; all are grey, so that the total stands out.
_STROKES = ("--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 1)))
_MARKERS = ("o", "s", "^", "D", "v")
_BAND = (0.1, 0.9)
_POINTS = 400

Bounds = RegretBound | Sequence[RegretBound] | Mapping[str, RegretBound]


def bound(
    bounds: Bounds, result: SimulationResult | None = None, title: str | None = None
) -> Figure:
    """The bound for the game stopped at each turn, its parts, and the regret of simulated games.

    Both axes are logarithmic.  Of the games the mean is drawn with its 95% interval, and a lighter
    band in which four games of five stay.

    Args:
        bounds: One bound, several (a panel each), or several by label.
        result: What `simulate(…, curves=True)` gave for the same policies in the same order.
        title: Above the figure.

    >>> import highseason as hs
    >>> G = hs.multipliers.step(turns=2000)
    >>> policy, means = hs.EpsilonZGreedy(k=50, z=30), [0.9, 0.1]
    >>> told = hs.bounds.regret(policy, means=means, multiplier=G)
    >>> played = hs.simulate(policy, hs.rewards.bernoulli(means=means), G, games=20, curves=True)
    >>> bound(told, played)
    <Figure: What it can cost, and what it costs>
    """
    labelled = _labelled(bounds)
    _check(labelled, result)
    title = title or ("What it can cost, and what it costs" if result else "What it can cost")
    with style():
        heights = [_ALONE] if len(labelled) == 1 else [_STACKED] * len(labelled)
        canvas, rows = panels(heights)
        names = list(dict.fromkeys(name for told in labelled.values() for name in told.parts))
        for place, (axes, (label, told)) in enumerate(zip(rows, labelled.items(), strict=True)):
            _draw_bound(axes, told, names)
            if result is not None:
                _draw_games(axes, result, place)
            _dress(axes, told, label)
        small = "" if result is None else f"\n{setting(result)}"
        rows[-1].set_xlabel(f"turn at which the game stops{small}", fontsize=9)
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        one_legend(canvas, rows, columns=2)
    return Figure(canvas, title, _words(labelled, result))


def _labelled(bounds: Bounds) -> dict[str, RegretBound]:
    if isinstance(bounds, RegretBound):
        bounds = [bounds]
    if isinstance(bounds, Mapping):
        return dict(bounds)
    if not bounds:
        raise ValueError("there is no bound to draw")
    return dict(zip(unique_labels([told.policy for told in bounds]), bounds, strict=True))


def _check(bounds: dict[str, RegretBound], result: SimulationResult | None) -> None:
    if result is None:
        return
    if "regret" not in result.curves:
        raise ValueError("this result has no curves: simulate with curves=True")
    if len(result.policies) != len(bounds):
        raise ValueError(
            f"{len(bounds)} bounds and {len(result.policies)} policies: a result has to be of the "
            "same policies, in the same order"
        )
    for told in bounds.values():
        if (told.turns, told.arms) != (result.settings["turns"], result.settings["arms"]):
            raise ValueError("the bound and the result are of different games: draw them apart")


def _draw_bound(axes: Axes, told: RegretBound, names: list[str]) -> None:
    shown = _spread(told.turns)
    axes.plot(
        shown, told.worst[shown - 1], color=ACCENT, linewidth=1.2, linestyle=(0, (1, 2)),
        label="the worst arm in every turn",
    )  # fmt: skip
    axes.plot(
        shown, _above_zero(told.curve[shown - 1]), color=INK, linewidth=3.0, label="the bound"
    )
    for name, curve in told.curves.items():
        i = names.index(name)
        axes.plot(
            shown, _above_zero(curve[shown - 1]), color=MUTED, linewidth=1.2,
            linestyle=_STROKES[i % len(_STROKES)], marker=_MARKERS[i % len(_MARKERS)],
            markersize=4, markevery=(5 * i, shown.size // 6 or 1), label=f"part: {name}",
        )  # fmt: skip


def _draw_games(axes: Axes, result: SimulationResult, place: int) -> None:
    found = result.curves["regret"]
    mean, error = found.mean[place], found.error[place]
    low, high = (_above_zero(found.quantile(q)[place]) for q in _BAND)
    axes.fill_between(
        found.turns, low, high, color=LIGHT, alpha=0.55, linewidth=0, label="four games of five"
    )
    if math.isfinite(float(error[-1])):
        axes.fill_between(
            found.turns, _above_zero(mean - 1.96 * error), mean + 1.96 * error, color=DARK,
            alpha=0.4, linewidth=0, label="95% interval of the mean",
        )  # fmt: skip
    axes.plot(
        found.turns, _above_zero(mean), color=DARK, linewidth=1.4, marker="*", markersize=8,
        markevery=(9, found.turns.size // 5 or 1), label="played: mean regret",
    )  # fmt: skip


def _dress(axes: Axes, told: RegretBound, label: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    top = max(float(told.worst[-1]), _largest(told.curve), 1e-300)
    lows = [float(v) for line in axes.lines if (v := _least(line.get_ydata())) is not None]
    axes.set_ylim(max(min(lows, default=top), top * _DEPTH) / 1.5, top * 2)
    axes.set_title(label, loc="left")
    axes.set_ylabel("regret so far")
    axes.grid(visible=False, which="minor")
    axes.xaxis.set_major_formatter(lambda value, _: format_number(value))
    axes.yaxis.set_major_formatter(lambda value, _: _power(value))
    if not told.valid:
        axes.annotate(
            "not a bound here", (0.02, 0.9), xycoords="axes fraction", fontsize=9,
            color=ACCENT, fontweight="bold",
        )  # fmt: skip


def _spread(turns: int) -> NDArray[np.int64]:
    """Turns evenly apart on a logarithmic axis."""
    return np.unique(np.geomspace(1, turns, _POINTS).round().astype(np.int64))


def _above_zero(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a logarithm cannot show is left out."""
    return np.where(np.isfinite(values) & (values > 0), values, np.nan)


def _largest(values: NDArray[np.float64]) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else 0.0


def _least(values: object) -> float | None:
    array = np.asarray(values, dtype=np.float64)
    array = array[np.isfinite(array)]
    return float(array.min()) if array.size else None


def _power(value: float) -> str:
    """A tick of a logarithmic axis.

    >>> _power(1000.0), _power(1e7), _power(0.01)
    ('1,000', '10⁷', '0.01')
    """
    exponent = round(math.log10(value))
    if -3 <= exponent <= 5:
        return format_number(value)
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _words(bounds: dict[str, RegretBound], result: SimulationResult | None) -> str:
    told = []
    for i, (label, one) in enumerate(bounds.items()):
        share = percent(one.total / one.trivial, 1) if one.trivial else "–"
        text = f"{label}: the bound after {one.turns:,} turns is {format_number(one.total)}"
        text += f" ({share} of the worst case)" if math.isfinite(one.total) else ""
        if result is not None:
            text += f"; played, the mean regret is {format_number(result.mean('regret', i))}"
        told.append(f"{text}.")
    return " ".join(told)
