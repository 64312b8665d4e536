"""`highseason slice`: the longest stretches of a log with a fixed set of arms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from highseason.cli.group import WithExamples
from highseason.cli.logs import log_argument, read_log
from highseason.cli.options import count_option, debug_option, json_option, positive
from highseason.cli.output import print_json
from highseason.cli.output_paths import check_file
from highseason.cli.parsing import usage_error
from highseason.core.formatting import counted, percent

if TYPE_CHECKING:
    from highseason.logs import Frontier


@click.command(
    "slice",
    cls=WithExamples,
    examples=[
        "highseason slice events.parquet",
        "highseason slice events.parquet --least-arms 3 --out slice.parquet",
        "highseason slice events.parquet --least-hours 0.05 --json",
    ],
)
@log_argument
@count_option("--least-arms", "Take the longest stretch with at least this many arms.")
@click.option(
    "--least-hours",
    type=positive,
    metavar="HOURS",
    help="Take the stretch with most arms that lasts at least this long.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the events of the stretch as an event table (.parquet).",
)
@json_option
@debug_option
def command(
    log: Path,
    least_arms: int | None,
    least_hours: float | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Find the longest stretch with a fixed set of arms.

    Without --least-arms or --least-hours, list the longest stretch for every number of arms.  The
    slice keeps the events of other arms, because they count towards G: replay it with --arms always,
    or with the arms listed here.
    """
    from highseason.logs import best_slice, frontier, write_events
    from highseason.logs.conversion import moment

    if least_arms is not None and least_hours is not None:
        raise usage_error("--least-arms and --least-hours exclude each other: omit one")
    chosen = least_arms is not None or least_hours is not None
    if out is not None:
        if not chosen:
            raise usage_error("--out writes one slice: say which, such as --least-arms 24")
        if out.suffix.lower() != ".parquet":
            raise usage_error(f"--out {out}: an event table's name ends in .parquet")
        check_file(out, "--out", [log])
    events = read_log(log)
    if not chosen:
        _print_frontier(frontier(events), as_json)
        return
    one = best_slice(events, least_arms, least_hours)
    document: dict[str, Any] = one.to_dict() | {
        "records": len(one.cut(events)),
        "unbroken": one.unbroken(events),
    }
    if out is not None:
        write_events(one.cut(events), out)
        document["files"] = [out]
    if as_json:
        print_json(document)
        return
    click.echo(
        f"{counted(len(one.arms), 'arm')} for {one.hours:.2f} hours, from {moment(one.start)} to "
        f"{moment(one.end)}: {counted(document['records'], 'event')}\n"
        f"in {percent(document['unbroken'], 1)} of these, all of them are in the pool\n"
        f"arms: {','.join(one.arms)}"
    )
    if out is not None:
        click.echo(f"wrote {out}")


def _print_frontier(slices: Frontier, as_json: bool) -> None:
    if as_json:
        print_json({"slices": [one.to_dict() for one in slices.slices]})
        return
    click.echo(str(slices.table) if slices.slices else "no arm was ever on offer")
