"""`highseason advise`: which policy suits your traffic, and whether regulating pays."""

from __future__ import annotations

from pathlib import Path

import click

from highseason.advice import advise
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.messages import progress_bar
from highseason.cli.output import check_figure, emit
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


@with_examples(
    "advise",
    "highseason advise --multiplier traffic.csv --arms 4",
    "highseason advise -m wave --turns 300 --arms 5 --gap 0.1 --games 200 --out advice.png",
    "highseason advise -m christmas --arms 10 --means-between 0,0.3 --games 200 --json",
)
@options.stakes
@options.count("--arms", "Number of arms.", least=2, default=DEFAULT_ARMS)
@options.number("--gap", "Gap between the best arm and the second best, if known.")
@options.option(
    "--means-between",
    "Range of the arms' means (uniform).",
    type=_ends,
    default="0,1",
    metavar="LOW,HIGH",
)
@options.count("--games", "Games used to choose, and again to evaluate.", least=2, default=1000)
@options.seed
@options.threads
@options.path("--out", "Draw the advice (.png, .svg, .pdf).")
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
    check_figure(out)
    with progress_bar("games") as progress:
        advice = advise(
            G, arms, gap=gap, means_between=means_between, games=games, seed=seed,
            threads=threads, progress=progress,
        )  # fmt: skip
    files = [] if out is None else [advice.figure().save(out)]
    text = f"{advice}\n" if files else str(advice)
    emit(as_json, advice.to_dict, lambda: click.echo(text), files)
