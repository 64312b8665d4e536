"""`highseason lifespans`: when each arm of a log was on offer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from highseason.cli.group import WithExamples
from highseason.cli.logs import log_argument, read_log
from highseason.cli.options import count_option, debug_option, json_option
from highseason.cli.output import print_json
from highseason.cli.output_paths import check_figure, check_file
from highseason.core.formatting import counted

if TYPE_CHECKING:
    from highseason.logs import Lifespans, Slice

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
@count_option("--least-arms", "In the figure, shade the longest stretch with this many arms.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the table (.csv, .parquet) or draw it (.png, .svg, .pdf).",
)
@json_option
@debug_option
def command(log: Path, least_arms: int | None, out: Path | None, as_json: bool) -> None:
    """Show when each arm was on offer.

    The table also has how often each arm was shown and its rewards.  FILE is an event table, as
    'highseason convert' writes it.
    """
    from highseason.logs import best_slice, lifespans

    if out is not None and out.suffix.lower() in _TABLES:
        check_file(out, "--out", [log])
    elif out is not None:
        check_figure(out, "--out", " (a table: in .csv or .parquet)", [log])
    lifetimes = lifespans(read_log(log))
    chosen = None if least_arms is None else best_slice(lifetimes, least_arms)
    files = [] if out is None else [_write(lifetimes, chosen, out)]
    if as_json:
        document = {"arms": len(lifetimes), **lifetimes.columns()}
        print_json(document | ({"files": files} if files else {}))
        return
    if not files:
        click.echo(str(lifetimes))
    click.echo(_summary(lifetimes))
    for file in files:
        click.echo(f"wrote {file}")


def _write(lifetimes: Lifespans, chosen: Slice | None, out: Path) -> Path:
    if out.suffix.lower() in _TABLES:
        return lifetimes.save(out)
    from highseason.report import lifespans as draw

    return draw(lifetimes, chosen).save(out)


def _summary(lifetimes: Lifespans) -> str:
    if not len(lifetimes):
        return "no arm was ever on offer"
    low, middle, high = np.quantile(lifetimes.hours, (0, 0.5, 1)).tolist()
    return (
        f"{counted(len(lifetimes), 'arm')}, on offer for {low:.2f} to {high:.2f} hours, "
        f"median {middle:.2f} hours"
    )
