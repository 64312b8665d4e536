"""How often UCB cannot help pulling an arm: the lemma, beside a run that does its worst."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bounds import pull_steps
from highseason.core.formatting import counted, format_number
from highseason.report.drawing import ACCENT, INK, LIGHT, panels, style
from highseason.report.figure import Figure

_TOP, _BOTTOM = 3.0, 1.7


def minimum_pulls(
    pulls: Any, arms: int, r: float = 1.0, P: float = 2.0, title: str | None = None
) -> Figure:
    """The pulls of the neglected arm after each turn, and what the lemma promises it.

    The lower panel shows by how many pulls each form stays below the worst case: above
    zero for the safe form, below zero where the printed one promises more than was done.

    Args:
        pulls: How often the arm was pulled up to each turn, in a run against it: it always pays the
            least and its rivals the most, and ties go to them.
        arms: How many arms.
        r: The range of the rewards.
        P: The radius is sqrt(P log t / pulls).
        title: Above the figure.

    >>> import highseason as hs
    >>> rewards = hs.rewards.bernoulli(means=[1.0, 0.0])  # ties go to the first arm
    >>> game = hs.play(hs.UCB(), rewards, hs.multipliers.constant(500), seed=1)
    >>> minimum_pulls((game.arms == 1).cumsum(), arms=2)
    <Figure: How often UCB must pull every arm>
    """
    played = np.asarray(pulls, dtype=np.int64)
    turns = np.arange(1, played.size + 1)
    title = title or "How often UCB must pull every arm"
    promised = {form: _promised(turns, arms, r, P, form) for form in ("safe", "paper")}
    after = slice(arms, None)
    with style():
        canvas, (axes, below) = panels([_TOP, _BOTTOM], share_x=True)
        axes.fill_between(
            turns[after], 0, played[after], step="post", color=LIGHT, linewidth=0,
            label="pulled, in the worst case",
        )  # fmt: skip
        axes.step(
            turns[after], promised["safe"][after], where="post", color=INK, linewidth=1.8,
            label="promised, as it holds",
        )  # fmt: skip
        axes.step(
            turns[after], promised["paper"][after], where="post", color=ACCENT, linewidth=1.3,
            linestyle="--", label="promised, as printed",
        )  # fmt: skip
        axes.set_ylabel("pulls")
        axes.set_ylim(bottom=0)
        axes.legend(loc="upper left")
        _draw_room(below, turns[after], played[after], {k: v[after] for k, v in promised.items()})
        below.set_xscale("log")
        below.set_xlim(arms, turns[-1])
        below.xaxis.set_major_formatter(lambda value, _: format_number(value))
        below.set_xlabel(f"turn   ({counted(arms, 'arm')}, rewards within {format_number(r)})")
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    broken = {form: int((steps > played)[after].sum()) for form, steps in promised.items()}
    return Figure(canvas, title, _words(played, promised, broken))


def _promised(
    turns: NDArray[np.int64], arms: int, r: float, P: float, form: Any
) -> NDArray[np.int64]:
    steps = pull_steps(int(turns[-1]), arms, r, P, form)
    return np.asarray(1 + np.searchsorted(steps, turns, side="right"), dtype=np.int64)


def _draw_room(
    axes: Any,
    turns: NDArray[np.int64],
    played: NDArray[np.int64],
    promised: dict[str, NDArray[np.int64]],
) -> None:
    room = {form: played - least for form, least in promised.items()}
    axes.fill_between(
        turns, 0, np.maximum(room["safe"], 0), step="post", color=INK, alpha=0.75, linewidth=0.5
    )
    axes.fill_between(
        turns, np.minimum(room["paper"], 0), 0, step="post", color=ACCENT, alpha=0.6, linewidth=0.5
    )
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_ylabel("pulls")
    axes.locator_params(axis="y", integer=True, nbins=5)
    axes.set_title(
        "above 0: room that the safe form leaves; below: too much promised in print",
        loc="left", fontsize=8, fontweight="normal",
    )  # fmt: skip


def _words(
    played: NDArray[np.int64], promised: dict[str, NDArray[np.int64]], broken: dict[str, int]
) -> str:
    return (
        f"After {counted(played.size, 'turn')} the neglected arm has been pulled "
        f"{format_number(float(played[-1]))} times; promised were {format_number(float(promised['safe'][-1]))} "
        f"as it holds and {format_number(float(promised['paper'][-1]))} as printed.  The printed lemma "
        f"promises too much after {counted(broken['paper'], 'turn')}, the safe one after "
        f"{counted(broken['safe'], 'turn')}."
    )
