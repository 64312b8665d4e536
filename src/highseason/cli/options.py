"""Options that several commands share, each read into what the library works with.

A decorator declares its options and hands the command one finished thing: `@players` gives
`players`, `@stakes` gives `G`.  So a command sees policies and multipliers, never text.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import click

from highseason.cli.reading import read_multiplier, read_policies, read_rewards

Function = Callable[..., Any]


def whole(least: int) -> Callable[[str], int]:
    """Read a whole number that is not below `least`.

    >>> whole(1)("25")
    25
    """

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise click.BadParameter(f"{text!r} is not a whole number of at least {least}")
        return number

    return read


def positive(text: str) -> float:
    """Read a finite number above zero.

    >>> positive("0.5")
    0.5
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (math.isfinite(number) and number > 0):
        raise click.BadParameter(f"{text!r} is not a number above 0")
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
    is_eager=True,  # before the others: their errors are to be shown in full, too
    expose_value=False,
    callback=_start_debugging,
    help="Show the traceback when something goes wrong.",
)

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document and nothing else."
)

seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Same seed, same numbers.",
)

arms_option = count_option("--arms", "How many arms.  [default: 25, or as many as --means]")


def _adding(function: Function, *options: Callable[[Function], Function]) -> Function:
    """Add options so that `--help` lists them in the order given."""
    for option in reversed(options):
        function = option(function)
    return function


def players(function: Function) -> Function:
    """`--policy` and `--profile`, read into policies by label: the text the user typed."""

    @functools.wraps(function)
    def called(*args: Any, policy: tuple[str, ...], profile: str | None, **others: Any) -> Any:
        return function(*args, players=read_policies(policy, profile), **others)

    return _adding(
        called,
        click.option(
            "--policy",
            "-p",
            multiple=True,
            metavar="NAME[:KEY=VALUE,…]",
            help="A policy, such as soft-ucb or ucb-z:z=30; may be repeated.",
        ),
        click.option(
            "--profile",
            metavar="NAME",
            help="Published values for policies given by bare name: paper or authors_code.",
        ),
    )


def stakes(function: Function) -> Function:
    """`--multiplier` and what belongs to it, read into `G`."""

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
        return function(*args, G=read_multiplier(multiplier, turns, time, value, floor), **others)

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
            "--turns", "How many turns; of a file, its first.  [default: 500, or the whole file]"
        ),
        click.option("--time", metavar="COLUMN", help="The file's time column, if not obvious."),
        click.option("--value", metavar="COLUMN", help="The file's value column, if not obvious."),
        click.option(
            "--floor",
            type=positive,
            metavar="NUMBER",
            help="Raise values below it to it (closed hours).",
        ),
    )


def arms_that_pay(function: Function) -> Function:
    """`--rewards`, `--arms` and `--means`, read into `rewards`."""

    @functools.wraps(function)
    def called(*args: Any, rewards: str, arms: int | None, means: str | None, **others: Any) -> Any:
        return function(*args, rewards=read_rewards(rewards, arms, means), **others)

    return _adding(
        called,
        click.option(
            "--rewards",
            "-r",
            default="bernoulli",
            show_default=True,
            metavar="NAME[:KEY=VALUE]",
            help="bernoulli or truncated-normal:sigma=0.1; every game draws its means from [0, 1].",
        ),
        arms_option,
        click.option(
            "--means",
            metavar="NUMBERS",
            help="The arms themselves, such as 0.9,0.5 (of truncated-normal: the centres).",
        ),
    )
