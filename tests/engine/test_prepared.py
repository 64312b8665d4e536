"""What is settled before the first game: where curves stop, their range, and the blocks."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.gpu.devices import Noting
from tests.engine.gpu.runs import THREE, games_of

import highseason as hs
from highseason.engine.gpu import play as gpu_play
from highseason.engine.simulate import Simulation

pytestmark = pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")


def prepared(policy: Any, turns: int, arms: int, **options: Any) -> Simulation:
    G = hs.traffic.constant(turns)
    return Simulation.prepare(policy, hs.rewards.bernoulli(arms=arms), G, 1, **options)


def test_curves_stop_at_the_turns_asked_for() -> None:
    for curves, wanted in (([9, 1, 9], [1, 9]), (3, [1, 5, 9]), (1, [1]), (0, []), (False, [])):
        found = prepared(hs.UCB(), 9, 2, curves=curves).checkpoints
        assert found.tolist() == wanted
    many = prepared(hs.UCB(), 399, 2, curves=True).checkpoints
    assert many.tolist() == list(range(1, 400, 2))
    assert prepared(hs.UCB(), 7, 2, curves=True).checkpoints.tolist() == list(range(1, 8))


@pytest.mark.parametrize("curves", [[], [0, 9], [1, 10], [10]])
def test_turns_outside_of_the_game_are_refused(curves: list[int]) -> None:
    with pytest.raises(ValueError, match="between 1 and 9"):
        prepared(hs.UCB(), 9, 2, curves=curves)


def test_curves_range_over_all_that_can_be_earned() -> None:
    rewards = hs.rewards.custom(
        lambda u, p, s: p, lambda p: p, parameters=[-1.0, 2.0], bounds=(-1.0, 2.0)
    )
    simulation = Simulation.prepare(hs.UCB(), rewards, [1.0, 2.0, 4.0, 8.0], 1, None, [1, 3, 4])
    curves = simulation.empty_curves()
    assert curves["reward"].least.tolist() == [-1, -7, -15]
    assert curves["reward"].most.tolist() == [2, 14, 30]
    assert curves["regret"].least.tolist() == [0, 0, 0]
    assert curves["regret"].most.tolist() == [3, 21, 45]


def test_seconds_are_those_of_the_turns_the_arms_and_the_rules() -> None:
    assert prepared(hs.UCB(), 100, 5).seconds == pytest.approx(100 * 21e-9)
    assert prepared([hs.UCB(), hs.EpsilonGreedy()], 50, 10).seconds == pytest.approx(2 * 50 * 22e-9)
    any_rule = hs.UCB(ties="random")
    work = any_rule.rule.traits.work
    assert prepared(any_rule, 100, 5).seconds == pytest.approx(10 * work * 100 * 21e-9)


@pytest.mark.parametrize(
    ("turns", "arms", "games", "size"),
    [
        (100, 5, 10_000, 4096),  # short games: the most
        (10_000, 100, 200, 128),  # 75 games take 0.03 s
        (10_000, 100, 100_000, 448),  # 391 games are a 256th of all
        (100_000, 100, 1000, 64),  # long games: the fewest
    ],
)
def test_blocks_are_neither_small_nor_large(turns: int, arms: int, games: int, size: int) -> None:
    blocks = prepared(hs.UCB(), turns, arms).blocks(games)
    assert [number for block in blocks for number in block] == list(range(games))
    assert {len(block) for block in blocks[:-1]} == {size}
    assert 0 < len(blocks[-1]) <= size


@pytest.mark.parametrize(
    ("number_of_bytes", "together"), [(352 * 32, 2), (352 * 32 - 1, 1), (352 * 48, 3), (1, 1)]
)
def test_a_gpu_plays_what_its_memory_holds(
    number_of_bytes: int, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A game of 3 arms, 3 policies and 3 checkpoints takes 2 * 3 + 8 + 3 * (4 + 3 * 2) numbers.
    games = games_of(Noting(), THREE, hs.rewards.bernoulli(arms=3))
    monkeypatch.setattr(gpu_play, "_MOST_BYTES", number_of_bytes)
    blocks = [range(start, start + 16) for start in range(0, 96, 16)]
    chunks = list(games.chunks(blocks))
    assert [block for chunk in chunks for block in chunk] == blocks
    assert {len(chunk) for chunk in chunks} == {together}
    monkeypatch.setattr(gpu_play, "_MOST_BYTES", 2**33)
    monkeypatch.setattr(gpu_play, "_MOST_GAMES", 40)
    assert [len(chunk) for chunk in games.chunks(blocks)] == [2, 2, 2]
