"""A rule keeps what it declares: its probabilities, and its traits."""

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from highseason.checks.catalogue import ARMS, SEED, check, expect, season
from highseason.core.random import DECISION, REWARD, draw, game_key, turn_key
from highseason.engine import decide, learn
from highseason.policies import (
    UNKNOWN_TURNS,
    ArmState,
    Horizon,
    Observation,
    Policy,
    Turn,
    observe_mean,
)

#: The turns to look at, and how often each of them is decided for its probabilities.
TURNS, TIMES = (1, ARMS, ARMS + 1, ARMS + 2, 17, 40), 1500
#: Standard errors by which a frequency may differ from its probability.
TOLERANCE = 5.0
#: How often a turn is decided again with other random numbers where nothing may change.
KEYS = 40
#: Which arms are available.
MASKS = np.array([[1, 1, 1, 1, 1], [1, 0, 1, 1, 0], [0, 1, 0, 0, 1]], np.bool_)


@check(applies=lambda policy: policy.rule.probabilities is not None)
def probabilities_match_choices(policy: Policy) -> None:
    """Decided again with other random numbers, arms come up as often as `probabilities` says."""
    probabilities, choose = policy.rule.probabilities, policy.rule.choose
    assert probabilities is not None, "the check applies only then"
    for state, turn in _moments(policy):
        declared = probabilities(state, turn)
        expect(
            declared.shape == (ARMS,)
            and abs(declared.sum() - 1.0) < 1e-9
            and (declared >= 0.0).all(),
            f"probabilities must return one share for each of {ARMS} arms, with sum 1; turn "
            f"{turn.t} has {declared.tolist()}",
        )
        counts = np.bincount(
            [choose(state, other)[0] for other in _with_other_keys(turn, TIMES)], minlength=ARMS
        )
        spread = TOLERANCE * np.sqrt(declared * (1.0 - declared) / TIMES) + 1e-9
        expect(
            (np.abs(counts / TIMES - declared) <= spread).all(),
            f"in turn {turn.t} probabilities are {declared.round(3).tolist()}, but {TIMES} "
            f"decisions chose the arms {counts.tolist()} times",
        )


@check()
def choosing_changes_nothing(policy: Policy) -> None:
    """A choice may be asked for again, or never be played: only `observe` changes the state."""
    for state, turn in _moments(policy):
        before = _copied(state)
        policy.rule.choose(state, turn)
        for name, old, new in zip(state._fields, before, state, strict=True):
            expect(
                np.array_equal(old, new),
                f"choose() must not change the state, but in turn {turn.t} it changed state.{name}:"
                " change it in observe()",
            )


@check(applies=lambda policy: policy.rule.traits.own_arm_only)
def only_an_average_is_learned(policy: Policy) -> None:
    """Learning adds to the average of the arm that was played, and changes nothing else."""
    for state, turn in _moments(policy):
        observed, averaged = _copied(state), _copied(state)
        observation = Observation(ARMS - 1, 0.375, 2.0)
        policy.rule.observe(observed, turn, observation)
        observe_mean(averaged, turn, observation)
        expect(
            all(map(np.array_equal, observed, averaged)),
            "the rule declares own_arm_only, but its observe does not do as observe_mean does: in "
            f"turn {turn.t} it left {observed}, which should be {averaged}",
        )


@check(applies=lambda policy: policy.rule.traits.local)
def local_choice_ignores_absent_arms(policy: Policy) -> None:
    """What is known of arms that are not available does not matter, nor whether they exist."""
    choose = policy.rule.choose
    for state, turn in _masked_moments(policy):
        arm, _ = choose(state, turn)
        changed, _ = choose(_with_other_absent_arms(state), turn)
        there = np.flatnonzero(state.available)
        only = {n: getattr(state, n)[there] for n in state._fields if n != "shared"}
        alone = there[choose(ArmState(**only, shared=state.shared), turn)[0]]
        expect(
            arm == changed == alone,
            f"the rule declares local, but in turn {turn.t} it chose arm {arm}, arm {changed} when "
            f"only arms that are not available were changed, and arm {alone} without them",
        )


