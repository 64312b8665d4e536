"""A check that cannot fail checks nothing: here each meets a policy that breaks its promise."""

from __future__ import annotations

import itertools
import math
import sys
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import highseason as hs
from highseason.checks import CheckFailed, check_multiplier, check_policy, plans, rules, run
from highseason.checks import games as game_checks
from highseason.checks.catalogue import Check
from highseason.core.validation import Limits
from highseason.policies import (
    EPSILON,
    POOL,
    UCB_RULE,
    Policy,
    Rule,
    RuleTraits,
    leader,
    parameter,
    pick_available,
    untried,
)
from highseason.policies import registry as registry_room
from highseason.policies.parameters import threshold
from highseason.policies.rule import UNKNOWN_END, observe_mean

Step = tuple[float, Any]


def flat(numbers: Any, turns: Any, arms: int) -> Any:
    return 0.0 * numbers


@dataclass(frozen=True)
class Sound(Policy):
    """Keeps every promise; the others differ from it in one thing."""

    rule = EPSILON
    share: float = parameter(0.3, "chance of exploring", at_least=0)

    def step(self, carry: Any, view: Any) -> Step:
        return min(1.0, self.share * view.arms / view.t), carry


class NotANumber(Sound):
    def step(self, carry: Any, view: Any) -> Step:
        return (math.nan if view.t == 7 else 0.5), carry


class BeyondOne(Sound):
    def step(self, carry: Any, view: Any) -> Step:
        return 1.5, carry


class HalfAnArm(Sound):
    rule = POOL

    def step(self, carry: Any, view: Any) -> Step:
        return 1.5, carry


class MoreThanAllArms(Sound):
    rule = POOL

    def step(self, carry: Any, view: Any) -> Step:
        return view.arms + 1.0, carry


class OddIntensity(Sound):
    rule = replace(EPSILON, name="odd", intensity=lambda b, t, arms: 2.0 + b)


class ScalarIntensity(Sound):
    rule = replace(EPSILON, name="scalar", intensity=lambda b, t, arms: np.float64(0.5))


class Moody(Sound):
    """Another plan each time it is asked."""

    mood = itertools.count(1)

    def step(self, carry: Any, view: Any) -> Step:
        return 1.0 / (next(self.mood) % 97 + 1), carry


class Peeking(Sound):
    """Looks ahead without declaring it."""

    def step(self, carry: Any, view: Any) -> Step:
        return min(1.0, view.lowest / view.G), carry


class Forgetful(Sound):
    """It counts arms, and declares that its carry depends on G alone."""

    carry_depends_on = "G"

    def step(self, carry: int, view: Any) -> Step:
        return 1.0 / (1.0 + carry), carry + view.arms


class SharedCarry(Sound):
    """One list for all games."""

    seen: list[float] = []  # noqa: RUF012  # the fault in question

    def begin(self) -> list[float]:
        return self.seen

    def step(self, carry: list[float], view: Any) -> Step:
        if view.t == 1:
            carry.clear()
        carry.append(view.G)
        return 1.0 / len(carry), carry


class Clairvoyant(Sound):
    """Declares that it looks ahead, but has no answer when the future is not known."""

    needs_whole_g = True

    def step(self, carry: Any, view: Any) -> Step:
        return view.future / (view.future + view.G), carry


class OwnInit(Sound):
    def __init__(self, share: float = 0.3) -> None:
        super().__init__(share=share)


class ForgotDataclass(Policy):
    rule = EPSILON
    share: float = parameter(0.3, "chance of exploring")

    def step(self, carry: Any, view: Any) -> Step:
        return 0.3, carry


@dataclass(frozen=True)
class Silent(Sound):
    other: float = 3.0


@dataclass(frozen=True)
class Wordless(Sound):
    other: float = field(default=3.0, metadata={"limits": Limits(" ")})


@dataclass(frozen=True)
class Credulous(Sound):
    def __post_init__(self) -> None:
        """Check nothing."""


def out_of_range(state: Any, turn: Any) -> tuple[int, bool]:
    return state.pulls.size if turn.t == 9 else 0, False


def negative(state: Any, turn: Any) -> tuple[int, bool]:
    return (-1 if turn.t == 9 else 0), False


def always_first(state: Any, turn: Any) -> tuple[int, bool]:
    return 0, False


def boastful(state: Any, turn: Any) -> tuple[int, bool]:
    first = untried(state)
    return (first if first >= 0 else leader(state, turn)), True


COUNTER = itertools.count()


