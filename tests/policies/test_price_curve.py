"""The price curve: by hand, against a slow and obvious twin, and what must hold by symmetry."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.reference import price_curve as slow

import highseason as hs
from highseason.policies import price_curve as rule
from highseason.policies.noise import RHO
from highseason.policies.price_curve import (
    CURVE,
    SQUARE,
    curve_of,
    demand_of,
    expected_greatest,
    fit,
    put_scores,
)
from highseason.policies.rule import ArmState, Observation, Turn
from highseason.rewards import Offer, check_offers

SHELF = check_offers("shelf", "8.99/9.99/10.99/12.49/14.99", cost=4.2)


def turn_of(level: float, G: float = 1000.0, t: int = 1) -> Turn:
    return Turn(t, level, G, level * G, int(level), 1, False, t)


def learned(
    offers: Any, lessons: Any, state: ArmState | None = None, size: float = 800.0
) -> ArmState:
    """The state after turns in which this share bought at these arms."""
    state = CURVE.fresh_state(len(offers), offers) if state is None else state
    for t, (arm, share) in enumerate(lessons, start=1):
        CURVE.observe(
            state, turn_of(30.0, size, t), Observation(arm, round(share * size) / size, size)
        )
    return state


LESSONS = [(0, 0.05), (2, 0.035), (2, 0.04), (4, 0.01), (0, 0.052), (1, 0.044), (4, 0.013)]


def scores_of(state: ArmState, turn: Turn) -> np.ndarray:
    out = [0.0] * state.available.size
    put_scores(state, turn, out)
    return np.where(state.available, out, -np.inf)


# -- by hand ---------------------------------------------------------------------------------------


def test_the_prior_by_hand() -> None:
    """Prices 4, 6, 8 that cost 2: margins 2, 4, 6, places -1, 0, 1, and b = ln(6/2)/2 = .549306.

    μ is -3.5 + 1.25 · .549306 - .301737/4 = -2.888802 at 4, and -4.262067 at 8; the variance at
    both ends is 4 + .5625 · .301737 + .5625 · .301737² = 4.220940, their covariance 4 - .169727 +
    .051213 = 3.881486, and s² adds 1/2 for the walk to each end and 1/2 for each price.
    """
    curve = curve_of(CURVE.fresh_state(3, [Offer(4, 2), Offer(6, 2), Offer(8, 2)]))
    assert curve.mean == pytest.approx([-2.888802, -3.5, -4.262067], abs=1e-6)
    assert curve.curve == pytest.approx(
        [4.220940, 4.0, 3.881486, 4.0, 4.0, 4.0, 3.881486, 4.0, 4.220940], abs=1e-6
    )
    assert curve.walk == [1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0]
    assert curve.unit == 6.0
    assert curve.margins == pytest.approx([1 / 3, 2 / 3, 1.0])


def test_what_finding_out_brings_by_hand() -> None:
    """One price earns 1 for sure, the other exp(Z - 1/2), 1 on average: E max = 2 Φ(1/2).

    With a third that is as sure but earns .5, the same; where it earns 2, 2 + what is above that:
    Φ(1/2 - ln 2) - 2 Φ(-1/2 - ln 2).
    """
    logs, slopes = [0.0, 0.0], [0.0, 1.0]
    assert expected_greatest([1.0, 1.0], logs, slopes, [0, 1], 2) == pytest.approx(1.3829249)
    low, high = ([1.0, 1.0, p] for p in (0.5, 2.0))
    three, sure = [0.0, 0.0, math.log(0.5)], [0.0, 1.0, 0.0]
    assert expected_greatest(low, three, sure, [0, 1, 2], 3) == pytest.approx(1.3829249)
    above = stats.norm.cdf(0.5 - math.log(2)) - 2 * stats.norm.cdf(-0.5 - math.log(2))
    three[2] = math.log(2.0)
    assert expected_greatest(high, three, sure, [2, 1, 0], 3) == pytest.approx(2 + above)


def test_one_price_is_learned_like_a_coin() -> None:
    """100,000 visitors at one price, of whom 3,000 buy: logit(.03) = -3.476, sd 1/√(3000 · .97)."""
    state = learned([Offer(5.0)], [(0, 0.03)], size=100_000.0)
    (found,) = demand_of(state)
    assert (found.visitors, found.purchases) == (100_000.0, 3000.0)
    state.shared[RHO] = 0.0  # every visitor on their own
    state.memory[0, [rule.TRIALS, rule.SUCCESSES]] = 100_000.0, 3000.0
    (found,) = demand_of(state)
    assert found.share == pytest.approx(0.03, rel=1e-3)
    width = 2 * 1.6448536 * 0.03 * 0.97 / math.sqrt(3000 * 0.97)
    assert found.share_range[1] - found.share_range[0] == pytest.approx(width, rel=0.01)
    assert found.best == 1.0


# -- against the twin ------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 3, 7])
def test_it_knows_what_the_twin_knows(count: int) -> None:
    state = learned(SHELF, LESSONS[:count])
    seen, square = slow.Seen.of(state), float(state.shared[SQUARE])
    curve = curve_of(state)
    found = fit(state, curve, square)
    mode, v, likely = slow.posterior(seen, square)
    assert found.logits == pytest.approx(mode, abs=1e-6)
    assert found.evidence == pytest.approx(likely, abs=1e-5)
    assert found.covariance == pytest.approx(v.ravel(), rel=1e-5, abs=1e-7)
    earned = [rule.expected_profit(state, arm) for arm in range(5)]
    assert earned == pytest.approx(slow.profits(seen, square), rel=1e-5)


@pytest.mark.parametrize("count", [1, 3, 7])
def test_it_learns_the_deviation_that_the_twin_learns(count: int) -> None:
    """Up to ten turns, it is learned in every one."""
    state = learned(SHELF, LESSONS[:count])
    assert state.shared[SQUARE] == pytest.approx(slow.deviation(slow.Seen.of(state)), rel=1e-5)


@pytest.mark.parametrize("level", [0.5, 8.0, 90.0])
@pytest.mark.parametrize("count", [0, 2, 7])
@pytest.mark.parametrize("there", ["11111", "01101", "00010"])
def test_it_scores_as_the_twin_does(level: float, count: int, there: str) -> None:
    state = learned(
        SHELF, [(0, 0.05), (4, 0.02), (2, 0.03), (1, 0.04), (3, 0.03), *LESSONS[:count]]
    )
    state.available[:] = [one == "1" for one in there]
    turn = turn_of(level, G=300.0)
    found, expected = scores_of(state, turn), slow.scores(state, turn)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-7)
    arm, exploited = CURVE.choose(state, turn)
    assert arm == expected.argmax()
    ranked = [one for one, _ in CURVE.standings(state, -1) if state.available[one]]
    assert exploited == (arm == ranked[0])
    assert CURVE.choose(state, turn._replace(level=0.0)) == (ranked[0], True)


def test_the_mode_is_found_from_anywhere() -> None:
    """A million visitors of whom nine in ten buy, where one in thirty was expected."""
    state = CURVE.fresh_state(5, SHELF)
    state.memory[:, rule.TRIALS] = 1e6, 0.0, 1e5, 0.0, 10.0
    state.memory[:, rule.SUCCESSES] = 9e5, 0.0, 2e4, 0.0, 0.0
    curve, modes = curve_of(state), []
    for start in (-20.0, -3.0, 0.0, 15.0):
        state.memory[:, rule.MODE] = start - np.array(curve.mean)
        found = fit(state, curve, 0.16)
        modes.append(found.logits)
        assert found.logits == pytest.approx(slow.posterior(slow.Seen.of(state), 0.16)[0], abs=1e-4)
    assert np.ptp(modes, axis=0).max() < 1e-8


# -- what must hold --------------------------------------------------------------------------------

LADDERS = st.lists(st.integers(300, 3000), min_size=2, max_size=7, unique=True)
TURNS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 60)), max_size=8)


def offers_of(cents: list[int], share: float, unit: float = 0.01) -> tuple[Offer, ...]:
    return tuple(Offer(unit * price, unit * share * min(cents)) for price in cents)


def lessons_of(cents: list[int], turns: list[tuple[int, int]]) -> list[tuple[int, float]]:
    return [(arm % len(cents), buyers / 800) for arm, buyers in turns]


@given(LADDERS, st.floats(0.0, 0.8), TURNS, st.floats(0.0, 200.0), st.sampled_from([1.0, 7.3, 5e4]))
@settings(max_examples=60, deadline=None)
def test_the_unit_of_money_changes_nothing(
    cents: list[int], share: float, turns: list[tuple[int, int]], level: float, unit: float
) -> None:
    lessons = lessons_of(cents, turns)
    one, other = (learned(offers_of(cents, share, u), lessons) for u in (0.01, unit))
    first, second = (scores_of(state, turn_of(level)) for state in (one, other))
    assert first == pytest.approx(second, rel=1e-6, abs=1e-12)
    profit, money = (rule.expected_profit(state, 0) for state in (one, other))
    assert money / unit == pytest.approx(profit / 0.01, rel=1e-6)


@given(LADDERS, st.floats(0.0, 0.8), TURNS, st.floats(0.0, 200.0), st.randoms())
@settings(max_examples=60, deadline=None)
def test_the_order_of_prices_changes_nothing(
    cents: list[int], share: float, turns: list[tuple[int, int]], level: float, random: Any
) -> None:
    lessons, order = lessons_of(cents, turns), list(range(len(cents)))
    random.shuffle(order)
    straight = learned(offers_of(cents, share), lessons)
    mixed = learned(
        [offers_of(cents, share)[arm] for arm in order],
        [(order.index(arm), value) for arm, value in lessons],
    )
    first, second = (scores_of(state, turn_of(level)) for state in (straight, mixed))
    assert first[order] == pytest.approx(second, rel=1e-5, abs=1e-10)
    rows, others = demand_of(straight), demand_of(mixed)
    assert (
        [row.price for row in rows]
        == [row.price for row in others]
        == sorted(offer.price for offer in offers_of(cents, share))
    )
    assert [row.profit for row in rows] == pytest.approx([o.profit for o in others], rel=1e-6)


@given(LADDERS, TURNS, st.integers(0, 6))
@settings(max_examples=40, deadline=None)
def test_more_visitors_shrink_every_band(
    cents: list[int], turns: list[tuple[int, int]], arm: int
) -> None:
    """More of the same at one price: no logit is known less well, that price's better."""
    assume(arm < len(cents))
    state = learned(offers_of(cents, 0.3), lessons_of(cents, turns))

    def widths() -> np.ndarray:
        curve = curve_of(state)
        v = fit(state, curve, 0.09).covariance
        return np.array(v).reshape(curve.size, -1).diagonal().copy()

    p = demand_of(state)[sorted(cents).index(cents[arm])].share
    state.memory[arm, [rule.TRIALS, rule.SUCCESSES]] += 200.0, 200.0 * p
    before = widths()
    state.memory[arm, [rule.TRIALS, rule.SUCCESSES]] += 20_000.0, 20_000.0 * p
    after = widths()
    assert after[arm] < before[arm]
    assert (
        after <= before * 1.1 + 1e-9
    ).all()  # the mode moves a little, and with it what a visitor tells


