"""The forecast of a live bandit is replaced as visitors come; without a policy it looks ahead."""

import numpy as np
import pandas as pd
import pytest

import highseason as hs
from highseason.bandit import MultiplierReplaced

WAVE = np.rint(20 * hs.traffic.wave(40).values)


def shop(**options: object) -> hs.Bandit:
    settings = {"multiplier": WAVE, "reward_range": (0, 1), "seed": 3, **options}
    return hs.Bandit(["a", "b", "c"], **settings)


def play(bandit: hs.Bandit, turns: int) -> None:
    rng = np.random.default_rng(1)
    for _ in range(turns):
        arm = bandit.pull()
        turn = bandit.decisions()[-1].turn
        visitors = int(bandit.multiplier.at(turn)) if bandit.multiplier else 50
        sold = rng.binomial(visitors, {"a": 0.1, "b": 0.3, "c": 0.2}[arm])
        bandit.update(arm, float(sold), t=turn, visitors=visitors)


def test_without_a_policy_it_is_the_option_index_and_counts_visitors() -> None:
    bandit = shop()
    assert bandit.policy == hs.OptionIndex(count="visitors")
    play(bandit, 30)
    assert bandit.ranking()[0].arm == "b"
    again = hs.Bandit.from_events(hs.bandit.MemoryStore(bandit.store))
    assert [again.pull(t) for t in range(31, 41)] == [bandit.pull(t) for t in range(31, 41)]


def test_without_a_policy_it_asks_for_the_range_of_rewards() -> None:
    with pytest.raises(
        hs.bandit.BanditError, match=r"needs the least .* \(reward_range\): 0\.\.1 if"
    ):
        hs.Bandit(["a", "b"], multiplier=[5, 5])


def test_without_a_policy_and_a_multiplier_turns_come_one_at_a_time() -> None:
    bandit = hs.Bandit(["a", "b"], reward_range=(0, 1))
    for expected in (5.0, 50.0, 5.0):
        bandit.update(bandit.pull(expected=expected), 1.0, visitors=expected)
    assert {row.arm for row in bandit.decisions()} == {"a", "b"}


def test_a_new_forecast_renews_the_plan_of_the_turns_to_come() -> None:
    bandit = shop()
    play(bandit, 10)
    before = [row.level for row in bandit.decisions()]
    forecast = np.concatenate([[400.0], np.full(34, 20.0)])
    bandit.reforecast(forecast)
    season = np.concatenate([WAVE[:10], forecast])
    assert bandit.multiplier.values.tolist() == season.tolist()
    plan = bandit.policy.plan(season, arms=3)
    assert [bandit.decide(t).level for t in (11, 30, 45)] == [plan.at(t) for t in (11, 30, 45)]
    assert [row.level for row in bandit.decisions()][:10] == before
    assert plan.at(11) == pytest.approx(3 * 20 / (400 - 20))  # it waits: the next turns are cheap


def test_what_was_learned_and_decided_stays() -> None:
    bandit = shop()
    play(bandit, 12)
    ranking, decisions = bandit.ranking(), bandit.decisions()
    bandit.reforecast(np.full(5, 30.0))
    assert bandit.ranking() == ranking
    assert bandit.decisions() == decisions
    bandit.correct(3, 1.0)
    with pytest.raises(hs.bandit.PastForecastError, match="ends at turn 17"):
        bandit.pull(18)


def test_it_is_one_event_and_documents_keep_it() -> None:
    bandit = shop()
    play(bandit, 6)
    bandit.reforecast([7.0, 700.0, 7.0])
    event = list(bandit.store)[-1]
    assert isinstance(event, MultiplierReplaced)
    assert event.turn == 6
    twins = [
        hs.Bandit.from_json(bandit.to_json()),
        hs.Bandit.from_events(hs.bandit.MemoryStore(bandit.store)),
    ]
    for twin in twins:
        assert twin.multiplier == bandit.multiplier
        assert [twin.pull(t) for t in (7, 8, 9)] == [bandit.pull(t) for t in (7, 8, 9)]


def test_before_the_first_turn_all_of_it_is_replaced() -> None:
    bandit = shop()
    bandit.reforecast([9.0, 8.0])
    assert bandit.multiplier.values.tolist() == [9.0, 8.0]


def test_days_must_follow_on_those_that_were_decided() -> None:
    days = pd.date_range("2026-12-01", periods=10)
    bandit = shop(multiplier=pd.Series(np.full(10, 50.0), days), expires={"a": "2026-12-08"})
    play(bandit, 4)
    with pytest.raises(ValueError, match="2026-12"):
        bandit.reforecast(pd.Series([9.0], days[[2]]))
    bandit.reforecast(pd.Series(np.full(3, 90.0), days[4:7]))
    assert bandit.multiplier.turns == 7
    bandit.extend(pd.Series([20.0, 20.0], days[7:9]))
    assert "a" not in bandit.probabilities(9)


def test_a_bandit_without_a_multiplier_has_no_forecast_to_replace() -> None:
    bandit = hs.Bandit(["a", "b"], reward_range=(0, 1))
    with pytest.raises(hs.bandit.BanditError, match="no multiplier to extend or replace"):
        bandit.reforecast([5.0])


def test_turns_that_were_left_out_are_replaced_and_decided_ones_are_not() -> None:
    bandit = shop()
    play(bandit, 3)
    bandit.pull(40)  # far ahead
    new = np.arange(1.0, 43.0)
    bandit.reforecast(new, first=4)
    season = [*WAVE[:3], *new[:36], WAVE[39], *new[37:]]
    assert bandit.multiplier.values.tolist() == season
    assert bandit.decide(5).level == bandit.policy.plan(season, arms=3).at(5)
    twin = hs.Bandit.from_events(hs.bandit.MemoryStore(bandit.store))
    assert twin.to_json() == bandit.to_json()
    with pytest.raises(hs.bandit.BanditError, match=r"turn 40 is decided.* ends at turn 8"):
        bandit.reforecast([5.0, 5.0], first=7)
    forged = MultiplierReplaced(len(bandit.store) + 1, 1, hs.traffic.constant(60))
    with pytest.raises(hs.bandit.DocumentError, match="changes the multiplier of a decided turn"):
        bandit.follow(forged)


@pytest.mark.parametrize("policy", ["ucb", "soft-ucb-mortal"])
def test_an_arm_may_come_for_turns_that_were_left_out(policy: str) -> None:
    bandit = shop(policy=policy)
    play(bandit, 3)
    bandit.pull(40)
    bandit.add_arm("new", when="now", expires=20)
    with pytest.raises(hs.bandit.BanditError, match="all turns to 3 are decided"):
        bandit.add_arm("late", expires=3)
    assert "new" in {bandit.pull(t) for t in range(4, 10)}
    assert "new" not in bandit.probabilities(21)
