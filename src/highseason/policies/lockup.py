"""Limits on switching around any policy: real shops cannot change an arm every turn.

Where a change is not allowed, the arm that is on display stays, if it is still there; otherwise the
rule within decides.  What is remembered of past turns stands in the shared numbers: the arm on
display, the turn it came, and the turns of the last changes.  Games renew it in every turn, as its
reward is learned.  A live bandit, whose rewards are late, renews it from its decisions (`recall`).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from highseason.core.jitable import jitable
from highseason.policies.base import parameter
from highseason.policies.ranking import one_hot
from highseason.policies.rule import ArmState, Floats, Observation, Rule, Turn, made_once
from highseason.policies.wrappers import Wrapper

#: Spans of turns, first and last, on which the arm may not change.
Spans = tuple[tuple[int, int], ...]
#: The shared numbers: the arm on display plus 1 (0: none), the turn it came, the last turn noted;
#: the limits; how many changes have been noted, how many frozen spans there are; then a ring of the
#: turns of changes, and the spans.
ARM, SINCE, NOTED, STAY, CHANGES, PERIOD, COUNT, SPANS, FIRST = range(9)


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


@made_once
def limited(rule: Rule, stay: int, changes: int, period: int, freeze: str) -> Rule:
    """The rule within, as far as the limits let it change the arm."""
    inner_start, inner_choose, inner_observe = rule.start, rule.choose, rule.observe
    inner_probabilities, place = rule.probabilities, rule.shared
    frozen = frozen_spans(freeze)
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
        traits=replace(
            rule.traits, local=False, own_arm_only=False, stable="never", tries_each_arm=False
        ),
    )


_SPAN = re.compile(r"(\d+)(?:-(\d+))?")
#: A number of turns or changes that tuning leaves alone: a fact about the shop.
_limit = partial(parameter, at_least=0, at_most=1e6, whole=True, known=True)


@dataclass(frozen=True)
class LimitSwitching(Wrapper):
    """Keep an arm for a while, change rarely, and not at all on some turns.

    Where the limits do not allow a change, the arm on display stays, unless it is no longer there;
    such a turn counts neither as exploring nor as exploiting, and its propensity is 1.  Otherwise
    the policy within decides.  Without limits it plays as if it were alone.

    >>> import highseason as hs
    >>> weekly = LimitSwitching(hs.Thompson(), stay=7, freeze="50-60")
    >>> print(weekly)
    limit-switching:stay=7,freeze=50-60+thompson
    >>> arms = hs.play(weekly, hs.rewards.bernoulli(arms=3), hs.traffic.wave(turns=80)).arms
    >>> bool((arms[:7] == arms[0]).all() and (arms[49:60] == arms[48]).all())
    True
    """

    name = "limit-switching"
    change = staticmethod(limited)

    stay: int = _limit(0, "turns that an arm stays at least; 0 or 1 is no limit")
    changes: int = _limit(0, "changes allowed within any `period` turns; 0 is no limit")
    period: int = _limit(0, "the turns in which `changes` are counted")
    freeze: str = parameter(
        "", "turns on which the arm must not change, such as 50-60/320-365", inner=True
    )

    def _check_rule(self) -> None:
        if (self.changes == 0) != (self.period == 0):
            raise ValueError(
                f"{self.label}: changes={self.changes} and period={self.period} belong together: "
                "give both, such as changes=2, period=28, or neither"
            )
        texts = (str(a) if a == b else f"{a}-{b}" for a, b in frozen_spans(self.freeze))
        object.__setattr__(self, "freeze", "/".join(texts))
        super()._check_rule()


def frozen_spans(text: Any) -> Spans:
    """Read spans of turns, such as "50-60/320-365"; a single turn is its own span.

    >>> frozen_spans("50-60/80")
    ((50, 60), (80, 80))
    """
    spans = []
    for part in str(text).split("/") if text != "" else ():
        match = _SPAN.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last:
            raise ValueError(
                f"limit-switching: freeze={text!r} must be spans of turns such as 50-60/320-365, "
                "counted from 1"
            )
        spans.append((first, last))
    return tuple(spans)
