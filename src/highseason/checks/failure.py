"""How a check fails: with a sentence that says what was expected and what was found."""

from __future__ import annotations


class CheckFailed(AssertionError):  # noqa: N818  # it reports, as a failing assertion does
    """Something does not keep its promise; the message says which one, and what was found."""


def expect(holds: object, sentence: str) -> None:
    """Fail with `sentence` unless `holds`."""
    if not holds:
        raise CheckFailed(sentence)
