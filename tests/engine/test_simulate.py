from __future__ import annotations

import importlib
import math
import pickle
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.engine import agreement
from tests.engine.settings import POLICIES, REWARDS, on_generic_path

import highseason as hs
from highseason.core import parallel
from highseason.engine import METRICS, SimulationResult
from highseason.policies import Policy

pytestmark = pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")

simulate_room = importlib.import_module("highseason.engine.simulate")  # the name is also a function
WAVE = hs.traffic.wave(120)
BERNOULLI = hs.rewards.bernoulli(arms=6)


def games(result: SimulationResult) -> dict[str, Any]:
    assert result.games is not None
    return result.games


# One result, however it is computed.


def test_the_number_of_threads_leaves_every_bit(tmp_path: Path) -> None:
    files = []
    for workers in (1, 2, 3):
        result = hs.simulate(
            POLICIES, BERNOULLI, WAVE, games=1999, seed=3, workers=workers, curves=40
        )
        files.append(result.save(tmp_path / f"{workers}.npz").read_bytes())
    assert files[0] == files[1] == files[2]


def test_threads_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Counting(ThreadPoolExecutor):
        def submit(self, *task: Any, **named: Any) -> Any:
            asked.append(self._max_workers)
            return super().submit(*task, **named)

    monkeypatch.setattr(parallel, "ThreadPoolExecutor", Counting)
    agreement.threads_do_not_matter(hs.UCB())
    assert set(asked) == {2}
    assert len(asked) >= 4  # several pieces a worker


def prepared(policy: Any) -> Any:
    return simulate_room.Simulation.prepare(policy, BERNOULLI, WAVE, 3)


def test_games_of_a_slow_rule_are_shared_out() -> None:
    slow, quick = prepared(hs.OptionIndex()), prepared(hs.UCB())
    assert slow.seconds > 100 * quick.seconds
    assert len(slow.blocks(500)) >= 7
    assert len(quick.blocks(500)) == 1


@pytest.mark.parametrize("games", [1, 100, 5000, 100_000, 3_000_000])
def test_blocks_cover_every_game(games: int) -> None:
    blocks = prepared(hs.UCB()).blocks(games)
    assert blocks[0].start == 0
    assert blocks[-1].stop == games
    assert all(one.stop == other.start for one, other in pairwise(blocks))
    assert len({len(block) for block in blocks[:-1]} | {len(blocks[0])}) == 1
    assert len(blocks[-1]) <= len(blocks[0]) <= 4096
    assert games / 4096 <= len(blocks) <= max(257, games / 4096 + 1)


def test_blocks_leave_every_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = hs.simulate(POLICIES, BERNOULLI, WAVE, games=300, seed=3, curves=10)
    monkeypatch.setattr(simulate_room, "_MOST_GAMES", 64)
    parts = hs.simulate(POLICIES, BERNOULLI, WAVE, games=300, seed=3, curves=10)
    for metric in METRICS:
        assert np.array_equal(games(whole)[metric], games(parts)[metric])
        np.testing.assert_allclose(
            whole.moments[metric].scatter, parts.moments[metric].scatter, rtol=1e-9, atol=1e-6
        )
    for metric in ("reward", "regret"):
        assert np.array_equal(whole.curves[metric].counts, parts.curves[metric].counts)


def test_company_and_order_change_nothing() -> None:
    alone = {
        name: games(hs.simulate(policy, BERNOULLI, WAVE, games=40, seed=9))
        for name, policy in POLICIES.items()
    }
    for order in (list(POLICIES), list(reversed(POLICIES))):
        together = hs.simulate({n: POLICIES[n] for n in order}, BERNOULLI, WAVE, games=40, seed=9)
        for name in order:
            for metric in METRICS:
                row = games(together)[metric][together.index(name)]
                assert np.array_equal(row, alone[name][metric][0]), (name, metric)


def test_more_games_leave_the_first_ones_as_they_are() -> None:
    few = hs.simulate(hs.UCB(), BERNOULLI, WAVE, games=10, seed=9)
    many = hs.simulate(hs.UCB(), BERNOULLI, WAVE, games=100, seed=9)
    for metric in METRICS:
        assert np.array_equal(games(few)[metric], games(many)[metric][:, :10])