@given(LADDERS, TURNS)
@settings(max_examples=40, deadline=None)
def test_what_is_said_of_demand_is_possible(cents: list[int], turns: list[tuple[int, int]]) -> None:
    state = learned(offers_of(cents, 0.5), lessons_of(cents, turns))
    rows = demand_of(state)
    assert sum(row.best for row in rows) == pytest.approx(1.0)
    for row in rows:
        assert 0.0 < row.share_range[0] < row.share < row.share_range[1] < 1.0
        assert row.profit == row.margin * row.share
        assert 0.0 <= row.purchases <= row.visitors
    assert sum(row.visitors for row in rows) == pytest.approx(800.0 * len(turns))
    assert rows == demand_of(state)


def test_a_price_tells_about_its_neighbours() -> None:
    """Nobody was shown 9.99 or 12.49, but they are known better than before, and lie between."""
    before = demand_of(CURVE.fresh_state(5, SHELF))
    after = demand_of(learned(SHELF, [(0, 0.05), (2, 0.035), (4, 0.01)] * 5))
    for old, new in zip(before, after, strict=True):
        assert new.share_range[1] - new.share_range[0] < 0.3 * (
            old.share_range[1] - old.share_range[0]
        )
    assert 0.035 < after[1].share < 0.05
    assert 0.01 < after[3].share < 0.035


