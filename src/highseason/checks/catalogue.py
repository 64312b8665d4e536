"""What a check is: one promise, the subjects it applies to, and how it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any


class CheckFailed(AssertionError):  # noqa: N818  # it reports, as a failing assertion does
    """A promise is broken; the message says what was expected and what came."""


def expect(holds: object, sentence: str) -> None:
    """Fail with `sentence` unless `holds`."""
    if not holds:
        raise CheckFailed(sentence)


def _always(_: Any) -> bool:
    return True


@dataclass(frozen=True)
class Check:
    """One promise: a function of the subject that fails with a sentence."""

    run: Callable[[Any], None]
    applies: Callable[[Any], bool] = _always

    @property
    def name(self) -> str:
        """The function's name, part of a test's id."""
        return self.run.__name__

    def __call__(self, subject: Any) -> None:
        """Run it, whether or not it applies to the subject."""
        self.run(subject)


def check(applies: Callable[[Any], bool] = _always) -> Callable[[Callable[[Any], None]], Check]:
    """Make a function a check; `applies` selects its subjects."""
    return lambda run: Check(run, applies)


def checks_in(*modules: ModuleType) -> tuple[Check, ...]:
    """The checks that these modules define, in order of definition."""
    return tuple(
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Check) and value.run.__module__ == module.__name__
    )
