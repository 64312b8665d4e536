"""`highseason slice`: the longest stretches of a log with a fixed set of arms."""

from pathlib import Path

import click

import highseason as hs
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import check_file, emit, usage_error
from highseason.core.text import counted, percent, wrapped


@with_examples(
    "slice",
    "highseason slice events.parquet",
    "highseason slice events.parquet --least-arms 3 --out slice.parquet",
    "highseason slice events.parquet --least-hours 0.05 --json",
)
@options.log
@options.count("--least-arms", "Take the longest stretch with at least this many arms.")
@options.number(
    "--least-hours", "Take the stretch with most arms that lasts at least this long.", "HOURS"
)
@options.path("--out", "Write the events of the stretch as an event table (.parquet).")
def command(
    log: Path, least_arms: int | None, least_hours: float | None, out: Path | None, as_json: bool
) -> None:
    """Find the longest stretch with a fixed set of arms.

    Without --least-arms or --least-hours, list the longest stretch for every number of arms.
    The slice keeps the events of other arms, because they count towards G: replay it with
    --arms always, or with the arms listed here.
    """
    from highseason.logs.events import moment

    if least_arms is not None and least_hours is not None:
        raise usage_error("--least-arms and --least-hours exclude each other: omit one")
    chosen = least_arms is not None or least_hours is not None
    if out is not None:
        if not chosen:
            raise usage_error("--out writes one slice: say which, such as --least-arms 24")
        if out.suffix.lower() != ".parquet":
            raise usage_error(f"--out {out}: an event table's name ends in .parquet")
        check_file(out, "--out", [log])
    events = hs.logs.read_events(log)
    if not chosen:
        stretches = hs.logs.frontier(events)
        text = str(stretches.table) if stretches.slices else "no arm was ever on offer"
        document = {"slices": [one.to_dict() for one in stretches.slices]}
        emit(as_json, lambda: document, lambda: click.echo(text))
        return
    one = hs.logs.best_slice(events, least_arms, least_hours)
    part, unbroken = one.cut(events), one.unbroken(events)
    if out is not None:
        hs.logs.write_events(part, out)
    text = wrapped(
        f"{counted(len(one.arms), 'arm')} for {one.hours:.2f} hours, from {moment(one.start)} to "
        f"{moment(one.end)}: {counted(len(part), 'event')}\n"
        f"in {percent(unbroken, 1)} of these, all of them are in the pool\n"
        f"arms: {', '.join(one.arms)}"
    )
    document = one.to_dict() | {"events": len(part), "unbroken": unbroken}
    emit(as_json, lambda: document, lambda: click.echo(text), [out])
