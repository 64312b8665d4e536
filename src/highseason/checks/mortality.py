"""Arms that come and go: whoever is not there is not played, and all ways to play agree."""

from __future__ import annotations

from collections.abc import Iterator

from highseason import rewards
from highseason.checks.catalogue import check
from highseason.checks.failure import expect
from highseason.checks.sameness import same_course, same_totals
from highseason.checks.settings import (
    SEED,
    TURNS,
    coarse_mean,
    coarse_quantile,
    lifetimes_to_play,
    season,
)
from highseason.core.random import game_keys
from highseason.engine.lifetimes import Lifetimes
from highseason.games import play, simulate
from highseason.policies import Policy
from highseason.rewards import Rewards

#: Games a run.
GAMES = 5


def _settings(policy: Policy) -> Iterator[tuple[Lifetimes, Rewards, str]]:
    """Lifetimes that are known and, unless the policy cannot do without, lifetimes that are not."""
    for known in (True,) if policy.needs_end else (True, False):
        for lifetimes in lifetimes_to_play(known):
            # Rewards in eighths: the same arms tie again and again.
            arms = rewards.custom(coarse_quantile, coarse_mean, arms=lifetimes.arms, name="eighths")
            yield (
                lifetimes,
                arms,
                f"{lifetimes.name} lifetimes, {'known' if known else 'not known'},",
            )


@check()
def arms_not_there_are_never_played(policy: Policy) -> None:
    """From its first to its last turn, and in no other, may an arm be played."""
    for lifetimes, arms, where in _settings(policy):
        game = play(policy, arms, season(), seed=SEED, lifetimes=lifetimes)
        spans = lifetimes.spans(game_keys(SEED, range(1)), TURNS)[0]
        for t, arm in enumerate(game.arms.tolist(), start=1):
            first, last = spans[arm].tolist()
            expect(
                first <= t <= last,
                f"with {where} it played arm {arm} in turn {t}, which is there in turns {first} to "
                f"{last}: look at state.available",
            )


@check()
def play_and_simulate_agree_on_arms_that_come_and_go(policy: Policy) -> None:
    """The readable loop and the kernel let the same arms live, and choose the same."""
    arms_not_there_are_never_played(policy)
    for lifetimes, arms, where in _settings(policy):
        result = simulate(
            policy, arms, season(), games=1, seed=SEED, curves=TURNS, lifetimes=lifetimes
        )
        same_course(result, play(policy, arms, season(), seed=SEED, lifetimes=lifetimes), where)
        result = simulate(
            policy, arms, season(), games=GAMES, seed=SEED, keep="games", lifetimes=lifetimes
        )
        for number in range(GAMES):
            game = play(policy, arms, season(), seed=SEED, game=number, lifetimes=lifetimes)
            same_totals(result, game, number, where)
