"""Games with decks of real clicks: an arm is the cards that real visitors left behind.

A randomised test that ran once gives every arm a deck: one card for each time it was shown, a one
for each success.  Shuffled and drawn without replacement, it is an unbiased stream of real clicks
whose true mean is known: ones / cards.

One turn is one stretch of time: the chosen arm is shown to all its visitors, that is, cards in
proportion to G(t) are dealt from its deck.  The turn's X is the share of ones among them, which is
what policies learn; its reward is the ones themselves.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from highseason.core.compile import compiled
from highseason.core.jitable import jitable
from highseason.core.parallel import Executors, map_blocks
from highseason.core.random import REWARD, draw, game_keys, hash_at, turn_key
from highseason.engine.kernels import interface
from highseason.engine.turn import illegal_arm, is_legal
from highseason.policies import Policy, Rule, fresh_state
from highseason.policies.plan import Horizon, known_levels
from highseason.policies.rule import ArmState, Observation, Turn
from highseason.rewards import effective_visitors
from highseason.traffic import Multiplier

#: Games that a thread takes at a time.
_PART = 128


@dataclass(frozen=True, eq=False)
class Decks:
    """Many tests, a deck for each of their arms.  Made by `decks`."""

    names: tuple[str, ...]  # What each test is called
    arms: NDArray[np.int64]  # How many arms each has
    # A row per test and a column per arm: how many cards; 0 where there is no such arm
    cards: NDArray[np.int64]
    ones: NDArray[np.int64]  # How many of them are ones

    def __len__(self) -> int:
        return len(self.names)

    @property
    def means(self) -> NDArray[np.float64]:
        """The true mean of every deck; 0 where there is no such arm."""
        return self.ones / np.maximum(self.cards, 1)

    @property
    def best(self) -> NDArray[np.float64]:
        """The mean of each test's best arm."""
        return np.asarray(self.means.max(axis=1))

    @property
    def total(self) -> NDArray[np.int64]:
        """All cards of each test."""
        return np.asarray(self.cards.sum(axis=1))

    @property
    def smallest(self) -> NDArray[np.int64]:
        """The cards of each test's smallest deck."""
        return np.asarray(np.where(self.cards > 0, self.cards, np.iinfo(np.int64).max).min(axis=1))


def decks(names: Sequence[str], cards: Sequence[ArrayLike], ones: Sequence[ArrayLike]) -> Decks:
    """Tests by name; for each, the cards and the ones of its arms.

    >>> tests = decks(["headlines"], [[2551, 2629]], [[39, 68]])
    >>> tests.means.round(4)
    array([[0.0153, 0.0259]])
    """
    sizes = [np.asarray(each, dtype=np.int64) for each in cards]
    hits = [np.asarray(each, dtype=np.int64) for each in ones]
    if not len(names) == len(sizes) == len(hits):
        raise ValueError("names, cards and ones must be of equal length: an entry for each test")
    for name, size, hit in zip(names, sizes, hits, strict=True):
        if size.ndim != 1 or size.shape != hit.shape or size.size == 0:
            raise ValueError(f"test {name}: cards and ones need one number for each arm")
        if (size < 1).any() or (hit < 0).any() or (hit > size).any():
            raise ValueError(f"test {name}: a deck has at least one card, and 0 to all are ones")
    arms = np.array([size.size for size in sizes], np.int64)
    tables = np.zeros((2, len(names), arms.max(initial=0)), np.int64)
    for i, pair in enumerate(zip(sizes, hits, strict=True)):
        tables[:, i, : arms[i]] = pair
    return Decks(tuple(map(str, names)), arms, *tables)


@dataclass(frozen=True, eq=False)
class DeckGames:
    """Which games are played; all policies play the same, with the same cards in their order."""

    decks: Decks
    seasons: Sequence[Multiplier]  # The stakes G; all of the same number of turns
    tests: NDArray[np.int64]  # Which test each game plays, from 0
    season: NDArray[np.int64]  # In which season, from 0
    cards: NDArray[np.int64]  # How many cards a game of each test deals in all
    seed: int = 0  # Same seed, same shuffles and decisions
    # Every turn deals the same number of cards, and a one pays G(t) / mean G: what is learnt in a
    # turn does then not depend on its stakes
    even: bool = False

    def __post_init__(self) -> None:
        for name in ("tests", "season", "cards"):  # as the kernel takes them: whole, and writable
            object.__setattr__(self, name, np.array(getattr(self, name), dtype=np.int64))
        for name, there in (("tests", len(self.decks)), ("season", len(self.seasons))):
            asked = getattr(self, name)
            if asked.shape != self.tests.shape or ((asked < 0) | (asked >= there)).any():
                raise ValueError(f"{name} must hold a number from 0 to {there - 1} for each game")
        if self.cards.shape != (len(self.decks),):
            raise ValueError("cards must hold a number for each test")
        if len({G.turns for G in self.seasons}) != 1:
            raise ValueError("seasons must be of the same number of turns")
        least = float(np.diff(self.days.edges, axis=1).min() * self.cards.min())
        if least < 1:
            raise ValueError(
                f"{int(self.cards.min())} cards are too few for {self.turns} turns: the quietest "
                "turn would have none; play fewer turns"
            )

    def __len__(self) -> int:
        return self.tests.size

    @property
    def turns(self) -> int:
        """The length of a game."""
        return self.seasons[0].turns

    @functools.cached_property
    def days(self) -> Days:
        """What is dealt in each turn, and what it is worth."""
        G = np.array([season.values for season in self.seasons])
        shares = G / G.sum(axis=1, keepdims=True)
        dealt = np.full_like(G, 1 / self.turns) if self.even else shares
        edges = np.cumsum(dealt, axis=1)
        edges /= edges[:, -1:]
        worth = shares * self.turns if self.even else np.ones_like(G)
        future = np.array([Horizon.known(values).future for values in G])
        return Days(np.hstack([np.zeros((len(G), 1)), edges]), worth, G, future)

    @functools.cached_property
    def best_reward(self) -> NDArray[np.float64]:
        """What the best arm of each game is worth: its mean for every card of the game."""
        edges = np.floor(self.cards[self.tests][:, None] * self.days.edges[self.season] + 0.5)
        weight = (np.diff(edges, axis=1) * self.days.worth[self.season]).sum(axis=1)
        return np.asarray(weight * self.decks.best[self.tests])


