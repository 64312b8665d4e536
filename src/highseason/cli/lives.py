"""`--lives`: when each arm is there, read from the command line."""

from __future__ import annotations

import math
from dataclasses import replace

import click

from highseason import lives
from highseason.cli.reading import asked_wrongly
from highseason.lives import Lives
from highseason.rewards import Rewards

_EXAMPLES = "write 1-90,30- (first and last turn of each arm), articles, or flow:alive=10,life=100"

lives_option = click.option(
    "--lives",
    "lives_text",
    metavar="1-90,30-,…|NAME",
    help="When each arm is there: first and last turn of each, or lives drawn in every game: "
    "articles[:turns_per_hour=60], flow:alive=10,life=100.",
)


def read_lives(text: str | None, turns: int) -> Lives | None:
    """Lives from the text of `--lives`.

    >>> read_lives("1-90,30-", turns=100).arms
    2
    >>> read_lives("flow:alive=10,life=50", turns=100).arms
    30
    """
    if text is None:
        return None
    try:
        name, _, rest = text.partition(":")
        if name == "articles":
            clock = {"turns_per_hour": 60.0, "start_hour": 0.0} | _numbers(
                rest, ("turns_per_hour", "start_hour")
            )
            return lives.articles(turns, clock["turns_per_hour"], clock["start_hour"])
        if name == "flow":
            flow = {"alive": 10.0, "life": turns / 5} | _numbers(rest, ("alive", "life"))
            return lives.birth_and_death(turns, int(flow["alive"]), flow["life"])
        return lives.fixed([_span(part) for part in text.split(",")])
    except ValueError as reason:
        raise asked_wrongly(f"--lives {text}: {reason}") from reason


def arms_of(rewards: Rewards, population: Lives | None) -> Rewards:
    """As many arms as have lives, unless the arms themselves were given."""
    if population is None or rewards.fixed is not None:
        return rewards
    return replace(rewards, arms=population.arms)


def _span(text: str) -> tuple[float, float]:
    first, dash, last = text.strip().partition("-")
    try:
        if not dash:
            raise ValueError
        return float(int(first)), float(int(last)) if last else math.inf
    except ValueError:
        raise ValueError(f"{text.strip()!r} is not a life; {_EXAMPLES}") from None


def _numbers(text: str, known: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in known:
            raise ValueError(f"there is no {key!r}; there are: {', '.join(known)}")
        try:
            found[key] = float(value)
        except ValueError:
            raise ValueError(f"{key}={value!r} is not a number") from None
    return found
