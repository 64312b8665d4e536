"""How much each parameter matters: the reward along it, against the tuned policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from highseason.core.formatting import signed_percent
from highseason.report.drawing import ACCENT, DARK, INK, MUTED, panels, style
from highseason.report.figure import Figure
from highseason.report.setting import setting
from highseason.tuning import Curve, Tuned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 2.3


def sensitivity(tuned: Tuned, title: str | None = None) -> Figure:
    """The change in mean reward as one parameter moves and the others stay as tuned.

    Args:
        tuned: What `hs.tune` gave.
        title: Above the figure.

    >>> import highseason as hs
    >>> G, arms = hs.multipliers.wave(turns=100), hs.rewards.bernoulli(arms=5)
    >>> sensitivity(hs.tune(hs.UCBZ, arms, G, trials=4, games=20, search="spread"))
    <Figure: How much it matters: ucb-z>
    """
    title = title or f"How much it matters: {tuned.policy.name}"
    with style():
        canvas, rows = panels([_HEIGHT] * len(tuned.curves))
        for axes, curve in zip(rows, tuned.curves, strict=True):
            _draw(axes, curve, tuned)
        rows[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.1)
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        canvas.supxlabel(setting(tuned.reported), fontsize=8)
    return Figure(canvas, title, " ".join(_words(curve) for curve in tuned.curves))


def _draw(axes: Axes, curve: Curve, tuned: Tuned) -> None:
    axis = curve.axis
    shown = [i for i, value in enumerate(curve.values) if axis.kind != "log" or value > 0]
    x = [curve.values[i] for i in shown]
    low, mid, high = (
        [100 * getattr(curve.changes[i], end) for i in shown] for end in ("low", "value", "high")
    )
    axes.fill_between(x, low, high, color=DARK, alpha=0.18, linewidth=0, label="95% interval")
    axes.plot(x, mid, "-o", color=DARK, markersize=4, linewidth=1.6, label="reward")
    axes.axhline(0, color=MUTED, linewidth=0.8)
    if axis.kind == "log":
        axes.set_xscale("log")
    chosen = getattr(tuned.policy, axis.name)
    if axis.kind != "log" or chosen > 0:
        axes.axvline(chosen, color=ACCENT, linestyle="--", linewidth=1.4, label="tuned")
    axes.set_xlabel(axis.name)
    axes.set_ylabel("change, %", color=INK)


def _words(curve: Curve) -> str:
    worst = min(range(len(curve.values)), key=lambda i: curve.changes[i].value)
    return (
        f"{curve.axis.name} from {curve.values[0]:g} to {curve.values[-1]:g}: the reward changes "
        f"by {signed_percent(curve.changes[worst].value)} at worst, at {curve.values[worst]:g}."
    )
