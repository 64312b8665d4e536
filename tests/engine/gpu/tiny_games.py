"""Tiny games in the simulator against `simulate`; run by `test_simulated` in its own process."""

from __future__ import annotations

import sys
import tempfile
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from tests.engine.gpu.devices import Simulated, add_exchanges
from tests.engine.gpu.runs import GAMES, SEED, THREE, games_of
from tests.engine.test_kinds import Half, HalfEarned, orders
from tests.engine.test_wrong_arms import far_away, playing
from tests.policies.test_offers import OFFERS, Dearest

import highseason as hs
from highseason.engine.gpu import play, pool


def compare(name: str, policies: Any, rewards: Any, turns: int, lifetimes: Any = None) -> None:
    """All numbers of all games, bit for bit."""
    G = hs.traffic.wave(turns)
    games = games_of(Simulated(), policies, rewards, turns, lifetimes)
    expected = hs.simulate(
        policies,
        rewards,
        G,
        GAMES,
        SEED,
        keep="games",
        curves=3,
        lifetimes=lifetimes,
        realised=True,
    )
    totals, best, traces = games.play(range(GAMES))
    assert expected.games is not None
    for metric, column in (("reward", 0), ("regret", 1), ("exploited", 2), ("best_pulls", 3)):
        np.testing.assert_array_equal(totals[:, :, column], expected.games[metric], metric)
    np.testing.assert_array_equal(best - totals[:, :, 0], expected.games["realised_regret"])
    for i, metric in enumerate(("reward", "regret")):
        np.testing.assert_array_equal(traces[..., i].sum(1), expected.curves[metric].sums)
    sys.stdout.write(f"{name}: equal\n")


def compare_results() -> None:
    """`simulate` itself, with everything it can give."""
    pool.usable_cupy = object  # type: ignore[assignment]  # a GPU, as far as it asks
    play.the_gpu = Simulated  # type: ignore[assignment]  # and this is it
    play._MOST_GAMES = 32  # two blocks at a time, …
    sys.modules["highseason.engine.simulate"]._MOST_GAMES = 16  # … and the last one is short
    setting = (THREE, hs.rewards.bernoulli(arms=3), hs.traffic.wave(9), 35, SEED)
    kept = ({"keep": "summary"}, {"keep": "games"}, {"curves": True, "keep": "summary"})
    for options in (*kept, *({**one, "realised": True} for one in kept[:2])):
        cpu, gpu = (hs.simulate(*setting, executor=name, **options) for name in ("serial", "gpu"))
        with tempfile.TemporaryDirectory() as folder:
            files = [one.save(f"{folder}/{i}.npz") for i, one in enumerate((cpu, gpu))]
            first, second = (np.load(file) for file in files)
            assert first.files == second.files
            for name in first.files:
                np.testing.assert_array_equal(first[name], second[name], name)
    sys.stdout.write("results: equal\n")


def refuse_wrong_arms() -> None:
    """The turn and the arm are those of the CPU's message."""
    games = games_of(Simulated(), [playing(far_away)], hs.rewards.bernoulli(arms=3), 9)
    message = ""
    try:
        games.play(range(GAMES))
    except ValueError as error:
        message = str(error)
    assert "chose arm 10000000 in turn 7, but the arms are 0 to 2" in message
    sys.stdout.write("wrong arms: equal\n")


def main() -> None:
    """Kernels in shared memory, in rows, and for any rule."""
    warnings.simplefilter("ignore", hs.policies.PlanWarning)
    add_exchanges()
    compare("3 arms", THREE, hs.rewards.bernoulli(arms=3), turns=12)
    compare("70 arms", THREE[1:], hs.rewards.bernoulli(arms=70), turns=80)
    compare("2 lanes", THREE[:1], hs.rewards.bernoulli(arms=27), turns=32)
    compare("naive", [hs.policies.NaiveUCB()], hs.rewards.bernoulli(arms=3), turns=9)
    compare("random ties", [hs.UCB(ties="random")], hs.rewards.bernoulli(arms=3), turns=9)
    compare("drift", [hs.UCB(), THREE[2]], hs.rewards.bernoulli(arms=3, drift=0.1), turns=9)
    lifetimes = hs.lifetimes.fixed([(1, 5), (3, 9), (1, 9)])
    mortal = [hs.SoftUCBMortal(), hs.EpsilonGreedy(k=1)]
    compare("lifetimes", mortal, hs.rewards.bernoulli(arms=3), turns=9, lifetimes=lifetimes)
    shop = hs.rewards.visitors(arms=3, between=(0.1, 0.4))
    compare("visitors", [hs.EpsilonGreedy(k=1, rho=0.1)], shop, turns=9)
    compare("offers", [Dearest()], replace(hs.rewards.bernoulli(arms=3), offers=OFFERS), turns=9)
    prices = hs.rewards.spend(rates=[0.4, 0.2, 0.3], values=[1, 9, 2], cv=0.5)
    compare("seen", [Half(), HalfEarned()], prices, turns=9)
    own = hs.rewards.custom(orders, np.asarray, arms=3, between=(0.1, 0.4), visitors=True)
    compare("own visitors", [hs.UCB(P=0.1, count="turns"), hs.Greedy()], own, turns=9)
    refuse_wrong_arms()
    compare_results()


if __name__ == "__main__":
    main()
