"""`highseason noise`: how much a turn teaches, from a history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import highseason as hs
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import emit, print_table, print_wrapped
from highseason.core.text import counted

#: More arms than this are only counted.
_LISTED = 12


@with_examples(
    "noise",
    "highseason noise history.csv",
    "highseason noise history.csv --successes orders --visitors sessions --json",
    "highseason noise events.parquet --every 1min",
)
@click.argument("history", metavar="HISTORY", type=click.Path(path_type=Path))
@options.option("--turn COLUMN", "The column of the turn, date or time.")
@options.option("--arm COLUMN", "The column of the arm; without one there is a single arm.")
@options.option("--successes COLUMN", "The column of the successes, or of a visitor's reward.")
@options.option("--visitors COLUMN", "The column of the visitors; an event log has none.")
@options.option("--squares COLUMN", "The column of the sum of squared rewards, for sums of money.")
@options.option("--every PERIOD", "Gather times into turns of this length, such as 1D or 1h.")
@options.zone
@options.dates
@options.decimal
def command(history: Path, as_json: bool, **how: Any) -> None:
    """Estimate how much a turn teaches.

    HISTORY is a table with a row per turn and arm (turn, arm, successes, visitors), or an event log
    with a row per visitor (time, arm, reward), as CSV, Excel or Parquet.
    """
    found = hs.logs.fit_noise(history, **how)
    emit(as_json, found.to_dict, lambda: _print(found))


def _print(found: hs.logs.NoiseFit) -> None:
    for sentence in found.sentences():
        print_wrapped(sentence)
    click.echo()
    if len(found.rates) > _LISTED:
        click.echo(f"{counted(len(found.rates), 'arm')}; --json lists their rates.")
    else:
        rows = [
            (arm, f"{rate.value:.4g}", f"{rate.low:.4g} to {rate.high:.4g}")
            for arm, rate in found.rates.items()
        ]
        print_table(("arm", "rate", "95% interval"), rows)
    print_wrapped(f"To simulate with this noise: --rewards {found.rewards}")