def absent_minded(state: Any, turn: Any) -> tuple[int, bool]:
    first = untried(state)
    return (first if first >= 0 else next(COUNTER) * 7 // 5 % state.pulls.size), False


def wide(state: Any, turn: Any) -> tuple[int, bool]:
    """Arithmetic that means something else in 64 bits than in Python."""
    first = untried(state)
    if first >= 0:
        return first, False
    return pick_available(state, (turn.key * 3 >> 60) % 7 / 7), False


def uncompilable(state: Any, turn: Any) -> tuple[int, bool]:
    first = untried(state)
    return (first if first >= 0 else pick_available(state, len({"a": object()}) - 1)), False


def wide_after_a_death(state: Any, turn: Any) -> tuple[int, bool]:
    """As long as all arms are there, all is well."""
    first = untried(state)
    if first >= 0:
        return first, False
    if state.available.all():
        return leader(state, turn), True
    return pick_available(state, (turn.key * 3 >> 60) % 7 / 7), False


def lost_without_ends(state: Any, turn: Any) -> tuple[int, bool]:
    """Plays an arm that is gone, but only where it is not known when arms end."""
    gone = np.flatnonzero(~state.available)
    unknown = (state.end[state.available] == UNKNOWN_END).any()
    return (int(gone[0]) if gone.size and unknown else pick_available(state, 0.0)), False


def keeping_parts_of_stakes(state: Any, turn: Any, seen: Any) -> None:
    """Learns G times the reward, where that is neither 0 nor 1."""
    factor = turn.G if 0.0 < seen.value < 1.0 else 1.0
    observe_mean(state, turn, seen._replace(value=factor * seen.value))


def random_with(mask: Any) -> type[Sound]:
    """A rule that is deterministic except where just these arms are there."""

    def choose(state: Any, turn: Any) -> tuple[int, bool]:
        same = np.array_equal(state.available, mask)
        return pick_available(state, turn.key % 97 / 97 if same else 0.0), False

    return playing(choose, traits=RuleTraits(stochastic=False))


class Counting(Sound):
    """It carries the number of turns, and declares that it carries nothing."""

    carry_depends_on = "nothing"

    def begin(self) -> int:
        return 0

    def step(self, carry: int, view: Any) -> Step:
        return 0.5, carry + 1


class Growing(Sound):
    """It carries something where there are more than five arms."""

    carry_depends_on = "nothing"

    def begin(self) -> int:
        return 0

    def step(self, carry: int, view: Any) -> Step:
        return 0.5, carry + (view.arms > 5)


EACH = RuleTraits(tries_each_arm=True)


def playing(choose: Any, **how: Any) -> type[Sound]:
    rule = Rule(choose.__name__, choose, flat, **how)
    return type(f"Plays_{choose.__name__}", (Sound,), {"rule": rule})


class AllTheSame(Sound):
    def step(self, carry: Any, view: Any) -> Step:
        return 1.0, carry


@dataclass(frozen=True)
class Inverted(Policy):
    """Explores on high turns."""

    rule = EPSILON
    z: Any = threshold("q0.75")  # noqa: RUF009  # a parameter is a field made by a function

    def step(self, carry: Any, view: Any) -> Step:
        return (0.5 if view.G >= self.z else 0.0), carry


@dataclass(frozen=True)
class Meddling(Inverted):
    """With z above all G it still looks at G."""

    def step(self, carry: Any, view: Any) -> Step:
        return (0.0 if view.G >= self.z else min(1.0, 1.0 / view.G)), carry


class Absent(Sound):
    """Comes back from a worker with its default parameters."""

    def __reduce__(self) -> Any:
        return Absent, ()


@dataclass(frozen=True)
class Deaf(hs.Greedy):
    """Says that it counts visitors, and counts turns."""

    @property
    def correlation(self) -> float:
        return 1.0


class InUnits(Sound):
    def step(self, carry: Any, view: Any) -> Step:
        return min(1.0, 1.0 / view.G), carry


def one_sided(state: Any, turn: Any) -> Any:
    return np.eye(state.pulls.size)[0]


def too_many(state: Any, turn: Any) -> Any:
    return np.ones(state.pulls.size)


class FalseProbabilities(Sound):
    rule = replace(EPSILON, name="false probabilities", probabilities=one_sided)


class ExcessiveProbabilities(Sound):
    rule = replace(EPSILON, name="excessive probabilities", probabilities=too_many)


def altruistic(state: Any, turn: Any) -> tuple[int, bool]:
    """Counts in the state what it chooses."""
    state.shared[0] += 1.0
    return untried(state) if untried(state) >= 0 else 0, False


def by_all_arms(state: Any, turn: Any) -> tuple[int, bool]:
    """Looks at arms that are not available."""
    return pick_available(state, 0.0 if state.selections.sum() % 2 else 0.99), False


def by_place(state: Any, turn: Any) -> tuple[int, bool]:
    """Compares arms by their number."""
    for arm in range(state.available.size):
        if state.available[arm] and arm % 2:
            return arm, False
    return pick_available(state, 0.0), False


def far_sighted(state: Any, turn: Any) -> tuple[int, bool]:
    return pick_available(state, 0.0 if turn.turns_left > 20 else 0.99), False


def declaring(rule: Rule, **traits: Any) -> type[Sound]:
    declared = replace(rule, name="declaring", traits=replace(rule.traits, **traits))
    return type(f"Declares_{'_'.join(traits)}", (Sound,), {"rule": declared})


class Swinging(Sound):
    """Its level matters, whatever its rule says of coins."""

    rule = replace(UCB_RULE, traits=RuleTraits(stable="unless-coin-explores"))

    def step(self, carry: Any, view: Any) -> Step:
        return (0.0 if view.t % 2 else 0.9), carry


class Fractions(Sound):
    rule = replace(EPSILON, name="fractions", traits=RuleTraits(integer_level=True))


BROKEN: list[tuple[type[Policy] | Policy, str, str]] = [
    (ForgotDataclass, "parameters_are_fields", r"but share is not: put @dataclass"),
    (OwnInit, "parameters_are_fields", r"but what __init__ takes is not: put @dataclass"),
    (Silent, "parameters_are_documented", "the parameter 'other' is not documented"),
    (Wordless, "parameters_are_documented", "the parameter 'other' is not documented"),
    (Credulous, "impossible_parameters_are_refused", "ties=nan is invalid"),
    (
        Absent(share=0.9),
        "pickles_and_copies",
        r"Absent.*share=0.9.*comes back from pickle as .*0.3",
    ),
    (NotANumber, "every_turn_has_a_finite_level", "nan at turn 7"),
    (BeyondOne, "every_turn_has_a_finite_level", "1.5 at turn 1.*from 0 to 1"),
    (HalfAnArm, "levels_suit_the_rule", "a whole number, at most 5; .* turn 1 has 1.5"),
    (MoreThanAllArms, "levels_suit_the_rule", "turn 1 has 6.0"),
    (OddIntensity, "exploration_is_a_share", "must be between 0 and 1; turn 1 with 5 arms"),
    (ScalarIntensity, "intensity_takes_arrays", r"returned the shape \(\)"),
    (Moody, "same_question_same_plan", "the same when it is computed again"),
    (Peeking, "later_turns_do_not_move_the_plan", "declare needs_whole_g = True"),
    (SharedCarry, "planners_share_nothing", r"begin\(\) must return a new object"),
    (Forgetful, "carry_depends_on_what_is_declared", "after turn 1 the plan carries 5"),
    (Counting, "carry_depends_on_what_is_declared", "after turn 1 the plan carries 1"),
    (Growing, "carry_depends_on_what_is_declared", "after turn 1 the plan carries 0 .* and 1"),
    (Clairvoyant, "forecast_levels_know_only_the_past", "looks ahead"),
    (playing(out_of_range), "arms_played_exist", "chose arm 5 in turn 9"),
    (playing(negative), "arms_played_exist", "chose arm -1 in turn 9"),
    (
        playing(always_first, traits=EACH),
        "every_arm_is_tried_once_first",
        r"they played \[0, 0, 0, 0, 0\]",
    ),
    (
        playing(boastful, traits=EACH),
        "every_arm_is_tried_once_first",
        "must not count as exploitation",
    ),
    (playing(absent_minded), "same_seed_same_arms", "played twice differs at turn"),
    (playing(wide), "play_and_simulate_agree", "play and simulate must choose the same arms"),
    (playing(uncompilable), "play_and_simulate_agree", "'uncompilable' cannot be compiled"),
    (
        playing(always_first),
        "absent_arms_are_never_played",
        "chose arm 0 in turn 41, but it is not available in that turn; look at state.available",
    ),
    (
        playing(lost_without_ends),
        "absent_arms_are_never_played",
        "chose arm 2 in turn 1, but it is not available",
    ),
    (
        playing(wide_after_a_death),
        "play_and_simulate_agree",
        "must choose the same arms; with fixed lifetimes, known, they differ from turn",
    ),
    (
        Deaf(),
        "busy_turns_count_for_more",
        r"busier turns must count for more; .* count as \[1.0, 1.0, 1.0\]",
    ),
    (FalseProbabilities, "probabilities_match_choices", "in turn 5 probabilities are"),
    (ExcessiveProbabilities, "probabilities_match_choices", "with sum 1; turn 1 has"),
    (AllTheSame, "beats_uniform_random", r"it earned \+0.0%"),
    (Inverted, "threshold_below_all_is_greedy", "with z below every G it must play greedily"),
    (Meddling, "threshold_above_all_ignores_G", "so G must not matter"),
    (InUnits, "units_of_G_do_not_matter", "give it a parameter with allows_expression=True"),
]


def label(policy: type[Policy] | Policy) -> str:
    return policy.__name__ if isinstance(policy, type) else str(policy)


@pytest.mark.parametrize(
    ("policy", "check", "sentence"), BROKEN, ids=[f"{label(p)}-{c}" for p, c, _ in BROKEN]
)
def test_a_broken_promise_is_found(
    policy: type[Policy] | Policy, check: str, sentence: str
) -> None:
    with pytest.raises(CheckFailed, match=sentence) as failure:
        check_policy(policy)
    assert f"[{check}]" in str(failure.value)
    assert str(failure.value).startswith(label(policy))


def test_a_sound_policy_passes() -> None:
    check_policy(Sound)
    check_policy(Sound(share=0.1))


# Promises that a policy by itself can hardly break: here the machinery is broken instead.


def failing(check: Check, policy: Policy, sentence: str) -> None:
    with pytest.raises(CheckFailed, match=sentence):
        run._run(check, policy, "it")


def test_money_that_is_learned_as_it_is_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("spend", "custom"):  # the package has functions of these names
        file = sys.modules[f"highseason.rewards.{kind}"]
        monkeypatch.setattr(file, "share_of", lambda x, low, high: x)
    check = game_checks.units_of_money_do_not_matter
    failing(check, hs.UCB(), "with all money times 100 a policy must play the same arms; with ")


@pytest.mark.parametrize(
    ("check", "policy", "sentence"),
    [
        (rules.choosing_changes_nothing, playing(altruistic, shared=1), "changed state.shared"),
        (
            rules.local_choice_ignores_absent_arms,
            playing(by_all_arms, traits=RuleTraits(local=True)),
            "declares local, but in turn 1 it chose arm",
        ),
        (
            rules.local_choice_ignores_absent_arms,
            playing(by_place, traits=RuleTraits(local=True)),
            "it chose arm 3, arm 3 when .* and arm 2 without them",
        ),
        (
            rules.only_an_average_is_learned,
            type("Stakes", (Sound,), {"rule": replace(EPSILON, observe=keeping_parts_of_stakes)}),
            "declares own_arm_only, but its observe does not do as observe_mean does: in turn",
        ),
        (
            rules.stable_choice_is_repeated,
            declaring(EPSILON, stable="until-change"),
            "declares stable='until-change', but its choice changed in turn 5, from",
        ),
        (
            rules.stable_choice_is_repeated,
            declaring(EPSILON, stable="while-level-at-most-1"),
            "declares stable='while-level-at-most-1', but its choice changed in turn",
        ),
        (
            rules.stable_choice_is_repeated,
            Swinging,
            "declares stable='unless-coin-explores', but its choice changed in turn",
        ),
        (
            rules.deterministic_choice_ignores_random_numbers,
            declaring(EPSILON, stochastic=False),
            "declares stochastic=False, but its choice changed .* in turn 5, from",
        ),
        (
            rules.choice_ignores_the_future,
            playing(far_sighted),
            "declare needs_horizon=True in the rule's traits",
        ),
        *(
            (
                rules.deterministic_choice_ignores_random_numbers,
                random_with(mask),
                "declares stochastic=False, but its choice changed .* in turn 1, from",
            )
            for mask in ([1, 1, 1, 1, 1], [1, 0, 1, 1, 0], [0, 1, 0, 0, 1])
        ),
        (
            game_checks.stakes_do_not_move_the_estimates,
            type("Stakes", (Sound,), {"rule": replace(EPSILON, observe=keeping_parts_of_stakes)}),
            "G must not change what is learned from a turn",
        ),
        (plans.levels_suit_the_rule, Fractions, "expects a whole number.* turn 2 has 0.75"),
    ],
)
def test_a_rule_that_is_not_what_it_declares(
    check: Check, policy: type[Policy], sentence: str
) -> None:
    assert check.applies(policy())
    failing(check, policy(), sentence)


def test_declaring_too_little_or_too_much_about_scaled_rewards() -> None:
    failing(
        game_checks.stakes_do_not_move_the_estimates,
        hs.policies.NaiveUCB(),
        "G must not change what is learned",
    )
    failing(game_checks.scaled_rewards_mislead, hs.UCB(), "G should mislead it")


def test_a_reduction_that_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = game_checks.REDUCTIONS[1]._replace(becomes=lambda: hs.UCB(P=0.1), shared="")
    monkeypatch.setattr(game_checks, "REDUCTIONS", (wrong,))
    check = game_checks.becomes_the_policy_it_reduces_to
    failing(check, hs.UCBZ(), "with z infinite it must be ucb:P=0.1; with .* differs at turn")


# Names lead back.


@pytest.fixture
def forget_names(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    room = importlib.import_module(registry_room.__module__)
    monkeypatch.setattr(room, "_policies", copy(room._policies))


@pytest.mark.usefixtures("forget_names")
def test_two_policies_of_one_name() -> None:
    first = type("Twin", (Sound,), {"name": "twin"})
    with pytest.raises(ValueError, match="the name 'twin' is taken by Twin: choose another"):
        type("Other", (Sound,), {"name": "twin"})
    second = type("Twin", (Sound,), {"name": "twin"})  # as when a notebook's cell is run again
    with pytest.raises(CheckFailed, match=r"'twin' must lead to Twin, but it leads to Twin"):
        check_policy(first)
    check_policy(second)


@pytest.mark.usefixtures("forget_names")
@pytest.mark.parametrize(
    ("attribute", "value", "check"),
    [
        ("to_json", lambda self: '{"name": "forgetful"}', "json_leads_back"),
        ("__str__", lambda self: "forgetful", "text_leads_back"),
    ],
)
def test_a_policy_that_forgets_its_parameters(attribute: str, value: Any, check: str) -> None:
    forgetful = type("Forgetful", (Sound,), {"name": "forgetful", attribute: value})
    with pytest.raises(CheckFailed, match=f"share=0.9.*share=0.3.*{check}"):
        check_policy(forgetful(share=0.9))


# What is no policy at all.


@dataclass(frozen=True)
class Demanding(Sound):
    share: float = field(default_factory=lambda: [][0])


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        ("ucb", "expected a policy .* got 'ucb'"),
        (Rule, r"expected a policy \(a subclass of Policy\)"),
        (Demanding, r"Demanding\(\) fails .*give every parameter a default"),
    ],
    ids=["text", "another class", "no default"],
)
def test_what_is_no_policy(policy: Any, sentence: str) -> None:
    with pytest.raises(CheckFailed, match=sentence):
        check_policy(policy)


