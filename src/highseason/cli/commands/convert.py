"""`highseason convert`: logs of other people's making into one event table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import click

from highseason.cli.group import GroupWithExamples, WithExamples
from highseason.cli.messages import progress_bar, say
from highseason.cli.options import count_option, debug_option, json_option
from highseason.cli.output import plain_table, print_json, print_table
from highseason.cli.output_paths import check_file
from highseason.core.formatting import counted, format_number
from highseason.logs import ConversionReport, OpenBanditLog, TableLog, YahooLog, convert
from highseason.logs.source import Source

Function = Callable[..., Any]

out_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The event table (.parquet); an interrupted conversion leaves none.",
)
seed_of_no_effect = click.option(
    "--seed", type=int, expose_value=False, help="Taken, and of no effect: no chance is involved."
)


@click.group(
    "convert",
    cls=GroupWithExamples,
    examples=[
        "highseason convert yahoo ydata-fp-td-clicks-v2_0.20111002 --out events.parquet",
        "highseason convert table shop.csv --time when --arm shown --reward paid \\\n"
        "    --out shop.parquet",
    ],
)
@debug_option
def command() -> None:
    """Read logs into one event table.

    The table is a Parquet file that the commands on logged events take: time, arm, reward, pool
    and, where it is known, the chance with which the arm was shown.
    """


@command.command(
    "yahoo",
    cls=WithExamples,
    examples=[
        "highseason convert yahoo ydata-fp-td-clicks-v2_0.20111002 --out events.parquet",
        "highseason convert yahoo ydata-fp-td-clicks-v2_0.20111002 --format r6b \\\n"
        "    --out events.parquet --json",
    ],
)
@click.argument("logs", metavar="LOG…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--format",
    type=click.Choice(["r6a", "r6b"]),
    help="Which of the two formats.  [default: that of the first good line]",
)
@out_option
@seed_of_no_effect
@json_option
@debug_option
def yahoo(logs: tuple[Path, ...], format: str | None, out: Path, as_json: bool) -> None:  # noqa: A002  # the option's name
    """Read logs of the Yahoo! front page, R6A or R6B.

    Files are read in the order given, plain or gzip.  Lines that are no events are counted by
    reason, with examples.
    """
    _convert(YahooLog(logs, cast(Any, format)), out, as_json)


@command.command(
    "open-bandit",
    cls=WithExamples,
    examples=[
        "highseason convert open-bandit men.csv --out men.parquet",
        "highseason convert open-bandit men.csv --position 1 --out men.parquet --json",
    ],
)
@click.argument("table", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--campaign", metavar="NAME", help="Only this campaign's rows: all, men or women.")
@count_option("--position", "Only rows in this position, 1 to 3.")
@out_option
@seed_of_no_effect
@json_option
@debug_option
def open_bandit(
    table: Path, campaign: str | None, position: int | None, out: Path, as_json: bool
) -> None:
    """Read a table of the Open Bandit Dataset.

    The pool of a row is all items of its campaign.
    """
    _convert(OpenBanditLog(table, campaign, position), out, as_json)


@command.command(
    "table",
    cls=WithExamples,
    examples=[
        "highseason convert table shop.csv --time when --arm shown --reward paid \\\n"
        "    --out shop.parquet",
        "highseason convert table shop.csv --time when --arm shown --reward paid \\\n"
        "    --pool offered --separator ' ' --propensity chance --out shop.parquet",
    ],
)
@click.argument("table", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--time", default="time", show_default=True, help="The column of times.")
@click.option("--arm", default="arm", show_default=True, help="The column of the arms shown.")
@click.option("--reward", default="reward", show_default=True, help="The column of rewards.")
@click.option("--pool", help="The column of what was on offer.  [default: every arm, always]")
@click.option(
    "--separator", default="|", show_default=True, help="What stands between the arms of a pool."
)
@click.option("--propensity", help="The column of display chances.  [default: uniform]")
@click.option("--clicks", is_flag=True, help="Rewards are 0 or 1; any other is a bad row.")
@out_option
@seed_of_no_effect
@json_option
@debug_option
def table(table: Path, out: Path, as_json: bool, **columns: Any) -> None:
    """Read any CSV or Parquet file with a row for each display.

    Times are Unix seconds or ISO times.
    """
    log = TableLog(table, **columns)
    _convert(log, out, as_json)


def _convert(log: Source, out: Path, as_json: bool) -> None:
    check_file(out, "--out", log.paths)
    with progress_bar("reading") as progress:
        report = convert(log, out, progress)
    for file in report.damaged:
        say(f"warning: {file}; what could be read is kept")
    if report.backwards:
        say(f"warning: {counted(report.backwards, 'event')} earlier than the one before, kept")
    for note in report.notes:
        say(f"note: {note}")
    if as_json:
        print_json({**report.to_dict(), "out": out})
    else:
        _print(report)
        click.echo(f"wrote {out}")


def _print(report: ConversionReport) -> None:
    first, last = (_when(time) for time in (report.first_time, report.last_time))
    click.echo(
        f"{counted(report.events, 'event')} of {counted(report.lines, 'line')}; "
        f"{counted(report.arms, 'arm')}, {counted(report.pools, 'pool')}; {first} to {last}"
    )
    if not report.skipped:
        return
    rows = plain_table("left out because", "lines", "the first of them")
    rows.columns[-1].justify = "left"
    for reason, count in report.skipped.items():
        found = next((example for example in report.examples if example.reason == reason), None)
        shown = "" if found is None else f"{found.file}, line {found.line}: {found.text}"
        rows.add_row(reason, format_number(count), shown)
    print_table(rows)


def _when(seconds: int) -> str:
    """A time of the log in UTC, or the bare number where no calendar reaches.

    >>> _when(1317513600), _when(10**18)
    ('2011-10-02 00:00:00', '1000000000000000000')
    """
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return str(seconds)
