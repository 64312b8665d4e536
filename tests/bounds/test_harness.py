"""Bounds against simulation on random games: a part of `benchmarks/bounds_harness.py`."""

from __future__ import annotations

import pytest
from tests.reference.bounds_instances import (
    POLICIES,
    compare,
    compare_mortal,
    instances,
    numbers_of,
    play_plan,
    populations,
)


def check_bounds(name: str, count: int, turns: tuple[int, int], games: int) -> None:
    for instance in instances(name, count=count, seed=11, turns=turns):
        compared = compare(instance, count=games)
        against = f"{instance.policy} on {instance.shape}: {compared.played} against "
        assert not compared.safe_violated, f"{against}{compared.safe}"
        assert compared.safe.total <= compared.safe.trivial
        assert compared.safe.valid
        assert not (compared.paper.valid and compared.paper_violated), f"{against}{compared.paper}"


@pytest.mark.parametrize("name", POLICIES)
def test_safe_bounds_are_never_violated(name: str) -> None:
    check_bounds(name, count=6, turns=(100, 1000), games=30)


@pytest.mark.soak
@pytest.mark.parametrize("name", POLICIES)
def test_safe_bounds_are_never_violated_on_many_games(name: str) -> None:
    check_bounds(name, count=24, turns=(100, 4000), games=40)


def test_printed_epsilon_bounds_are_violated_now_and_then() -> None:
    """If they were not, this harness could not tell."""
    names = ("epsilon-greedy", "epsilon-z", "soft-epsilon")
    compared = [
        compare(instance, count=20)
        for name in names
        for instance in instances(name, count=6, seed=1, turns=(300, 4000))
    ]
    assert sum(o.paper_violated for o in compared) >= 2


def test_mortal_bound_is_never_violated() -> None:
    for population in populations(8, seed=5, turns=(60, 400)):
        safe, _, _, played = compare_mortal(population, count=30)
        assert not played.exceeds(safe)


def test_curve_bounds_the_game_stopped_at_any_turn() -> None:
    """Some points of the curve against play up to there."""
    for name in POLICIES:
        for instance in instances(name, count=1, seed=3, turns=(200, 400)):
            whole = compare(instance, count=30)
            for n in (50, 199):
                played = play_plan(instance, numbers_of(instance)[:n], count=30)
                assert not played.exceeds(float(whole.safe.curve[n - 1]))
