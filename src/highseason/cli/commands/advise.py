"""`highseason advise`: which policy suits your traffic, and whether regulating pays."""

from __future__ import annotations

from pathlib import Path

import click

from highseason.advice import advise
from highseason.cli.group import WithExamples
from highseason.cli.messages import progress_bar
from highseason.cli.options import (
    count_option,
    debug_option,
    json_option,
    positive,
    seed_option,
    stakes,
    threads_option,
)
from highseason.cli.output import print_json
from highseason.cli.output_paths import check_figure
from highseason.cli.parsing import DEFAULT_ARMS
from highseason.multipliers import Multiplier


def _ends(text: str) -> tuple[float, float]:
    """Two numbers separated by a comma.

    >>> _ends("0.2,0.6")
    (0.2, 0.6)
    """
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(f"expected two numbers, such as 0,1, got {text!r}") from None
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
@count_option("--arms", "Number of arms.", least=2, default=DEFAULT_ARMS, show_default=True)
@click.option(
    "--gap",
    type=positive,
    metavar="NUMBER",
    help="Gap between the best arm and the second best, if known.",
)
@click.option(
    "--means-between",
    type=_ends,
    default="0,1",
    show_default=True,
    metavar="LOW,HIGH",
    help="Range of the arms' means (uniform).",
)
@count_option(
    "--games", "Games used to choose, and again to evaluate.", least=2, default=1000,
    show_default=True,
)  # fmt: skip
@seed_option
@threads_option
@click.option("--out", type=click.Path(path_type=Path), help="Draw the advice (.png, .svg, .pdf).")
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
    """Recommend a policy for your traffic.

    Every policy, with several parameters each, plays on this very traffic; fresh games evaluate the
    one that was chosen.  The answer says how sure it is, and whether regulating pays at all.
    """
    if out is not None:
        check_figure(out, "--out")
    with progress_bar("games") as progress:
        advice = advise(
            G, arms, gap=gap, means_between=means_between, games=games, seed=seed,
            threads=threads, progress=progress,
        )  # fmt: skip
    files = [] if out is None else [advice.figure().save(out)]
    if as_json:
        print_json(advice.to_dict() | ({"files": files} if files else {}))
        return
    click.echo(str(advice))
    for file in files:
        click.echo(f"\nwrote {file}")
