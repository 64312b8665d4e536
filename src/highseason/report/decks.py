"""A test as it is played: what each deck holds, and the days on which it is dealt."""

from __future__ import annotations

import math
from collections.abc import Sequence

from highseason.core.formatting import format_number, percent
from highseason.multipliers import Multiplier
from highseason.report.drawing import ACCENT, DARK, LIGHT, panels, style
from highseason.report.figure import Figure
from highseason.report.seasons import draw_stakes, show_time


def deck_game(cards: Sequence[int], ones: Sequence[int], G: Multiplier, title: str) -> Figure:
    """The click rate of every arm with its 95% interval, and G in the days of the game.

    >>> import highseason as hs
    >>> deck_game([2551, 2629], [39, 68], hs.multipliers.wave(turns=28), "A test")
    <Figure: A test>
    """
    rates = [one / card for one, card in zip(ones, cards, strict=True)]
    errors = [
        100 * 1.96 * math.sqrt(rate * (1 - rate) / card)
        for rate, card in zip(rates, cards, strict=True)
    ]
    best = rates.index(max(rates))
    names = [
        f"arm {i + 1}\n{one:,} of {card:,}"
        for i, (one, card) in enumerate(zip(ones, cards, strict=True))
    ]
    with style():
        canvas, (top, below) = panels([2.4, 1.9])
        canvas.suptitle(title, fontsize=11, fontweight="bold", x=0.01, ha="left")
        top.bar(
            names, [100 * rate for rate in rates], yerr=errors, width=0.6, capsize=3,
            color=[DARK if i == best else LIGHT for i in range(len(rates))], ecolor=ACCENT,
        )  # fmt: skip
        top.set_ylabel("clicks, %")
        top.set_title("The decks: clicks among impressions; the best is dark")
        top.tick_params(axis="x", labelsize=7 if len(names) > 5 else 8, length=0)
        top.grid(visible=False, axis="x")
        draw_stakes(below, G, None)
        show_time(below, G)
        below.set_title("G: cards dealt each day are in proportion to it")
    told = ", ".join(f"arm {i + 1} {percent(rate, 2)}" for i, rate in enumerate(rates))
    most = format_number(float(G.values.max() / G.values.mean()))
    words = f"Click rates: {told}. Over {G.turns} days G peaks at {most} times its mean."
    return Figure(canvas, title, words)
