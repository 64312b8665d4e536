"""Running a plan: over a G that is known before the game, or one turn at a time as it comes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from highseason.multipliers import Multiplier
from highseason.policies.view import Outlook, known_views

if TYPE_CHECKING:
    from highseason.policies.base import Policy

#: Plans of more turns than this are not remembered.
_LONG = 100_000


class Planner:
    """A policy's plan, one turn at a time: ask `number`, then tell what `saw`."""

    def __init__(self, policy: Policy, arms: int) -> None:
        """Before the first turn."""
        self._policy = policy
        self._outlook = Outlook(arms)
        self._carry = policy.begin()

    def number(self, belief: float) -> float:
        """This turn's number, from what is believed of this turn and what was seen before."""
        view = self._outlook.expect(belief)
        settled = self._policy
        if settled.rules_on_g():
            settled = settled.settle(self._outlook.values(belief))
        number, self._carry = settled.step(self._carry, view)
        return number

    def saw(self, actual: float) -> None:
        """The multiplier the turn really had."""
        self._outlook.saw(actual)


def known_numbers(policy: Policy, multiplier: Multiplier, arms: int) -> NDArray[np.float64]:
    """The whole plan for a G that is known: the same steps, run ahead.

    Studies ask for the same plan again and again (other rewards, other seeds): it is remembered,
    unless it is so long that keeping it costs more memory than it saves time.
    """
    if multiplier.turns > _LONG:
        return _scan(policy, multiplier, arms)
    try:
        hash(policy)
    except TypeError:  # a user's policy may have parameters that cannot be hashed
        return _scan(policy, multiplier, arms)
    return _remembered_scan(policy, multiplier, arms)


def _scan(policy: Policy, multiplier: Multiplier, arms: int) -> NDArray[np.float64]:
    settled = policy.settle(multiplier.values)
    numbers = np.empty(multiplier.turns)
    carry = settled.begin()
    for view in known_views(multiplier.values, arms):
        numbers[view.t - 1], carry = settled.step(carry, view)
    return _checked(policy, numbers)


_remembered_scan = functools.lru_cache(maxsize=128)(_scan)


def forecast_numbers(
    policy: Policy, actual: Multiplier, forecast: Multiplier, arms: int
) -> NDArray[np.float64]:
    """The whole plan when each turn is only forecast: a turn sees its forecast and the past."""
    if forecast.turns != actual.turns:
        raise ValueError(f"the forecast has {forecast.turns} turns, the multiplier {actual.turns}")
    planner = Planner(policy, arms)
    numbers = np.empty(actual.turns)
    pairs = zip(actual.values.tolist(), forecast.values.tolist(), strict=True)
    for i, (value, belief) in enumerate(pairs):
        numbers[i] = planner.number(belief)
        planner.saw(value)
    return _checked(policy, numbers)


def _checked(policy: Policy, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The numbers, read-only; one that the rule cannot take is an error that names its turn."""
    low, high = policy.decides_by.allowed
    wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= low) & (numbers <= high)))
    if wrong.size:
        turn = int(wrong[0])
        raise ValueError(
            f"{policy}: the plan gives {numbers[turn]} at turn {turn + 1}, but the "
            f"{policy.decides_by.name} rule takes finite numbers from {low:g} to {high:g}"
        )
    numbers.setflags(write=False)
    return numbers
