"""The paper's figure of exploration probabilities: ε-greedy, soft ε-greedy, and its ceiling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from highseason.bounds import ExplorationFigure
from highseason.core.formatting import format_number
from highseason.report.drawing import ACCENT, DARK, INK, LIGHT, panels, style
from highseason.report.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 3.6


def exploration(data: ExplorationFigure, title: str | None = None) -> Figure:
    """How likely each turn explores, under ε-greedy and under soft ε-greedy.

    Up to n' ε-greedy explores in every turn.  From w on both explore alike; in between soft ε keeps
    below psi, and so explores less where G is high.

    Args:
        data: What `bounds.exploration_figure` gave.
        title: Above the figure.

    >>> import highseason as hs
    >>> exploration(hs.bounds.exploration_figure())
    <Figure: How likely is a turn to explore?>
    """
    title = title or "How likely is a turn to explore?"
    with style():
        canvas, (axes,) = panels([_HEIGHT])
        axes.plot(data.turns, data.psi, color=LIGHT, linewidth=0.9, label="psi(t), the ceiling")
        axes.plot(data.turns, data.soft, color=DARK, linewidth=1.3, label="soft ε-greedy")
        axes.plot(data.turns, data.old, color=INK, linestyle="--", linewidth=1.8, label="ε-greedy")
        axes.set_xscale("log")
        axes.set_ylim(0, 1.14)
        axes.set_xlim(float(data.turns[0]), float(data.turns[-1]))
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        axes.xaxis.set_major_formatter(lambda value, _: format_number(value))
        _mark(axes, data.n_prime, f"n' = {format_number(data.n_prime)}")
        _mark(axes, data.w, f"w = {format_number(data.w)}")
        axes.set_xlabel("turn")
        axes.set_ylabel("chance to explore")
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        canvas.legend(loc="outside lower center", ncols=3)
    return Figure(canvas, title, _words(data))


def _mark(axes: Axes, turn: int, text: str) -> None:
    """A line where a phase ends; one that lies beyond the axis is left out."""
    low, high = axes.get_xlim()
    if not low <= turn <= high:
        return
    axes.axvline(turn, color=ACCENT, linestyle=":", linewidth=1.6)
    axes.annotate(
        text, (turn, 1.07), (-4, 0), textcoords="offset points", ha="right", va="center",
        fontsize=9, color=ACCENT,
    )  # fmt: skip


def _words(data: ExplorationFigure) -> str:
    return (
        f"ε-greedy explores in every turn up to n' = {format_number(data.n_prime)}, then ever less; soft "
        f"ε-greedy stays below psi, which falls to {format_number(data.gamma)} on busy turns; from "
        f"w = {format_number(data.w)} on both explore alike."
    )