def test_another_seed_is_another_result() -> None:
    one, other = (hs.simulate(hs.UCB(), BERNOULLI, WAVE, games=10, seed=s) for s in (1, 2))
    assert not np.array_equal(games(one)["reward"], games(other)["reward"])


def test_all_policies_face_the_same_arms_and_luck() -> None:
    # The best arm's luck is common: reward + realised regret is what it would have paid.
    players = {"a": hs.UCB(), "b": hs.UniformRandom()}
    both = hs.simulate(players, BERNOULLI, WAVE, games=50, seed=2, realised=True)
    best = games(both)["reward"] + games(both)["realised_regret"]
    np.testing.assert_allclose(best[0], best[1], rtol=1e-12)


def test_realised_regret_leaves_the_rest_as_it_is() -> None:
    plain, more = (
        hs.simulate(POLICIES, BERNOULLI, WAVE, games=20, seed=2, realised=realised)
        for realised in (False, True)
    )
    assert list(plain.moments) == list(games(plain)) == list(METRICS)
    assert list(more.moments) == list(games(more)) == [*METRICS, "realised_regret"]
    for metric in METRICS:
        assert np.array_equal(games(plain)[metric], games(more)[metric])
    with pytest.raises(KeyError, match="realised=True"):
        plain.mean("realised_regret", 0)


