"""Kinds of rewards: a user's that counts visitors, and what of a turn a rule may learn."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pytest

import highseason as hs
from highseason.core.jitable import jitable
from highseason.policies import EPSILON, Rule, View
from highseason.rewards.model import CountsVisitors, Drawn
from highseason.rewards.visitors import count_draw

pytestmark = [
    pytest.mark.jit,
    pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning"),
]

G = 40 * hs.traffic.wave(turns=40)
PLAYERS = ["ucb:P=0.1", "epsilon-greedy:k=2", "thompson", "option-index", "naive-ucb"]


@jitable
def orders(u: float, rate: float, visitors: float) -> float:
    """Orders per visitor: Poisson, because a visitor may order twice."""
    chance, passed, count = math.exp(-rate * visitors), 0.0, -1.0
    while passed <= u and count < visitors:
        passed += chance
        count += 1.0
        chance *= rate * visitors / (count + 1.0)
    return count / visitors


def buyers(u: float, rate: float, visitors: float) -> float:
    """What `visitors` pays, as a function of one's own."""
    return count_draw(u, visitors, rate, 0.0) / visitors


def later_orders(u: float, parameters: Any, t: int, visitors: float) -> float:
    return orders(u, parameters[0] + parameters[1] * t, visitors)


def later_mean(parameters: Any, t: int, G: float) -> float:
    return parameters[0] + parameters[1] * t  # type: ignore[no-any-return]  # a number


class Upsells(NamedTuple):
    share: float


class UpsellKind(Upsells, CountsVisitors):
    """Each second order is worth two: a kind as the library writes its own."""

    @jitable
    def draw(self, quantile: Any, u: float, rate: float, t: int, G: float) -> Drawn:
        """Orders per visitor, and what they bring."""
        share = orders(u, rate, math.floor(self.share * G + 0.5))
        return Drawn(share, 0.75 * share)

    @jitable
    def learned(self, x: float) -> float:
        """Its share of the most."""
        return x / 0.75


def same_games(policy: Any, rewards: hs.rewards.Rewards, games: int = 3) -> None:
    """`simulate` plays what `play` plays, to the bit where a total has one addend a turn."""
    result = hs.simulate(policy, rewards, G, games=games, seed=5, curves=40)
    assert result.games is not None
    for number in range(games):
        game = hs.play(policy, rewards, G, seed=5, game=number)
        assert result.games["best_pulls"][0, number] == game.best_pulls
        assert result.games["reward"][0, number] == np.cumsum(game.weights * game.paid)[-1]
        assert result.games["regret"][0, number] == pytest.approx(game.regret, rel=1e-12)


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("per_turn", [False, True])
def test_a_kind_of_ones_own_that_counts_visitors_plays(player: str, per_turn: bool) -> None:
    if per_turn:
        arms = [[0.05, 0.001], [0.12, 0.0], [0.02, 0.002]]
        model = hs.rewards.custom(
            later_orders, later_mean, parameters=arms, per_turn=True, visitors=True, share=0.5
        )
    else:
        model = hs.rewards.custom(orders, np.asarray, parameters=[0.05, 0.2, 0.1], visitors=True)
    assert model.counts_visitors
    same_games(player, model)


@pytest.mark.parametrize("player", PLAYERS)
def test_the_same_function_gives_the_same_games_as_visitors(player: str) -> None:
    rates = [0.05, 0.2, 0.1]
    own = hs.rewards.custom(buyers, np.asarray, parameters=rates, visitors=True, share=0.3)
    built_in = hs.rewards.visitors(rates=rates, share=0.3)
    for one, other in zip(
        *(hs.simulate(player, model, G, games=9).games.values() for model in (own, built_in)),  # type: ignore[union-attr]
        strict=True,
    ):
        assert one.tolist() == other.tolist()


