"""What a check is: one promise, the subjects it applies to, and how it fails."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray


class CheckFailed(AssertionError):  # noqa: N818  # it reports, as a failing assertion does
    """A promise is broken; the message says what was expected and what happened."""


@dataclass(frozen=True)
class Check:
    """One promise: a function of the subject that fails with a sentence."""

    run: Callable[[Any], None]
    applies: Callable[[Any], bool]

    @property
    def name(self) -> str:
        """The function's name, part of a test's id."""
        return self.run.__name__

    def __call__(self, subject: Any) -> None:
        """Run it, whether or not it applies to the subject."""
        self.run(subject)

    def first(self, subject: Any) -> None:
        """Run it before another check that relies on it, once for each subject."""
        if _passed.get(self.name) is not subject:
            self.run(subject)
            _passed[self.name] = subject


_passed: dict[str, Any] = {}  # by check, the last subject that passed it


def check(
    applies: Callable[[Any], bool] = lambda _: True,
) -> Callable[[Callable[[Any], None]], Check]:
    """Make a function a check; `applies` selects its subjects."""
    return partial(Check, applies=applies)


def checks_in(*modules: ModuleType) -> tuple[Check, ...]:
    """The checks that these modules define, in order of definition."""
    return tuple(
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Check) and value.run.__module__ == module.__name__
    )


def expect(holds: object, sentence: str) -> None:
    """Fail with `sentence` unless `holds`."""
    if not holds:
        raise CheckFailed(sentence)


def first_difference(one: NDArray[Any], other: NDArray[Any]) -> int | None:
    """The first turn, from 1, at which two courses differ; None if none does."""
    differ = one != other
    return int(np.argmax(differ)) + 1 if differ.any() else None
