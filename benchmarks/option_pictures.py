"""Draw the picture of docs/guides/option-index.md into docs/images/, and print its numbers.

.venv/bin/python benchmarks/option_pictures.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import highseason as hs
from highseason.policies import Horizon, Observation
from highseason.report import palette
from highseason.report.drawing import drawing, legend_below
from highseason.report.multiplier_plots import edges, shade_turns, stairs

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.reference.option_index import indices

MEANS, TURNS, SEED = [0.3, 0.4, 0.5, 0.6, 0.45, 0.35], 200, 4


def indices_of_a_game(
    G: hs.traffic.Multiplier,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The index of every arm in every turn of one game, and the arms that were played."""
    policy = hs.OptionIndex()
    game = hs.play(policy, hs.rewards.bernoulli(means=MEANS), G, seed=SEED)
    state, horizon = policy.rule.fresh_state(len(MEANS)), Horizon.of(G)
    rows = []
    for t, (arm, paid) in enumerate(zip(game.arms, game.paid, strict=True), start=1):
        turn = horizon.turn(t, game.plan[t - 1], 1, False)
        rows.append(indices(state, turn))
        policy.rule.observe(state, turn, Observation(int(arm), float(paid), 1.0))
    return np.array(rows), game.arms


def picture() -> hs.report.Figure:
    """G, the price of exploring with and without waiting, and the indices of one game."""
    G = hs.traffic.wave(turns=TURNS)
    wait, now = (hs.OptionIndex(wait=wait).plan(G, len(MEANS)).levels for wait in (True, False))
    waits, found = wait < 0.999 * now, indices_of_a_game(G)
    Console().print(
        f"waits in {waits.sum()} of {TURNS} turns; horizon at turn 6: {now[5]:.0f}, "
        f"with waiting {wait[5]:.0f}; at turn 19: {now[18]:.0f}, with waiting {wait[18]:.0f}"
    )
    title = "The option index over a season"
    with drawing(title, [1.0, 1.6, 2.0], sharex=True) as (canvas, rows):
        draw_prices(rows, G, wait, now, waits)
        draw_indices(rows[2], *found)
        rows[2].set_xlabel("turn")
        legend_below(canvas, rows, columns=3)
    return hs.report.Figure(
        canvas, title, "G, the price of exploring, and the indices of six arms over 200 turns."
    )


def draw_prices(rows: list[Any], G: hs.traffic.Multiplier, wait: Any, now: Any, waits: Any) -> None:
    """G, and one over the horizons; turns that wait are shaded."""
    stairs(rows[0], G.values, edges(G), baseline=None, color=palette.INK)
    rows[0].set_ylabel("G")
    for axes in rows[:2]:
        shade_turns(axes, waits, edges(G), "waits: 1/H above G/W")
    for i, (label, levels) in enumerate({"G/W": now, "1/H": wait}.items()):
        look = palette.look(2 * i)
        price = 1.0 / np.maximum(levels[:-1], 1e-3)
        rows[1].plot(np.arange(1, TURNS), price, color=look.color, linestyle=look.line, label=label)
    rows[1].set_yscale("log")
    rows[1].set_ylim(top=1.0)
    rows[1].set_ylabel("price of exploring")


def draw_indices(axes: Any, values: NDArray[np.float64], played: NDArray[np.int64]) -> None:
    """A line per arm, and a dot where it is played."""
    turns = np.arange(1, TURNS + 1)
    for arm, mean in enumerate(MEANS):
        look, chosen = palette.look(arm), played == arm
        axes.plot(turns, values[:, arm], color=look.color, linewidth=0.8, label=f"arm, mean {mean}")
        axes.plot(turns[chosen], values[chosen, arm], ".", color=look.color, markersize=4)
    axes.set_ylabel("index")


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/images")
    picture().save(folder / "option-index.png")
