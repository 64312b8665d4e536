"""What a request to the service may be answered with instead of a result."""

from collections.abc import Iterable, Mapping
from typing import Any


class ServiceError(Exception):
    """A request was not carried out, and has changed nothing; `status` is its HTTP status."""

    status = 500


class InvalidError(ServiceError):
    """The request is invalid."""

    status = 422


class NotFoundError(ServiceError):
    """There is no such experiment, turn or arm."""

    status = 404


class ClashError(ServiceError):
    """The request contradicts what is recorded, or the experiment's status."""

    status = 409


class UnconfirmedError(ClashError):
    """A report looks wrong: with `confirm` it is taken in.  All `questions` are asked at once."""

    code = "unconfirmed"

    def __init__(self, *questions: str) -> None:
        super().__init__(". ".join(questions))
        self.questions = questions


class UnavailableError(ServiceError, OSError):
    """The database cannot be reached, or cannot write; the same request may be sent again."""

    status = 503


class SchemaError(ServiceError, ValueError):
    """The database was written by a newer highseason, or is not one of its databases."""


#: What a field must hold, by the beginning of the name that pydantic has for what is wrong.
_EXPECTED = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a number",
    "string": "text",
    "bool": "true or false",
    "list": "a list",
    "dict": "an object",
    "model": "an object",
    "dataclass": "an object",
    "datetime": "a moment such as 2026-12-24T18:00+01:00",
}
#: What the text of some fields must be like; of all others, a line of limited length.
_WRITTEN = {
    "id": "letters (a to z), digits, dots, dashes and underscores, beginning with a letter or "
    "digit: put everything else into the label",
    "start": "a date such as 2026-12-24, or a date and a time such as 2026-12-24 18:00",
    "Idempotency-Key": "at most 200 letters, digits and signs without spaces",
}
#: What is wrong with a field, where it does not depend on what it holds.
_SAID = {
    "missing": "it is missing",
    "string_too_short": "it is empty",
    "extra_forbidden": "there is no such field",
    "unexpected_keyword_argument": "there is no such field",
}
#: What fields hold that may be of several types, which pydantic all names.
_UNIONS = {
    "value": "expected a number, a text of at most 1,000 characters, true, false, or an object of "
    "these",
    "cost": "expected a number of at least 0, or one for each price",
}
_LIMITS = {
    "ge": "at least", "le": "at most", "gt": "above", "lt": "below",
    "min_length": "at least", "max_length": "at most",
}  # fmt: skip
_PLACES = ("body", "query", "path", "header")


def in_words(errors: Iterable[Mapping[str, Any]], names: Mapping[str, str] | None = None) -> str:
    """What is wrong with the fields of a request, as found by pydantic: the first three.

    Fields have the paths that the API knows, or the `names` that a form has for them.

    >>> in_words([{"type": "int_type", "loc": ("body", "rewards", 0, "turn"), "input": "one"}])
    "rewards[0].turn: expected a whole number, got 'one'"
    """
    return "; ".join(list(dict.fromkeys(_sentence(error, names) for error in errors))[:3])


def _sentence(error: Mapping[str, Any], names: Mapping[str, str] | None) -> str:
    kind, given, limits = error["type"], error.get("input"), error.get("ctx", {})
    place = error["loc"][1 if error["loc"][:1] and error["loc"][0] in _PLACES else 0 :]
    if kind == "json_invalid":
        return f"the body is not JSON: see character {place[0] + 1}"
    union = next((one for one in _UNIONS if one in place), "")
    if union and (kind not in _SAID or place[-1] != union):
        kind, place = "union", place[: place.index(union) + 1]
    last = next((one for one in reversed(place) if isinstance(one, str)), "")
    path = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in place).lstrip(".")
    field = f"{(path if names is None else names.get(last, last)) or 'the body'}: "
    if said := _SAID.get(kind) or _UNIONS.get(union):
        return field + said
    if kind == "value_error":
        return f"{field if place else ''}{limits['error']}"
    if kind == "string_pattern_mismatch":
        expected = _WRITTEN.get(last, "at most 200 characters, on one line")
    elif kind == "literal_error":
        expected = limits["expected"]
    elif limit := next((name for name in _LIMITS if name in limits), ""):
        expected = f"{_LIMITS[limit]} {limits[limit]:,.15g}"
        if limit.endswith("length"):
            text = kind.startswith("string")
            expected = f"{expected} characters" if text else f"a list of {expected}"
    else:
        expected = _EXPECTED.get(kind.partition("_")[0], "something else")
    return f"{field}expected {expected}, got {_shown(given)}"


def _shown(given: Any) -> str:
    """What was sent, briefly."""
    match given:
        case str():
            return repr(given if len(given) <= 40 else f"{given[:39]}…")
        case bool() | None:
            return {None: "nothing", True: "true", False: "false"}[given]
        case int() | float():
            return str(given)[:40]
        case bytes():
            return "text without the header 'content-type: application/json'"
    return f"a list of {len(given)}" if isinstance(given, list) else "an object"
