"""`--lifetimes`: when each arm is there, read from the command line."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import click

from highseason import lifetimes
from highseason.cli.reading import usage_error
from highseason.engine.lifetimes import Lifetimes
from highseason.rewards import Rewards

_EXAMPLES = "write 1-90,30- (first and last turn of each arm), articles, or flow:alive=10,life=100"
#: At the end of any lifetimes: policies are not told when an arm will expire.
_UNKNOWN = ",known=false"

lifetimes_option = click.option(
    "--lifetimes",
    "lifetimes_text",
    metavar="1-90,30-,…|NAME",
    help="When each arm is there: first and last turn of each, or lifetimes drawn in every game: "
    "articles[:turns_per_hour=60], flow:alive=10,life=100.  With ,known=false at the end "
    "policies are not told when an arm will expire.",
)


def read_lifetimes(text: str | None, turns: int) -> Lifetimes | None:
    """Lifetimes from the text of `--lifetimes`.

    >>> read_lifetimes("1-90,30-", turns=100).arms
    2
    >>> read_lifetimes("flow:alive=10,life=50", turns=100).arms
    30
    >>> read_lifetimes("1-90,30-,known=false", turns=100).known
    False
    """
    if text is None:
        return None
    known = not text.endswith((_UNKNOWN, ":known=false"))
    try:
        return replace(_read(text if known else text[: -len(_UNKNOWN)], turns), known=known)
    except ValueError as reason:
        raise usage_error(f"--lifetimes {text}: {reason}") from reason


def _read(text: str, turns: int) -> Lifetimes:
    name, _, rest = text.partition(":")
    if name == "articles":
        return lifetimes.articles(turns, **_numbers(rest, ("turns_per_hour", "start_hour")))
    if name == "flow":
        flow: dict[str, Any] = {"alive": 10, "life": turns / 5}
        return lifetimes.birth_and_death(turns, **(flow | _numbers(rest, ("alive", "life"))))
    return lifetimes.fixed([_span(part) for part in text.split(",")])


def arms_of(rewards: Rewards, population: Lifetimes | None, told: bool) -> Rewards:
    """As many arms as have lifetimes, unless the arms themselves were given, or their number told."""
    if population is None or rewards.fixed is not None:
        return rewards
    if told and rewards.arms != population.arms:
        raise usage_error(
            f"--arms {rewards.arms}: --lifetimes says when {population.arms} arms are there; "
            "leave out --arms"
        )
    return replace(rewards, arms=population.arms)


def _span(text: str) -> tuple[float, float]:
    first, dash, last = text.strip().partition("-")
    try:
        if not dash:
            raise ValueError
        return float(int(first)), float(int(last)) if last else math.inf
    except ValueError:
        raise ValueError(f"{text.strip()!r} is not a life; {_EXAMPLES}") from None


def _numbers(text: str, known: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in known:
            raise ValueError(f"there is no {key!r}; there are: {', '.join(known)}")
        try:
            found[key] = float(value)
        except ValueError:
            raise ValueError(f"{key}={value!r} is not a number") from None
    return found
