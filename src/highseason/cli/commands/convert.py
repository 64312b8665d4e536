"""`highseason convert`: logs in any format into one event table."""

from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import click

from highseason.cli import options
from highseason.cli.group import GroupWithExamples, with_examples
from highseason.cli.output import check_file, emit, print_table, print_wrapped, progress_bar, say
from highseason.core.text import counted, format_number
from highseason.logs import ConversionReport, LogFormat, convert, log_formats
from highseason.logs.events import moment

_out_option = options.path(
    "--out", "The event table (.parquet); an interrupted conversion leaves none.", required=True
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
def command() -> None:
    """Read logs into one event table.

    The table is a Parquet file for the commands on logged events: time, arm, reward, pool and,
    where it is known, the propensity.
    """


def _command(name: str, log_format: type[LogFormat]) -> click.Command:
    """The command of a format: its docstring is the help, its fields are the options."""

    def run(out: Path, as_json: bool, **settings: Any) -> None:
        log = log_format(**settings)
        check_file(out, "--out", log.paths)
        with progress_bar("reading") as progress:
            report = convert(log, out, progress)
        for file in report.damaged:
            say(f"warning: {file}; what could be read is kept")
        if report.backwards:
            say(f"warning: kept {counted(report.backwards, 'event')} out of time order")
        for note in report.notes:
            say(f"note: {note}")
        emit(as_json, lambda: {**report.to_dict(), "out": out}, lambda: _print(report, out))

    for decorate in reversed([*_parameters(log_format), _out_option, options.ignored_seed]):
        run = decorate(run)
    run.__doc__ = (log_format.__doc__ or "").partition("Args:")[0]
    return with_examples(name, *log_format.examples)(run)


def _parameters(log_format: type[LogFormat]) -> Iterator[Any]:
    """An argument or option for each field of a format."""
    hints = get_type_hints(log_format)
    for field in fields(log_format):  # type: ignore[arg-type]  # formats are dataclasses
        kind = hints[field.name]
        if field.default is MISSING:
            many = get_origin(kind) is tuple
            yield click.argument(
                field.name,
                metavar=field.metadata.get("metavar", "FILE"),
                nargs=-1 if many else 1,
                required=True,
                type=click.Path(path_type=Path),
            )
        else:
            yield _option(field, kind)


def _option(field: Field[Any], kind: Any) -> Any:
    parts = [part for part in get_args(kind) if part is not type(None)]
    inner = parts[0] if isinstance(kind, UnionType) or parts else kind
    more: dict[str, Any] = {"type": inner, "metavar": field.metadata.get("metavar")}
    if inner is bool:
        more = {"is_flag": True}
    elif inner is int:
        more = {"type": options.whole(1), "metavar": "NUMBER"}
    elif get_args(inner):
        more = {"type": click.Choice(get_args(inner))}
    return click.option(
        f"--{field.name.replace('_', '-')}",
        default=field.default,
        show_default=isinstance(field.default, str),
        help=field.metadata.get("help"),
        **more,
    )


for _name, _format in sorted(log_formats().items()):
    command.add_command(_command(_name, _format))


def _print(report: ConversionReport, out: Path) -> None:
    print_wrapped(
        f"{counted(report.events, 'event')} of {counted(report.lines, 'line')}; "
        f"{counted(report.arms, 'arm')}, {counted(report.pools, 'pool')}; "
        f"{moment(report.first_time)} to {moment(report.last_time)}"
    )
    first = {e.reason: f"{e.file}, line {e.line}: {e.text}" for e in reversed(report.examples)}
    if report.skipped:
        skipped = report.skipped.items()
        rows = [(reason, format_number(count), first.get(reason, "")) for reason, count in skipped]
        print_table(("skipped because", "lines", "first example"), rows, left=(0, 2))
    click.echo(f"wrote {out}")