@check(applies=lambda policy: policy.rule.traits.stable != "never")
def stable_choice_is_repeated(policy: Policy) -> None:
    """While nothing has changed that `stable` names, the rule chooses the same arm."""
    _expect_same_choices(
        policy,
        lambda state, turn: _turns_of_equal_choice(policy, state, turn),
        f"the rule declares stable={policy.rule.traits.stable!r}, but its choice changed",
    )


@check(applies=lambda policy: not policy.rule.traits.stochastic)
def deterministic_choice_ignores_random_numbers(policy: Policy) -> None:
    """With ties broken by the lowest arm, every set of random numbers gives the same choice."""
    _expect_same_choices(
        policy,
        lambda state, turn: _with_other_keys(turn, KEYS),
        "the rule declares stochastic=False, but its choice changed with the random numbers",
    )


@check(applies=lambda policy: not policy.rule.traits.needs_horizon)
def choice_ignores_the_future(policy: Policy) -> None:
    """A rule that does not declare `needs_horizon` plays alike where the future is unknown."""
    _expect_same_choices(
        policy,
        lambda state, turn: (
            turn._replace(future=math.nan, turns_left=UNKNOWN_TURNS),
            turn._replace(future=100.0 * turn.future + 1.0, turns_left=9999),
        ),
        "declare needs_horizon=True in the rule's traits, or do without turn.future and "
        "turn.turns_left: its choice changed with the future",
    )


def _expect_same_choices(
    policy: Policy, others: Callable[[ArmState, Turn], Iterable[Turn]], sentence: str
) -> None:
    for state, turn in _masked_moments(policy):
        choice = policy.rule.choose(state, turn)
        for other in others(state, turn):
            now = policy.rule.choose(state, other)
            expect(now == choice, f"{sentence} in turn {other.t}, from {choice} to {now}")


def _moments(policy: Policy) -> Iterator[tuple[ArmState, Turn]]:
    """A game stopped before some of its turns; rewards are coarse, so that arms often tie."""
    rule, start = policy.rule, game_key(SEED, 0)
    state, G = rule.fresh_state(ARMS), season(max(TURNS))
    horizon = Horizon.of(G)
    for t, level in enumerate(policy.plan(G, ARMS), start=1):
        turn = horizon.turn(t, level, turn_key(start, t), policy.ties == "random")
        if t in TURNS:
            yield state, turn
        arm, _ = decide(rule, state, turn)
        value = float(draw(turn.key, REWARD) < 0.5)
        learn(rule, state, turn, Observation(arm, value, 1.0))


def _masked_moments(policy: Policy) -> Iterator[tuple[ArmState, Turn]]:
    """The same with arms left out, and ties broken by the lowest arm."""
    for state, turn in _moments(policy):
        for mask in MASKS:
            yield state._replace(available=mask.copy()), turn._replace(random_ties=False)


def _with_other_keys(turn: Turn, count: int) -> Iterator[Turn]:
    return (turn._replace(key=game_key(SEED, i)) for i in range(count))


def _turns_of_equal_choice(policy: Policy, state: ArmState, turn: Turn) -> Iterator[Turn]:
    """Turns in which a rule that declares `stable` would repeat its choice."""
    stable, levels = policy.rule.traits.stable, policy.plan(season(), ARMS).levels
    if stable == "until-change":
        yield from _with_other_keys(turn, KEYS)
    elif policy.rule.choose(state, turn)[1]:  # it exploited
        for level in (float(levels.min()), float(levels.max())):
            for other in _with_other_keys(turn, KEYS):
                later = other._replace(t=turn.t + 1, clock=turn.clock + 1, level=level)
                if stable == "while-level-at-most-1":
                    yield later._replace(level=min(1.0, level))
                elif draw(later.key, DECISION) >= level:
                    yield later


def _copied(state: ArmState) -> ArmState:
    return ArmState(**{name: column.copy() for name, column in state._asdict().items()})


def _with_other_absent_arms(state: ArmState) -> ArmState:
    """The same available arms; the others were played more, and did better."""
    other, absent = _copied(state), ~state.available
    for column in (other.selections, other.pulls, other.sums, other.weight, other.memory):
        column[absent] += 3
    other.start[absent] += 1
    other.end[absent] = 77
    return other
