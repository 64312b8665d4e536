"""A policy plays the same game again, and compiled; it plays arms that are there.

Beside others, it beats random arms, and becomes the policies that it reduces to; in other units of
G it stays the same.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from highseason.checks.catalogue import (
    ARMS,
    SEED,
    TURNS,
    CheckFailed,
    check,
    expect,
    first_difference,
    following,
    in_other_units,
    money,
    parameters_on_G,
    reward_models,
    season,
)
from highseason.engine import Game, SimulationResult, play, simulate
from highseason.engine.kernels.interface import has_own_kernel
from highseason.policies import (
    EPSILON,
    POOL,
    UCB,
    UCB_RULE,
    UCBZ,
    EpsilonGreedy,
    EpsilonZGreedy,
    Greedy,
    Policy,
    SoftEpsilonGreedy,
    UniformRandom,
    VariablePool,
)
from highseason.policies.lifetimes import Lifetimes, birth_and_death, fixed
from highseason.rewards import Rewards
from highseason.traffic import Multiplier, constant, from_values

#: Games on two multipliers, and games against another policy.
GAMES_ON_G, FEW_GAMES = 6, 4
#: A game long enough for any sensible policy to learn which arms are better.
LONG, MANY = 1500, 200
#: Standard errors by which a policy must beat chance.
CLEARLY = 4.0
#: Another unit of money.
CENTS = 100.0
#: Another unit of G.  A power of two, so that no bit of any quotient changes.
FACTOR = 1024.0


@check()
def arms_played_exist(policy: Policy) -> None:
    """`play` refuses an arm that does not exist."""
    for model in (*reward_models(), *reward_models(1)):
        play(policy, model, season(), seed=SEED)


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


@check(applies=lambda policy: policy.counts is not None)
def busy_turns_count_for_more(policy: Policy) -> None:
    """A policy that can count visitors learns more from a busy turn if it does."""
    twin = policy.counting("visitors")
    weights = [twin.precision(n) for n in (1.0, 40.0, 2000.0)]
    expect(
        twin.counts == "turns" or weights[0] < weights[1] < weights[2],
        f"where visitors are counted, busier turns must count for more; turns with 1, 40 and 2,000 "
        f"visitors count as {weights}",
    )


def lifetime_settings(policy: Policy) -> Iterator[tuple[Lifetimes, Rewards, str]]:
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
    """`play` refuses an arm before its first turn and after its last."""
    for lifetimes, model, _ in lifetime_settings(policy):
        play(policy, model, season(), seed=SEED, lifetimes=lifetimes)


@check(applies=lambda policy: not has_own_kernel(policy, reward_models()[0], None))
def play_and_simulate_agree(policy: Policy) -> None:
    """The functions of a rule choose the same arms when they are compiled."""
    stay = ((None, model, f"{model.name} rewards,") for model in reward_models())
    for lifetimes, model, where in (*stay, *lifetime_settings(policy)):
        compiled = simulate(policy, model, season(), 1, SEED, curves=TURNS, lifetimes=lifetimes)
        same_course(compiled, play(policy, model, season(), SEED, lifetimes=lifetimes), where)


def same_course(compiled: SimulationResult, game: Game, where: str) -> None:
    """Turn by turn: equal running rewards and regrets leave no room for another arm."""
    gaps = game.means[game.best_arms] - game.means[game.arms]
    for metric, steps in (("reward", game.G * game.paid), ("regret", game.G * gaps)):
        simulated, played = compiled.curves[metric].mean[0], np.cumsum(steps)
        close = np.isclose(simulated, played, rtol=1e-9, atol=1e-9 * max(1.0, abs(played).max()))
        for i in np.flatnonzero(~close)[:1].tolist():
            raise CheckFailed(
                f"play and simulate must choose the same arms; with {where} they differ from turn "
                f"{i + 1} on (running {metric} {played[i]:g} and {simulated[i]:g})"
            )


def _learns(policy: Policy) -> bool:
    return not policy.learns_scaled


@check(applies=_learns)
def stakes_do_not_move_the_estimates(policy: Policy) -> None:
    """With its levels held fixed, a policy plays the same arms whatever G is."""
    for number in range(GAMES_ON_G):
        turn = _first_turn_moved_by_G(policy, number)
        expect(
            turn is None,
            f"G must not change what is learned from a turn; with the same levels and another G, "
            f"game {number} differs at turn {turn}",
        )


@check(applies=lambda policy: policy.learns_scaled)
def scaled_rewards_mislead(policy: Policy) -> None:
    """A policy that declares `learns_scaled` is misled by G: otherwise it declares too much."""
    expect(
        any(_first_turn_moved_by_G(policy, number) is not None for number in range(GAMES_ON_G)),
        f"learns_scaled is declared, so G should mislead it; in {GAMES_ON_G} games it did not",
    )


@check(applies=lambda policy: _learns(policy) and not policy.suppress_plan_warning)
def beats_uniform_random(policy: Policy) -> None:
    """In long games with few arms it clearly earns more than arms played at random."""
    players = {"chance": UniformRandom(), "it": policy}
    gain = simulate(players, reward_models()[0], season(LONG), MANY, SEED).gain("it")
    expect(
        gain.error < math.inf and gain.value > CLEARLY * gain.error,
        f"a policy must earn more than arms played at random; in {MANY} games of {LONG} turns with "
        f"{ARMS} arms it earned {gain.value:+.1%} (± {gain.error:.1%})",
    )


def _first_turn_moved_by_G(policy: Policy, number: int) -> int | None:
    rewards = reward_models()[1]
    # Powers of two change no bit of a reward that is multiplied and divided by them.
    varied = from_values(2.0 ** (np.arange(TURNS) * 7 % 11))
    fixed = following(policy, policy.plan(varied, rewards.arms).levels)
    multipliers = varied, constant(varied.turns)
    return first_difference(*(play(fixed, rewards, G, SEED, number).arms for G in multipliers))


class Reduction(NamedTuple):
    """Under a condition, a policy plays as another one with the same parameters, arm by arm."""

    condition: str
    policy: type[Policy]
    changes: dict[str, Any]
    G: Multiplier
    becomes: type[Policy]
    shared: str  # the parameters

    def applies(self, policy: Policy) -> bool:
        """Whether the policy is of this class, with its rule and its plan."""
        same_plan = type(policy).step is self.policy.step
        return isinstance(policy, self.policy) and policy.rule == self.policy.rule and same_plan


_ABOVE_G, _FLAT = {"z": math.inf}, constant(TURNS, 7.0)
_ONE_ARM = {"c": math.nextafter(2.0, 0.0), "unit": 1.0}
REDUCTIONS = (
    Reduction("with z infinite", EpsilonZGreedy, _ABOVE_G, season(), EpsilonGreedy, "k ties"),
    Reduction("with z infinite", UCBZ, _ABOVE_G, season(), UCB, "P ties"),
    Reduction("on a constant G", SoftEpsilonGreedy, {}, _FLAT, EpsilonGreedy, "k ties"),
    Reduction("with c < 2, unit 1 and G >= 1", VariablePool, _ONE_ARM, season(), Greedy, "ties"),
)


@check(applies=lambda policy: any(r.applies(policy) for r in REDUCTIONS))
def becomes_the_policy_it_reduces_to(policy: Policy) -> None:
    """The reductions that the paper claims: same seed, same arms."""
    for reduction in REDUCTIONS:
        if reduction.applies(policy):
            changed = replace(policy, **reduction.changes)
            shared = {name: getattr(changed, name) for name in reduction.shared.split()}
            other = reduction.becomes(**shared)
            _same_arms(changed, other, reduction.G, f"{reduction.condition} it must be {other}")


def _regulates_by_threshold(policy: Policy) -> bool:
    return "z" in parameters_on_G(policy) and policy.rule in (EPSILON, POOL, UCB_RULE)


def _with_z(policy: Any, z: float) -> Policy:
    return replace(policy, z=z)  # type: ignore[no-any-return]  # a policy that has a threshold


@check(applies=_regulates_by_threshold)
def threshold_above_all_ignores_G(policy: Policy) -> None:
    """With z infinite no turn is high, and the plan is the same for every G."""
    free = _with_z(policy, math.inf)
    turn = first_difference(*(free.plan(G, ARMS).levels for G in (season(), season().shift(7))))
    expect(
        turn is None,
        f"with z infinite no turn is high, so G must not matter; it does at turn {turn}",
    )


@check(applies=_regulates_by_threshold)
def threshold_below_all_is_greedy(policy: Policy) -> None:
    """With z below every G all turns are high, and only the leading arm is played."""
    bound, greedy = _with_z(policy, 0.5 * float(season().values.min())), Greedy(ties=policy.ties)
    _same_arms(bound, greedy, season(), "with z below every G it must play greedily")


@check(applies=_learns)
def units_of_G_do_not_matter(policy: Policy) -> None:
    """Scale G and the parameters measured on it: same arms, regret and reward scaled."""
    larger, G, many = in_other_units(policy, FACTOR), season(), season().scale(FACTOR)
    names = " and ".join(parameters_on_G(policy)) or "no parameter"
    expect(
        policy.plan(G, ARMS).digest == larger.plan(many, ARMS).digest,
        f"with G and {names} times {FACTOR:g} the plan must stay the same; it changed. "
        "If it depends on the scale of G, give it a parameter with allows_expression=True, such as "
        "`unit` of SoftUCB",
    )
    one, other = (
        simulate(p, reward_models()[0], g, games=FEW_GAMES, seed=SEED)
        for p, g in ((policy, G), (larger, many))
    )
    for metric, factor in (("regret", FACTOR), ("reward", FACTOR), ("best_pulls", 1.0)):
        value, expected = other.mean(metric, 0), factor * one.mean(metric, 0)
        expect(
            math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-12),
            f"with G times {FACTOR:g} the {metric} must be {expected:g}; it is {value:g}",
        )


@check()
def units_of_money_do_not_matter(policy: Policy) -> None:
    """Count money in cents: same arms, and the same rewards in the other unit."""
    for one, other in zip(money(1.0), money(CENTS), strict=True):
        game, same = (play(policy, model, season(), SEED) for model in (one, other))
        turn = first_difference(game.arms, same.arms)
        expect(
            turn is None and math.isclose(same.reward, CENTS * game.reward, rel_tol=1e-9),
            f"with all money times {CENTS:g} a policy must play the same arms; with {one.name} "
            f"rewards it differs at turn {turn}: learn from observation.value alone, the share of "
            "the most that a reward may be",
        )


def _same_arms(policy: Policy, other: Policy, G: Multiplier, sentence: str) -> None:
    for rewards in reward_models():
        for number in range(FEW_GAMES):
            arms = (play(p, rewards, G, SEED, number).arms for p in (policy, other))
            turn = first_difference(*arms)
            expect(
                turn is None,
                f"{sentence}; with {rewards.name} rewards game {number} differs at turn {turn}",
            )
