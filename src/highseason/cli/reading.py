"""From words on the command line to policies, multipliers and rewards, or to why that cannot be."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from highseason import multipliers, policies, rewards
from highseason.core.formatting import counted
from highseason.multipliers import SHAPES, Multiplier
from highseason.policies import Policy
from highseason.results import unique_labels
from highseason.rewards import Rewards

USUAL_ARMS, USUAL_TURNS = 25, 500

#: Where the library names an argument, a user of the command line has an option.
_ARGUMENT = re.compile(r"\b(floor|time|value|turns|window|reweigh)=('[^']*')?")


class UsageError(click.UsageError):
    """Ends with exit code 2 and a line that says what to put right."""


def usage_error(reason: Exception | str) -> UsageError:
    """The error, told of the command that is running."""
    return UsageError(str(reason), click.get_current_context(silent=True))


def read_policies(texts: Sequence[str], profile: str | None) -> dict[str, Policy]:
    """Policies by the text that was typed, in the order given; what is named twice is numbered.

    >>> read_policies(["ucb", "ucb-z:z=30"], profile=None)["ucb-z:z=30"].z
    30.0
    """
    if not texts:
        raise usage_error(
            "say which policy, such as --policy soft-ucb; 'highseason policies' lists them"
        )
    try:
        found = [_policy(text, profile) for text in texts]
    except ValueError as reason:
        raise usage_error(reason) from reason
    return dict(zip(unique_labels(texts), found, strict=True))


def _policy(text: str, profile: str | None) -> Policy:
    if profile is None or ":" in text:
        return policies.parse(text)
    return policies.find(text.strip()).profile(profile)


def read_multiplier(
    text: str, turns: int | None, time: str | None, value: str | None, floor: float | None
) -> Multiplier:
    """A shape by its name, or a file by its path."""
    try:
        if text in SHAPES:
            _refuse_columns(text, time, value)
            return multipliers.as_multiplier(text, turns=turns or USUAL_TURNS, floor=floor)
        if not Path(text).suffix and not Path(text).exists():
            return multipliers.as_multiplier(text)  # no shape of that name: it knows what to say
        return _cut(_read(text, time, value, floor), text, turns)
    except ValueError as reason:
        raise usage_error(as_options(str(reason))) from reason


def _refuse_columns(shape: str, time: str | None, value: str | None) -> None:
    for option, column in (("--time", time), ("--value", value)):
        if column is not None:
            raise usage_error(
                f"{option} names a column, and the shape {shape!r} has none: leave it out, or give "
                "a file with --multiplier"
            )


def _read(text: str, time: str | None, value: str | None, floor: float | None) -> Multiplier:
    if not Path(text).exists():
        raise usage_error(
            f"there is no file {text}: check the path, or give a shape ({', '.join(SHAPES)})"
        )
    return multipliers.read(text, time=time, value=value, floor=floor)


def _cut(G: Multiplier, text: str, turns: int | None) -> Multiplier:
    if turns is None:
        return G
    if turns > G.turns:
        raise usage_error(
            f"{text} has {counted(G.turns, 'turn')}, fewer than --turns {turns}: leave --turns "
            "out, or give a longer file"
        )
    return G.window(1, turns)


def as_options(message: str) -> str:
    """The library's advice in the words of the command line.

    >>> as_options("choose one, such as value='orders'"), as_options("pass floor= (a number)")
    ("choose one, such as --value 'orders'", 'pass --floor (a number)')
    """
    return _ARGUMENT.sub(lambda m: f"--{m[1]} {m[2]}" if m[2] else f"--{m[1]}", message)


def read_rewards(text: str, arms: int | None, means: str | None) -> Rewards:
    """What the arms pay.

    >>> read_rewards("truncated-normal:sigma=0.2", arms=3, means=None).scale
    0.2
    """
    name, _, rest = text.partition(":")
    fixed = None if means is None else _numbers(means)
    if fixed is not None and arms not in (None, len(fixed)):
        raise usage_error(
            f"--arms {arms} does not fit the {len(fixed)} numbers of --means: leave --arms out"
        )
    if fixed is None and arms is None:
        arms = USUAL_ARMS
    try:
        return _family(name)(arms, fixed, _pairs(name, rest))
    except ValueError as reason:
        raise usage_error(reason) from reason


Family = Callable[[int | None, list[float] | None, dict[str, Any]], Rewards]

_FAMILIES: dict[str, Family] = {
    "bernoulli": lambda arms, means, _: rewards.bernoulli(arms, means),
    "truncated-normal": lambda arms, means, more: rewards.truncated_normal(arms, means, **more),
}
_KEYS = {"bernoulli": (), "truncated-normal": ("sigma",)}


def _family(name: str) -> Family:
    if name in _FAMILIES:
        return _FAMILIES[name]
    near = difflib.get_close_matches(name, _FAMILIES, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(_FAMILIES)}"
    raise ValueError(f"no rewards are called {name!r}: {hint}")


def _pairs(name: str, rest: str) -> dict[str, Any]:
    found = {}
    for part in filter(None, rest.split(",")):
        key, _, value = part.partition("=")
        if key.strip() not in _KEYS[name]:
            known = ", ".join(_KEYS[name]) or "none"
            raise ValueError(f"{name} has no parameter {key.strip()!r}; it has: {known}")
        found[key.strip()] = _number(value, f"{name}: {key.strip()}")
    return found


def _numbers(text: str) -> list[float]:
    try:
        return [_number(part, "--means") for part in text.split(",")]
    except ValueError as reason:
        raise usage_error(f"{reason}; write numbers with commas, such as 0.9,0.5") from reason


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{what}: {text.strip()!r} is not a number") from None