def test_policies_count_the_visitors_of_a_kind_of_ones_own() -> None:
    model = hs.rewards.custom(orders, np.asarray, parameters=[0.05, 0.2], visitors=True)
    counted, turns = (
        hs.play(hs.Thompson(count=what), model, G, seed=5).arms.tolist()
        for what in ("visitors", "turns")
    )
    assert hs.play("thompson", model, G, seed=5).arms.tolist() == counted != turns
    assert [model.visitors_at(g) for g in (0.1, 7.4)] == [1.0, 7.0]


def test_what_does_not_fit_a_kind_that_counts_visitors_is_refused() -> None:
    with pytest.raises(ValueError, match="in place of scale=2: leave scale out"):
        hs.rewards.custom(orders, np.asarray, arms=2, visitors=True, scale=2.0)
    with pytest.raises(ValueError, match="share must be a number above 0"):
        hs.rewards.custom(orders, np.asarray, arms=2, visitors=True, share=0.0)


def test_kernels_play_a_kind_that_no_file_of_theirs_names() -> None:
    rates = np.array([0.05, 0.2, 0.1])
    model = replace(
        hs.rewards.visitors(rates=rates, share=0.5), name="upsells", kind=UpsellKind(0.5)
    )
    for player in PLAYERS:
        same_games(player, model)


# -- what was earned, or what visitors were seen to do ---------------------------------------------

SEEN = Rule(
    "seen", EPSILON.choose, EPSILON.intensity, traits=replace(EPSILON.traits, learns="seen")
)
EARNED = replace(SEEN, name="earned", traits=EPSILON.traits)


@dataclass(frozen=True)
class Half(hs.Policy):
    """Explores in every second turn; `name` is not declared, so no registry lists it."""

    rule = SEEN

    def step(self, carry: int, view: View) -> tuple[float, int]:
        return 0.5, carry


@dataclass(frozen=True)
class HalfEarned(Half):
    rule = EARNED


SHOPS = {
    "baskets vary": hs.rewards.spend(rates=[0.3, 0.1, 0.2], values=[1, 9, 2], cv=0.8),
    "one basket": hs.rewards.spend(rates=[0.3, 0.1, 0.2], values=[1, 9, 2], cv=0.0),
}


@pytest.mark.parametrize("shop", SHOPS)
def test_a_rule_learns_the_share_of_visitors_that_bought(shop: str) -> None:
    model, learned = SHOPS[shop], []
    player = Half()

    def note(state: Any, turn: Any, observation: Any) -> None:
        learned.append(observation.value)
        EPSILON.observe(state, turn, observation)

    class Noting(Half):
        rule = replace(SEEN, observe=note)

    game = hs.play(Noting(), model, G, seed=5)
    for t, (arm, value, paid) in enumerate(zip(game.arms, learned, game.paid, strict=True)):
        n = max(1.0, math.floor(G.values[t] + 0.5))
        buyers = round(value * n)
        assert value == buyers / n  # a share of whole visitors
        if shop == "one basket":
            assert paid == model.fixed[arm, 1] * buyers / n  # type: ignore[index]
    assert hs.play(player, model, G, seed=5).arms.tolist() == game.arms.tolist()


@pytest.mark.parametrize("shop", SHOPS)
def test_kernels_learn_what_play_learns_of_both(shop: str) -> None:
    for player in (Half(), HalfEarned()):
        same_games(player, SHOPS[shop])


def test_with_money_the_two_differ_and_else_they_are_equal() -> None:
    shop, coins = SHOPS["one basket"], hs.rewards.bernoulli(means=[0.3, 0.1, 0.2])
    long = hs.traffic.wave(turns=300) * 40
    seen, earned = (hs.play(p, shop, long, seed=2) for p in (Half(), HalfEarned()))
    assert (seen.arms == 0).sum() > 150  # most buy there
    assert (earned.arms == 1).sum() > 150  # most is spent there
    one, other = (hs.play(p, coins, long, seed=2) for p in (Half(), HalfEarned()))
    assert one.arms.tolist() == other.arms.tolist()
