"""A plan is one sensible number for every turn, the same whenever it is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from highseason.checks.catalogue import check
from highseason.checks.failure import CheckFailed, expect
from highseason.checks.settings import seasons
from highseason.checks.twins import afresh
from highseason.policies import Policy
from highseason.rules import EPSILON, POOL, UCB_RULE, Rule

#: What a rule can make sense of: a sentence, and which of the numbers keep to it.
_Range = tuple[str, Callable[[NDArray[np.float64], int], NDArray[np.bool_]]]
RANGES: dict[Rule, _Range] = {
    EPSILON: ("a chance between 0 and 1", lambda b, arms: (b >= 0) & (b <= 1)),
    UCB_RULE: ("a number >= 0 to stand under the root", lambda b, arms: b >= 0),
    POOL: (
        "a whole number of arms, from 1 to all of them",
        lambda b, arms: (b >= 1) & (b <= arms) & (b == np.floor(b)),
    ),
}


@check()
def intensity_takes_arrays(policy: Policy) -> None:
    """`plan.exploration` asks it for all turns at once."""
    rule, turns = policy.rule, np.arange(1, 5)
    shape = np.shape(rule.intensity(np.clip(np.ones(4), *rule.allowed), turns, 3))
    expect(
        shape == turns.shape,
        f"the intensity of the rule {rule.name!r} must take arrays and give a share for each turn; "
        f"for {turns.size} turns its answer has the shape {shape}",
    )


@check()
def every_turn_has_a_finite_number(policy: Policy) -> None:
    """Also for one arm, for fewer turns than arms, and for stakes in millions or millionths."""
    for G, arms in seasons():
        plan = policy.plan(G, arms)
        expect(
            plan.levels.shape == (G.turns,),
            f"a plan needs one number for each of {G.turns} turns; "
            f"this one has the shape {plan.levels.shape}",
        )
        for t, number in enumerate(plan, start=1):
            expect(
                math.isfinite(number),
                f"a plan's numbers must be finite; with {arms} arms on {G!r} "
                f"the number of turn {t} is {number!r}",
            )


@check(applies=lambda policy: policy.rule in RANGES)
def numbers_mean_something_to_the_rule(policy: Policy) -> None:
    """ε in [0, 1]; b >= 0; 1 <= m_t <= m, whole."""
    for G, arms in seasons():
        require_range(policy, policy.plan(G, arms).levels, arms, f"with {arms} arms on {G!r}")


@check()
def exploration_is_a_share(policy: Policy) -> None:
    """What `plan.exploration` draws lies between 0 and 1 before it is clipped."""
    rule = policy.rule
    for G, arms in seasons():
        numbers, turns = policy.plan(G, arms).levels, np.arange(1, G.turns + 1)
        shares = rule.intensity(numbers, turns, arms)
        for t in turns[~((shares >= 0.0) & (shares <= 1.0))][:1]:
            raise CheckFailed(
                f"the intensity of the rule {rule.name!r} must be between 0 and 1; turn {t} with "
                f"{arms} arms and the number {numbers[t - 1]:g} gives {float(shares[t - 1])!r}"
            )


@check()
def same_question_same_plan(policy: Policy) -> None:
    """Asked twice, the plan is the same bits, and nobody can write into it."""
    for G, arms in seasons():
        first, second = policy.plan(G, arms), afresh(policy).plan(G, arms)
        expect(
            first.digest == second.digest,
            "a plan must be the same when it is asked for again: keep what is remembered from "
            "turn to turn in the carry, not in the policy",
        )
        expect(not first.levels.flags.writeable, "a plan's numbers must be read-only")


def require_range(policy: Policy, numbers: NDArray[np.float64], arms: int, where: str) -> None:
    """Fail where a number means nothing to the policy's rule."""
    if policy.rule not in RANGES:
        wrong = np.flatnonzero(~np.isfinite(numbers))
        meaning = "a finite number"
    else:
        meaning, keeps = RANGES[policy.rule]
        wrong = np.flatnonzero(~keeps(numbers, arms))
    if wrong.size:
        i = int(wrong[0])
        raise CheckFailed(
            f"the rule {policy.rule.name!r} expects {meaning}; "
            f"{where}, turn {i + 1} has {float(numbers[i])!r}"
        )
