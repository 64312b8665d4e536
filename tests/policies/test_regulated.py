"""Regulators take exploration away from busy turns, and from no others."""

from __future__ import annotations

import math

import numpy as np
import pytest

import highseason as hs
from highseason.policies import parse
from highseason.policies.plan import compiled_plan

PLAIN = [hs.Thompson(), hs.GaussianThompson(), hs.KLUCB(), hs.ConstantEpsilon()]
WAVE = hs.traffic.wave(turns=120)
ARMS = hs.rewards.bernoulli(arms=5)


def games(policy: hs.Policy, G: hs.traffic.Multiplier) -> np.ndarray:
    result = hs.simulate(policy, ARMS, G, games=20, seed=3, keep="games")
    assert result.games is not None
    return result.games["regret"]


@pytest.mark.filterwarnings("ignore")
def test_shares() -> None:
    G = [1.0, 2.0, 4.0]
    assert hs.regulate("constant-epsilon", "soft", unit=2).plan(G, 2).levels.tolist() == [
        0.1, 0.1, 0.05,
    ]  # fmt: skip
    assert hs.regulate("constant-epsilon", "threshold", z=2).plan(G, 2).levels.tolist() == [
        0.1, 0.0, 0.0,
    ]  # fmt: skip
    pool = hs.regulate(hs.VariablePool(c=20, unit=1), "soft", unit=2).plan(G, 20).levels
    assert (pool == np.floor(pool)).all()


@pytest.mark.parametrize("plain", PLAIN, ids=str)
@pytest.mark.parametrize(
    ("by", "options"),
    [("threshold", {"z": 2.0}), ("soft", {}), ("ahead", {}), ("ahead", {"wait": False})],
)
@pytest.mark.filterwarnings("ignore")  # no turn is high: that is the point
def test_with_a_constant_g_it_is_the_textbooks_algorithm(plain, by, options) -> None:
    G = hs.traffic.constant(120, 1.0)
    regulated = hs.regulate(plain, by=by, **options)
    assert regulated.plan(G, 5).levels.tolist() == plain.plan(G, 5).levels.tolist()
    assert games(regulated, G).tolist() == games(plain, G).tolist()


def test_the_paper_already_has_one_of_them() -> None:
    assert games(hs.regulate("ucb", "threshold", z=30), WAVE).tolist() == (
        games(hs.UCBZ(z=30), WAVE).tolist()
    )


@pytest.mark.parametrize("plain", PLAIN, ids=str)
def test_it_pays_where_g_varies(plain: hs.Policy) -> None:
    players = {"plain": plain} | {by: hs.regulate(plain, by) for by in ("soft", "ahead")}
    G = hs.traffic.christmas(turns=300)
    result = hs.simulate(players, hs.rewards.bernoulli(arms=10), G, games=300, seed=1)
    plain_regret, *regulated = (result.mean("regret", i) for i in range(3))
    assert max(regulated) < 0.85 * plain_regret


@pytest.mark.parametrize("by", ["threshold", "soft", "ahead"])
@pytest.mark.parametrize("base", ["ucb", "epsilon-greedy", "variable-pool:unit=40", "option-index"])
@pytest.mark.filterwarnings("ignore")
def test_no_turn_explores_more_than_within(base: str, by: str) -> None:
    within, regulated = (p.plan(WAVE, 5) for p in (parse(base), hs.regulate(base, by)))
    assert (regulated.levels <= within.levels).all()
    assert (regulated.levels < within.levels).any()


@pytest.mark.filterwarnings("ignore")
def test_around_each_other_shares_multiply() -> None:
    both = hs.regulate(hs.regulate("constant-epsilon", "soft", unit=1), "threshold", z=3)
    assert str(both) == "threshold:z=3+soft:unit=1+constant-epsilon"
    assert parse(str(both)) == both
    assert both.plan([1.0, 2.0, 4.0], 2).levels.tolist() == [0.1, 0.05, 0.0]


