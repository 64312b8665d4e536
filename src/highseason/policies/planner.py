"""Running a plan: over a G that is known before the game, or one turn at a time as it comes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.forecasters import Forecast, Forecaster, OneStep
from highseason.multipliers import Multiplier, as_multiplier
from highseason.policies.view import Outlook, known_views
from highseason.rules import POOL

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
        resolved = self._policy
        if resolved.unresolved_thresholds():
            resolved = resolved.resolve_thresholds(self._outlook.values(belief))
        number, self._carry = resolved.step(self._carry, view)
        return number

    def saw(self, actual: float) -> None:
        """The multiplier the turn really had."""
        self._outlook.saw(actual)


def known_levels(policy: Policy, multiplier: Multiplier, arms: int) -> NDArray[np.float64]:
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
    resolved = policy.resolve_thresholds(multiplier.values)
    numbers = np.empty(multiplier.turns)
    carry = resolved.begin()
    for view in known_views(multiplier.values, arms):
        numbers[view.t - 1], carry = resolved.step(carry, view)
    return _checked(policy, numbers)


_remembered_scan = functools.lru_cache(maxsize=128)(_scan)


def levels_from(
    policy: Policy, actual: Multiplier, forecast: Any, arms: int
) -> NDArray[np.float64]:
    """The whole plan when G is not known: from beliefs turn by turn, or a season's forecast."""
    if isinstance(forecast, Forecast):
        _require_same_turns(len(forecast), actual.turns)
        return season_levels(policy, forecast, arms)
    if isinstance(forecast, OneStep):
        return one_step_levels(policy, actual, forecast.path(actual), arms)
    if isinstance(forecast, Forecaster):
        raise ValueError(
            f"{forecast} forecasts a whole season: fit it on what came before the game, and give "
            f"what it predicts, forecast=….fit(past).predict({actual.turns})"
        )
    return one_step_levels(policy, actual, as_multiplier(forecast), arms)


def season_levels(policy: Policy, forecast: Forecast, arms: int) -> NDArray[np.float64]:
    """The whole plan from a forecast of the whole season, made before its first turn.

    The number of a turn is the mean of the numbers that its likely values would give: where they
    lie on both sides of a threshold, the chance that the turn is low decides how much it explores.
    Rules on G (`q0.75`) are read from all that may come, least values from the means; what is
    carried from turn to turn follows the median.
    """
    atoms = forecast.atoms()
    resolved = policy.resolve_thresholds(atoms.ravel())
    numbers = np.empty(len(forecast))
    carry = resolved.begin()
    middle = forecast.median.tolist()
    for view, likely in zip(known_views(forecast.mean, arms), atoms.T.tolist(), strict=True):
        i = view.t - 1
        each = [resolved.step(carry, view._replace(G=value))[0] for value in likely]
        numbers[i] = sum(each) / len(each)
        _, carry = resolved.step(carry, view._replace(G=middle[i]))
    if policy.rule is POOL:  # its numbers count arms
        numbers = np.floor(numbers + 0.5)
    return _checked(policy, numbers)


def _require_same_turns(forecast: int, actual: int) -> None:
    if forecast != actual:
        raise ValueError(f"the forecast has {forecast} turns, the multiplier {actual}")


def one_step_levels(
    policy: Policy, actual: Multiplier, forecast: Multiplier, arms: int
) -> NDArray[np.float64]:
    """The whole plan when each turn is only forecast: a turn sees its forecast and the past."""
    _require_same_turns(forecast.turns, actual.turns)
    planner = Planner(policy, arms)
    numbers = np.empty(actual.turns)
    pairs = zip(actual.values.tolist(), forecast.values.tolist(), strict=True)
    for i, (value, belief) in enumerate(pairs):
        numbers[i] = planner.number(belief)
        planner.saw(value)
    return _checked(policy, numbers)


def _checked(policy: Policy, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The numbers, read-only; one that the rule cannot take is an error that names its turn."""
    low, high = policy.rule.allowed
    wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= low) & (numbers <= high)))
    if wrong.size:
        turn = int(wrong[0])
        raise ValueError(
            f"{policy}: the plan gives {numbers[turn]} at turn {turn + 1}, but the "
            f"{policy.rule.name} rule takes finite numbers from {low:g} to {high:g}"
        )
    numbers.setflags(write=False)
    return numbers