def test_a_failure_is_a_failing_assertion() -> None:
    assert issubclass(CheckFailed, AssertionError)


# Multipliers.

numbers = np.random.default_rng(1)


@pytest.mark.parametrize(
    ("shape", "check", "sentence"),
    [
        (
            lambda turns: [1.0] * (turns + 1),
            "has_as_many_turns_as_asked",
            "expected 1 turns, got 2",
        ),
        (lambda turns: [0.0] * turns, "gives_a_multiplier", "turn 1 is 0"),
        (
            lambda turns: [1.0, math.inf][:turns],
            "gives_a_multiplier",
            "with 2 turns it gave no multiplier",
        ),
        (
            lambda turns: numbers.random(turns) + 1,
            "same_call_same_values",
            "must give the same values",
        ),
        (
            lambda turns: "wave.xyz",
            "gives_a_multiplier",
            "gave no multiplier|unexpected",
        ),
        (lambda turns: 1 / 0, "gives_a_multiplier", "unexpected ZeroDivisionError"),
    ],
)
def test_a_broken_shape_is_found(shape: Any, check: str, sentence: str) -> None:
    with pytest.raises(CheckFailed, match=sentence) as failure:
        check_multiplier(shape)
    assert f"[{check}]" in str(failure.value)


def test_multipliers_of_the_users_own() -> None:
    check_multiplier(lambda turns: np.linspace(1.0, 2.0, turns))
    check_multiplier(hs.traffic.from_values([1.0, 7.0, 3.0]))
    check_multiplier(hs.traffic.christmas(40))


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.filterwarnings("ignore::highseason.traffic.series.ThresholdWarning")
@pytest.mark.parametrize(
    "policy", [hs.UCB(), hs.UCB(count="visitors"), hs.EpsilonZGreedy(z=30), hs.VariablePool()]
)
def test_promises_that_are_kept_pass(policy: hs.Policy) -> None:
    cheap = [one for one in vars(plans).values() if isinstance(one, Check)]
    cheap += [game_checks.busy_turns_count_for_more, game_checks.every_arm_is_tried_once_first]
    cheap += [game_checks.threshold_above_all_ignores_G, game_checks.same_seed_same_arms]
    assert len(cheap) > 15
    for promise in cheap:
        if promise.applies(policy):
            promise(policy)
