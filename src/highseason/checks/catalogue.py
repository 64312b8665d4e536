"""What a check is: one promise, and whom it concerns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any


def _always(_: Any) -> bool:
    return True


@dataclass(frozen=True)
class Check:
    """One promise: a function of the subject that fails with a sentence, and whom it concerns."""

    run: Callable[[Any], None]
    applies: Callable[[Any], bool] = _always

    @property
    def name(self) -> str:
        """The function's name, part of a test's id."""
        return self.run.__name__

    def __call__(self, subject: Any) -> None:
        """Run it, whether or not it concerns the subject."""
        self.run(subject)


def check(applies: Callable[[Any], bool] = _always) -> Callable[[Callable[[Any], None]], Check]:
    """Make a function a check; `applies` says which subjects it concerns."""
    return lambda run: Check(run, applies)


def checks_in(*modules: ModuleType) -> tuple[Check, ...]:
    """The checks that these modules define, in the order in which they do."""
    return tuple(
        found
        for module in modules
        for found in vars(module).values()
        if isinstance(found, Check) and found.run.__module__ == module.__name__
    )