def test_ahead_waits_for_cheaper_turns() -> None:
    G = [10.0, 1.0, 10.0, 1.0, 10.0]
    wait, now = (
        hs.regulate("constant-epsilon", "ahead", wait=wait).plan(G, 1).levels
        for wait in (True, False)
    )
    assert wait[0] < now[0] < 0.1


def test_ahead_without_a_future_looks_at_the_past() -> None:
    levels = hs.regulate("constant-epsilon", "ahead").plan([1.0, 3.0, 8.0], 2, [1.0, 3.0, 8.0])
    assert levels.levels == pytest.approx([0.1, 0.1 * 2 / 3, 0.1 * 4 / 8])


@pytest.mark.parametrize("by", ["threshold", "soft", "ahead"])
def test_it_plays_live_and_is_stored(by: str) -> None:
    bandit = hs.Bandit(
        ["a", "b", "c"], hs.regulate(hs.Thompson(), by), WAVE, seed=4, reward_range=(0, 1)
    )
    for _ in range(20):
        chances = bandit.probabilities()
        assert sum(chances.values()) == pytest.approx(1.0)
        arm = bandit.pull()
        bandit.update(arm, 1.0)
    again = hs.Bandit.from_json(bandit.to_json())
    assert [again.pull() for _ in range(10)] == [bandit.pull() for _ in range(10)]


def test_a_live_game_with_traffic_that_comes_turn_by_turn() -> None:
    bandit = hs.Bandit(
        ["a", "b"], hs.regulate("thompson", "ahead"), None, seed=4, reward_range=(0, 1)
    )
    for traffic in (5, 50, 500, 5):
        bandit.update(bandit.pull(expected=traffic), 1, visitors=traffic)
    again = hs.Bandit.from_json(bandit.to_json())
    assert again.pull(expected=9) == bandit.pull(expected=9)


@pytest.mark.jit
def test_replays_run_compiled() -> None:
    for policy in (
        hs.policies.RegulateByThreshold(hs.Thompson(), z=3.0),
        hs.policies.RegulateSoftly(hs.EpsilonZGreedy(z=4.0), unit=2.0),
    ):
        assert compiled_plan(policy).carry.size == 2


def test_what_cannot_be_regulated_is_refused() -> None:
    with pytest.raises(ValueError, match="its policies look at G"):
        hs.regulate("soft-ucb-mortal")
    with pytest.raises(ValueError, match="must be one of: threshold, soft, ahead"):
        hs.regulate("ucb", by="luck")
    with pytest.raises(ValueError, match="has no pull"):
        hs.regulate(7)


def test_tuning_searches_the_regulator_and_the_policy_within() -> None:
    given = hs.policies.RegulateSoftly(hs.KLUCB())
    tuned = hs.tune(given, ARMS, WAVE, trials=4, games=20, search="spread", space=["unit", "P"])
    assert isinstance(tuned.policy, hs.policies.RegulateSoftly)
    assert math.isfinite(float(tuned.policy.unit))
    assert {str(trial.policy.base) for trial in tuned.trials} > {"kl-ucb"}  # type: ignore[attr-defined]


def test_rules_on_g_are_resolved_within_too() -> None:
    ahead = hs.regulate("ucb-z", by="ahead").resolve_thresholds(np.arange(1.0, 5.0))
    assert str(ahead) == "ahead+ucb-z:z=3.25"


def test_a_value_goes_to_the_outermost_that_has_it() -> None:
    both = hs.policies.RegulateByThreshold(hs.UCBZ(z=9), z=5)
    assert list(both.tunable()) == ["z", "P"]
    assert str(both.with_values({"z": 3, "P": 0.5})) == "threshold:z=3+ucb-z:z=9,P=0.5"
    deep = hs.policies.CapIndex(hs.policies.SpareOldArms(hs.SoftUCB()))
    assert list(deep.tunable()) == ["cap", "unit", "P"]
    assert str(deep.with_values({"P": 0.5})) == "cap+spare-old-arms+soft-ucb:P=0.5"
