"""The picture of Lemma 6: how often UCB must pull every arm, as printed and as corrected."""

from typing import Any

import numpy as np

from highseason.bounds import pull_steps
from highseason.core.text import counted, format_number
from highseason.report import Figure, palette
from highseason.report.drawing import drawing, number_axis


def minimum_pulls(
    pulls: Any, arms: int, r: float = 1.0, P: float = 2.0, title: str | None = None
) -> Figure:
    """The pulls of a neglected arm after each turn, and the minimum that the lemma guarantees.

    The lower panel shows by how many pulls each form stays below the worst case: above zero for
    the safe form, below zero where the printed one guarantees more than was pulled.

    Args:
        pulls: How often the arm was pulled up to each turn, in its worst case: it always pays the
            least and its rivals the most, and ties go to them.
        arms: The number of arms.
        r: The range of the rewards.
        P: The radius is sqrt(P log t / pulls).
        title: Above the figure.

    >>> import highseason as hs
    >>> rewards = hs.rewards.bernoulli(means=[1.0, 0.0])  # ties go to the first arm
    >>> game = hs.play(hs.UCB(), rewards, hs.traffic.constant(500), seed=1)
    >>> minimum_pulls((game.arms == 1).cumsum(), arms=2)
    <Figure: Minimum pulls of every arm under UCB>
    """
    played = np.asarray(pulls, dtype=np.int64)
    turns = np.arange(1, played.size + 1)
    title = title or "Minimum pulls of every arm under UCB"
    game = played.size, arms, r, P
    steps = pull_steps(*game, "safe"), pull_steps(*game, "paper")
    safe, paper = (1 + np.searchsorted(form, turns, side="right") for form in steps)
    after = slice(arms, None)
    with drawing(title, [3.0, 1.7], sharex=True) as (canvas, [axes, below]):
        axes.fill_between(
            turns[after], 0, played[after], step="post", color=palette.LIGHT, linewidth=0,
            label="pulls in the worst case",
        )  # fmt: skip
        for form, slack, color, alpha, line in (
            (safe, np.maximum(played - safe, 0), palette.INK, 0.75, ("-", 1.8, "corrected")),
            (paper, np.minimum(played - paper, 0), palette.ACCENT, 0.6, ("--", 1.3, "as printed")),
        ):
            stroke, width, name = line
            axes.step(
                turns[after], form[after], where="post", color=color, linestyle=stroke,
                linewidth=width, label=f"guaranteed, {name}",
            )  # fmt: skip
            below.fill_between(
                turns[after], 0, slack[after], step="post", color=color, alpha=alpha, linewidth=0.5
            )
        axes.set(ylabel="pulls", ylim=(0, None))
        axes.legend(loc="upper left")
        below.axhline(0, color=palette.INK, linewidth=0.8)
        below.set_ylabel("pulls")
        below.locator_params(axis="y", integer=True, nbins=5)
        below.set_title(
            "above 0: slack of the corrected form; below: the printed form overstates",
            fontsize=8, fontweight="normal",
        )  # fmt: skip
        below.set(xscale="log", xlim=(arms, turns[-1]))
        number_axis(below.xaxis)
        below.set_xlabel(f"turn   ({counted(arms, 'arm')}, rewards in [0, {format_number(r)}])")
    overstated = [counted(int((form > played)[after].sum()), "turn") for form in (paper, safe)]
    alt = (
        f"After {counted(played.size, 'turn')} the neglected arm has been pulled "
        f"{played[-1]:,} times; the corrected lemma guarantees {safe[-1]:,} and the "
        f"printed one {paper[-1]:,}.  The printed lemma overstates the pulls after "
        f"{overstated[0]}, the corrected one after {overstated[1]}."
    )
    return Figure(canvas, title, alt)
