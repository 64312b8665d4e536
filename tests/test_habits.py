"""Habits from other libraries meet an error that says what to write here."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pandas as pd
import pytest

import highseason as hs
from highseason.core.validation import declared
from highseason.policies.base import registry

BANDIT: Any = hs.Bandit(["a", "b"], "greedy", multiplier=[1, 2, 3])


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("pull", "hs.Bandit(arms, UCB("),
        ("update", "bandit.update(arm, reward, visitors=…)"),
        ("fit", "bandit.pull()"),
        ("simulate", "hs.simulate"),
    ],
)
def test_a_policy_is_a_recipe(method: str, hint: str) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(hs.UCB(), method)
    assert hint in str(raised.value)
    assert f"'UCB' object has no attribute {method!r}: a policy is a recipe." in str(raised.value)


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("predict", "bandit.pull()"),
        ("learn_one", "bandit.update(arm"),
        ("predict_expectations", "bandit.expectations()"),
    ],
)
def test_a_bandit_pulls_and_updates(method: str, hint: str) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(BANDIT, method)
    assert hint in str(raised.value)


def test_other_attributes_are_missing_as_usual() -> None:
    for owner in (hs.UCB(), BANDIT):
        assert not hasattr(owner, "colour")
        with pytest.raises(AttributeError, match="object has no attribute 'colour'"):
            owner.colour  # noqa: B018
    assert copy.deepcopy(hs.UCBZ()) == hs.UCBZ() == pickle.loads(pickle.dumps(hs.UCBZ()))
    assert copy.deepcopy(BANDIT).pull() == pickle.loads(pickle.dumps(BANDIT)).pull()


def test_the_package_knows_its_names_before_they_are_loaded() -> None:
    assert all(hasattr(hs, name) for name in hs.__all__)
    assert dir(hs) == sorted(hs.__all__)
    with pytest.raises(AttributeError, match="Did you mean 'simulate'"):
        hs.simulat  # type: ignore[attr-defined]  # noqa: B018


G = hs.traffic.wave(turns=30)
RESULT: Any = hs.simulate("greedy", "bernoulli:means=0.2/0.8", G, games=2)


@pytest.mark.parametrize(
    ("typed", "error", "hint"),
    [
        (lambda: G[3], TypeError, "turns count from 1: write G.at(3)"),
        (lambda: hs.EpsilonGreedy(epsilon=0.1), TypeError, "hs.ConstantEpsilon(epsilon=0.1)"),
        (lambda: hs.rewards.normal, AttributeError, "write hs.rewards.truncated_normal"),
    ],
)
def test_what_people_type_first_names_the_right_call(typed: Any, error: Any, hint: str) -> None:
    with pytest.raises(error) as raised:
        typed()
    assert hint in str(raised.value)


def test_text_stands_for_policies_and_rewards_everywhere() -> None:
    assert RESULT.settings["arms"] == 2
    assert hs.play("greedy", "bernoulli:means=0.2/0.8", G).arms.size == 30
    tuned = hs.tune(
        "epsilon-greedy", "bernoulli:means=0.2/0.8", G, trials=2, games=4, search="spread"
    )
    assert str(tuned.start) == "epsilon-greedy"
    with pytest.raises(ValueError, match="must be a reward model"):
        hs.tune("ucb-z", 3, G)


def test_a_range_of_rates_may_be_a_text() -> None:
    assert hs.rewards.visitors(4, rates="2%..4%").between == (0.02, 0.04)
    assert hs.rewards.bernoulli(4, means="20%..80%").between == (0.2, 0.8)
    with pytest.raises(ValueError, match="rates: 'x' is not a number"):
        hs.rewards.visitors(4, rates="2%..x")


def test_reprs_show_no_addresses() -> None:
    assert repr(hs.rewards.visitors(4, rho=0.01)) == "<Rewards visitors:rho=0.01: 4 arms>"


def test_help_explains_every_parameter() -> None:
    for name, policy in registry(added=False).items():
        for parameter, limits in declared(policy).items():
            assert f"\n    {parameter}: {limits.doc}" in (policy.__doc__ or ""), name


def test_results_become_frames() -> None:
    assert RESULT.summary().to_pandas()["policy"].tolist() == ["greedy"]
    days = hs.traffic.from_values([5, 7] * 9, pd.date_range("2026-01-01", periods=18))
    frame = hs.traffic.SeasonalNaive(lag=7).fit(days).predict(2).to_pandas()
    assert list(frame) == ["mean", "low", "high"]
    assert frame.index[0] == pd.Timestamp("2026-01-19")
    bandit = hs.Bandit(["a", "b"], "greedy", multiplier=[1, 2, 3])
    bandit.pull()
    assert pd.DataFrame(bandit.decisions())["arm"].tolist() == ["a"]
