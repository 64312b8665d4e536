"""`highseason advise`: which policy suits your traffic, and whether regulating pays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from highseason.advice import advise
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import check_figure, emit, progress_bar
from highseason.cli.parsing import DEFAULT_ARMS
from highseason.multipliers import Multiplier


def _ends(text: str) -> tuple[float, float]:
    low, high = (float(part) for part in text.split(","))
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
    "--means-between LOW,HIGH",
    "Range of the arms' means (uniform).",
    type=options.reader("two numbers, such as 0,1", _ends),
    default="0,1",
)
@options.count("--games", "Games used to choose, and again to evaluate.", least=2, default=1000)
@options.seed
@options.workers
@options.path("--out", "Draw the advice (.png, .svg, .pdf).")
def command(G: Multiplier, arms: int, out: Path | None, as_json: bool, **settings: Any) -> None:
    """Recommend a policy for your traffic.

    Every policy, with several parameters each, plays on this very traffic; fresh games evaluate the
    one that was chosen.  The answer says how sure it is, and whether regulating pays at all.
    """
    check_figure(out)
    with progress_bar("games") as progress:
        advice = advise(G, arms, progress=progress, **settings)
    files = [] if out is None else [advice.figure().save(out)]
    text = f"{advice}\n" if files else str(advice)
    emit(as_json, advice.to_dict, lambda: click.echo(text), files)