@pytest.mark.parametrize(
    "size", [(1, 160), (5, 4), (5, 160), (97, 300), (300, 700), (1000, 1400)], ids=str
)
@pytest.mark.parametrize("rewards", ["bernoulli", "normal", "triangle", "eighths"])
def test_a_rules_own_kernel_plays_as_the_one_for_any_rule(
    rewards: str, size: tuple[int, int]
) -> None:
    arms, turns = size
    model, G = REWARDS[rewards](arms=arms), hs.traffic.wave(turns)
    plain = {name: on_generic_path(policy) for name, policy in POLICIES.items()}
    fast, slow = (hs.simulate(p, model, G, games=11, seed=5) for p in (POLICIES, plain))
    for metric in METRICS:
        np.testing.assert_allclose(games(fast)[metric], games(slow)[metric], rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("policy", ["epsilon", "ucb", "pool"])
def test_many_arms_are_those_of_play(policy: str) -> None:
    model, G = REWARDS["bernoulli"](arms=300), hs.traffic.wave(450)
    result = hs.simulate(POLICIES[policy], model, G, games=1, seed=5, curves=450)
    game = hs.play(POLICIES[policy], model, G, seed=5)
    wanted = np.cumsum(G.values * (game.means.max() - game.means[game.arms]))
    np.testing.assert_allclose(result.curves["regret"].mean[0], wanted, rtol=1e-10)


@pytest.mark.parametrize("count", [1, 7, 8, 9, 16, 17])
def test_any_number_of_games(count: int) -> None:
    result = hs.simulate(hs.UCB(), BERNOULLI, WAVE, games=count, seed=5)
    reference = hs.simulate(on_generic_path(hs.UCB()), BERNOULLI, WAVE, games=count, seed=5)
    for metric in METRICS:
        assert games(result)[metric].shape == (1, count)
        np.testing.assert_allclose(games(result)[metric], games(reference)[metric], rtol=1e-9)


def test_a_long_game_with_many_arms() -> None:
    # So long that hardly two arms have the same number of pulls.
    model, G = REWARDS["bernoulli"](arms=12), hs.traffic.wave(6000)
    fast = hs.simulate(hs.UCB(), model, G, games=3, seed=5)
    slow = hs.simulate(on_generic_path(hs.UCB()), model, G, games=3, seed=5)
    np.testing.assert_allclose(games(fast)["regret"], games(slow)["regret"], rtol=1e-9)


def test_a_forecast_is_played_as_play_plays_it() -> None:
    G, H = hs.traffic.step(80), hs.traffic.step(80).shift(8)
    result = hs.simulate(hs.SoftUCB(unit=1), BERNOULLI, G, games=5, seed=4, forecast=H)
    for number in range(5):
        game = hs.play(hs.SoftUCB(unit=1), BERNOULLI, G, seed=4, game=number, forecast=H)
        assert games(result)["reward"][0, number] == pytest.approx(game.reward)
    assert result.plan_digests == (hs.SoftUCB(unit=1).plan(H, 6).digest,)


# What goes in, and what comes out.


def test_policies_by_label_alone_or_in_a_list() -> None:
    assert hs.simulate(hs.UCB(), BERNOULLI, WAVE, games=2).policies == ("ucb",)
    labelled = hs.simulate({"mine": hs.UCB(), "zz": hs.Greedy()}, BERNOULLI, WAVE, games=2)
    assert labelled.policies == ("mine", "zz")
    twice = hs.simulate([hs.UCB(), hs.UCB(), hs.UCBZ(z=30)], BERNOULLI, WAVE, games=2)
    assert twice.policies == ("ucb", "ucb (2)", "ucb-z:z=30")


def test_the_settings_are_recorded() -> None:
    result = hs.simulate(hs.UCBZ(z=30), hs.rewards.truncated_normal(arms=3), WAVE, games=2, seed=8)
    assert result.settings == {
        "max_reward": WAVE.total,
        "total_multiplier": WAVE.total,
        "arms": 3,
        "turns": 120,
        "games": 2,
        "seed": 8,
        "rewards": "truncated-normal",
        "rewards_scale": 0.1,
        "lifetimes": None,
        "multiplier": "wave",
        "multiplier_digest": WAVE.digest(),
        "parameters": ["ucb-z:z=30"],
        "version": hs.__version__,
    }
    assert result.plan_digests == (hs.UCBZ(z=30).plan(WAVE, 3).digest,)


def test_progress_is_reported() -> None:
    reported: list[tuple[int, int]] = []
    threads: set[int] = set()

    def progress(done: int, total: int) -> None:
        reported.append((done, total))
        threads.add(threading.get_ident())

    hs.simulate(hs.Greedy(), BERNOULLI, hs.traffic.wave(8000), games=1500, progress=progress)
    assert len(reported) > 1
    assert reported == sorted(reported)
    assert reported[-1] == (1500, 1500)
    assert threads == {threading.get_ident()}  # a progress bar need not lock


def test_an_exception_in_the_progress_bar_stops_the_run() -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hs.simulate(hs.Greedy(), BERNOULLI, WAVE, games=100, progress=stop)


@pytest.mark.parametrize(
    ("keep", "count", "kept"),
    [("games", 50, True), ("summary", 50, False), (None, 50, True), (None, 100_001, False)],
)
def test_what_is_kept(keep: str | None, count: int, kept: bool) -> None:
    result = hs.simulate(hs.Greedy(), BERNOULLI, [1.0] * 8, games=count, keep=keep)
    assert (result.games is not None) is kept
    assert result.moments["reward"].count == count


def test_a_summary_is_that_of_the_games() -> None:
    kept = hs.simulate(POLICIES, BERNOULLI, WAVE, games=500, seed=1)
    summary = hs.simulate(POLICIES, BERNOULLI, WAVE, games=500, seed=1, keep="summary")
    for metric in METRICS:
        values = games(kept)[metric]
        np.testing.assert_allclose(
            summary.moments[metric].mean, values.mean(axis=1), rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(
            summary.moments[metric].error,
            values.std(axis=1, ddof=1) / math.sqrt(500),
            rtol=1e-9,
            atol=1e-12,
        )


def test_memory_does_not_grow_with_the_number_of_games() -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        hs.simulate(
            [hs.Greedy(), hs.UCB()], hs.rewards.bernoulli(arms=3), [1.0] * 10, count,
            keep="summary", curves=5, workers=1,
        )  # fmt: skip
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(10_000)  # what is loaded at first use
    assert peak(400_000) < 1.1 * peak(100_000)


def test_curves_have_as_many_points_as_asked() -> None:
    for asked, points in ((True, 120), (7, 7), (1, 1), (500, 120)):
        result = hs.simulate(hs.Greedy(), BERNOULLI, WAVE, games=3, curves=asked)
        turns = result.curves["reward"].turns
        assert turns.size == points
        assert (np.diff(turns) > 0).all()
        assert turns[-1] == (120 if points > 1 else turns[0])
    assert hs.simulate(hs.Greedy(), BERNOULLI, WAVE, games=3).curves == {}
    long = hs.simulate(hs.Greedy(), BERNOULLI, hs.traffic.wave(900), games=3, curves=True)
    assert long.curves["regret"].turns.size == 200


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"games": 0}, "games must be a whole number, at least 1, got 0"),
        ({"games": 2.5}, "games must be a whole number"),
        ({"games": True}, "games must be a whole number"),
        ({"workers": 0}, "workers must be a whole number, at least 1"),
        ({"seed": -1}, "seed must be a whole number >= 0"),
        ({"keep": "all"}, "keep='all' must be 'games' or 'summary'"),
        ({"curves": -3}, "curves must be a whole number"),
        ({"policies": []}, "no policy was given"),
        ({"policies": [hs.UCB]}, r"UCB is a class and not a policy: write UCB\(\), with its brack"),
        ({"policies": ["ucbz"]}, "unknown policy 'ucbz'. Did you mean 'ucb-z'"),
        ({"policies": hs.UCB}, r"write UCB\(\)"),
        ({"policies": 3}, "3 is not a policy"),
        ({"policies": lambda t: 0}, r'<lambda>.* is not a policy: .* the guide "Your own policy"'),
        ({"policies": [object()]}, r"ForeignPolicy\.of wraps an object of another library"),
        ({"rewards": [0.1, 0.2]}, "rewards must be a reward model such as hs.rewards"),
        ({"multiplier": [1.0, 0.0]}, "turn 2 is 0"),
        ({"multiplier": []}, "at least one turn"),
        ({"forecast": [1.0]}, "the forecast has 1 turns, the multiplier 120"),
    ],
)
def test_invalid_arguments_are_refused(change: dict[str, Any], message: str) -> None:
    arguments = {
        "policies": hs.UCB(),
        "rewards": BERNOULLI,
        "multiplier": WAVE,
        "games": 2,
    } | change
    with pytest.raises(ValueError, match=message):
        hs.simulate(**arguments)


