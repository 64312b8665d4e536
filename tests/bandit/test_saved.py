"""A season is saved in the middle, by every policy and in every way, and goes on as it would have.

The policies are all that are found, plain and within each wrapper, counting visitors where they
can: a check that refuses what a bandit itself wrote fails here.
"""

from __future__ import annotations

import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import highseason as hs
from highseason.bandit import JsonLinesStore, MemoryStore
from highseason.policies.wrappers import Wrapper

G = np.array([30, 400, 25, 31, 2000, 28, 350, 33, 30, 1500, 27, 29, 900, 31, 26, 40.0])


def found() -> dict[str, hs.Policy]:
    """Every policy of the library, by its text."""
    kinds = [k for k in hs.policies.registry().values() if k.__module__.startswith("highseason.")]
    wrappers = [kind for kind in kinds if issubclass(kind, Wrapper)]
    plain = [
        kind() for kind in kinds if kind not in wrappers and kind is not hs.policies.ForeignPolicy
    ]
    plain += [replace(policy, count="visitors") for policy in plain if hasattr(policy, "count")]
    wrapped = []
    for kind in wrappers:
        for policy in plain:
            try:
                wrapped.append(kind(base=policy))
            except ValueError:  # a rule that this wrapper cannot change
                continue
    return {str(policy): policy for policy in [*plain, *wrapped]}


#: Those that play any arms, and those whose arms must be prices.
FOUND = {name: policy for name, policy in found().items() if not policy.rule.constants}
PRICED = {name: policy for name, policy in found().items() if policy.rule.constants}


def brought(turn: int) -> tuple[float, float]:
    """Reward and visitors of a turn; no two turns have the same rate."""
    visitors = float(G[turn - 1] + turn)
    return round(visitors * (0.1 + 0.03 * ((7 * turn) % 11)), 3), visitors


def play(bandit: hs.Bandit, turns: range) -> list[hs.bandit.Decision]:
    decisions = []
    for t in turns:
        decisions.append(bandit.decide(t))
        reward, visitors = brought(t)
        if t % 5:  # every fifth turn is still open when the season is saved
            bandit.update(decisions[-1].arm, reward, t, visitors)
    return decisions


def half_a_season(policy: hs.Policy, path: Path) -> hs.Bandit:
    store = JsonLinesStore(path)
    expires = {"c": 14}
    bandit = hs.Bandit(
        ["a", "b", "c"], policy, G, reward_range=(0, 1), seed=7, store=store, expires=expires
    )
    bandit.fit([("a", 3.0, None, 30.0), ("b", 700.0, None, 2500.0)])
    play(bandit, range(1, 6))
    bandit.add_arm("d", "now", expires=16)
    play(bandit, range(6, 9))
    bandit.correct(2, 11.0)
    bandit.remove_arm("a")
    bandit.pull(10)
    return bandit


def events_of(path: Path) -> hs.Bandit:
    """The bandit of a store, which goes on in a copy of the file."""
    return hs.Bandit.from_events(JsonLinesStore(shutil.copy(path, path.with_suffix(".copy"))))


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("policy", FOUND.values(), ids=FOUND)
def test_a_saved_season_goes_on_choice_for_choice(policy: hs.Policy, tmp_path: Path) -> None:
    bandit = half_a_season(policy, tmp_path / "events.jsonl")
    bandit.save(tmp_path / "bandit.json")
    twins = {
        "JSON": hs.Bandit.from_json(bandit.to_json()),
        "file": hs.Bandit.load(tmp_path / "bandit.json"),
        "pickle": pickle.loads(pickle.dumps(bandit)),
        "events": hs.Bandit.from_events(MemoryStore(bandit.store)),
        "lines": events_of(tmp_path / "events.jsonl"),
    }
    for twin in twins.values():
        assert twin.ranking() == bandit.ranking()
        assert (twin.policy, twin.decisions()) == (bandit.policy, bandit.decisions())
    rest = range(9, 17)
    expected = play(bandit, rest)
    for twin in twins.values():
        assert play(twin, rest) == expected
        assert twin.ranking() == bandit.ranking()
        assert twin.to_json() == bandit.to_json()


@pytest.mark.parametrize("policy", ["greedy:count=turns", "ucb:rho=0.001"])
def test_rewards_and_visitors_of_any_size_are_read_again(policy: str) -> None:
    options = {} if "greedy" in policy else {"reward_range": (0, 1)}
    bandit = hs.Bandit(["a"], policy, [5.0] * 9, **options)
    for reward, visitors in [(1e308, 1e300), (1e308, 1.0), (-1e308, 1.0), (0.1, 1e-300), (3, 0)]:
        bandit.update(bandit.pull(), reward, visitors=visitors, confirm=True)
    bandit.update(bandit.pull(), 1e308, visitors=1.7e308)
    bandit.update(bandit.pull(), 1e308, visitors=1.7e308)
    twin = hs.Bandit.from_json(bandit.to_json())
    assert twin.to_json() == bandit.to_json()
    assert twin.pull() == bandit.pull()


COUNTING = ["ucb", "thompson", "kl-ucb", "option-index", "epsilon-z"]
amounts = st.tuples(st.floats(0, 1), st.none() | st.just(0.0) | st.floats(1e-6, 1e12))


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@settings(max_examples=40)
@given(
    policy=st.sampled_from(["greedy", *(f"{name}:count=visitors" for name in COUNTING)]),
    multiplier=st.sampled_from([None, [5.0, 900.0] * 9]),
    history=st.lists(amounts, max_size=3),
    turns=st.lists(amounts, max_size=12),
    corrected=st.integers(0, 11),
)
def test_a_season_that_is_right_is_never_refused(
    policy: str,
    multiplier: list[float] | None,
    history: list[tuple[float, float | None]],
    turns: list[tuple[float, float | None]],
    corrected: int,
) -> None:
    bandit = hs.Bandit(["a", "b"], policy, multiplier, reward_range=(0, 1))
    bandit.fit([("b", rate * (came or 0.0), None, came) for rate, came in history if came])
    for rate, came in turns:
        arm = bandit.pull(expected=None if multiplier else 300.0)
        bandit.update(arm, rate * (1.0 if came is None else came), visitors=came)
    if corrected < len(turns) and turns[corrected][1]:
        bandit.correct(corrected + 1, 0.5 * turns[corrected][1])
    for twin in (
        hs.Bandit.from_json(bandit.to_json()),
        hs.Bandit.from_events(MemoryStore(bandit.store)),
    ):
        assert twin.to_json() == bandit.to_json()