def play_decks(
    policies: Mapping[str, Policy],
    games: DeckGames,
    executor: Executors = None,
    workers: int | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Play the games with every policy, on the cores of this machine.

    Returns arrays with a row per policy and a column per game: `reward` (ones, times their worth),
    `regret` (the same in expectation, lost against the best deck), `overdrawn` (cards dealt after
    a deck was used up and reshuffled) and `best_cards` (cards of the best deck).

    >>> import highseason as hs
    >>> tests, G = decks(["a"], [[500, 500]], [[5, 50]]), hs.traffic.wave(turns=10)
    >>> once = np.array([0])  # one game: of the first test, in the first season
    >>> games = DeckGames(tests, [G], once, once, tests.total)
    >>> totals = play_decks({"greedy": hs.Greedy()}, games)
    >>> totals["overdrawn"] > 0, totals["reward"] > 50
    (array([[ True]]), array([[ True]]))

    Raises:
        ValueError: A policy learns rewards times G, or goes by lifetimes, which decks do not have.
    """
    both = np.stack([games.season, games.decks.arms[games.tests]], axis=1)
    pairs, plans = np.unique(both, axis=0, return_inverse=True)
    keys = game_keys(games.seed, range(len(games)))
    cards = games.cards[games.tests]
    every = Round(keys, games.tests, games.season, plans.ravel(), cards)
    out = np.empty((len(policies), len(games), len(OUT)))
    players = list(policies.values())
    parts = [slice(at, at + _PART) for at in range(0, keys.size, _PART)]
    for rows in _by_rule(players):
        play = _task([players[i] for i in rows], games, pairs.tolist(), every)
        done = map_blocks(play, parts, executor, workers=workers)
        for part, totals in zip(parts, done, strict=True):
            out[rows, part] = totals
    return {name: np.ascontiguousarray(out[:, :, i]) for i, name in enumerate(OUT)}


def _by_rule(players: Sequence[Policy]) -> list[list[int]]:
    """The places of policies with the same rule: they play together, on decks dealt once."""
    groups: dict[tuple[Rule, str], list[int]] = {}
    for place, policy in enumerate(players):
        if policy.learns_scaled:
            raise ValueError(f"{policy} learns rewards times G; games with decks pay click rates")
        if policy.uses_lifetimes:
            raise ValueError(
                f"{policy} goes by how long arms live; in games with decks all arms stay, and "
                "nothing tells it of lifetimes: play it with hs.simulate, or take soft-ucb here"
            )
        groups.setdefault((policy.rule, policy.ties), []).append(place)
    return list(groups.values())


def _task(
    players: Sequence[Policy], games: DeckGames, pairs: list[list[int]], every: Any
) -> Callable[[slice], NDArray[np.float64]]:
    """What plays some games with players of one rule; plans are by season and number of arms."""
    rule, random_ties = players[0].rule, players[0].ties == "random"
    # A plan of a few weeks that never explores is no mistake here: no warnings.
    numbers = np.array(
        [[known_levels(p, games.seasons[s], arms) for s, arms in pairs] for p in players]
    )
    rhos = np.array([2.0 / p.precision(2.0) - 1.0 for p in players])  # 1 where turns are counted
    kernel, functions = decks_kernel_for(rule)
    decks = games.decks
    tests = Shelf(decks.arms, decks.cards, decks.ones, decks.means)

    def play(part: slice) -> NDArray[np.float64]:
        some = Round(*(column[part] for column in every))
        out = np.empty((len(players), some.keys.size, len(OUT)))
        turn, arm = kernel(
            tests, games.days, some, numbers, rhos, rule.memory, rule.shared, random_ties, out,
            *functions,
        )  # fmt: skip
        if turn != 0:
            raise illegal_arm(rule, turn, arm, int(decks.arms.max()))
        return out

    return play


# -- the kernel ------------------------------------------------------------------------------------

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
    from numba import types

    fresh = interface.state_type()(types.int64, types.int64, types.int64)
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
        types.FunctionType(fresh),
        *interface.function_types()[:3],
    )
    return compiled(decks_kernel, signature), (
        compiled(fresh_state, fresh),
        *interface.rule_functions(rule)[:3],
    )
