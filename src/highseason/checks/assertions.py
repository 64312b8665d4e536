"""Whether two ways to play a game chose the same arms."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from highseason.checks.catalogue import CheckFailed, expect
from highseason.games import Game
from highseason.results import METRICS, SimulationResult


def same_course(compiled: SimulationResult, game: Game, where: str) -> None:
    """Turn by turn: equal running rewards and regrets leave no room for another arm."""
    gaps = game.means[game.best_arms] - game.means[game.arms]
    courses = {"reward": game.G * game.paid, "regret": game.G * gaps}
    for metric, steps in courses.items():
        simulated, played = compiled.curves[metric].mean[0], np.cumsum(steps)
        turn = first_difference(~_close(simulated, played))
        if turn is not None:
            raise CheckFailed(
                f"play and simulate must choose the same arms; with {where} they differ from turn "
                f"{turn} on (running {metric} {played[turn - 1]:g} and {simulated[turn - 1]:g})"
            )


def same_totals(compiled: SimulationResult, game: Game, number: int, where: str) -> None:
    """The totals of one game, from `play` and from `simulate`."""
    played: Mapping[str, float] = {
        "reward": game.reward,
        "regret": game.regret,
        "realised_regret": game.realised_regret,
        "exploited": game.exploited_reward,
        "best_pulls": float(game.best_pulls),
    }
    scale = float(game.G.sum())
    for metric, column in _games(compiled).items():
        simulated = column[0, number]
        expect(
            abs(simulated - played[metric]) <= 1e-9 * scale,
            f"play and simulate must agree on every game; with {where} the {metric} of game "
            f"{number} is {played[metric]:g} and {simulated:g}",
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
    for metric, column in _games(one).items():
        a, b = column[0], _games(other)[metric][row]
        game = first_difference(a != b if exact else ~_close(a, b))
        if game is not None:
            raise CheckFailed(
                f"{sentence} differ in the {metric} of game {game - 1}: "
                f"{float(a[game - 1])!r} and {float(b[game - 1])!r}"
            )


def first_difference(differ: NDArray[np.bool_]) -> int | None:
    """The first turn, from 1, at which something differs; None if nothing does."""
    return int(np.argmax(differ)) + 1 if differ.any() else None


def _games(result: SimulationResult) -> dict[str, NDArray[np.float64]]:
    assert result.games is not None, 'few games are kept by default, many with keep="games"'
    return {metric: result.games[metric] for metric in METRICS}


def _close(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.isclose(a, b, rtol=1e-9, atol=1e-9 * max(1.0, float(np.abs(a).max(initial=0.0))))
