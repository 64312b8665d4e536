"""`highseason advise`: which policy to use on a given traffic, and when not to bother."""

from __future__ import annotations

from pathlib import Path

import click

from highseason.advice import advise
from highseason.cli.examples import WithExamples
from highseason.cli.options import (
    count_option,
    debug_option,
    json_option,
    positive,
    seed_option,
    stakes,
)
from highseason.cli.output import print_json
from highseason.cli.progress import progress_bar
from highseason.cli.reading import USUAL_ARMS, usage_error
from highseason.cli.targets import check_figure
from highseason.multipliers import Multiplier


def _ends(text: str) -> tuple[float, float]:
    """Two numbers with a comma between them.

    >>> _ends("0.2,0.6")
    (0.2, 0.6)
    """
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r} is not two numbers, such as 0,1") from None
    return low, high


@click.command(
    "advise",
    cls=WithExamples,
    examples=[
        "highseason advise --multiplier traffic.csv --arms 4",
        "highseason advise -m wave --turns 300 --arms 5 --gap 0.1 --games 200 --out advice.png",
        "highseason advise -m christmas --arms 10 --means-between 0,0.3 --games 200 --json",
    ],
)
@stakes
@count_option("--arms", "How many arms.", least=2, default=USUAL_ARMS, show_default=True)
@click.option(
    "--gap",
    type=positive,
    metavar="NUMBER",
    help="How far the second best arm is below the best, if that is known.",
)
@click.option(
    "--means-between",
    type=_ends,
    default="0,1",
    show_default=True,
    metavar="LOW,HIGH",
    help="Where the means of the arms lie, uniformly.",
)
@count_option(
    "--games", "How many games choose, and how many judge.", least=2, default=1000,
    show_default=True,
)  # fmt: skip
@seed_option
@count_option("--threads", "How many threads.  [default: all cores]")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Draw the advice as .png, .svg or .pdf."
)
@json_option
@debug_option
def command(
    G: Multiplier,
    arms: int,
    gap: float | None,
    means_between: tuple[float, float],
    games: int,
    seed: int,
    threads: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Say which policy to use on this traffic, how sure that is, and what to beware of.

    All policies, with several parameters each, play on this very traffic; fresh games judge the one
    that was chosen.  If regulating does not pay here, it says so.
    """
    if out is not None:
        check_figure(out, "--out")
    try:
        with progress_bar("games") as progress:
            advice = advise(
                G, arms, gap=gap, means_between=means_between, games=games, seed=seed,
                threads=threads, progress=progress,
            )  # fmt: skip
    except ValueError as reason:
        raise usage_error(reason) from reason
    files = [] if out is None else [advice.figure().save(out)]
    if as_json:
        print_json(advice.to_dict() | ({"files": files} if files else {}))
        return
    click.echo(str(advice))
    for file in files:
        click.echo(f"\nwrote {file}")
