"""Games with decks of real outcomes: each turn deals as many cards as there are visitors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import REWARD, place, turn_key
from highseason.games.kernels.generic import WrongArmError
from highseason.rewards.decks import deal
from highseason.rules.state import State, Turn

#: What is known of a game when it is over.
OUT = ("reward", "regret", "overdrawn", "best_cards")


class Tests(NamedTuple):
    """The decks, as `Decks` has them."""

    arms: NDArray[np.int64]
    cards: NDArray[np.int64]
    ones: NDArray[np.int64]
    means: NDArray[np.float64]


class Days(NamedTuple):
    """The seasons: a row for each, a column for each turn.

    `edges` are the shares of a game's cards that are dealt before each turn and after the last;
    `worth` is what a one pays in that turn.
    """

    edges: NDArray[np.float64]
    worth: NDArray[np.float64]


class Round(NamedTuple):
    """The games: for each its random numbers, its test, its season, its plan and all its cards."""

    keys: NDArray[np.uint64]
    tests: NDArray[np.int64]
    seasons: NDArray[np.int64]
    plans: NDArray[np.int64]
    cards: NDArray[np.int64]


def decks_kernel(
    tests: Tests,
    days: Days,
    games: Round,
    numbers: NDArray[np.float64],
    memory: int,
    random_ties: bool,
    out: NDArray[np.float64],
    fresh: Callable[[int, int], State],
    start: Callable[[State], None],
    choose: Callable[[State, Turn], tuple[int, bool]],
    observe: Callable[[State, Turn, int, float], None],
) -> None:
    """Play every game; `numbers` has a row for each plan."""
    for game in range(games.keys.size):
        test, season, plan = games.tests[game], games.seasons[game], games.plans[game]
        arms, means = tests.arms[test], tests.means[test]
        best = np.argmax(means)
        decks = place(games.keys[game], REWARD)  # in the family of turn 0, which no game plays
        state = fresh(arms, memory)
        start(state)
        hands, dealt = np.zeros((arms, 3), np.int64), np.zeros(arms, np.int64)
        reward, regret = 0.0, 0.0
        total, before = games.cards[game], 0
        for i in range(numbers.shape[1]):
            turn = Turn(i + 1, numbers[plan, i], turn_key(games.keys[game], i + 1), random_ties)
            arm, _ = choose(state, turn)
            if not 0 <= arm < arms:
                raise WrongArmError(i + 1, arm)
            state.decided[arm] += 1
            after = int(total * days.edges[season, i + 1] + 0.5)
            count = after - before
            before = after
            size, ones = tests.cards[test, arm], tests.ones[test, arm]
            hits = deal(place(decks, arm), hands[arm], size, ones, count)
            observe(state, turn, arm, hits / count)
            worth = days.worth[season, i]
            dealt[arm] += count
            reward += worth * hits
            regret += worth * count * (means[best] - means[arm])
        past = 0
        for arm in range(arms):
            past += max(0, dealt[arm] - tests.cards[test, arm])
        out[game, 0], out[game, 1] = reward, regret
        out[game, 2], out[game, 3] = past, dealt[best]