def test_prices_that_are_gone_or_new() -> None:
    """A price that was tried stays on the ladder; one that never was there is not on it."""
    state = learned(SHELF, LESSONS)
    state.available[4] = False
    assert curve_of(state).size == 5
    assert [row.price for row in demand_of(state)] == [8.99, 9.99, 10.99, 12.49]
    fresh = CURVE.fresh_state(5, SHELF)
    fresh.available[4] = False
    assert curve_of(fresh).mean == curve_of(CURVE.fresh_state(4, SHELF[:4])).mean
    wide = CURVE.fresh_state(6, (*SHELF, Offer(19.99, 4.2)))
    grown = learned(SHELF, LESSONS, wide)
    shares = [row.share for row in demand_of(grown)]
    assert shares[5] < shares[4]
    assert shares[:5] == pytest.approx(
        [row.share for row in demand_of(learned(SHELF, LESSONS))], rel=0.1
    )


# -- in games --------------------------------------------------------------------------------------

WORLD = hs.rewards.prices("8.99..14.99/6", "any", cost=4, rho=0.001, day=0.1)
G = 20 * hs.traffic.wave(turns=50)


@pytest.mark.jit
@pytest.mark.parametrize(
    "player",
    [
        "price-curve",
        "price-curve:regulated=false",
        "price-curve:count=turns",
        "soft+price-curve",
        "limit-switching:stay=7+price-curve",
    ],
)
@pytest.mark.parametrize("lifetimes", [None, hs.lifetimes.fixed([(1, 50), (5, 30)] * 3)])
def test_kernels_play_what_play_plays(player: str, lifetimes: Any) -> None:
    how: dict[str, Any] = {"seed": 4, "lifetimes": lifetimes}
    result = hs.simulate(player, WORLD, G, games=6, **how)
    assert result.games is not None
    for number in range(6):
        game = hs.play(player, WORLD, G, game=number, **how)
        assert result.games["reward"][0, number] == np.cumsum(game.weights * game.paid)[-1]
        assert result.games["best_pulls"][0, number] == game.best_pulls


