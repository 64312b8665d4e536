"""A policy learns what its arms are worth, whatever the stakes, and uses what it learned."""

from __future__ import annotations

import math

from highseason.checks.assertions import first_difference
from highseason.checks.catalogue import check, expect
from highseason.checks.games import arms_played_exist
from highseason.checks.settings import ARMS, SEED, powers_of_two, reward_models, season
from highseason.checks.variants import following
from highseason.games import play, simulate
from highseason.multipliers import constant
from highseason.policies import Policy, UniformRandom

GAMES = 6
#: A game long enough for any sensible policy to learn which arms are better.
LONG, MANY = 1500, 200
#: Standard errors by which a policy must beat chance.
CLEARLY = 4.0


def _learns(policy: Policy) -> bool:
    return not policy.learns_scaled


@check(applies=_learns)
def stakes_do_not_move_the_estimates(policy: Policy) -> None:
    """With its levels held fixed, a policy plays the same arms whatever G is."""
    for number in range(GAMES):
        turn = _first_turn_moved_by_G(policy, number)
        expect(
            turn is None,
            f"G must not change what is learned from a turn; with the same levels and another G, "
            f"game {number} differs at turn {turn}",
        )


@check(applies=lambda policy: not _learns(policy))
def scaled_rewards_mislead(policy: Policy) -> None:
    """A policy that declares `learns_scaled` is misled by G: otherwise it declares too much."""
    expect(
        any(_first_turn_moved_by_G(policy, number) is not None for number in range(GAMES)),
        f"learns_scaled is declared, so G should mislead it; in {GAMES} games it did not",
    )


@check(applies=lambda policy: _learns(policy) and not policy.suppress_plan_warning)
def beats_uniform_random(policy: Policy) -> None:
    """In long games with few arms it clearly earns more than arms played at random."""
    arms_played_exist(policy)
    result = simulate(
        {"chance": UniformRandom(), "it": policy}, reward_models()[0], season(LONG), MANY, SEED
    )
    gain = result.gain("it")
    expect(
        gain.error < math.inf and gain.value > CLEARLY * gain.error,
        f"a policy must earn more than arms played at random; in {MANY} games of {LONG} turns with "
        f"{ARMS} arms it earned {gain.value:+.1%} (± {gain.error:.1%})",
    )


def _first_turn_moved_by_G(policy: Policy, number: int) -> int | None:
    rewards = reward_models()[1]
    varied = powers_of_two()
    variant = following(policy, policy.plan(varied, rewards.arms).levels)
    steady = constant(varied.turns)
    one, other = (play(variant, rewards, G, SEED, number).arms for G in (varied, steady))
    return first_difference(one != other)
