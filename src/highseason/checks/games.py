"""A policy plays the same game however it is asked: again, compiled, in threads, among others."""

from __future__ import annotations

import numpy as np

from highseason.checks.catalogue import check
from highseason.checks.failure import CheckFailed, expect
from highseason.checks.plans import RANGES
from highseason.checks.sameness import same_course, same_games, same_totals
from highseason.checks.settings import ARMS, SEED, TURNS, reward_models, season
from highseason.checks.twins import on_generic_path
from highseason.games import play, simulate
from highseason.policies import Greedy, Policy

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


@check(applies=lambda policy: policy.rule.traits.tries_each_arm)
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
            same_course(compiled, game, f"{rewards.name} rewards, seed {seed}")
        compiled = simulate(policy, rewards, season(), games=GAMES, seed=SEED, keep="games")
        for number in range(GAMES):
            game = play(policy, rewards, season(), seed=SEED, game=number)
            same_totals(compiled, game, number, f"{rewards.name} rewards")


@check(applies=lambda policy: policy.rule in RANGES)
def fast_kernel_plays_as_the_plain_one(policy: Policy) -> None:
    """The rule's own kernel against the loop that asks the rule arm by arm, ties included."""
    plain = on_generic_path(policy)
    for arms, turns in SIZES:
        for rewards in reward_models(arms):
            fast, slow = (
                simulate(p, rewards, season(turns), games=GAMES, seed=SEED, keep="games")
                for p in (policy, plain)
            )
            same_games(
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
    same_games(one, two, "one thread and two must give the same bits; they", exact=True)


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
    same_games(alone, first, sentence)
    same_games(alone, last, sentence, row=1)
