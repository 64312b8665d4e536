"""Where one policy becomes another: no threshold, a constant G, other units."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from highseason import policies
from highseason.checks.assertions import first_difference
from highseason.checks.catalogue import CheckFailed, check, expect
from highseason.checks.games import arms_played_exist
from highseason.checks.plans import RANGES
from highseason.checks.settings import ARMS, SEED, TURNS, reward_models, season
from highseason.checks.variants import in_other_units, parameters_on_G, with_parameters
from highseason.games import play, simulate
from highseason.multipliers import Multiplier, constant
from highseason.policies import Policy

GAMES = 4
#: Another unit of G.  A power of two, so that no bit of any quotient changes.
FACTOR = 1024.0


@dataclass(frozen=True)
class Reduction:
    """Under this condition a policy plays as another one, arm by arm."""

    condition: str
    policy: type[Policy]
    changes: dict[str, Any]
    G: Multiplier
    equal_to: Callable[[Any], Policy]

    def applies(self, policy: Policy) -> bool:
        """Whether the policy is of this class; with another rule it would be another policy."""
        return isinstance(policy, self.policy) and policy.rule == self.policy.rule


REDUCTIONS = (
    Reduction(
        "with z infinite",
        policies.EpsilonZGreedy,
        {"z": math.inf},
        season(),
        lambda p: policies.EpsilonGreedy(k=p.k, ties=p.ties),
    ),
    Reduction(
        "with z infinite",
        policies.UCBZ,
        {"z": math.inf},
        season(),
        lambda p: policies.UCB(P=p.P, variant=p.variant, ties=p.ties),
    ),
    Reduction(
        "on a constant G",
        policies.SoftEpsilonGreedy,
        {},
        constant(TURNS, 7.0),
        lambda p: policies.EpsilonGreedy(k=p.k, ties=p.ties),
    ),
    Reduction(
        "with c < 2, unit 1 and G >= 1",
        policies.VariablePool,
        {"c": math.nextafter(2.0, 0.0), "unit": 1.0, "variant": "paper"},
        season(),
        lambda p: policies.Greedy(ties=p.ties),
    ),
)


@check(applies=lambda policy: any(r.applies(policy) for r in REDUCTIONS))
def becomes_the_policy_it_reduces_to(policy: Policy) -> None:
    """The reductions that the paper claims: same seed, same arms."""
    for reduction in REDUCTIONS:
        if reduction.applies(policy):
            changed = with_parameters(policy, **reduction.changes)
            other = reduction.equal_to(changed)
            _same_arms(changed, other, reduction.G, f"{reduction.condition} it must be {other}")


def _regulates_by_threshold(policy: Policy) -> bool:
    return "z" in parameters_on_G(policy) and policy.rule in RANGES


@check(applies=_regulates_by_threshold)
def threshold_above_all_ignores_G(policy: Policy) -> None:
    """With z infinite no turn is high, and the plan is the same for every G."""
    free = with_parameters(policy, z=math.inf)
    one, other = (free.plan(G, ARMS).levels for G in (season(), season().shift(7)))
    turn = first_difference(one != other)
    expect(
        turn is None,
        f"with z infinite no turn is high, so G must not matter; it does at turn {turn}",
    )


@check(applies=_regulates_by_threshold)
def threshold_below_all_is_greedy(policy: Policy) -> None:
    """With z below every G all turns are high, and only the leading arm is played."""
    G = season()
    bound = with_parameters(policy, z=0.5 * float(G.values.min()))
    _same_arms(
        bound, policies.Greedy(ties=policy.ties), G, "with z below every G it must play greedily"
    )


@check(applies=lambda policy: not policy.learns_scaled)
def units_of_G_do_not_matter(policy: Policy) -> None:
    """Scale G and the parameters measured on it: same arms, regret and reward scaled."""
    arms_played_exist(policy)
    larger = in_other_units(policy, FACTOR)
    G, many = season(), season().scale(FACTOR)
    expect(
        policy.plan(G, ARMS).digest == larger.plan(many, ARMS).digest,
        f"with G and {_names(policy)} times {FACTOR:g} the plan must stay the same; it changed. "
        "If it depends on the scale of G, give it a parameter with allows_expression=True, such as "
        "`unit` of SoftUCB",
    )
    rewards = reward_models()[0]
    one = simulate(policy, rewards, G, games=GAMES, seed=SEED)
    other = simulate(larger, rewards, many, games=GAMES, seed=SEED)
    for metric, factor in (("regret", FACTOR), ("reward", FACTOR), ("best_pulls", 1.0)):
        value, expected = other.mean(metric, 0), factor * one.mean(metric, 0)
        expect(
            math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-12),
            f"with G times {FACTOR:g} the {metric} must be {expected:g}; it is {value:g}",
        )


def _names(policy: Policy) -> str:
    return " and ".join(parameters_on_G(policy)) or "no parameter"


def _same_arms(policy: Policy, other: Policy, G: Multiplier, sentence: str) -> None:
    for rewards in reward_models():
        for number in range(GAMES):
            arms, expected = (play(p, rewards, G, SEED, number).arms for p in (policy, other))
            turn = first_difference(arms != expected)
            if turn is not None:
                raise CheckFailed(
                    f"{sentence}; with {rewards.name} rewards game {number} differs at turn {turn}"
                )