def test_a_quantile_that_cannot_be_compiled_is_said_plainly() -> None:
    def through_a_dictionary(u: float, p: float, s: float) -> float:
        return float({"a": [u]}.popitem()[1][0].hex() != "")

    model = hs.rewards.custom(through_a_dictionary, np.asarray, arms=3)
    with pytest.raises(ValueError, match=r"'through_a_dictionary' cannot be compiled"):
        hs.simulate(hs.Greedy(), model, WAVE, games=2)


@pytest.mark.parametrize("number", [math.nan, math.inf, -1.0], ids=str)
def test_a_plan_that_means_nothing_is_refused_before_it_reaches_a_kernel(number: float) -> None:
    class Broken(Policy):
        rule = hs.policies.EPSILON

        def step(self, carry: Any, view: Any) -> tuple[float, Any]:
            return number if view.t == 9 else 0.5, carry

    with pytest.raises(ValueError, match="turn 9"):
        hs.simulate(Broken(), BERNOULLI, WAVE, games=1)


def test_a_pool_larger_than_the_arms_is_all_of_them() -> None:
    # The rule takes it so; the kernel must not read beyond its arms.
    class Flood(Policy):
        rule = hs.policies.POOL
        suppress_plan_warning = True

        def step(self, carry: Any, view: Any) -> tuple[float, Any]:
            return 7.0, carry

    G = hs.traffic.wave(60)
    result = hs.simulate(Flood(), BERNOULLI, G, games=4, seed=1)
    for number in range(4):
        game = hs.play(Flood(), BERNOULLI, G, seed=1, game=number)
        assert games(result)["reward"][0, number] == pytest.approx(game.reward)


def test_a_simulation_pickles_without_its_compiled_code() -> None:
    here = prepared(hs.UCB())
    there = pickle.loads(pickle.dumps(here))
    one, other = (each.play(range(4, 9)).moments for each in (here, there))
    assert one.count == 5
    assert np.array_equal(one.scatter, other.scatter)
