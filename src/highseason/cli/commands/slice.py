"""`highseason slice`: the best stretch of a log with a fixed pool."""

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
    from highseason.logs import Frontier, Slice


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
@count_option("--least-arms", "The longest stretch with at least so many arms.")
@click.option(
    "--least-hours",
    type=positive,
    metavar="HOURS",
    help="The stretch with most arms that lasts at least so long.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the records of the stretch as an event table (.parquet).",
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
    """Find where many arms are on offer for long, exactly.

    Without --least-arms and --least-hours it lists the longest stretch for every number of arms.
    The records of other arms stay in the slice, because they belong to G; replay it with --arms
    always, or with the arms listed here.
    """
    from highseason.logs import frontier, write_events

    if least_arms is not None and least_hours is not None:
        raise usage_error("--least-arms and --least-hours exclude each other: leave one out")
    chosen = least_arms is not None or least_hours is not None
    if out is not None:
        if not chosen:
            raise usage_error("--out writes one slice: say which, such as --least-arms 24")
        if out.suffix.lower() != ".parquet":
            raise usage_error(f"--out {out}: an event table's name ends in .parquet")
        check_file(out, "--out", [log])
    events = read_log(log)
    found = frontier(events)
    if not chosen:
        _tell_frontier(found, as_json)
        return
    one = _choose(found, least_arms, least_hours)
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
        f"{counted(len(one.arms), 'arm')} for {one.hours:.2f} hours, from {one.start} to "
        f"{one.end}: {counted(document['records'], 'record')}\n"
        f"all of them in the pool of {percent(document['unbroken'], 1)} of these\n"
        f"arms: {','.join(one.arms)}"
    )
    if out is not None:
        click.echo(f"wrote {out}")


def _choose(found: Frontier, least_arms: int | None, least_hours: float | None) -> Slice:
    if least_arms is not None:
        return found.with_arms(least_arms)
    assert least_hours is not None
    return found.with_hours(least_hours)


def _tell_frontier(found: Frontier, as_json: bool) -> None:
    if as_json:
        print_json({"slices": [one.to_dict() for one in found.slices]})
        return
    click.echo(str(found.table) if found.slices else "no arm was ever on offer")
