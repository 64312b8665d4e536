"""Options that several commands share, each parsed into what the library works with.

A decorator declares its options and passes the command one parsed object: `@players` passes
`players`, `@stakes` passes `G`.  So a command sees policies and multipliers, never text.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import click

from highseason.cli.parsing import parse_multiplier, parse_policies, parse_rewards

Function = Callable[..., Any]


def whole(least: int) -> Callable[[str], int]:
    """Parse a whole number, at least `least`.

    >>> whole(1)("25")
    25
    """

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise click.BadParameter(f"expected a whole number, at least {least}, got {text!r}")
        return number

    return read


def positive(text: str) -> float:
    """Parse a finite number above 0.

    >>> positive("0.5")
    0.5
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (math.isfinite(number) and number > 0):
        raise click.BadParameter(f"expected a number above 0, got {text!r}")
    return number


def count_option(
    name: str, text: str, least: int = 1, **more: Any
) -> Callable[[Function], Function]:
    """An option that counts something."""
    return click.option(name, type=whole(least), metavar="NUMBER", help=text, **more)


def _start_debugging(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and context.obj is not None:
        context.obj.debug = True


debug_option = click.option(
    "--debug",
    is_flag=True,
    is_eager=True,  # before the others, so that their errors come with a traceback too
    expose_value=False,
    callback=_start_debugging,
    help="Show the traceback of an error.",
)

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document and nothing else."
)

seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of all random numbers: same seed, same result.",
)

#: For commands without randomness: accepted, so that scripts may pass it everywhere.
ignored_seed_option = click.option("--seed", type=int, expose_value=False, hidden=True)

threads_option = count_option("--threads", "Number of threads.  [default: all cores]")

lifetimes_option = click.option(
    "--lifetimes",
    "lifetimes_text",
    metavar="1-90,30-,…|NAME",
    help="When each arm exists: START-END of each, or drawn for every game: "
    "articles[:turns_per_hour=60], flow:alive=10,life=100.  Append ,known=false to hide from "
    "policies when an arm will end.",
)

arms_option = count_option("--arms", "Number of arms.  [default: 25, or as many as --means]")


def _adding(function: Function, *options: Callable[[Function], Function]) -> Function:
    """Add options so that `--help` lists them in the order given."""
    for option in reversed(options):
        function = option(function)
    return function


def players(function: Function) -> Function:
    """`--policy` and `--profile`, parsed into policies by label: the text the user typed."""

    @functools.wraps(function)
    def called(*args: Any, policy: tuple[str, ...], profile: str | None, **others: Any) -> Any:
        return function(*args, players=parse_policies(policy, profile), **others)

    return _adding(
        called,
        click.option(
            "--policy",
            "-p",
            multiple=True,
            metavar="NAME[:KEY=VALUE,…]",
            help="A policy, such as soft-ucb or ucb-z:z=30; repeatable.",
        ),
        click.option(
            "--profile",
            metavar="NAME",
            help="Published parameters for policies given by bare name: paper or authors_code.",
        ),
    )


_FILE_OPTIONS = (
    click.option("--time", metavar="COLUMN", help="The file's time column, if it is not obvious."),
    click.option(
        "--value", metavar="COLUMN", help="The file's value column, if it is not obvious."
    ),
    click.option(
        "--floor",
        type=positive,
        metavar="NUMBER",
        help="Minimum value; smaller ones are raised to it (for closed hours).",
    ),
)


def stakes(function: Function) -> Function:
    """`--multiplier` and what belongs to it, parsed into `G`."""

    @functools.wraps(function)
    def called(
        *args: Any,
        multiplier: str,
        turns: int | None,
        time: str | None,
        value: str | None,
        floor: float | None,
        **others: Any,
    ) -> Any:
        return function(*args, G=parse_multiplier(multiplier, turns, time, value, floor), **others)

    return _adding(
        called,
        click.option(
            "--multiplier",
            "-m",
            default="wave",
            show_default=True,
            metavar="SHAPE|FILE",
            help="wave, christmas, step, constant, sine, or a CSV or Parquet file.",
        ),
        count_option(
            "--turns", "Number of turns; of a file, the first N.  [default: 500, or the whole file]"
        ),
        *_FILE_OPTIONS,
    )


def traffic(function: Function) -> Function:
    """A file and how to read it, parsed into `past`."""

    @functools.wraps(function)
    def called(
        *args: Any,
        file: str,
        time: str | None,
        value: str | None,
        floor: float | None,
        **others: Any,
    ) -> Any:
        return function(*args, past=parse_multiplier(file, None, time, value, floor), **others)

    return _adding(called, click.argument("file", metavar="FILE"), *_FILE_OPTIONS)


def arms_that_pay(function: Function) -> Function:
    """`--rewards`, `--arms` and `--means`, parsed into `rewards`."""

    @functools.wraps(function)
    def called(*args: Any, rewards: str, arms: int | None, means: str | None, **others: Any) -> Any:
        return function(*args, rewards=parse_rewards(rewards, arms, means), **others)

    return _adding(
        called,
        click.option(
            "--rewards",
            "-r",
            default="bernoulli",
            show_default=True,
            metavar="NAME[:KEY=VALUE]",
            help="bernoulli or truncated-normal:sigma=0.1; means are drawn from [0, 1] in every game.",
        ),
        arms_option,
        click.option(
            "--means",
            metavar="NUMBERS",
            help="Mean reward of each arm, e.g. 0.9,0.5 (for truncated-normal: the centres).",
        ),
    )
