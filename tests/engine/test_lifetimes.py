"""Arms that come and go: `play` against the blackboard, `simulate` against `play`."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.engine.agreement import same_totals
from tests.engine.settings import REWARDS
from tests.reference import mortal as blackboard
from tests.reference.game import Record
from tests.reference.mortal import Bonus, Life

import highseason as hs
from highseason.checks.games import same_course
from highseason.core.random import game_keys
from highseason.policies import Policy
from highseason.policies.lifetimes import Lifetimes

pytestmark = pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")

TURNS = 90
WAVE = hs.traffic.wave(TURNS)
#: Some there throughout, some dead before the opening reaches them, newcomers, a one-turn life.
SPANS = [(1, 90), (1, 2), (1, math.inf), (1, 2), (1, 30), (3, 60), (31, 31), (20, 200), (61, 90)]
FIXED = hs.lifetimes.fixed(SPANS)
FLOW = hs.lifetimes.birth_and_death(TURNS, alive=4, life=20)
NESTED = "peak-grabber:window=5,trigger=3+cap:cap=0.8+spare-old-arms+soft-ucb-mortal:unit=1"

#: A policy and its bonus as the paper writes it.
ON_THE_BLACKBOARD: dict[str, tuple[Policy, Bonus]] = {
    "soft-ucb-mortal": (hs.SoftUCBMortal(c=2, unit=1), blackboard.soft_ucb_mortal(2)),
    "in units": (hs.SoftUCBMortal(c=1, unit=5), blackboard.soft_ucb_mortal(1, unit=5)),
    "remaining": (
        hs.SoftUCBMortal(c=1.3, unit=1, remaining=True),
        blackboard.soft_ucb_mortal(1.3, remaining=True),
    ),
    "ucb-l": (hs.UCBL(c=0.1, unit=1), blackboard.ucb_l(0.1)),
    "ucb-l by age": (hs.UCBL(c=0.2, xi="age"), blackboard.ucb_l(0.2, xi="age")),
    "ucb": (hs.UCB(), blackboard.ucb()),
}


def drawn(lifetimes: Lifetimes, turns: int, seed: int, number: int) -> list[Life]:
    spans = lifetimes.spans(game_keys(seed, range(number, number + 1)), turns)[0]
    return [Life(first, math.inf if last >= 2**62 else last) for first, last in spans.tolist()]


def written(
    bonus: Bonus, model: Any, G: Any, lifetimes: Lifetimes, seed: int, number: int, initial: int = 0
) -> Record:
    """The game on the blackboard with the arms and the lifetimes that this game has."""
    parameters = model.parameters(game_keys(seed, range(number, number + 1)))[0].tolist()
    return blackboard.play(
        bonus,
        G.values.tolist(),
        drawn(lifetimes, G.turns, seed, number),
        [partial(lambda p, u: model.draw(u, p, 1, 1.0), p) for p in parameters],
        seed,
        number,
        initial or None,
    )


# -- the blackboard --------------------------------------------------------------------------------


@pytest.mark.parametrize("lifetimes", [FIXED, FLOW], ids=lambda lifetimes: lifetimes.name)
@pytest.mark.parametrize("name", ON_THE_BLACKBOARD)
def test_play_is_the_game_on_the_blackboard(name: str, lifetimes: Lifetimes) -> None:
    policy, bonus = ON_THE_BLACKBOARD[name]
    for rewards in ("bernoulli", "normal", "eighths"):
        model = REWARDS[rewards](arms=lifetimes.arms)
        for number in (0, 3):
            game = hs.play(policy, model, WAVE, seed=8, game=number, lifetimes=lifetimes)
            expected = written(bonus, model, WAVE, lifetimes, 8, number)
            assert game.arms.tolist() == expected.arms
            assert game.paid.tolist() == expected.paid
            assert game.exploited.tolist() == expected.exploited


@st.composite
def odd_lifetimes(draw: st.DrawFn, turns: int) -> list[tuple[int, float]]:
    """Up to seven arms in any order; one of them sees to it that no turn is without an arm."""
    life = st.tuples(st.integers(1, turns), st.integers(0, turns))
    spans: list[tuple[int, float]] = [(a, a + b) for a, b in draw(st.lists(life, max_size=6))]
    spans.insert(draw(st.integers(0, len(spans))), (1, draw(st.sampled_from([turns, math.inf]))))
    return spans


@given(
    name=st.sampled_from(sorted(ON_THE_BLACKBOARD)),
    G=st.lists(st.sampled_from([0.1, 0.3, 1.0, 7.0, 40.0]), min_size=12, max_size=12),
    spans=odd_lifetimes(12),
    seed=st.integers(0, 10**6),
)
def test_play_is_the_game_on_the_blackboard_for_any_lifetimes(
    name: str, G: list[float], spans: list[tuple[int, float]], seed: int
) -> None:
    """Few values of G, so that different lifetimes are worth exactly the same."""
    policy, bonus = ON_THE_BLACKBOARD[name]
    lifetimes, stakes = hs.lifetimes.fixed(spans), hs.traffic.from_values(G)
    model = hs.rewards.bernoulli(arms=lifetimes.arms)
    expected = written(bonus, model, stakes, lifetimes, seed, 0)
    assert (
        hs.play(policy, model, stakes, seed=seed, lifetimes=lifetimes).arms.tolist()
        == expected.arms
    )


@pytest.mark.parametrize("initial", [1, 2, 4, 99])
def test_the_initial_arms_are_those_of_the_highest_scores(initial: int) -> None:
    policy = hs.SoftUCBMortal(c=2, unit=1, initial=initial)
    for lifetimes in (FIXED, FLOW):
        model = hs.rewards.bernoulli(arms=lifetimes.arms)
        game = hs.play(policy, model, WAVE, seed=2, lifetimes=lifetimes)
        bonus = blackboard.soft_ucb_mortal(2)
        assert game.arms.tolist() == written(bonus, model, WAVE, lifetimes, 2, 0, initial).arms


def test_arms_that_live_longest_open_the_game() -> None:
    policy = hs.SoftUCBMortal(initial=2)
    lifetimes = hs.lifetimes.fixed([(1, 5), (1, 40), (1, 90), (1, 20)])
    game = hs.play(policy, hs.rewards.bernoulli(means=[0.5] * 4), WAVE, lifetimes=lifetimes)
    assert game.arms[:4].tolist() == [1, 2, 0, 3]  # the others follow, as nothing is known of them


def test_lives_of_equal_worth_rank_alike_whatever_their_sums_round_to() -> None:
    """Forty turns of 0.1 are worth the same wherever they lie; sums of floats are not."""
    lifetimes = hs.lifetimes.fixed([(t, t + 39) for t in range(1, 80, 8)])
    policy, bonus = hs.SoftUCBMortal(c=2, unit=1), blackboard.soft_ucb_mortal(2)
    stakes = hs.traffic.from_values([0.1] * 80)
    model = REWARDS["normal"](arms=lifetimes.arms)
    for seed in range(3):
        game = hs.play(policy, model, stakes, seed=seed, lifetimes=lifetimes)
        assert game.arms.tolist() == written(bonus, model, stakes, lifetimes, seed, 0).arms


# -- what soft UCB mortal becomes ------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1, "q0.1", "q0.5"])
@pytest.mark.parametrize("ties", ["lowest", "random"])
@pytest.mark.parametrize("lifetimes", [None, "immortal"])
def test_immortal_arms_with_c_1_are_soft_ucb(lifetimes: Any, ties: str, unit: Any) -> None:
    soft, mortal = hs.SoftUCB(unit=unit, ties=ties), hs.SoftUCBMortal(c=1, unit=unit, ties=ties)
    for_ever = hs.lifetimes.fixed([(1, math.inf)] * 7) if lifetimes else None
    G = hs.traffic.christmas(100)
    for rewards in ("eighths", "normal"):
        model = REWARDS[rewards](arms=7)
        one = hs.simulate(soft, model, G, games=50, seed=4)
        other = hs.simulate(mortal, model, G, games=50, seed=4, lifetimes=for_ever)
        assert one.games is not None
        assert other.games is not None
        for metric, values in one.games.items():
            assert np.array_equal(other.games[metric], values), metric
        for seed in range(10):
            played = hs.play(mortal, model, G, seed=seed, lifetimes=for_ever)
            assert played.arms.tolist() == hs.play(soft, model, G, seed=seed).arms.tolist()


@pytest.mark.parametrize("xi", ["soft", "age"])
def test_a_life_beyond_the_end_is_as_long_as_one_without_an_end(xi: str) -> None:
    model = hs.rewards.bernoulli(means=[0.5, 0.6, 0.55])
    courses = []
    for last in (TURNS, 10**9, math.inf):
        lifetimes = hs.lifetimes.fixed([(1, last), (1, math.inf), (3, last)])
        game = hs.play(hs.UCBL(c=0.3, xi=xi), model, WAVE, seed=1, lifetimes=lifetimes)
        courses.append(game.arms.tolist())
    assert courses[0] == courses[1] == courses[2]


def test_arms_known_to_stay_are_explored_as_without_the_wrapper() -> None:
    """One arm dies young; that says nothing of those that are known to stay."""
    lifetimes = hs.lifetimes.fixed([(1, math.inf)] * 3 + [(1, 1)])
    model = hs.rewards.bernoulli(means=[0.5, 0.6, 0.55, 0.2])
    games = [hs.play(policy, model, WAVE, seed=1, lifetimes=lifetimes)
             for policy in (hs.UCB(), hs.policies.SpareOldArms(hs.UCB()))]  # fmt: skip
    assert games[0].arms.tolist() == games[1].arms.tolist()


def test_when_all_the_dead_lived_one_turn_no_unknown_arm_is_explored() -> None:
    lifetimes = hs.lifetimes.fixed([(5, 5), (1, math.inf), (1, math.inf)], known=False)
    model = hs.rewards.bernoulli(means=[0.5, 0.6, 0.4])
    game = hs.play(hs.policies.SpareOldArms(hs.UCB()), model, WAVE, seed=1, lifetimes=lifetimes)
    assert game.exploited[5:].all()


# -- simulate --------------------------------------------------------------------------------------


@pytest.mark.jit
@pytest.mark.parametrize("lifetimes", [FIXED, FLOW], ids=lambda lifetimes: lifetimes.name)
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    "policy",
    [
        NESTED,
        "soft-ucb-mortal:remaining=true,initial=2,ties=random",
        "cap+soft-ucb-mortal:initial=2",
        "dynamic-peak-grabber:window=4,lift=1.1,memory=0.2+discounted:discount=0.9+epsilon-z",
        "spare-old-arms+windowed:window=6+ucb-z:ties=random",
    ],
)
def test_simulate_plays_the_games_of_play(policy: str, known: bool, lifetimes: Lifetimes) -> None:
    """Turn by turn; the checks do this for every policy by itself."""
    player, lifetimes = hs.policies.parse(policy), replace(lifetimes, known=known)
    model = REWARDS["eighths"](arms=lifetimes.arms)
    for seed in range(3):
        result = hs.simulate(
            player, model, WAVE, games=1, seed=seed, curves=TURNS, lifetimes=lifetimes
        )
        game = hs.play(player, model, WAVE, seed=seed, lifetimes=lifetimes)
        same_course(result, game, policy)
    result = hs.simulate(player, model, WAVE, games=7, seed=9, lifetimes=lifetimes)
    for number in range(7):
        game = hs.play(player, model, WAVE, seed=9, game=number, lifetimes=lifetimes)
        same_totals(result, game, number, policy)


def test_threads_do_not_matter() -> None:
    policies = ["soft-ucb-mortal", "cap+spare-old-arms+soft-ucb-mortal", "peak-grabber+ucb", "ucb"]
    model = hs.rewards.bernoulli(arms=FLOW.arms)
    one, three = (
        hs.simulate(policies, model, WAVE, games=6001, seed=3, workers=n, lifetimes=FLOW)
        for n in (1, 3)
    )
    assert one.games is not None
    assert three.games is not None
    for metric, values in one.games.items():
        assert np.array_equal(values, three.games[metric]), metric


@pytest.mark.parametrize(
    "policies",
    [
        ("cap:cap=0.5+ucb", "cap+ucb"),
        ("peak-grabber:window=5,trigger=3+ucb", "peak-grabber:window=9,trigger=6+ucb"),
        ("discounted:discount=0.5+ucb", "discounted+ucb"),
    ],
    ids=["cap", "grabber", "discount"],
)
def test_other_settings_are_not_taken_for_one_another(policies: tuple[str, str]) -> None:
    """They run the same code, or code from the same lines."""
    model, totals = REWARDS["eighths"](arms=FLOW.arms), []
    for policy in map(hs.policies.parse, policies):
        result = hs.simulate(policy, model, WAVE, games=3, seed=1, lifetimes=FLOW)
        for number in range(3):
            game = hs.play(policy, model, WAVE, seed=1, game=number, lifetimes=FLOW)
            same_totals(result, game, number, str(policy))
        totals.append(result.mean("reward", 0))
    assert totals[0] != totals[1]


# -- regret ----------------------------------------------------------------------------------------


@pytest.mark.jit
def test_regret_is_against_the_best_arm_alive() -> None:
    lifetimes = hs.lifetimes.fixed([(1, math.inf), (1, 40), (60, 70)])
    model, means = hs.rewards.bernoulli(means=[0.2, 0.9, 0.5]), np.array([0.2, 0.9, 0.5])
    best = np.array([0.9] * 40 + [0.2] * 19 + [0.5] * 11 + [0.2] * 20)
    result = hs.simulate(
        hs.UCB(), model, WAVE, games=4, seed=6, lifetimes=lifetimes, curves=TURNS, realised=True
    )
    assert result.games is not None
    for number in range(4):
        game = hs.play(hs.UCB(), model, WAVE, seed=6, game=number, lifetimes=lifetimes)
        assert means[game.best_arms].tolist() == best.tolist()
        by_hand = float((WAVE.values * (best - means[game.arms])).sum())
        assert game.regret == pytest.approx(by_hand)
        assert result.games["regret"][0, number] == pytest.approx(by_hand)
        found = result.games["realised_regret"][0, number]
        assert found == pytest.approx(game.realised_regret)
        assert result.games["best_pulls"][0, number] == (game.arms == game.best_arms).sum()
    assert (result.games["regret"] >= 0).all()


def test_who_always_has_one_arm_regrets_nothing() -> None:
    lifetimes = hs.lifetimes.fixed([(t, t) for t in range(1, TURNS + 1)])
    result = hs.simulate(
        ["ucb", "soft-ucb-mortal", "greedy"],
        hs.rewards.bernoulli(arms=TURNS), WAVE, games=3, lifetimes=lifetimes, realised=True,
    )  # fmt: skip
    assert result.games is not None
    assert not result.games["regret"].any()
    assert not result.games["realised_regret"].any()
    assert (result.games["best_pulls"] == TURNS).all()


# -- what goes in ----------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [hs.play, partial(hs.simulate, games=2)], ids=["play", "simulate"])
@pytest.mark.parametrize(
    ("policy", "lifetimes", "message"),
    [
        (hs.UCBL(), replace(FIXED, known=False), "ucb-l explores by the remaining lifetimes"),
        (
            hs.policies.SpareOldArms(hs.UCBL()),
            replace(FIXED, known=False),
            "must know when arms end, but these lifetimes have known=False",
        ),
        (hs.UCB(), hs.lifetimes.fixed([(1, 90)]), "the rewards have 9 arms, the lifetimes 1"),
        (hs.UCB(), SPANS, "expected lifetimes such as hs.lifetimes.fixed"),
        (hs.UCB(), hs.lifetimes.fixed([(1, 4)] * 9), "no arm is alive at turn 5"),
    ],
    ids=[
        "unknown ends",
        "unknown ends, wrapped",
        "other arms",
        "no lifetimes",
        "a turn without an arm",
    ],
)
def test_invalid_arguments_are_refused(
    way: Any, policy: Policy, lifetimes: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        way(policy, hs.rewards.bernoulli(arms=9), WAVE, lifetimes=lifetimes)


def test_the_record_says_which_lifetimes() -> None:
    model = hs.rewards.bernoulli(arms=FLOW.arms)
    result = hs.simulate(hs.UCB(), model, WAVE, games=2, lifetimes=FLOW)
    assert result.settings["lifetimes"] == "birth-and-death"


def test_plans_are_made_for_as_many_arms_as_are_there() -> None:
    lifetimes = hs.lifetimes.fixed([(t, t + 9) for t in range(1, 91)])  # 90 arms, ten at a time
    game = hs.play(hs.EpsilonGreedy(k=1), hs.rewards.bernoulli(arms=90), WAVE, lifetimes=lifetimes)
    assert game.plan.arms == lifetimes.typical(TURNS) == 10


def test_a_forecast_ranks_lives_by_what_it_believes() -> None:
    """G is high early, the forecast says late: who lifetimes late is explored most."""
    early = hs.traffic.from_values([40.0] * 30 + [1.0] * 60)
    late = hs.traffic.from_values([1.0] * 60 + [40.0] * 30)
    lifetimes = hs.lifetimes.fixed([(1, 50), (40, 90), (1, 90)])
    model, policy = hs.rewards.bernoulli(means=[0.5] * 3), hs.SoftUCBMortal(c=2, unit=1)

    def pulls(forecast: Any) -> NDArray[np.float64]:
        found = [hs.play(policy, model, early, s, 0, forecast, lifetimes) for s in range(40)]
        return np.mean([np.bincount(g.arms[44:50], minlength=3) for g in found], axis=0)

    known, believed = pulls(None), pulls(late)
    assert believed[1] > known[1] + 0.5
    assert believed[0] < known[0] - 0.3


def test_a_policy_without_lives_keeps_its_fast_kernel() -> None:
    assert not hs.UCB().uses_lifetimes
    assert not hs.policies.PeakGrabber(hs.UCB()).uses_lifetimes
    assert hs.SoftUCBMortal().uses_lifetimes
    assert hs.policies.CapIndex(hs.SoftUCBMortal(initial=3)).uses_lifetimes
    assert hs.UCBL().uses_lifetimes


@pytest.mark.parametrize(
    "policy",
    [
        "soft-ucb-mortal:c=2",
        "soft-ucb-mortal:remaining=true,initial=2",
        "cap+spare-old-arms+ucb",
        "ucb",
    ],
)
def test_deaths_that_are_not_announced_cannot_be_known(policy: str) -> None:
    """Two worlds that part after turn 40: up to then they cannot be distinguished."""
    spans: list[tuple[int, float]] = [(1, 30), (1, 60), (5, 50), (20, 90), (1, 45), (1, 90)]
    others: list[tuple[int, float]] = [(1, 30), (1, 90), (5, 70), (20, 41), (1, 90), (1, 44)]
    player, model = hs.policies.parse(policy), REWARDS["normal"](arms=6)

    def played(lifetimes: list[tuple[int, float]], known: bool, seed: int) -> list[int]:
        given = hs.lifetimes.fixed(lifetimes, known=known)
        return hs.play(player, model, WAVE, seed=seed, lifetimes=given).arms[:40].tolist()

    for seed in range(4):
        assert played(spans, False, seed) == played(others, False, seed)
    if policy != "ucb":
        assert any(played(spans, True, seed) != played(others, True, seed) for seed in range(9))


@pytest.mark.parametrize(
    "forecast",
    [hs.traffic.RandomWalk(), hs.traffic.wave(TURNS).shift(7)],
    ids=["one step", "numbers"],
)
def test_a_forecast_is_played_as_play_plays_it(forecast: Any) -> None:
    policy, model = hs.SoftUCBMortal(c=2), REWARDS["normal"](arms=FLOW.arms)
    result = hs.simulate(policy, model, WAVE, games=4, seed=2, forecast=forecast, lifetimes=FLOW)
    known = hs.simulate(policy, model, WAVE, games=4, seed=2, lifetimes=FLOW)
    for number in range(4):
        game = hs.play(policy, model, WAVE, 2, number, forecast, FLOW)
        same_totals(result, game, number, "a forecast")
    assert result.mean("reward", 0) != known.mean("reward", 0)
