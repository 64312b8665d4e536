"""Finds what there is to check, and runs the checks that concern it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from highseason.checks import (
    causality,
    chances,
    forecasters,
    games,
    learning,
    mortality,
    multipliers,
    parameters,
    plans,
    reductions,
)
from highseason.checks.catalogue import Check, checks_in
from highseason.checks.failure import CheckFailed
from highseason.checks.settings import quiet
from highseason.forecasters import Forecaster
from highseason.forecasters import registry as forecaster_registry
from highseason.multipliers import SHAPES, Multiplier, as_multiplier
from highseason.policies import Policy, registry

#: In the order in which they run: what is cheap and explains most comes first.
POLICY_CHECKS = checks_in(
    parameters, plans, causality, games, mortality, chances, learning, reductions
)
MULTIPLIER_CHECKS = checks_in(multipliers)
FORECASTER_CHECKS = checks_in(forecasters)

Named = tuple[str, Callable[[], None]]


def check_policy(policy: Policy | type[Policy]) -> None:
    """Hold a policy, or a class with its default parameters, to what every policy promises.

    Raises:
        CheckFailed: With a sentence that says what was expected and what was found.

    >>> import highseason as hs
    >>> check_policy(hs.VariablePool(c=20))
    """
    _check_all(POLICY_CHECKS, _made(policy), _label(policy))


def check_multiplier(multiplier: Callable[[int], Any] | Multiplier) -> None:
    """Hold a shape, a function of the number of turns, or one multiplier to what G promises.

    Raises:
        CheckFailed: With a sentence that says what was expected and what was found.

    >>> import highseason as hs
    >>> check_multiplier(lambda turns: [1 + t % 7 for t in range(turns)])
    """
    make, label = _shape(multiplier)
    _check_all(MULTIPLIER_CHECKS, make, label)


def check_forecaster(forecaster: Forecaster | type[Forecaster]) -> None:
    """Hold a forecaster, or a class with its default settings, to what every one promises.

    Raises:
        CheckFailed: With a sentence that says what was expected and what was found.

    >>> import highseason as hs
    >>> check_forecaster(hs.forecasters.MovingAverage(window=7))
    """
    made = forecaster() if isinstance(forecaster, type) else forecaster
    if not isinstance(made, Forecaster):
        raise CheckFailed(f"{forecaster!r} is not a forecaster: it is a subclass of Forecaster")
    _check_all(FORECASTER_CHECKS, made, str(made))


def forecaster_checks() -> Iterator[Named]:
    """Every named forecaster with every check: pairs of a readable id and a test."""
    for kind in forecaster_registry().values():
        made = kind()
        for check in _concerning(FORECASTER_CHECKS, made):
            yield _named(check, made, kind.__name__)


def policy_checks() -> Iterator[Named]:
    """Every named policy with every check that concerns it: pairs of a readable id and a test."""
    for kind in registry().values():
        policy = _made(kind)
        for check in _concerning(POLICY_CHECKS, policy):
            yield _named(check, policy, kind.__name__)


def multiplier_checks() -> Iterator[Named]:
    """Every shape with every check: pairs of a readable id and a test."""
    for name, shape in SHAPES.items():
        for check in _concerning(MULTIPLIER_CHECKS, shape):
            yield _named(check, shape, name)


def _concerning(checks: Iterable[Check], subject: Any) -> Iterator[Check]:
    return (check for check in checks if check.applies(subject))


def _check_all(checks: Iterable[Check], subject: Any, label: str) -> None:
    for check in _concerning(checks, subject):
        _run(check, subject, label)


def _named(check: Check, subject: Any, label: str) -> Named:
    return f"{label}-{check.name}", functools.partial(_run, check, subject, label)


def _run(check: Check, subject: Any, label: str) -> None:
    """Run one check; whatever goes wrong in it is a failure that names the check."""
    try:
        with quiet():
            check.run(subject)
    except CheckFailed as failure:
        raise CheckFailed(f"{label}: {failure} [{check.name}]") from None
    except Exception as error:
        raise CheckFailed(
            f"{label}: {type(error).__name__} where none was expected: {error} [{check.name}]"
        ) from error


def _made(policy: Policy | type[Policy]) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if not (isinstance(policy, type) and issubclass(policy, Policy)):
        raise CheckFailed(f"{policy!r} is not a policy: a policy is a subclass of Policy")
    try:
        return policy()
    except Exception as error:
        raise CheckFailed(
            f"{policy.__name__}() cannot be made ({error}): give every parameter a default, "
            "or check a policy instead of its class"
        ) from error


def _label(policy: Policy | type[Policy]) -> str:
    return policy.__name__ if isinstance(policy, type) else str(policy)


def _shape(multiplier: Callable[[int], Any] | Multiplier) -> tuple[Callable[[int], Any], str]:
    if callable(multiplier):
        return multiplier, getattr(multiplier, "__name__", "the shape")
    whole = as_multiplier(multiplier)
    tiled = functools.partial(_repeated, whole)
    return tiled, whole.name


def _repeated(G: Multiplier, turns: int) -> Multiplier:
    """One multiplier as a shape: its first turns, from the start again where it ends."""
    while G.turns < turns:
        G = Multiplier(G.values.tolist() * 2, name=G.name)
    return G.window(1, turns)
