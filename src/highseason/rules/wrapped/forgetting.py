"""Estimates that forget, for rewards that drift: old rewards count less, or not at all.

An estimate stays sum / pulls, where `pulls` is how many rewards it rests on now.  So a bonus widens
again, and an arm that is no longer what it was is tried again.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from highseason.core.jitable import jitable
from highseason.engine.arms import ArmState
from highseason.engine.turn import Turn
from highseason.rules.rule import Rule, observe_mean


@functools.cache
def discounted(rule: Rule, discount: float) -> Rule:
    """With every reward of an arm, those before it lose the share 1 - discount of their weight."""
    _check_plain_mean(rule, "a discount")

    @jitable
    def observe(state: ArmState, turn: Turn, arm: int, value: float) -> None:
        """Let the past fade, then count the pull."""
        state.pulls[arm] = discount * state.pulls[arm] + 1.0
        state.sums[arm] = discount * state.sums[arm] + value

    return replace(rule, name=f"{rule.name}, discounted", observe=observe)


@functools.cache
def windowed(rule: Rule, window: int) -> Rule:
    """Only the last `window` rewards of an arm count."""
    _check_plain_mean(rule, "a window")
    first = rule.memory  # a ring of rewards; then how many there have been
    count = first + window

    @jitable
    def observe(state: ArmState, turn: Turn, arm: int, value: float) -> None:
        """Write over the oldest, and add up what is there: no rounding errors pile up."""
        seen = int(state.memory[arm, count])
        state.memory[arm, first + seen % window] = value
        state.memory[arm, count] = seen + 1
        held = min(seen + 1, window)
        total = 0.0
        for i in range(held):
            total += state.memory[arm, first + i]
        state.pulls[arm], state.sums[arm] = held, total

    memory = rule.memory + window + 1
    return replace(rule, name=f"{rule.name}, windowed", observe=observe, memory=memory)


def _check_plain_mean(rule: Rule, what: str) -> None:
    if rule.observe is not observe_mean:
        raise ValueError(
            f"{what} changes how a plain average is kept, but the {rule.name!r} rule keeps "
            "something else: put the forgetting around the innermost policy"
        )
