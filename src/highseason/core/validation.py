"""Checks of what a user passes in: each returns the clean value, or says what was expected.

All raise `ValueError`; a room with an error class of its own passes it as `error`.
"""

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import Field, dataclass
from functools import cache
from typing import Any, Literal


@contextmanager
def raised_as(error: type[Exception], caught: type[Exception] = ValueError) -> Iterator[None]:
    """Raise what another room refuses as an error of this one; also a decorator."""
    try:
        yield
    except caught as reason:
        raise error(str(reason)) from reason


def whole_number(
    name: str, value: Any, at_least: int = 0, error: type[ValueError] = ValueError
) -> int:
    """A whole number, at least `at_least`; NumPy integers count, `True` and 2.0 do not.

    >>> whole_number("games", 0, at_least=1)
    Traceback (most recent call last):
    ...
    ValueError: games must be a whole number, at least 1, got 0
    """
    try:
        number = at_least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = at_least - 1
    if number < at_least:
        raise error(f"{name} must be a whole number, at least {at_least}, got {value!r}")
    return number


def finite_number(name: str, value: Any, error: type[ValueError] = ValueError) -> float:
    """A finite number; text is refused even where `float` would read it."""
    return _finite(name, value, "a finite number", error, lambda number: True)


def positive_number(name: str, value: Any, error: type[ValueError] = ValueError) -> float:
    """A finite number above 0."""
    return _finite(name, value, "a finite number above 0", error, lambda number: number > 0.0)


def non_negative_number(name: str, value: Any, error: type[ValueError] = ValueError) -> float:
    """A finite number, 0 or more."""
    return _finite(name, value, "a finite number, 0 or more", error, lambda number: number >= 0.0)


def share(name: str, value: Any) -> float:
    """A number from 0 to 1.

    >>> share("coverage", 80)
    Traceback (most recent call last):
    ...
    ValueError: coverage must be between 0 and 1, got 80
    """
    return _finite(name, value, "between 0 and 1", ValueError, lambda number: 0.0 <= number <= 1.0)


def one_of(
    name: str, value: Any, choices: Iterable[str], error: type[ValueError] = ValueError
) -> str:
    """One of a few words.

    >>> one_of("ties", "first", ("lowest", "random"))
    Traceback (most recent call last):
    ...
    ValueError: ties must be 'lowest' or 'random', got 'first'
    """
    known = list(choices)
    if value not in known:
        *rest, last = map(repr, known)
        expected = f"{', '.join(rest)} or {last}" if rest else last
        raise error(f"{name} must be {expected}, got {value!r}")
    return str(value)


def _finite(
    name: str, value: Any, wanted: str, error: type[ValueError], is_fine: Callable[[float], bool]
) -> float:
    try:
        number = math.nan if isinstance(value, str | bytes | bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and is_fine(number)):
        raise error(f"{name} must be {wanted}, got {value!r}")
    return number


# -- parameters: dataclass fields with a sentence, and with what values are valid ------------------


@dataclass(frozen=True)
class Limits:
    """What a parameter may be: a number, yes or no, a word, an expression on G, or an inner object.

    A `known` number is a fact about the world, which tuning leaves alone.  `search` is where tuning
    looks for the others.  An expression needs none: it is searched over the values of G.  In which
    `role` a parameter is declared tells other rooms what it means.
    """

    doc: str
    above: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    whole: bool = False
    flag: bool = False
    inner: bool = False
    choices: Sequence[str] = ()
    allows_expression: bool = False
    infinite: bool = False
    search: tuple[float, float, Literal["log", "linear"]] | None = None
    known: bool = False
    role: str = ""

    @property
    def numeric(self) -> bool:
        """Whether the parameter is a number, which tuning can search."""
        return not (self.choices or self.flag or self.inner or self.known)

    def check(self, label: str, value: Any) -> Any:
        """The value as it is kept; a `ValueError` says what was expected."""
        if self.inner:  # the owner itself looks at it
            return value
        if self.choices:
            if value not in self.choices:
                raise ValueError(f"{label}={value!r} must be one of {', '.join(self.choices)}")
            return str(value)
        if self.flag:
            answers = {"true": True, "yes": True, "false": False, "no": False}
            if str(value).lower() not in answers:
                raise ValueError(f"{label}={value!r} must be true or false")
            return answers[str(value).lower()]
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError(f"{label}={value!r} is not a number") from None
        if math.isnan(number) or (math.isinf(number) and not self.infinite):
            raise ValueError(f"{label}={value} is not a finite number")
        for words, limit, holds in self._bounds():
            if not holds(number, limit):
                raise ValueError(f"{label}={value} must be {words} {limit:g}")
        if self.whole and not number.is_integer():
            raise ValueError(f"{label}={value} must be a whole number")
        return int(number) if self.whole else number

    def _bounds(self) -> list[tuple[str, float, Callable[[float, float], bool]]]:
        bounds = (
            ("above", self.above, operator.gt),
            ("at least", self.at_least, operator.ge),
            ("at most", self.at_most, operator.le),
        )
        return [(words, limit, holds) for words, limit, holds in bounds if limit is not None]

    def explained(self, default: str) -> str:
        """What the parameter is, what it may be, and its default.

        >>> Limits("exploration constant", at_least=0.0).explained("1")
        'exploration constant (at least 0; default 1)'
        """
        ends = ", ".join(f"{words} {limit:g}" for words, limit, _ in self._bounds())
        if self.at_least is not None and self.at_most is not None:
            ends = f"from {self.at_least:g} to {self.at_most:,.0f}"
        may_be = " or ".join(self.choices) or ends
        parts = [may_be] * bool(may_be) + [f"default {default}"] * bool(default)
        return f"{self.doc} ({'; '.join(parts)})" if parts else self.doc


def declared(owner: object) -> dict[str, Limits]:
    """The limits of an object's parameters, or of a class's, by name."""
    return _declared(owner if isinstance(owner, type) else type(owner))


@cache
def _declared(kind: type) -> dict[str, Limits]:
    entries: dict[str, Field[Any]] = getattr(kind, "__dataclass_fields__", {})
    return {
        name: entry.metadata["limits"]
        for name, entry in entries.items()
        if isinstance(entry.metadata.get("limits"), Limits)
    }
