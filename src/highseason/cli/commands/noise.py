"""`highseason noise`: how much a turn teaches, from a history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import emit, print_table, print_wrapped
from highseason.core.text import counted

if TYPE_CHECKING:
    from highseason.logs import NoiseFit

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
def command(history: Path, every: str | None, as_json: bool, **columns: str | None) -> None:
    """Estimate how much a turn teaches.

    HISTORY is a table with a row per turn and arm (turn, arm, successes, visitors), or an event log
    with a row per visitor (time, arm, reward), as CSV or Parquet.
    """
    from highseason.logs import fit_noise

    found = fit_noise(history, every, **columns)
    emit(as_json, found.to_dict, lambda: _print(found))


def _print(found: NoiseFit) -> None:
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
