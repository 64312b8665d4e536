"""Games that must be the same: from `play` and `simulate`, alone or among others, in threads."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

import highseason as hs
from highseason.checks.catalogue import SEED, TURNS, reward_models, season
from highseason.engine import Game, SimulationResult
from highseason.engine.kernels.interface import has_own_kernel
from highseason.policies import Policy
from highseason.policies.lifetimes import Lifetimes
from highseason.rewards import Rewards

#: Enough games for `simulate` to use threads (a test makes sure that it does).
THREADED_GAMES = 12_503


def same_totals(compiled: SimulationResult, game: Game, number: int, where: str) -> None:
    """The totals of one game, from `play` and from `simulate`."""
    for metric, column in games_of(compiled).items():
        simulated = column[0, number]
        played = game.exploited_reward if metric == "exploited" else getattr(game, metric)
        close = abs(simulated - played) <= 1e-9 * float(game.G.sum())
        assert close, f"{where}: the {metric} of game {number} is {played:g} and {simulated:g}"


def same_games(
    one: SimulationResult, other: SimulationResult, row: int = 0, exact: bool = False
) -> None:
    """The games of the only policy of `one`, and those in a row of `other`."""
    for metric, column in games_of(one).items():
        a, b = column[0], games_of(other)[metric][row]
        near = 0.0 if exact else 1e-9 * max(1.0, float(np.abs(a).max()))
        message = f"{metric} of a game"
        np.testing.assert_allclose(a, b, rtol=0.0 if exact else 1e-9, atol=near, err_msg=message)


def games_of(result: SimulationResult) -> dict[str, NDArray[np.float64]]:
    assert result.games is not None, 'few games are kept by default, many with keep="games"'
    return result.games


def play_and_simulate_agree(
    policy: Policy,
    model: Rewards,
    games: int,
    seed: int = SEED,
    lifetimes: Lifetimes | None = None,
) -> None:
    """The first, the middle and the last game: the readable loop is slow."""
    G = season()
    totals = hs.simulate(policy, model, G, games, seed, keep="games", lifetimes=lifetimes)
    for number in sorted({0, games // 2, games - 1}):
        game = hs.play(policy, model, G, seed, number, lifetimes=lifetimes)
        same_totals(totals, game, number, f"{policy}, {model.name} rewards, seed {seed}")


def threads_do_not_matter(policy: Policy) -> None:
    """With one thread or two, the results are the same bits."""
    model = reward_models()[0]
    # Where a turn takes long, fewer and shorter games are worth handing out to a thread.
    own = has_own_kernel(policy, model, None)
    G, games = season(TURNS if own else TURNS // 10), THREADED_GAMES
    if not own:
        games = math.ceil(games / policy.rule.traits.work)
    one, two = (hs.simulate(policy, model, G, games=games, seed=SEED, workers=n) for n in (1, 2))
    same_games(one, two, exact=True)


def company_does_not_matter(policy: Policy) -> None:
    """Next to other policies, before or after them, a policy plays the same games."""
    it, greedy = {"it": policy}, {"greedy": hs.Greedy()}
    alone, first, last = (
        hs.simulate(players, reward_models()[0], season(), games=11, seed=SEED)
        for players in (it, it | greedy, greedy | it)
    )
    same_games(alone, first)
    same_games(alone, last, row=1)
