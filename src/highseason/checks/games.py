"""A policy plays the same game however it is run: again, compiled, in threads, among others."""

from __future__ import annotations

from collections.abc import Iterator

from highseason import rewards
from highseason.checks.catalogue import (
    check,
    expect,
    first_difference,
    same_course,
    same_games,
    same_totals,
)
from highseason.checks.plans import RANGES
from highseason.checks.settings import (
    ARMS,
    SEED,
    TURNS,
    coarse_mean,
    coarse_quantile,
    lifetimes_to_play,
    on_generic_path,
    reward_models,
    season,
)
from highseason.core.random import game_keys
from highseason.engine.lifetimes import Lifetimes
from highseason.games import play, simulate
from highseason.policies import Greedy, Policy
from highseason.rewards import Rewards

#: Games per run, deliberately not a multiple of eight (some kernels play eight side by side).
GAMES = 11
#: Enough games for `simulate` to use threads (its tests make sure that it does).
THREADED_GAMES = 12_503
#: Games per run with arms that come and go.
LIFETIME_GAMES = 5
#: (arms, turns): few arms, one arm, a game that ends in its first round, and enough arms for the
#: kernels that need many.
SIZES = ((ARMS, TURNS), (1, TURNS), (ARMS, ARMS - 1), (1000, 1400))


@check()
def arms_played_exist(policy: Policy) -> None:
    """Compiled code does not check whether an arm exists, so `play` checks it first."""
    for model in (*reward_models(), *reward_models(1)):
        game = play(policy, model, season(), seed=SEED)
        for t, arm in enumerate(game.arms.tolist(), start=1):
            expect(
                0 <= arm < model.arms,
                f"choose() must return an arm from 0 to {model.arms - 1}; in turn {t} it "
                f"returned {arm}",
            )


@check(applies=lambda policy: policy.rule.traits.tries_each_arm)
def every_arm_is_tried_once_first(policy: Policy) -> None:
    """Turns 1 … m play arms 1 … m, and never count as exploitation (tries_each declares it)."""
    game = play(policy, reward_models()[0], season(), seed=SEED)
    first = game.arms[:ARMS].tolist()
    expect(
        first == list(range(ARMS)),
        f"the rule declares tries_each, so the first {ARMS} turns must play each arm once, in "
        f"order; they played {first}",
    )
    expect(
        not game.exploited[:ARMS].any(),
        "the first round must not count as exploitation, but choose() returned True",
    )


@check()
def same_seed_same_arms(policy: Policy) -> None:
    """A game played twice is the same game."""
    first, second = (play(policy, reward_models()[0], season(), seed=SEED) for _ in range(2))
    turn = first_difference(first.arms, second.arms)
    expect(
        turn is None,
        f"the same game played twice differs at turn {turn}: take every random number from "
        "draw(turn.key, …), and keep nothing outside the state",
    )


@check()
def play_and_simulate_agree(policy: Policy) -> None:
    """Turn by turn: equal running rewards and regrets leave no room for another arm."""
    arms_played_exist(policy)
    for model in reward_models():
        for seed in (SEED, SEED + 1):
            compiled = simulate(policy, model, season(), games=1, seed=seed, curves=TURNS)
            game = play(policy, model, season(), seed=seed)
            same_course(compiled, game, f"{model.name} rewards, seed {seed}")
        compiled = simulate(policy, model, season(), games=GAMES, seed=SEED, keep="games")
        for number in range(GAMES):
            game = play(policy, model, season(), seed=SEED, game=number)
            same_totals(compiled, game, number, f"{model.name} rewards")


@check(applies=lambda policy: policy.rule in RANGES)
def fast_kernel_plays_as_the_plain_one(policy: Policy) -> None:
    """The rule's own kernel against the loop that asks the rule arm by arm, ties included."""
    plain = on_generic_path(policy)
    for arms, turns in SIZES:
        for model in reward_models(arms):
            fast, slow = (
                simulate(p, model, season(turns), games=GAMES, seed=SEED, keep="games")
                for p in (policy, plain)
            )
            same_games(
                fast,
                slow,
                f"the fast kernel and the plain one must choose the same arms; with {arms} arms, "
                f"{turns} turns and {model.name} rewards they",
            )


@check()
def threads_do_not_matter(policy: Policy) -> None:
    """With one thread or two, the results are the same bits."""
    arms_played_exist(policy)
    one, two = (
        simulate(policy, reward_models()[0], season(), games=THREADED_GAMES, seed=SEED, workers=n)
        for n in (1, 2)
    )
    same_games(one, two, "one thread and two must give the same bits; they", exact=True)


@check()
def company_does_not_matter(policy: Policy) -> None:
    """Next to other policies, before or after them, a policy plays the same games."""
    arms_played_exist(policy)
    alone, first, last = (
        simulate(players, reward_models()[0], season(), games=GAMES, seed=SEED)
        for players in (
            {"it": policy},
            {"it": policy, "greedy": Greedy()},
            {"greedy": Greedy(), "it": policy},
        )
    )
    sentence = "other policies in the run must not change anything; the runs"
    same_games(alone, first, sentence)
    same_games(alone, last, sentence, row=1)


# -- arms that come and go -------------------------------------------------------------------------


def _lifetime_settings(policy: Policy) -> Iterator[tuple[Lifetimes, Rewards, str]]:
    """Known lifetimes and, unless the policy needs to know them, unknown ones."""
    for known in (True,) if policy.lifetime_options.needs_end else (True, False):
        for lifetimes in lifetimes_to_play(known):
            # Rewards in eighths: the same arms tie again and again.
            model = rewards.custom(
                coarse_quantile, coarse_mean, arms=lifetimes.arms, name="eighths"
            )
            yield lifetimes, model, f"{lifetimes.name} lifetimes, {'' if known else 'un'}known,"


@check()
def absent_arms_are_never_played(policy: Policy) -> None:
    """An arm is played from its first turn to its last, and in no other."""
    for lifetimes, model, where in _lifetime_settings(policy):
        game = play(policy, model, season(), seed=SEED, lifetimes=lifetimes)
        spans = lifetimes.spans(game_keys(SEED, range(1)), TURNS)[0]
        for t, arm in enumerate(game.arms.tolist(), start=1):
            start, end = spans[arm].tolist()
            expect(
                start <= t <= end,
                f"with {where} it played arm {arm} in turn {t}, but the arm is there in turns "
                f"{start} to {end}: look at state.available",
            )


@check()
def play_and_simulate_agree_on_arms_that_come_and_go(policy: Policy) -> None:
    """The readable loop and the kernel have the same arms in the game, and choose the same."""
    absent_arms_are_never_played(policy)
    for lifetimes, model, where in _lifetime_settings(policy):
        course = simulate(
            policy, model, season(), games=1, seed=SEED, curves=TURNS, lifetimes=lifetimes
        )
        same_course(course, play(policy, model, season(), seed=SEED, lifetimes=lifetimes), where)
        totals = simulate(
            policy, model, season(), LIFETIME_GAMES, SEED, keep="games", lifetimes=lifetimes
        )
        for number in range(LIFETIME_GAMES):
            game = play(policy, model, season(), seed=SEED, game=number, lifetimes=lifetimes)
            same_totals(totals, game, number, where)
