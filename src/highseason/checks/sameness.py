"""Whether two ways to play a game played the same game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from highseason.checks.failure import CheckFailed, expect
from highseason.games import Game
from highseason.results import METRICS, SimulationResult


def same_course(compiled: SimulationResult, game: Game, where: str) -> None:
    """Turn by turn: equal running rewards and regrets leave no room for another arm."""
    gaps = game.means[game.best_arms] - game.means[game.arms]
    courses = {"reward": game.G * game.paid, "regret": game.G * gaps}
    for metric, steps in courses.items():
        found, wanted = compiled.curves[metric].mean[0], np.cumsum(steps)
        differ = np.flatnonzero(~_close(found, wanted))
        if differ.size:
            i = int(differ[0])
            raise CheckFailed(
                f"play and simulate must choose the same arms; with {where} they part at turn "
                f"{i + 1} (running {metric} {wanted[i]:g} and {found[i]:g})"
            )


def same_totals(compiled: SimulationResult, game: Game, number: int, where: str) -> None:
    """The totals of one game, as `play` and `simulate` have them."""
    assert compiled.games is not None  # keep="games"
    wanted = {
        "reward": game.reward,
        "regret": game.regret,
        "realised_regret": game.realised_regret,
        "exploited": game.exploited_reward,
        "best_pulls": float(game.best_pulls),
    }
    scale = float(game.G.sum())
    for metric in METRICS:
        found = compiled.games[metric][0, number]
        expect(
            abs(found - wanted[metric]) <= 1e-9 * scale,
            f"play and simulate must agree on every game; with {where} the "
            f"{metric} of game {number} is {wanted[metric]:g} and {found:g}",
        )


def same_games(
    one: SimulationResult,
    other: SimulationResult,
    sentence: str,
    *,
    row: int = 0,
    exact: bool = False,
) -> None:
    """Compare the games of the only policy of `one` with those in a row of `other`."""
    assert one.games is not None  # few enough games to be kept
    assert other.games is not None
    for metric in METRICS:
        a, b = one.games[metric][0], other.games[metric][row]
        differ = np.flatnonzero(a != b if exact else ~_close(a, b))
        if differ.size:
            game = int(differ[0])
            raise CheckFailed(
                f"{sentence} differ in the {metric} of game {game}: "
                f"{float(a[game])!r} and {float(b[game])!r}"
            )


def _close(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.isclose(a, b, rtol=1e-9, atol=1e-9 * max(1.0, float(np.abs(a).max(initial=0.0))))
