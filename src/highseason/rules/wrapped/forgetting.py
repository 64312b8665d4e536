"""Estimates that forget, for rewards that drift: old rewards count less, or not at all.

An estimate stays sum / pulls, where `pulls` is how many rewards it rests on now.  A bonus therefore
widens again, and an arm whose reward has changed is tried again.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState
from highseason.engine.turn import Observation, Turn
from highseason.rules.rule import Rule, observe_mean


@functools.cache
def discounted(rule: Rule, discount: float) -> Rule:
    """With every reward of an arm, those before it lose the share 1 - discount of their weight."""
    _check_plain_mean(rule, "a discount")

    @jitable
    def observe(state: ArmState, turn: Turn, observation: Observation) -> None:
        """Let the past fade, then add the value."""
        arm, value, precision = observation
        state.pulls[arm] = discount * state.pulls[arm] + precision
        state.sums[arm] = discount * state.sums[arm] + precision * value

    return replace(
        rule,
        name=f"{rule.name}, discounted",
        observe=observe,
        made_by=(discounted, (rule, discount)),
    )


@functools.cache
def windowed(rule: Rule, window: int) -> Rule:
    """Only the last `window` rewards of an arm count, whatever their precision."""
    _check_plain_mean(rule, "a window")
    first = rule.memory  # a ring of rewards, followed by how many there have been
    count = first + window

    @jitable
    def observe(state: ArmState, turn: Turn, observation: Observation) -> None:
        """Overwrite the oldest, and add up the ring: rounding errors cannot accumulate."""
        arm = observation.arm
        seen = int(state.memory[arm, count])
        state.memory[arm, first + seen % window] = observation.value
        state.memory[arm, count] = seen + 1
        held = min(seen + 1, window)
        total = 0.0
        for i in range(held):
            total += state.memory[arm, first + i]
        state.pulls[arm], state.sums[arm] = held, total

    return replace(
        rule,
        name=f"{rule.name}, windowed",
        observe=observe,
        memory=rule.memory + window + 1,
        made_by=(windowed, (rule, window)),
    )


def _check_plain_mean(rule: Rule, what: str) -> None:
    if rule.observe is not observe_mean:
        raise ValueError(
            f"{what} changes how a plain average is kept, but the {rule.name!r} rule keeps "
            "something else: put the forgetting around the innermost policy"
        )
