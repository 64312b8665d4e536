"""A policy plays the same game however it is run: again, compiled, in threads, among others."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.checks.catalogue import CheckFailed, check, expect, first_difference
from highseason.checks.plans import RANGES
from highseason.checks.settings import ARMS, SEED, TURNS, on_generic_path, reward_models, season
from highseason.core.random import game_keys
from highseason.engine import Game, SimulationResult, play, simulate
from highseason.engine.kernels.interface import has_own_kernel
from highseason.policies import Greedy, Policy
from highseason.policies.base import declared
from highseason.policies.lifetimes import Lifetimes, birth_and_death, fixed
from highseason.rewards import Rewards, visitors

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
    arms_played_exist.first(policy)
    for model in reward_models():
        for seed, games in ((SEED, GAMES), (SEED + 1, 1)):
            _expect_agreement(policy, model, f"{model.name} rewards, seed {seed}", games, seed)


@check(applies=lambda policy: "visitors" in getattr(declared(policy).get("count"), "choices", ()))
def play_and_simulate_agree_on_visitors(policy: Policy) -> None:
    """A busy turn counts for more, in the readable loop and in the kernel alike."""
    counted: dict[str, Any] = {"count": "visitors"}
    twin, weights = replace(policy, **counted), []
    for n in (1.0, 40.0, 2000.0):
        weights.append(twin.precision(n))
        expect(
            policy.precision(n) == 1.0 or getattr(policy, "count", "") == "visitors",
            f"with count='turns' every turn counts as 1, but one with {n:g} visitors counts as "
            f"{policy.precision(n):g}",
        )
    expect(
        weights[0] < weights[1] < weights[2],
        f"with count='visitors' busier turns must count for more; turns with 1, 40 and 2,000 "
        f"visitors count as {weights}",
    )
    model = visitors(arms=ARMS, between=(0.1, 0.5), rho=0.02, share=5.0)
    _expect_agreement(twin, model, "count='visitors'", LIFETIME_GAMES)


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
            where = f"with {arms} arms, {turns} turns and {model.name} rewards they"
            rule = "the fast kernel and the plain one must choose the same arms"
            same_games(fast, slow, f"{rule}; {where}")


@check()
def threads_do_not_matter(policy: Policy) -> None:
    """With one thread or two, the results are the same bits."""
    arms_played_exist.first(policy)
    model = reward_models()[0]
    # Where a turn takes long, fewer and shorter games are worth handing out to a thread.
    own = has_own_kernel(policy, model, None)
    G, games = season(TURNS if own else TURNS // 10), THREADED_GAMES
    if not own:
        games = math.ceil(games / policy.rule.traits.work)
    one, two = (simulate(policy, model, G, games=games, seed=SEED, workers=n) for n in (1, 2))
    same_games(one, two, "one thread and two must give the same bits; they", exact=True)


@check()
def company_does_not_matter(policy: Policy) -> None:
    """Next to other policies, before or after them, a policy plays the same games."""
    arms_played_exist.first(policy)
    it, greedy = {"it": policy}, {"greedy": Greedy()}
    alone, first, last = (
        simulate(players, reward_models()[0], season(), games=GAMES, seed=SEED)
        for players in (it, it | greedy, greedy | it)
    )
    sentence = "other policies in the run must not change anything; the runs"
    same_games(alone, first, sentence)
    same_games(alone, last, sentence, row=1)


def _lifetime_settings(policy: Policy) -> Iterator[tuple[Lifetimes, Rewards, str]]:
    """Known lifetimes and, unless the policy needs to know them, unknown ones."""
    spans = [(1, 40), (1, math.inf), (30, 90), (31, 31), (91, TURNS), (2, 45)]
    for known in (True,) if policy.lifetime_options.needs_end else (True, False):
        # Arms that stay, leave early, come later or for one turn; and a random flow of arms.
        flow = birth_and_death(TURNS, alive=3, life=20, known=known)
        for lifetimes in (fixed(spans, known=known), flow):
            eighths = reward_models(lifetimes.arms)[-1]  # the same arms tie again and again
            yield lifetimes, eighths, f"{lifetimes.name} lifetimes, {'' if known else 'un'}known,"


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
    absent_arms_are_never_played.first(policy)
    for lifetimes, model, where in _lifetime_settings(policy):
        _expect_agreement(policy, model, where, LIFETIME_GAMES, lifetimes=lifetimes)


def _expect_agreement(
    policy: Policy,
    model: Rewards,
    where: str,
    games: int,
    seed: int = SEED,
    lifetimes: Lifetimes | None = None,
) -> None:
    G = season()
    course = simulate(policy, model, G, 1, seed, curves=TURNS, lifetimes=lifetimes)
    totals = simulate(policy, model, G, games, seed, keep="games", lifetimes=lifetimes)
    for number in sorted({0, games // 2, games - 1}):  # the readable loop is slow
        game = play(policy, model, G, seed, number, lifetimes=lifetimes)
        if number == 0:
            same_course(course, game, where)
        same_totals(totals, game, number, where)


def same_course(compiled: SimulationResult, game: Game, where: str) -> None:
    """Turn by turn: equal running rewards and regrets leave no room for another arm."""
    gaps = game.means[game.best_arms] - game.means[game.arms]
    for metric, steps in (("reward", game.G * game.paid), ("regret", game.G * gaps)):
        simulated, played = compiled.curves[metric].mean[0], np.cumsum(steps)
        for i in np.flatnonzero(~_close(simulated, played))[:1].tolist():
            raise CheckFailed(
                f"play and simulate must choose the same arms; with {where} they differ from turn "
                f"{i + 1} on (running {metric} {played[i]:g} and {simulated[i]:g})"
            )


def same_totals(compiled: SimulationResult, game: Game, number: int, where: str) -> None:
    """The totals of one game, from `play` and from `simulate`."""
    for metric, column in _games(compiled).items():
        simulated = column[0, number]
        played = game.exploited_reward if metric == "exploited" else getattr(game, metric)
        expect(
            abs(simulated - played) <= 1e-9 * float(game.G.sum()),
            f"play and simulate must agree on every game; with {where} the {metric} of game "
            f"{number} is {played:g} and {simulated:g}",
        )


def same_games(
    one: SimulationResult, other: SimulationResult, sentence: str, row: int = 0, exact: bool = False
) -> None:
    """Compare the games of the only policy of `one` with those in a row of `other`."""
    for metric, column in _games(one).items():
        a, b = column[0], _games(other)[metric][row]
        for game in np.flatnonzero(a != b if exact else ~_close(a, b))[:1].tolist():
            raise CheckFailed(
                f"{sentence} differ in the {metric} of game {game}: "
                f"{float(a[game])!r} and {float(b[game])!r}"
            )


def _games(result: SimulationResult) -> dict[str, NDArray[np.float64]]:
    assert result.games is not None, 'few games are kept by default, many with keep="games"'
    return result.games


def _close(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.isclose(a, b, rtol=1e-9, atol=1e-9 * max(1.0, float(np.abs(a).max(initial=0.0))))
