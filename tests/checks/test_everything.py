"""Every policy and every shape keeps its promises: a test for each, found by itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import highseason as hs
from highseason.policies import Policy, registry

PAIRS = [*hs.checks.policy_checks(), *hs.checks.multiplier_checks()]


@pytest.mark.parametrize("check", [pytest.param(run, id=name) for name, run in PAIRS])
def test_promise(check: Callable[[], None]) -> None:
    check()


def test_ids_are_unique_and_readable() -> None:
    names = [name for name, _ in PAIRS]
    assert len(set(names)) == len(names)
    assert "UCBZ-same_seed_same_arms" in names
    assert "wave-has_as_many_turns_as_asked" in names


def test_every_policy_and_every_shape_is_found() -> None:
    found = {name.partition("-")[0] for name, _ in PAIRS}
    assert {kind.__name__ for kind in registry().values()} <= found
    assert set(hs.traffic.SHAPES) <= found


def test_checks_are_made_where_they_apply() -> None:
    names = {name for name, _ in PAIRS}
    assert "SoftEpsilonGreedy-later_turns_do_not_move_the_plan" not in names  # it declares it
    assert "SoftUCB-later_turns_do_not_move_the_plan" in names  # once its unit is a number
    assert "NaiveUCB-scaled_rewards_mislead" in names
    assert "NaiveUCB-stakes_do_not_move_the_estimates" not in names
    assert "UniformRandom-beats_uniform_random" not in names
    assert "UCBZ-threshold_below_all_is_greedy" in names
    assert "UCB-threshold_below_all_is_greedy" not in names
    assert "UCBL-play_and_simulate_agree" in names  # its rule is compiled as it is written
    assert "UCB-play_and_simulate_agree" not in names  # its kernel is tested with the engine


@pytest.mark.parametrize(
    "policy",
    [
        hs.EpsilonGreedy(k=0.3, ties="random"),
        hs.VariablePool(c=40, unit=1, ties="random"),
        hs.EpsilonZGreedy(k=2, z=30),
    ],
    ids=str,
)
def test_variants_keep_their_promises_too(policy: Policy) -> None:
    hs.checks.check_policy(policy)
