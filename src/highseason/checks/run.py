"""Finds what there is to check, and runs the checks that apply to it."""

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from highseason.checks import forecasters, games, multipliers, plans, rules
from highseason.checks.catalogue import Check, CheckFailed, checks_in, expect
from highseason.core.warnings import quiet
from highseason.policies import PlanWarning, Policy, registry
from highseason.traffic import SHAPES, Forecaster, Multiplier, ThresholdWarning, as_multiplier
from highseason.traffic import forecasters as forecaster_registry

#: In the order in which they run: cheap checks that explain most come first.
POLICY_CHECKS = checks_in(plans, games, rules)
MULTIPLIER_CHECKS = checks_in(multipliers)
FORECASTER_CHECKS = checks_in(forecasters)

Named = tuple[str, Callable[[], None]]


def check_policy(policy: Policy | type[Policy]) -> None:
    """Check a policy, or a class with its default parameters, against what policies promise.

    Raises:
        CheckFailed: With a sentence that says what was expected and what happened.

    >>> import highseason as hs
    >>> check_policy(hs.VariablePool(c=20))
    """
    label = policy.__name__ if isinstance(policy, type) else str(policy)
    _check_all(POLICY_CHECKS, _policy(policy), label)


def check_multiplier(multiplier: Callable[[int], Any] | Multiplier) -> None:
    """Check a shape (a function of the number of turns) or a multiplier, as `check_policy` does.

    >>> import highseason as hs
    >>> check_multiplier(lambda turns: [1 + t % 7 for t in range(turns)])
    """
    if callable(multiplier):
        make, label = multiplier, getattr(multiplier, "__name__", "the shape")
    else:
        G = as_multiplier(multiplier)
        make, label = lambda n: G.window(1, n) if n <= G.turns else np.resize(G.values, n), G.name
    _check_all(MULTIPLIER_CHECKS, make, label)


def check_forecaster(forecaster: Forecaster | type[Forecaster]) -> None:
    """Check a forecaster, or a class with its default settings, as `check_policy` does.

    >>> import highseason as hs
    >>> check_forecaster(hs.traffic.MovingAverage(window=7))
    """
    subject = forecaster() if isinstance(forecaster, type) else forecaster
    expected = f"expected a forecaster (a subclass of Forecaster), got {forecaster!r}"
    expect(isinstance(subject, Forecaster), expected)
    _check_all(FORECASTER_CHECKS, subject, str(subject))


def forecaster_checks() -> Iterator[Named]:
    """Every named forecaster with every check: pairs of a readable id and a test."""
    for kind in forecaster_registry().values():
        yield from _tests(FORECASTER_CHECKS, kind(), kind.__name__)


def policy_checks() -> Iterator[Named]:
    """Every named policy with every check that applies to it: pairs of a readable id and a test."""
    for kind in registry().values():
        yield from _tests(POLICY_CHECKS, _policy(kind), kind.__name__)


def multiplier_checks() -> Iterator[Named]:
    """Every shape with every check: pairs of a readable id and a test."""
    for name, shape in SHAPES.items():
        yield from _tests(MULTIPLIER_CHECKS, shape, name)


def _tests(checks: Iterable[Check], subject: Any, label: str) -> Iterator[Named]:
    """The checks that apply to a subject, ready to run."""
    for check in checks:
        if check.applies(subject):
            yield f"{label}-{check.name}", functools.partial(_run, check, subject, label)


def _check_all(checks: Iterable[Check], subject: Any, label: str) -> None:
    for _, test in _tests(checks, subject, label):
        test()


def _run(check: Check, subject: Any, label: str) -> None:
    """Run one check; any error in it is a failure that names the check."""
    try:
        with quiet(PlanWarning, ThresholdWarning):  # the games of the checks are odd on purpose
            check.run(subject)
    except CheckFailed as failure:
        raise CheckFailed(f"{label}: {failure} [{check.name}]") from None
    except Exception as error:
        raise CheckFailed(
            f"{label}: unexpected {type(error).__name__}: {error} [{check.name}]"
        ) from error


def _policy(policy: Policy | type[Policy]) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if not (isinstance(policy, type) and issubclass(policy, Policy)):
        raise CheckFailed(f"expected a policy (a subclass of Policy), got {policy!r}")
    try:
        return policy()
    except Exception as error:
        raise CheckFailed(
            f"{policy.__name__}() fails ({error}): give every parameter a default, or check a "
            "policy instead of its class"
        ) from error
