"""What a check is: one promise, the subjects it applies to, and how it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.games import Game
from highseason.results import METRICS, SimulationResult


class CheckFailed(AssertionError):  # noqa: N818  # it reports, as a failing assertion does
    """A promise is broken; the message says what was expected and what came."""


@dataclass(frozen=True)
class Check:
    """One promise: a function of the subject that fails with a sentence."""

    run: Callable[[Any], None]
    applies: Callable[[Any], bool]

    @property
    def name(self) -> str:
        """The function's name, part of a test's id."""
        return self.run.__name__

    def __call__(self, subject: Any) -> None:
        """Run it, whether or not it applies to the subject."""
        self.run(subject)


def check(
    applies: Callable[[Any], bool] = lambda _: True,
) -> Callable[[Callable[[Any], None]], Check]:
    """Make a function a check; `applies` selects its subjects."""
    return lambda run: Check(run, applies)


def checks_in(*modules: ModuleType) -> tuple[Check, ...]:
    """The checks that these modules define, in order of definition."""
    return tuple(
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Check) and value.run.__module__ == module.__name__
    )


# -- how checks fail -------------------------------------------------------------------------------


def expect(holds: object, sentence: str) -> None:
    """Fail with `sentence` unless `holds`."""
    if not holds:
        raise CheckFailed(sentence)


def same_course(compiled: SimulationResult, game: Game, where: str) -> None:
    """Turn by turn: equal running rewards and regrets leave no room for another arm."""
    gaps = game.means[game.best_arms] - game.means[game.arms]
    for metric, steps in (("reward", game.G * game.paid), ("regret", game.G * gaps)):
        simulated, played = compiled.curves[metric].mean[0], np.cumsum(steps)
        for i in np.flatnonzero(~_close(simulated, played))[:1].tolist():
            raise CheckFailed(
                f"play and simulate must choose the same arms; with {where} they differ from turn "
                f"{i + 1} on (running {metric} {played[i]:g} and {simulated[i]:g})"
            )


def same_totals(compiled: SimulationResult, game: Game, number: int, where: str) -> None:
    """The totals of one game, from `play` and from `simulate`."""
    played = {
        "reward": game.reward,
        "regret": game.regret,
        "realised_regret": game.realised_regret,
        "exploited": game.exploited_reward,
        "best_pulls": float(game.best_pulls),
    }
    for metric, column in _games(compiled).items():
        simulated = column[0, number]
        expect(
            abs(simulated - played[metric]) <= 1e-9 * float(game.G.sum()),
            f"play and simulate must agree on every game; with {where} the {metric} of game "
            f"{number} is {played[metric]:g} and {simulated:g}",
        )


def same_games(
    one: SimulationResult, other: SimulationResult, sentence: str, row: int = 0, exact: bool = False
) -> None:
    """Compare the games of the only policy of `one` with those in a row of `other`."""
    for metric, column in _games(one).items():
        a, b = column[0], _games(other)[metric][row]
        for game in np.flatnonzero(a != b if exact else ~_close(a, b))[:1].tolist():
            raise CheckFailed(
                f"{sentence} differ in the {metric} of game {game}: "
                f"{float(a[game])!r} and {float(b[game])!r}"
            )


def first_difference(one: NDArray[Any], other: NDArray[Any]) -> int | None:
    """The first turn, from 1, at which two courses differ; None if none does."""
    differ = one != other
    return int(np.argmax(differ)) + 1 if differ.any() else None


def _games(result: SimulationResult) -> dict[str, NDArray[np.float64]]:
    assert result.games is not None, 'few games are kept by default, many with keep="games"'
    return {metric: result.games[metric] for metric in METRICS}


def _close(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.isclose(a, b, rtol=1e-9, atol=1e-9 * max(1.0, float(np.abs(a).max(initial=0.0))))
