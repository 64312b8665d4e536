"""Limits on switching: how long an arm must stay, how often it may change, and when it may not.

Where a change is not allowed, the arm that is on display stays, if it is still there; otherwise the
rule within decides.  What is remembered of past turns stands in the shared numbers: the arm on
display, the turn it came, and the turns of the last changes.  Games renew it in every turn, as its
reward is learned.  A live bandit, whose rewards are late, renews it from its decisions (`recall`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from highseason.core.jitable import jitable
from highseason.policies.ranking import one_hot
from highseason.policies.rule import Floats, Rule
from highseason.policies.state import ArmState, Observation, Turn

#: The shared numbers: the arm on display plus 1 (0: none), the turn it came, the last turn noted;
#: the limits; how many changes have been noted, how many frozen spans there are; then a ring of the
#: turns of changes, and the spans.
ARM, SINCE, NOTED, STAY, CHANGES, PERIOD, COUNT, SPANS, FIRST = range(9)


class SwitchingLimits(NamedTuple):
    """Limits on switching; 0 is no limit."""

    stay: int  # Turns that an arm stays at least
    changes: int  # How many changes there may be …
    period: int  # … in so many turns in a row
    # Spans of turns, first and last, on which the arm may not change
    frozen: tuple[tuple[int, int], ...]


@jitable
def may_change(state: ArmState, t: int, place: int) -> bool:
    """Whether the limits allow another arm in turn t."""
    shared = state.shared
    if t - shared[place + SINCE] < shared[place + STAY]:
        return False
    ring, spans = int(shared[place + CHANGES]), int(shared[place + SPANS])
    first = place + FIRST
    if ring > 0 and shared[place + COUNT] >= ring:
        oldest = shared[first + int(shared[place + COUNT]) % ring]
        if t - oldest < shared[place + PERIOD]:
            return False
    for i in range(spans):
        start = shared[first + ring + 2 * i]
        if start <= t <= shared[first + ring + 2 * i + 1]:
            return False
    return True


@jitable
def held_arm(state: ArmState, turn: Turn, place: int) -> int:
    """The arm that must stay, or -1 where the rule within decides."""
    arm = int(state.shared[place + ARM]) - 1
    if arm < 0 or arm >= state.available.size or not state.available[arm]:
        return -1
    return -1 if may_change(state, turn.t, place) else arm


@jitable
def note(state: ArmState, t: int, arm: int, place: int) -> None:
    """Remember what a turn displayed; turns that were noted before change nothing."""
    shared = state.shared
    if t <= shared[place + NOTED]:
        return
    shared[place + NOTED] = t
    if shared[place + ARM] == arm + 1.0:
        return
    ring = int(shared[place + CHANGES])
    if shared[place + ARM] > 0.0 and ring > 0:
        shared[place + FIRST + int(shared[place + COUNT]) % ring] = t
        shared[place + COUNT] += 1.0
    shared[place + ARM] = arm + 1.0
    shared[place + SINCE] = t


@functools.cache
def limited(rule: Rule, limits: SwitchingLimits) -> Rule:
    """The rule within, as far as the limits let it change the arm."""
    inner_start, inner_choose, inner_observe = rule.start, rule.choose, rule.observe
    inner_probabilities, place = rule.probabilities, rule.shared
    stay, changes, period, frozen = limits
    ends = tuple(float(end) for span in frozen for end in span) or (0.0,)
    spans = len(frozen)

    @jitable
    def start(state: ArmState) -> None:
        """Store the limits."""
        inner_start(state)
        state.shared[place + STAY] = stay
        state.shared[place + CHANGES] = changes
        state.shared[place + PERIOD] = period
        state.shared[place + SPANS] = spans
        for i in range(2 * spans):
            state.shared[place + FIRST + changes + i] = ends[i]

    @jitable
    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        """The arm on display where it must stay; that is no exploration, and no exploitation."""
        arm = held_arm(state, turn, place)
        return (arm, False) if arm >= 0 else inner_choose(state, turn)

    @jitable
    def observe(state: ArmState, turn: Turn, observation: Observation) -> None:
        """Learn as the rule within, and remember the arm."""
        inner_observe(state, turn, observation)
        note(state, turn.t, observation.arm, place)

    def recall(state: ArmState, t: int, decided: Iterable[tuple[int, int]]) -> None:
        """Remember the decisions before turn t, (turn, arm) from the latest on, and no more."""
        own = state.shared[place : place + FIRST + changes]
        own[[ARM, SINCE, NOTED, COUNT]] = 0.0
        own[FIRST:] = 0.0
        recent = []
        for turn, arm in decided:
            recent.append((turn, arm))
            if t - turn >= max(stay, period):  # what came before can limit nothing
                break
        for turn, arm in reversed(recent):
            note(state, turn, arm, place)

    def probabilities(state: ArmState, turn: Turn) -> Floats:
        """An arm that must stay is certain; else as the rule within."""
        assert inner_probabilities is not None  # see below
        arm = held_arm(state, turn, place)
        return one_hot(arm, state.available.size) if arm >= 0 else inner_probabilities(state, turn)

    return replace(
        rule,
        name=f"{rule.name}, with limits on switching",
        start=start,
        choose=choose,
        observe=observe,
        recall=recall,
        probabilities=None if inner_probabilities is None else probabilities,
        shared=place + FIRST + changes + 2 * spans,
        bonus=None,
        # It stores which arm is on display, and the turn matters.
        traits=replace(rule.traits, local=False, stable="never", tries_each_arm=False),
        made_by=(limited, (rule, limits)),
    )
