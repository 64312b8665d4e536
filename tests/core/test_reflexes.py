"""Habits from other libraries meet an error that says what to write here."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import highseason as hs

BANDIT: Any = hs.Bandit(["a", "b"], "greedy", multiplier=[1, 2, 3])


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("pull", "hs.Bandit(arms, UCB("),
        ("update", "bandit.update(arm, reward, visitors=…)"),
        ("fit", "bandit.pull()"),
        ("predict_expectations", "bandit.ranking()"),
        ("simulate", "hs.simulate([UCB("),
    ],
)
def test_a_policy_is_a_recipe(method: str, hint: str) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(hs.UCB(), method)
    assert hint in str(raised.value)
    assert f"'UCB' has no method {method!r}" in str(raised.value)


@pytest.mark.parametrize(
    ("method", "hint"),
    [("predict", "bandit.pull()"), ("learn_one", "bandit.update(arm")],
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


def test_the_function_of_the_old_replay_room_names_the_new_one() -> None:
    with pytest.raises(AttributeError, match=r"write hs\.replay\(\.\.\.\)"):
        hs.replay.replay("ucb", "events.parquet", bin=60)


@pytest.mark.parametrize("old", ["traffic", "customers"])
def test_an_old_name_of_visitors_gives_the_new_one(old: str) -> None:
    bandit = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5])
    with pytest.raises(TypeError, match=rf"update\(\) has no argument '{old}': write visitors="):
        bandit.update(bandit.pull(), 3.0, **{old: 4})
    with pytest.raises(TypeError, match=r"update\(\) has no argument 'rewards'$"):
        bandit.update("a", 3.0, rewards=4)
