"""The option index where visitors are counted: how much a turn teaches, and what it then costs."""

import math

import numpy as np
import pytest
from scipy import optimize, stats
from tests.reference.option_index import indices

import highseason as hs
from highseason.policies import parse
from highseason.policies.noise import PER_TURN, RHO
from highseason.policies.option_index import (
    OPTION_COUNTED,
    OPTION_UNREGULATED,
    PERSISTENCE,
    patience_of,
)
from highseason.policies.option_prior import NU, PI, SUCCESSES, TRIALS
from highseason.policies.rule import ArmState, Observation, Turn


def turn_of(level: float, G: float, future: float, left: int) -> Turn:
    return Turn(1, level, G, future, left, 1, False, 1)


def learned(rho: float, size: float, turns: int, seed: int = 0, arms: int = 3) -> ArmState:
    """A rule that has seen beta-binomial rates around .1, .2, … with turns of different sizes."""
    rng, state = np.random.default_rng(seed), OPTION_COUNTED.fresh_state(arms)
    for i in range(turns):
        arm, n = i % arms, max(1, int(size * rng.uniform(0.1, 2)))
        rate = 0.1 * (1 + arm)
        if rho > 0.0:
            rate = rng.beta(rate * (1 / rho - 1), (1 - rate) * (1 / rho - 1))
        value = rng.binomial(n, rate) / n
        turn = turn_of(5.0, float(n), 50.0, 10)
        OPTION_COUNTED.observe(state, turn, Observation(arm, value, float(n)))
    return state


@pytest.mark.parametrize("rho", [0.001, 0.02, 0.2])
def test_it_learns_how_alike_the_visitors_of_a_turn_are(rho: float) -> None:
    state = learned(rho, 2000, 600)
    assert state.shared[RHO] == pytest.approx(rho, rel=0.2)
    # Trials of an arm are its effective visitors at that rho.
    sizes = 2000 * np.random.default_rng(1).uniform(0.1, 2, 4000)
    per_turn = np.mean(sizes / (1 + (sizes - 1) * state.shared[RHO]))
    assert state.shared[PER_TURN] == pytest.approx(per_turn, rel=0.1)
    assert state.memory[:, TRIALS].sum() == pytest.approx(600 * state.shared[PER_TURN])


def test_independent_visitors_count_one_by_one() -> None:
    state = learned(0.0, 300, 400)
    assert state.shared[RHO] < 0.001
    estimates = state.memory[:, SUCCESSES] / state.memory[:, TRIALS]
    np.testing.assert_allclose(estimates, [0.1, 0.2, 0.3], rtol=0.05)


def test_one_coin_a_turn_is_one_trial_whatever_its_size() -> None:
    state = OPTION_COUNTED.fresh_state(2)
    rng = np.random.default_rng(2)
    for i in range(60):
        value = float(rng.random() < 0.3)
        OPTION_COUNTED.observe(state, turn_of(5.0, 500.0, 9.0, 3), Observation(i % 2, value, 500.0))
    assert state.shared[RHO] == 1.0
    np.testing.assert_allclose(state.memory[:, TRIALS], 30.0)


@pytest.mark.parametrize("rho", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("waiting", [1.0, 0.2])
def test_the_index_is_that_of_its_definition(rho: float, waiting: float) -> None:
    """call = (λ - p) max{(w + c N u)/W, (1 + c ρ N) a}; a is the plan's rate, less with many plays.

    G counts visitors here, so that w = v.
    """
    state, arms, left = learned(rho, 100, 90, seed=3), 3, 200
    w, W = 80.0, 20_000.0
    turn = turn_of(waiting * W / w, w, W, left)
    rho, pi, nu = state.shared[RHO], state.shared[PI], state.shared[NU]
    plays = 1 + PERSISTENCE * nu / state.shared[PER_TURN]
    share = 1 - math.log(plays) / math.log(left / arms) if arms * plays < left else 0.0
    found = indices(state, turn)
    for arm in range(arms):
        n = nu + state.memory[arm, TRIALS]
        p = (nu * pi + state.memory[arm, SUCCESSES]) / n
        u = w * (rho + (1 - rho) / w)
        now, later = (w + PERSISTENCE * n * u) / W, (1 + PERSISTENCE * rho * n) * share / turn.level
        a, b, rate = p * n, (1 - p) * n, max(now, later)

        def surplus(x: float, a: float = a, b: float = b, p: float = p, r: float = rate) -> float:
            call = p * stats.beta.sf(x, a + 1, b) - x * stats.beta.sf(x, a, b)
            return float(call - r * (x - p))

        # Arms known from thousands of trials are priced as normal ones.
        assert found[arm] == pytest.approx(optimize.brentq(surplus, p, 1.0, xtol=1e-13), rel=2e-4)


def test_among_many_arms_waiting_counts_as_among_those_that_a_search_tries() -> None:
    turn = turn_of(5.0, 30.0, 3000.0, 99)  # the first of 100: a search tries 20 arms
    twenty, more, fewer = (patience_of(OPTION_COUNTED.fresh_state(n), turn) for n in (20, 60, 5))
    assert 0.0 < twenty == more < fewer < 1.0


def test_the_twin_ignores_how_busy_a_turn_is() -> None:
    state = learned(0.01, 100, 90, seed=3)
    rule = OPTION_UNREGULATED
    twin = rule.fresh_state(3)
    for _ in range(5):
        for arm, value in enumerate((0.1, 0.25, 0.15)):
            rule.observe(twin, turn_of(5.0, 90.0, 9.0, 3), Observation(arm, value, 90.0))
    quiet, busy = (turn_of(30.0, w, 5000.0, 30) for w in (5.0, 500.0))
    np.testing.assert_array_equal(indices(twin, quiet), indices(twin, busy))
    assert (indices(state, quiet) > indices(state, busy)).all()


@pytest.mark.parametrize("setting", ["wait=true", "wait=false", "regulated=false"])
def test_the_unit_of_the_multiplier_does_not_matter(setting: str) -> None:
    """A multiplier in hundreds of visitors: how many they are is learned from what came."""
    G = np.rint(20 * hs.traffic.wave(60).values)
    policy = parse(f"option-index:count=visitors,{setting}")
    one, other = (
        hs.play(policy, hs.rewards.visitors(arms=6, between=(0.1, 0.4), rho=0.01, share=share), g)
        for share, g in ((1.0, G), (100.0, G / 100))
    )
    assert one.arms.tolist() == other.arms.tolist()


def test_with_one_visitor_a_turn_the_twin_is_that_of_turns() -> None:
    G = hs.traffic.wave(60)
    texts = ("option-index:regulated=false", "option-index:regulated=false,count=visitors")
    for number in range(3):
        games = [
            hs.play(parse(text), hs.rewards.bernoulli(arms=4), G, seed=5, game=number)
            for text in texts
        ]
        assert games[0].arms.tolist() == games[1].arms.tolist()


def test_turns_that_come_one_at_a_time() -> None:
    G = np.rint(10 * hs.traffic.wave(60).values)
    rewards = hs.rewards.visitors(arms=4, between=(0.1, 0.5))
    game = hs.play(parse("option-index:count=visitors"), rewards, G, forecast=np.full(60, 200.0))
    assert set(game.arms) == set(range(4))
