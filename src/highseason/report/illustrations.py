"""The pictures that explain: shapes of the stakes, chances of exploring, pools of arms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.formatting import format_number, percent
from highseason.multipliers import Multiplier
from highseason.policies import Plan
from highseason.report.drawing import ACCENT, DARK, INK, LIGHT, MUTED, style
from highseason.report.figure import Figure
from highseason.report.seasons import draw_stakes, shade_busy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_WIDE = 9.0


def shapes(multipliers: Sequence[Multiplier], z: float | None = None, title: str = "") -> Figure:
    """Several multipliers side by side; with a threshold, the high turns in colour.

    >>> import highseason as hs
    >>> shapes([hs.multipliers.wave(100), hs.multipliers.step(100)])
    <Figure: The stakes>
    """
    title = title or (
        "The stakes" if z is None else f"The stakes, with the threshold {format_number(z)}"
    )
    with style():
        canvas, row = _row(len(multipliers), 2.6)
        for axes, G in zip(row, multipliers, strict=True):
            if z is not None:
                shade_busy(axes, G, z, label=f"high: G ≥ {format_number(z)}")
            draw_stakes(axes, G, z)
            axes.set_title(G.name)
            axes.set_xlabel("turn")
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        if z is not None:
            handles, labels = row[0].get_legend_handles_labels()
            canvas.legend(handles, labels, loc="outside lower center")
    return Figure(canvas, title, "; ".join(_told(G, z) for G in multipliers) + ".")


def _told(G: Multiplier, z: float | None) -> str:
    text = f"{G.name}: G from {format_number(float(G.values.min()))} to {format_number(float(G.values.max()))}"
    return text if z is None else f"{text}, {percent(float((G.values >= z).mean()))} of turns high"


def exploration_chances(
    plain: Plan, soft: Plan, psi: NDArray[np.float64], marks: dict[str, int]
) -> Figure:
    """The chance of exploring in each turn, regulated and not, and the psi(t) that regulates it.

    Args:
        plain: The plan of ε-greedy.
        soft: The plan of soft ε-greedy with the same k.
        psi: psi(t) of every turn.
        marks: Turns to mark, by name.
    """
    title = "Chances of exploring"
    turns = np.arange(1, len(plain) + 1)
    with style():
        canvas, (axes,) = _row(1, 3.4)
        axes.plot(turns, psi, color=ACCENT, linewidth=0.7, alpha=0.75, label="psi(t)")
        axes.plot(turns, soft.levels, color=INK, linewidth=0.9, label="soft ε-greedy")
        axes.plot(
            turns, plain.levels, "--", color=DARK, linewidth=1.8, label="ε-greedy, min(1, km/t)"
        )
        for name, turn in marks.items():
            axes.axvline(turn, color=MUTED, linestyle=":", linewidth=1.2)
            axes.annotate(
                f"{name} = {turn}", (turn, 1.0), (4, 2), xycoords=("data", "axes fraction"),
                textcoords="offset points", fontsize=8.5,
            )  # fmt: skip
        axes.set_xlim(0, len(plain))
        axes.set_ylim(0, 1.03)
        axes.set_xlabel("turn")
        axes.set_ylabel("chance of exploring")
        canvas.legend(loc="outside lower center", ncols=3)
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    told = ", ".join(f"{name} = {turn}" for name, turn in marks.items())
    return Figure(canvas, title, f"ε-greedy against soft ε-greedy over {turns.size} turns; {told}.")


def pools(estimates: Sequence[float], sizes: dict[str, int]) -> Figure:
    """Arms by their estimated mean, those in the pool filled; a panel for each pool.

    Args:
        estimates: The estimated mean of each arm.
        sizes: How many of the best arms are drawn from, by title.

    >>> pools([0.9, 0.5, 0.2], {"G low": 3, "G high": 1})
    <Figure: The pool of arms>
    """
    title = "The pool of arms"
    ranked = sorted(range(len(estimates)), key=lambda arm: (-estimates[arm], arm))
    with style():
        canvas, row = _row(len(sizes), 2.9)
        for axes, (name, size) in zip(row, sizes.items(), strict=True):
            _draw_pool(axes, estimates, set(ranked[:size]))
            axes.set_title(f"{name}: {size} of {len(estimates)} arms")
        row[0].set_ylabel("estimated mean")
        handles, labels = row[0].get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside lower center", ncols=2)
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    told = "; ".join(f"{name}: the best {size} of {len(estimates)}" for name, size in sizes.items())
    return Figure(canvas, title, f"{told}.")


def _draw_pool(axes: Axes, estimates: Sequence[float], inside: set[int]) -> None:
    arms = range(len(estimates))
    kinds: tuple[tuple[str, list[int], dict[str, Any]], ...] = (
        ("in the pool", [a for a in arms if a in inside], {"color": DARK}),
        (
            "left out",
            [a for a in arms if a not in inside],
            {"facecolor": LIGHT, "edgecolor": MUTED, "linewidth": 0.5, "hatch": "////"},
        ),
    )
    for name, chosen, paint in kinds:
        axes.bar([a + 1 for a in chosen], [estimates[a] for a in chosen], 0.75, label=name, **paint)
    axes.set_xlabel("arm")
    axes.set_xlim(0.3, len(estimates) + 0.7)
    axes.set_ylim(0, 1)
    axes.grid(visible=False, axis="x")


def _row(count: int, height: float) -> tuple[Canvas, list[Axes]]:
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(_WIDE, height), layout="constrained")
    return canvas, list(canvas.subplots(1, count, squeeze=False)[0])
