"""`highseason lifespans`: when each arm of a log was on offer."""

from pathlib import Path

import click
import numpy as np

import highseason as hs
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import check_figure, emit
from highseason.core.text import counted

_TABLES = (".csv", ".parquet")


@with_examples(
    "lifespans",
    "highseason lifespans events.parquet",
    "highseason lifespans events.parquet --least-arms 3 --out lifespans.png",
    "highseason lifespans events.parquet --out lifespans.csv --json",
)
@options.log
@options.count("--least-arms", "In the figure, shade the longest stretch with this many arms.")
@options.path("--out", "Write the table (.csv, .parquet) or draw it (.png, .svg, .pdf).")
@options.size
def command(log: Path, least_arms: int | None, out: Path | None, as_json: bool) -> None:
    """Show when each arm was on offer.

    The table also has how often each arm was shown and its rewards.  FILE is an event table, as
    'highseason convert' writes it.
    """
    check_figure(out, "--out", " (a table: in .csv or .parquet)", [log], _TABLES)
    lifetimes = hs.logs.lifespans(hs.logs.read_events(log))
    chosen = None if least_arms is None else hs.logs.best_slice(lifetimes, least_arms)
    if out is not None and out.suffix.lower() in _TABLES:
        lifetimes.save(out)
    elif out is not None:
        hs.report.lifespans(lifetimes, chosen).save(out)
    text = "no arm was ever on offer"
    if len(lifetimes):
        low, middle, high = np.quantile(lifetimes.hours, (0, 0.5, 1)).tolist()
        text = (
            f"{counted(len(lifetimes), 'arm')}, on offer for {low:.2f} to {high:.2f} hours, "
            f"median {middle:.2f} hours"
        )
    if out is None:
        text = f"{lifetimes}\n{text}"
    document = {"arms": len(lifetimes), **lifetimes.columns()}
    emit(as_json, lambda: document, lambda: click.echo(text), [out])
