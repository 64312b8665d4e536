"""A policy plays the same game however it is asked: again, compiled, in threads, among others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from highseason.checks.catalogue import check
from highseason.checks.failure import CheckFailed, expect
from highseason.checks.plans import RANGES
from highseason.checks.settings import ARMS, SEED, TURNS, reward_models, season
from highseason.checks.twins import on_generic_path
from highseason.games import Game, play, simulate
from highseason.policies import Greedy, Policy
from highseason.results import METRICS, SimulationResult
from highseason.rewards import Rewards

#: Games a run, deliberately not a multiple of eight (some kernels play eight side by side).
GAMES = 11
#: Enough games for `simulate` to hand them to threads (its tests make sure that it does).
THREADED_GAMES = 12_503
#: (arms, turns): few arms, one, a game that ends in its first round, and so many arms that kernels
#: made for many arms run.
SIZES = ((ARMS, TURNS), (1, TURNS), (ARMS, ARMS - 1), (1000, 1400))


@check()
def arms_played_exist(policy: Policy) -> None:
    """Compiled code does not look whether an arm exists, so this is asked in Python first."""
    for rewards in (*reward_models(), *reward_models(1)):
        game = play(policy, rewards, season(), seed=SEED)
        wrong = np.flatnonzero((game.arms < 0) | (game.arms >= rewards.arms))
        if wrong.size:
            i = int(wrong[0])
            raise CheckFailed(
                f"choose() must return an arm from 0 to {rewards.arms - 1}; "
                f"in turn {i + 1} it returned {game.arms[i]}"
            )


@check(applies=lambda policy: policy.decides_by.tries_each)
def every_arm_is_tried_once_first(policy: Policy) -> None:
    """Turns 1 … m play arm 1 … m, and never count as exploitation (tries_each declares it)."""
    game = play(policy, reward_models()[0], season(), seed=SEED)
    first = game.arms[:ARMS].tolist()
    expect(
        first == list(range(ARMS)),
        f"the rule declares tries_each, so the first {ARMS} turns must play each arm once, in "
        f"order; they played {first}",
    )
    expect(
        not game.exploited[:ARMS].any(),
        "the first round must not count as exploitation, but choose() said it was",
    )


@check()
def same_seed_same_arms(policy: Policy) -> None:
    """A game played twice is the same game; with another seed it is another."""
    rewards = reward_models()[0]
    first, second = (play(policy, rewards, season(), seed=SEED) for _ in range(2))
    differ = np.flatnonzero(first.arms != second.arms)
    if differ.size:
        raise CheckFailed(
            f"the same game played twice parts at turn {differ[0] + 1}: take every random number "
            "from draw(turn.key, …), and remember nothing outside the state"
        )


@check()
def play_and_simulate_agree(policy: Policy) -> None:
    """Turn by turn: equal running rewards and regrets leave no room for another arm."""
    arms_played_exist(policy)
    for rewards in reward_models():
        for seed in (SEED, SEED + 1):
            compiled = simulate(policy, rewards, season(), games=1, seed=seed, curves=TURNS)
            game = play(policy, rewards, season(), seed=seed)
            _same_course(compiled, game, f"{rewards.name} rewards, seed {seed}")
        compiled = simulate(policy, rewards, season(), games=GAMES, seed=SEED, keep="games")
        for number in range(GAMES):
            game = play(policy, rewards, season(), seed=SEED, game=number)
            _same_totals(compiled, game, number, rewards)


@check(applies=lambda policy: policy.decides_by in RANGES)
def fast_kernel_plays_as_the_plain_one(policy: Policy) -> None:
    """The rule's own kernel against the loop that asks the rule arm by arm, ties included."""
    plain = on_generic_path(policy)
    for arms, turns in SIZES:
        for rewards in reward_models(arms):
            fast, slow = (
                simulate(p, rewards, season(turns), games=GAMES, seed=SEED, keep="games")
                for p in (policy, plain)
            )
            _same_games(
                fast,
                slow,
                f"the fast kernel and the plain one must choose the same arms; with {arms} arms, "
                f"{turns} turns and {rewards.name} rewards they",
            )


@check()
def threads_do_not_matter(policy: Policy) -> None:
    """One thread or two, the results are the same bits."""
    arms_played_exist(policy)
    rewards = reward_models()[0]
    one, two = (
        simulate(policy, rewards, season(), games=THREADED_GAMES, seed=SEED, threads=n)
        for n in (1, 2)
    )
    _same_games(one, two, "one thread and two must give the same bits; they", exact=True)


@check()
def company_does_not_matter(policy: Policy) -> None:
    """Beside other policies, before or after them, a policy plays the same games."""
    arms_played_exist(policy)
    rewards = reward_models()[0]
    alone, first, last = (
        simulate(players, rewards, season(), games=GAMES, seed=SEED)
        for players in (
            {"it": policy},
            {"it": policy, "greedy": Greedy()},
            {"greedy": Greedy(), "it": policy},
        )
    )
    sentence = "other policies in the run must not change anything; the runs"
    _same_games(alone, first, sentence)
    _same_games(alone, last, sentence, row=1)


def _same_course(compiled: SimulationResult, game: Game, where: str) -> None:
    gaps = game.means.max() - game.means[game.arms]
    courses = {"reward": game.G * game.paid, "regret": game.G * gaps}
    for metric, steps in courses.items():
        found, wanted = compiled.curves[metric].mean[0], np.cumsum(steps)
        differ = np.flatnonzero(~_close(found, wanted))
        if differ.size:
            i = int(differ[0])
            raise CheckFailed(
                f"play and simulate must choose the same arms; with {where} they part at turn "
                f"{i + 1} (running {metric} {wanted[i]:g} and {found[i]:g})"
            )


def _same_totals(compiled: SimulationResult, game: Game, number: int, rewards: Rewards) -> None:
    assert compiled.games is not None  # keep="games"
    wanted = {
        "reward": game.reward,
        "regret": game.regret,
        "realised_regret": game.realised_regret,
        "exploited": game.exploited_reward,
        "best_pulls": float(game.best_pulls),
    }
    scale = float(game.G.sum())
    for metric in METRICS:
        found = compiled.games[metric][0, number]
        expect(
            abs(found - wanted[metric]) <= 1e-9 * scale,
            f"play and simulate must agree on every game; with {rewards.name} rewards the "
            f"{metric} of game {number} is {wanted[metric]:g} and {found:g}",
        )


def _same_games(
    one: SimulationResult,
    other: SimulationResult,
    sentence: str,
    *,
    row: int = 0,
    exact: bool = False,
) -> None:
    """Compare the games of the only policy of `one` with those in a row of `other`."""
    assert one.games is not None  # few enough games to be kept
    assert other.games is not None
    for metric in METRICS:
        a, b = one.games[metric][0], other.games[metric][row]
        differ = np.flatnonzero(a != b if exact else ~_close(a, b))
        if differ.size:
            game = int(differ[0])
            raise CheckFailed(
                f"{sentence} differ in the {metric} of game {game}: "
                f"{float(a[game])!r} and {float(b[game])!r}"
            )


def _close(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.isclose(a, b, rtol=1e-9, atol=1e-9 * max(1.0, float(np.abs(a).max(initial=0.0))))
