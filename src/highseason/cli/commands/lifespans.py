"""`highseason lifespans`: when each arm of a log was on offer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from highseason.cli.examples import WithExamples
from highseason.cli.logs import log_argument, read_log
from highseason.cli.options import count_option, debug_option, json_option
from highseason.cli.output import print_json
from highseason.cli.reading import asked_wrongly
from highseason.cli.targets import check_figure, check_file
from highseason.report.wording import counted

if TYPE_CHECKING:
    from highseason.replay import Lifespans, Slice

_TABLES = (".csv", ".parquet")


@click.command(
    "lifespans",
    cls=WithExamples,
    examples=[
        "highseason lifespans events.parquet",
        "highseason lifespans events.parquet --least-arms 3 --out lifespans.png",
        "highseason lifespans events.parquet --out lifespans.csv --json",
    ],
)
@log_argument
@count_option("--least-arms", "In the picture, shade the longest stretch with so many arms.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the table (.csv, .parquet) or draw it (.png, .svg, .pdf).",
)
@json_option
@debug_option
def command(log: Path, least_arms: int | None, out: Path | None, as_json: bool) -> None:
    """Show from when to when each arm was on offer, how often it was shown and what it brought.

    FILE is an event table, as 'highseason convert' writes it.
    """
    from highseason.replay import best_slice, lifespans

    if out is not None and out.suffix.lower() in _TABLES:
        check_file(out, "--out", [log])
    elif out is not None:
        check_figure(out, "--out", " (a table: in .csv or .parquet)", [log])
    lives = lifespans(read_log(log))
    try:
        chosen = None if least_arms is None else best_slice(lives, least_arms)
    except ValueError as reason:
        raise asked_wrongly(reason) from reason
    files = [] if out is None else [_write(lives, chosen, out)]
    if as_json:
        document = {"arms": len(lives), **lives.columns()}
        print_json(document | ({"files": files} if files else {}))
        return
    if not files:
        click.echo(str(lives))
    click.echo(_summary(lives))
    for file in files:
        click.echo(f"wrote {file}")


def _write(lives: Lifespans, chosen: Slice | None, out: Path) -> Path:
    if out.suffix.lower() in _TABLES:
        return lives.save(out)
    from highseason.report import lifespans as draw

    return draw(lives, chosen).save(out)


def _summary(lives: Lifespans) -> str:
    if not len(lives):
        return "no arm was ever on offer"
    low, middle, high = np.quantile(lives.hours, (0, 0.5, 1)).tolist()
    return (
        f"{counted(len(lives), 'arm')}, on offer for {low:.2f} to {high:.2f} hours, half of them "
        f"for {middle:.2f} or less"
    )
