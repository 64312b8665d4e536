"""Parameters survive text, JSON and pickle; a plan gives one sensible level per turn.

Parameters are documented, and checked when a policy is created.  A plan is always the same, and
computed from what it may know and no more.
"""

import itertools
import math
import pickle
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.checks.catalogue import (
    ARMS,
    TURNS,
    CheckFailed,
    altered,
    check,
    expect,
    season,
    seasons,
)
from highseason.core.validation import declared
from highseason.policies import POOL, Policy, from_json, parse, registry
from highseason.traffic import Multiplier

Levels = NDArray[np.float64]

#: Turns after which the future is changed, and the factors that change it.
CUTS = (1, ARMS - 1, ARMS, ARMS + 1, TURNS // 2, TURNS - 1)
FACTORS = (0.01, 100.0)


def _importable(policy: Policy) -> bool:
    """Whether another process can import the class: a local one cannot be pickled."""
    kind = type(policy)
    return getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind


@check()
def parameters_are_fields(policy: Policy) -> None:
    """A class that forgot `@dataclass(frozen=True)` would silently ignore its parameters."""
    kind = type(policy)
    forgotten = [name for name, value in vars(kind).items() if isinstance(value, Field)]
    if "__init__" in vars(kind) and "__dataclass_params__" not in vars(kind):
        forgotten.append("what __init__ takes")
    expect(
        is_dataclass(kind) and not forgotten,
        f"parameters must be dataclass fields, but {', '.join(forgotten)} is not: put "
        f"@dataclass(frozen=True) above class {kind.__name__}",
    )


@check()
def parameters_are_documented(policy: Policy) -> None:
    """Every parameter has a sentence that says what it is, for help and the command line."""
    documented = {name for name, limits in declared(policy).items() if limits.doc.strip()}
    for name in (entry.name for entry in fields(policy)):
        expect(
            name in documented,
            f"the parameter {name!r} is not documented: "
            f'write {name} = parameter(default, "what it does")',
        )


@check()
def impossible_parameters_are_refused(policy: Policy) -> None:
    """NaN, numbers out of range and unknown words are errors when the policy is created."""
    for name, value in _impossible(policy):
        try:
            replace(policy, **{name: value})
        except ValueError:
            continue
        raise CheckFailed(
            f"{name}={value!r} is invalid and must raise a ValueError, but the policy accepted it"
        )


@check(applies=lambda policy: policy.name)
def name_leads_back(policy: Policy) -> None:
    """The registry has the class under its name."""
    entry = registry().get(policy.name)
    expect(
        entry is type(policy),
        f"the name {policy.name!r} must lead to {type(policy).__qualname__}, but it leads to "
        f"{getattr(entry, '__qualname__', entry)}: two policies cannot share a name",
    )


@check(applies=lambda policy: policy.name)
def json_leads_back(policy: Policy) -> None:
    """`from_json(policy.to_json())` is the policy."""
    back = from_json(policy.to_json())
    expect(back == policy, f"{policy!r} comes back from JSON as {back!r}")


@check(applies=lambda policy: policy.name)
def text_leads_back(policy: Policy) -> None:
    """`parse(str(policy))` is the policy, as the command line needs it."""
    back = parse(str(policy))
    expect(back == policy, f"{policy!r} is written {str(policy)!r}, but parsed as {back!r}")


@check(applies=_importable)
def pickles_and_copies(policy: Policy) -> None:
    """A worker process gets an equal policy with the same rule; a deep copy is one, too."""
    for how, copied in (("pickle", pickle.loads(pickle.dumps(policy))), ("copy", deepcopy(policy))):
        expect(
            copied == policy and copied.rule == policy.rule,
            f"{policy!r} comes back from {how} as {copied!r}, with the rule {copied.rule.name!r}",
        )


def _impossible(policy: Policy) -> Iterator[tuple[str, Any]]:
    for name, limits in declared(policy).items():
        yield name, math.nan
        yield name, "no such word"
        if limits.above is not None:
            yield name, limits.above
        if limits.at_least is not None:
            yield name, math.nextafter(limits.at_least, -math.inf)


@check()
def intensity_takes_arrays(policy: Policy) -> None:
    """`plan.exploration` passes all turns at once."""
    rule, turns = policy.rule, np.arange(1, 5)
    shape = np.shape(rule.intensity(np.clip(np.ones(4), *rule.allowed), turns, 3))
    expect(
        shape == turns.shape,
        f"the intensity of the rule {rule.name!r} must take arrays and return a share per turn; "
        f"for {turns.size} turns it returned the shape {shape}",
    )


@check()
def every_turn_has_a_finite_level(policy: Policy) -> None:
    """Also for one arm, for fewer turns than arms, and for G in millions or millionths.

    `plan` itself refuses a level that the rule does not allow.
    """
    for G, arms in seasons():
        levels = policy.plan(G, arms).levels
        expect(
            levels.shape == (G.turns,),
            f"a plan must have one level for each of {G.turns} turns; its levels have the shape "
            f"{levels.shape}",
        )


@check(applies=lambda policy: policy.rule.traits.integer_level)
def levels_suit_the_rule(policy: Policy) -> None:
    """Levels that count are whole, and a pool has no more than all arms."""
    for G, arms in seasons():
        _require_counts(policy, policy.plan(G, arms).levels, arms, f"with {arms} arms on {G!r}")


@check()
def exploration_is_a_share(policy: Policy) -> None:
    """What `plan.exploration` shows lies between 0 and 1 before it is clipped."""
    rule = policy.rule
    for G, arms in seasons():
        levels, turns = policy.plan(G, arms).levels, np.arange(1, G.turns + 1)
        shares = rule.intensity(levels, turns, arms)
        for t in turns[~((shares >= 0.0) & (shares <= 1.0))][:1]:
            raise CheckFailed(
                f"the intensity of the rule {rule.name!r} must be between 0 and 1; turn {t} with "
                f"{arms} arms and level {levels[t - 1]:g} has {float(shares[t - 1])!r}"
            )


@check()
def same_question_same_plan(policy: Policy) -> None:
    """Computed twice, a plan is the same bits, and it is read-only."""
    for G, arms in seasons():
        first, second = policy.plan(G, arms), altered(policy).plan(G, arms)
        expect(
            first.digest == second.digest,
            "a plan must be the same when it is computed again: keep what is remembered from "
            "turn to turn in the carry, not in the policy",
        )
        expect(not first.levels.flags.writeable, "the levels of a plan must be read-only")


def _require_counts(policy: Policy, levels: Levels, arms: int, where: str) -> None:
    most = arms if policy.rule == POOL else math.inf
    for i in np.flatnonzero((levels != np.floor(levels)) | (levels > most))[:1]:
        raise CheckFailed(
            f"the rule {policy.rule.name!r} expects a whole number, at most {most:g}; "
            f"{where}, turn {i + 1} has {float(levels[i])!r}"
        )


def resolved(policy: Policy) -> Policy:
    """The policy with its thresholds turned into numbers: the rest must be causal by itself."""
    return policy.resolve_thresholds(season().values)


def _is_causal(policy: Policy) -> bool:
    return not resolved(policy).needs_g_ahead


@check(applies=_is_causal)
def later_turns_do_not_move_the_plan(policy: Policy) -> None:
    """Change G after turn t: the levels up to t stay.  `needs_whole_g` declares otherwise."""
    steady = resolved(policy)
    before = steady.plan(season(), ARMS).levels
    for cut, factor in itertools.product(CUTS, FACTORS):
        after = steady.plan(_changed_after(season(), cut, factor), ARMS).levels
        sentence = (
            f"G was changed only after turn {cut}, but the level of turn {{t}} changed: declare "
            "needs_whole_g = True, or do without view.floor, view.lowest and view.future"
        )
        _same_start(before, after, cut, sentence)


@check(applies=_is_causal)
def planner_agrees_with_plan(policy: Policy) -> None:
    """Given G turn by turn, a policy that does not look ahead has the same plan."""
    steady = resolved(policy)
    _same_start(
        steady.plan(season(), ARMS).levels,
        _stepwise(steady),
        TURNS,
        "planner() and plan() must give the same levels if the policy does not look ahead; they "
        "differ at turn {t}",
    )


@check(applies=lambda policy: not needs_horizon(policy))
def forecast_levels_know_only_the_past(policy: Policy) -> None:
    """With a forecast, the level of turn t depends on G before t and on the forecast of t."""
    forecast = season().shift(3)
    before = policy.plan(season(), ARMS, forecast).levels
    if policy.rule.traits.integer_level:
        _require_counts(policy, before, ARMS, "planned from one-step forecasts")
    for cut, factor in itertools.product(CUTS, FACTORS):
        G = _changed_after(season(), cut - 1, factor)  # the turn's own G comes after it
        after = policy.plan(G, ARMS, _changed_after(forecast, cut, factor)).levels
        sentence = (
            f"only what comes after the decision of turn {cut} was changed, but the level of turn "
            "{t} changed: a plan from forecasts may know the past and this turn's forecast, "
            "nothing else"
        )
        _same_start(before, after, cut, sentence)


@check(applies=lambda policy: not needs_horizon(policy))
def planners_share_nothing(policy: Policy) -> None:
    """Two games planned side by side do not disturb each other, as a shared carry would."""
    sentence = (
        "a second game planned at the same time changed the level of turn {t}: begin() must "
        "return a new object each time"
    )
    _same_start(_stepwise(policy), _stepwise(policy, beside_another=True), TURNS, sentence)


@check(applies=lambda policy: not needs_horizon(policy) and policy.carry_depends_on != "arms")
def carry_depends_on_what_is_declared(policy: Policy) -> None:
    """A live bandit goes on with the same carry when arms come or go."""
    one, other = policy.planner(ARMS), policy.planner(ARMS + 1)
    for t, value in enumerate(season().values.tolist(), start=1):
        for planner in (one, other):
            planner.level(value)
            planner.saw(value)
        same = one.carry == other.carry
        if policy.carry_depends_on == "nothing":
            same = same and one.carry == policy.begin()
        expect(
            same,
            f"after turn {t} the plan carries {one.carry!r} with {ARMS} arms and {other.carry!r} "
            f"with {ARMS + 1}, but declares carry_depends_on = {policy.carry_depends_on!r}",
        )


def needs_horizon(policy: Policy) -> bool:
    """Whether the policy declares that it cannot play turn by turn."""
    return policy.needs_horizon or policy.rule.traits.needs_horizon


def _changed_after(G: Multiplier, cut: int, factor: float) -> Multiplier:
    later = np.arange(G.turns) >= cut
    return replace(G, values=np.where(later, factor * G.values, G.values))


def _stepwise(policy: Policy, beside_another: bool = False) -> Levels:
    planner, other, levels = policy.planner(ARMS), policy.planner(ARMS), np.empty(TURNS)
    for i, value in enumerate(season().values.tolist()):
        levels[i] = planner.level(value)
        planner.saw(value)
        if beside_another:
            other.level(3.0 * value)
            other.saw(3.0 * value)
    return levels


def _same_start(before: Levels, after: Levels, turns: int, sentence: str) -> None:
    for i in np.flatnonzero(before[:turns] != after[:turns])[:1]:
        raise CheckFailed(f"{sentence.format(t=i + 1)} (from {before[i]:g} to {after[i]:g})")