def test_a_price_stays_for_a_week() -> None:
    weekly = hs.LimitSwitching(hs.PriceCurve(), stay=7)
    arms = hs.play(weekly, WORLD, G, seed=2).arms
    changes = np.flatnonzero(np.diff(arms)) + 1
    assert changes.size >= 2
    assert (np.diff([0, *changes]) >= 7).all()
    assert len(set(arms.tolist())) >= 3


def test_where_the_future_is_unknown_as_much_follows_as_was_seen() -> None:
    game = hs.play(
        "price-curve", WORLD, G, seed=2, forecast=hs.traffic.parse_forecaster("random-walk")
    )
    assert len(set(game.arms.tolist())) >= 3
    planner = hs.PriceCurve().planner(3)
    assert [planner.level(weight) for weight in (4.0, 1.0, 5.0)] == [1.0, 5.0, 2.0]


@pytest.mark.parametrize("seed", range(3))
def test_it_loses_less_than_the_option_index(seed: int) -> None:
    shelf = hs.rewards.prices("8.99..14.99/8", "logistic", cost=4)
    season = 300 * hs.traffic.constant(60)
    result = hs.simulate(["price-curve", "option-index"], shelf, season, games=60, seed=seed)
    assert result.games is not None
    ours, others = result.games["regret"].mean(axis=1)
    assert ours < 0.95 * others


def test_arms_that_are_no_prices_are_refused() -> None:
    says = "the 'price-curve' rule needs the price and margin of every arm"
    for refused in (
        lambda: hs.play("price-curve", "visitors:rates=2%/3%", G),
        lambda: hs.simulate("price-curve", "visitors:rates=2%/3%", G, games=2),
        lambda: hs.Bandit(["a", "b"], "price-curve", G, reward_range=(0, 1)),
    ):
        with pytest.raises(ValueError, match=says):
            refused()


def test_costs_may_differ() -> None:
    """Where every sale earns the same, demand falls all the same: the lowest price leads."""
    offers = [Offer(price, price - 3.0) for price in (5.0, 7.0, 9.0)]
    curve = curve_of(CURVE.fresh_state(3, offers))
    assert curve.margins == [1.0, 1.0, 1.0]
    assert curve.curve[2] < curve.curve[1]
    state = learned(offers, [(0, 0.05), (2, 0.03), (1, 0.04)] * 4)
    assert CURVE.standings(state, -1)[0][0] == 0


def test_rates_of_everybody_and_nobody_are_survived() -> None:
    for shares in ((0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.0)):
        state = learned(SHELF[:2], [(0, shares[0]), (1, shares[1])] * 6, size=5e6)
        arm, _ = CURVE.choose(state, turn_of(20.0))
        assert arm in (0, 1)
        assert all(math.isfinite(row.profit) for row in demand_of(state))


def test_a_rule_of_turns_on_average_does_not_look_at_g() -> None:
    rule_of = replace(hs.PriceCurve(regulated=False)).rule
    state = rule_of.fresh_state(5, SHELF)
    for arm in (0, 2, 4):
        rule_of.observe(state, turn_of(30.0), Observation(arm, 0.03, 500.0))
    quiet, busy = (rule_of.choose(state, turn_of(9.0, G)) for G in (1.0, 1e6))
    assert quiet == busy
