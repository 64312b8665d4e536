"""Games with decks of real outcomes: each turn deals as many cards as there are visitors."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled, function_type
from highseason.core.jitable import jitable
from highseason.core.random import REWARD, draw, hash_at, turn_key
from highseason.engine.kernels.interface import (
    function_types,
    numba_types,
    rule_functions,
    state_type,
)
from highseason.engine.turn import is_legal
from highseason.policies import Rule, fresh_state
from highseason.policies.state import ArmState, Observation, Turn
from highseason.rewards import effective_visitors

#: What is kept of a deck while it is dealt: how often it was shuffled, the cards and the ones left
#: of that shuffle, and the cards and the ones seen so far.
PASS, LEFT, ONES, SEEN, FOUND = range(5)
HAND = 5

#: What is known of a game when it is over.
OUT = ("reward", "regret", "overdrawn", "best_cards")


class Shelf(NamedTuple):
    """The decks, as `Decks` has them."""

    arms: NDArray[np.int64]
    cards: NDArray[np.int64]
    ones: NDArray[np.int64]
    means: NDArray[np.float64]


class Days(NamedTuple):
    """The seasons: a row for each, a column for each turn.

    `edges` are the shares of a game's cards that are dealt before each turn and after the last;
    `worth` is what a one pays in that turn.  `G` and `future` are what policies know.
    """

    edges: NDArray[np.float64]
    worth: NDArray[np.float64]
    G: NDArray[np.float64]
    future: NDArray[np.float64]


class Round(NamedTuple):
    """The games: for each its random numbers, its test, its season, its plan and all its cards."""

    keys: NDArray[np.uint64]
    tests: NDArray[np.int64]
    seasons: NDArray[np.int64]
    plans: NDArray[np.int64]
    cards: NDArray[np.int64]


def decks_kernel(
    tests: Shelf,
    days: Days,
    games: Round,
    numbers: NDArray[np.float64],
    rhos: NDArray[np.float64],
    memory: int,
    shared: int,
    random_ties: bool,
    out: NDArray[np.float64],
    fresh: Callable[[int, int, int], ArmState],
    start: Callable[[ArmState], None],
    choose: Callable[[ArmState, Turn], tuple[int, bool]],
    observe: Callable[[ArmState, Turn, Observation], None],
) -> tuple[int, int]:
    """Play every game with every player of one rule; `numbers` is by player, plan and turn.

    A turn's cards teach a player as if they had a correlation: 1 for one that counts turns.
    Returns (0, 0), or the turn and the arm of an illegal choice.  The order of a deck is computed
    once for all players of a game, as far as any of them deals.
    """
    for game in range(games.keys.size):
        test, season, plan = games.tests[game], games.seasons[game], games.plans[game]
        arms, means = tests.arms[test], tests.means[test]
        cards, ones = tests.cards[test], tests.ones[test]
        best, total = np.argmax(means), games.cards[game]
        decks = hash_at(games.keys[game], REWARD)  # in the family of turn 0, which no game plays
        hands, places = np.zeros((arms, HAND), np.int64), room(cards[:arms], ones[:arms], total)
        for player in range(numbers.shape[0]):
            state = fresh(arms, memory, shared)
            start(state)
            dealt, known = np.zeros(arms, np.int64), np.zeros(arms, np.int64)
            reward, regret, before = 0.0, 0.0, 0
            for i in range(numbers.shape[2]):
                key = turn_key(games.keys[game], i + 1)
                turn = Turn(
                    i + 1, numbers[player, plan, i], days.G[season, i], days.future[season, i],
                    numbers.shape[2] - i - 1, key, random_ties, i + 1,
                )  # fmt: skip
                arm, _ = choose(state, turn)
                if not is_legal(state.available, arm):
                    return i + 1, arm
                state.selections[arm] += 1
                after = int(total * days.edges[season, i + 1] + 0.5)
                count, before = after - before, after
                dealt[arm] += count
                there = look(
                    hash_at(decks, arm), hands[arm], cards[arm], ones[arm], dealt[arm], places[arm]
                )
                hits = 0
                while known[arm] < there and places[arm, known[arm]] <= dealt[arm]:
                    known[arm] += 1
                    hits += 1
                precision = effective_visitors(float(count), rhos[player])
                observe(state, turn, Observation(arm, hits / count, precision))
                worth = days.worth[season, i]
                reward += worth * hits
                regret += worth * count * (means[best] - means[arm])
            past = np.maximum(0, dealt - cards[:arms]).sum()
            out[player, game, 0], out[player, game, 1] = reward, regret
            out[player, game, 2], out[player, game, 3] = past, dealt[best]
    return 0, 0


@jitable
def look(key: int, hand, cards: int, ones: int, upto: int, places) -> int:  # type: ignore[no-untyped-def]  # numba forbids subscripts
    """Look at a deck's cards up to number `upto` (from 1); return how many ones are known by now.

    A card is a one with the probability that a card of those left is: exactly a shuffled deck.  A
    deck that is used up is reshuffled.  A card depends only on the key and its number, so all
    policies that deal from the deck see the same cards.  `hand` (`PASS` … `FOUND`, zeros before the
    first card) and `places` (the numbers of the cards that are ones) are updated.
    """
    while hand[SEEN] < upto:
        if hand[LEFT] == 0:
            hand[PASS] += 1
            hand[LEFT], hand[ONES] = cards, ones
        shuffle = hash_at(key, hand[PASS])
        left, hits, seen, count = hand[LEFT], hand[ONES], hand[SEEN], hand[FOUND]
        stop = left - min(left, upto - seen)
        while left > stop:
            seen += 1
            if draw(shuffle, left) * left < hits:
                hits -= 1
                places[count] = seen
                count += 1
            left -= 1
        hand[LEFT], hand[ONES], hand[SEEN], hand[FOUND] = left, hits, seen, count
    return int(hand[FOUND])


@jitable
def room(cards, ones, total: int):  # type: ignore[no-untyped-def]  # numba forbids subscripts
    """Room for the ones among the first `total` cards of every deck, reshuffled or not."""
    most = 0
    for arm in range(cards.size):
        most = max(most, ones[arm] * (total // cards[arm] + 1))
    return np.empty((cards.size, most), np.int64)


@functools.cache
def decks_kernel_for(rule: Rule) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The compiled kernel, and the compiled functions of a rule that it is given last."""
    types = numba_types()
    fresh = state_type()(types.int64, types.int64, types.int64)
    whole, table = types.int64[::1], types.float64[:, ::1]
    signature = types.UniTuple(types.int64, 2)(
        types.NamedTuple((whole, types.int64[:, ::1], types.int64[:, ::1], table), Shelf),
        types.NamedUniTuple(table, 4, Days),
        types.NamedTuple((types.uint64[::1], whole, whole, whole, whole), Round),
        types.float64[:, :, ::1],
        types.float64[::1],
        types.int64,
        types.int64,
        types.boolean,
        types.float64[:, :, ::1],
        function_type(fresh),
        *function_types()[:3],
    )
    return compiled(decks_kernel, signature), (
        compiled(fresh_state, fresh),
        *rule_functions(rule)[:3],
    )
