"""What a plan may know: nothing of the turns to come, unless the policy declares that it does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from highseason.checks.catalogue import check
from highseason.checks.failure import CheckFailed
from highseason.checks.plans import require_range
from highseason.checks.settings import ARMS, TURNS, season
from highseason.multipliers import Multiplier
from highseason.policies import Policy

#: Turns after which the future is changed, and what it is multiplied by.
CUTS = (1, ARMS - 1, ARMS, ARMS + 1, TURNS // 2, TURNS - 1)
FACTORS = (0.01, 100.0)


def settled(policy: Policy) -> Policy:
    """The policy with its rules on G turned into numbers: what is left must be causal by itself."""
    return policy.resolve_thresholds(season().values)


@check(applies=lambda policy: not settled(policy).requires_full_g)
def later_turns_do_not_move_the_plan(policy: Policy) -> None:
    """Change G after turn t: the numbers up to t stay.  `uses_future_g = True` declares otherwise."""
    steady = settled(policy)
    before = steady.plan(season(), ARMS).levels
    for cut in CUTS:
        for factor in FACTORS:
            after = steady.plan(_changed_after(season(), cut, factor), ARMS).levels
            _same_start(
                before,
                after,
                cut,
                f"G was changed after turn {cut} only, but the plan of turn {{t}} changed too: "
                "declare uses_future_g = True, or do without view.floor, view.lowest and view.future",
            )


@check(applies=lambda policy: not settled(policy).requires_full_g)
def planner_agrees_with_plan(policy: Policy) -> None:
    """Told G turn by turn, a policy that does not look ahead makes the very same plan."""
    steady = settled(policy)
    _same_start(
        steady.plan(season(), ARMS).levels,
        _stepwise(steady, season(), season()),
        TURNS,
        "planner() and plan() must give the same numbers where the policy does not look ahead; "
        "they differ at turn {t}",
    )


@check(applies=lambda policy: not looks_ahead(policy))
def forecast_numbers_know_only_the_past(policy: Policy) -> None:
    """With a forecast, the number of turn t depends on G before t and on what is believed of t."""
    forecast = season().shift(3)
    before = policy.plan(season(), ARMS, forecast).levels
    require_range(policy, before, ARMS, "planned from a forecast, turn by turn")
    for cut in CUTS:
        for factor in FACTORS:
            after = policy.plan(
                _changed_after(season(), cut - 1, factor),  # the turn's own G comes after it
                ARMS,
                _changed_after(forecast, cut, factor),
            ).levels
            _same_start(
                before,
                after,
                cut,
                f"what comes after the decision of turn {cut} was changed, and with it the number "
                "of turn {t}: a plan from a forecast may know only the past and this turn's belief",
            )


@check(applies=lambda policy: not looks_ahead(policy))
def planners_share_nothing(policy: Policy) -> None:
    """Two games planned side by side do not disturb each other, as a shared carry would."""
    one, other = policy.planner(ARMS), policy.planner(ARMS)
    alone = _stepwise(policy, season(), season())
    together = np.empty(TURNS)
    for i, value in enumerate(season().values.tolist()):
        together[i] = one.level(value)
        one.saw(value)
        other.level(3.0 * value)
        other.saw(3.0 * value)
    _same_start(
        alone,
        together,
        TURNS,
        "a second game planned at the same time changed the number of turn {t}: "
        "begin() must return something new each time",
    )


def looks_ahead(policy: Policy) -> bool:
    """Whether the policy declares that it cannot play turn by turn."""
    return policy.uses_future or policy.rule.traits.uses_future


def _changed_after(G: Multiplier, cut: int, factor: float) -> Multiplier:
    later = np.arange(G.turns) >= cut
    return replace(G, values=np.where(later, factor * G.values, G.values))


def _stepwise(policy: Policy, actual: Multiplier, belief: Multiplier) -> NDArray[np.float64]:
    planner = policy.planner(ARMS)
    numbers = np.empty(actual.turns)
    for i in range(actual.turns):
        numbers[i] = planner.level(float(belief.values[i]))
        planner.saw(float(actual.values[i]))
    return numbers


def _same_start(
    before: NDArray[np.float64], after: NDArray[np.float64], turns: int, sentence: str
) -> None:
    differ = np.flatnonzero(before[:turns] != after[:turns])
    if differ.size:
        i = int(differ[0])
        found = f" (from {before[i]:g} to {after[i]:g})"
        raise CheckFailed(sentence.format(t=i + 1) + found)
