"""Games with decks, against a table of real cards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from tests.engine.settings import POLICIES
from tests.reference import decks as table

import highseason as hs
from highseason.policies import Policy
from studies.upworthy.decks import DeckGames, decks, play_decks

pytestmark = [
    pytest.mark.jit,
    pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning"),
]

TESTS = decks(
    ["small", "uneven", "many"],
    [[60, 60, 60], [20, 90], [50, 40, 60, 50, 50]],
    [[6, 20, 7], [3, 30], [5, 5, 30, 0, 50]],
)
SEASONS = [hs.traffic.wave(12), hs.traffic.step(12)]
PLAYERS = {name: policy for name, policy in POLICIES.items() if not policy.learns_scaled}


def some_games(even: bool = False, cards: Any = None, each: int = 4) -> DeckGames:
    tests = np.repeat(np.arange(3), each)
    return DeckGames(
        TESTS,
        [replace(G, values=1 + G.values) for G in SEASONS],
        tests,
        np.arange(tests.size) % 2,
        TESTS.total * 2 if cards is None else np.asarray(cards),
        seed=5,
        even=even,
    )


def test_the_kernel_plays_as_one_would_at_a_table() -> None:
    games = some_games()
    found = play_decks(PLAYERS, games)
    for row, policy in enumerate(PLAYERS.values()):
        for game in range(len(games)):
            test, G = int(games.tests[game]), games.seasons[games.season[game]]
            arms = int(TESTS.arms[test])
            wanted = table.play(
                policy.rule.name, policy.plan(G, arms).levels.tolist(), G.values.tolist(),
                TESTS.cards[test, :arms].tolist(), TESTS.ones[test, :arms].tolist(),
                int(games.cards[test]), games.seed, game,
            )  # fmt: skip
            for metric, value in wanted.items():
                assert found[metric][row, game] == pytest.approx(value, rel=1e-9), (policy, metric)


def one_arm(cards: int, even: bool = False) -> dict[str, Any]:
    lonely, once = decks(["one"], [[50]], [[7]]), np.zeros(20, np.int64)
    games = DeckGames(lonely, [SEASONS[0]], once, once, np.array([cards]), seed=2, even=even)
    found = play_decks({"greedy": hs.Greedy()}, games)
    return {"best": games.best_reward, **found}


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_a_game_that_uses_up_a_deck_gets_exactly_its_ones(rounds: int) -> None:
    # wave(12) has turns with a G of a hundredth of the sum, so decks of 50 need several rounds.
    cards = 50 * rounds * 8
    found = one_arm(cards)
    assert (found["reward"] == 7 * rounds * 8).all()
    assert (found["overdrawn"] == cards - 50).all()
    assert (found["best_cards"] == cards).all()
    assert (found["regret"] == 0).all()
    assert found["best"] == pytest.approx(np.full(20, 7 * rounds * 8))


def test_even_turns_deal_alike_and_pay_by_g() -> None:
    found = one_arm(50 * 12, even=True)  # a whole deck each turn: X is always 7 / 50
    assert found["reward"][0] == pytest.approx(np.full(20, 7.0 * 12))
    assert found["best"] == pytest.approx(np.full(20, 7.0 * 12))
    assert (found["overdrawn"] == 50 * 11).all()


def test_no_policy_runs_past_the_end_of_a_game_of_one_deck() -> None:
    big = decks(["big"], [[3000, 4000]], [[30, 400]])
    once = np.zeros(5, np.int64)
    games = DeckGames(big, SEASONS[:1], once, once, big.smallest)
    assert not play_decks(PLAYERS, games)["overdrawn"].any()


def test_the_same_on_any_number_of_workers() -> None:
    games = some_games(each=44)  # more than one worker takes at a time
    players = dict(list(PLAYERS.items())[::4])
    one, three = (play_decks(players, games, workers=workers) for workers in (1, 3))
    for metric, values in one.items():
        assert values.tobytes() == three[metric].tobytes()


def test_the_same_in_any_company() -> None:
    games = some_games()
    together = play_decks(PLAYERS, games)
    for row, (name, policy) in enumerate(PLAYERS.items()):
        alone = play_decks({name: policy}, games)
        assert alone["reward"][0].tolist() == together["reward"][row].tolist()


def test_who_counts_visitors_learns_from_cards() -> None:
    """With one card a turn, or visitors who are all alike, visitors count as turns do."""
    games = some_games()
    turns, alike, visitors = (
        play_decks({"ucb": policy}, games)["reward"]
        for policy in (hs.UCB(), hs.UCB(count="visitors", rho=1.0), hs.UCB(count="visitors"))
    )
    assert (turns == alike).all()
    assert (turns != visitors).any()


def test_another_seed_shuffles_differently() -> None:
    games = some_games()
    one, other = (
        play_decks({"greedy": hs.Greedy()}, each) for each in (games, replace(games, seed=6))
    )
    assert one["reward"].tolist() != other["reward"].tolist()


def test_a_game_without_cards_for_every_turn_is_refused() -> None:
    with pytest.raises(ValueError, match="30 cards are too few for 12 turns"):
        some_games(cards=[30, 3000, 3000])
    short = [hs.traffic.wave(11), SEASONS[0]]
    with pytest.raises(ValueError, match="same number of turns"):
        replace(some_games(), seasons=short)


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"tests": [0, 3]}, "tests must hold a number from 0 to 2"),
        ({"season": [0, 2]}, "season must hold a number from 0 to 1"),
        ({"season": [0]}, "season must hold"),
        ({"cards": [500, 500]}, "a number for each test"),
    ],
)
def test_games_of_what_is_not_there_are_refused(wrong: dict[str, Any], expected: str) -> None:
    usual: dict[str, Any] = {"tests": [0, 1], "season": [0, 1]}
    with pytest.raises(ValueError, match=expected):
        replace(some_games(), **(usual | wrong))


def test_naive_policies_are_refused() -> None:
    with pytest.raises(ValueError, match="learns rewards times G"):
        play_decks({"naive": hs.policies.NaiveUCB()}, some_games())


@pytest.mark.parametrize(
    "policy",
    [
        hs.SoftUCBMortal(),
        hs.SoftUCBMortal(initial=2),
        hs.UCBL(),
        hs.policies.CapIndex(hs.SoftUCBMortal()),
    ],
    ids=str,
)
def test_policies_that_go_by_lives_are_refused(policy: Policy) -> None:
    with pytest.raises(ValueError, match="goes by how long arms live; in games with decks"):
        play_decks({"greedy": hs.Greedy(), "mortal": policy}, some_games())


@dataclass(frozen=True)
class Astray(Policy):
    rule = replace(hs.policies.EPSILON, name="astray", choose=lambda state, turn: (7, False))

    def step(self, carry: Any, view: Any) -> tuple[float, Any]:
        return 0.0, carry


def test_a_rule_that_names_no_arm_is_refused() -> None:
    with pytest.raises(ValueError, match="'astray' chose arm 7 in turn 1"):
        play_decks({"astray": Astray()}, some_games())
