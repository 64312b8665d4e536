"""`highseason audit`: whether everything recorded follows from the events."""

from dataclasses import asdict

import click

from highseason.cli import options, print_json, with_examples
from highseason.core import counted, raised_as
from highseason_service.commands import database_option, opened
from highseason_service.errors import ServiceError


@with_examples(
    "audit", "highseason audit", "highseason audit --database shop.db --experiment shelf-7 --json"
)
@database_option
@options.option("--experiment ID", "The experiment.  [default: all]")
def command(database: str, experiment: str | None, as_json: bool) -> int:
    """Rebuild experiments from their events alone.

    Every decision is computed again with what was known at that moment, and compared with the one
    that was recorded.  Exit code 1 says that something differs.
    """
    with raised_as(ValueError, ServiceError), opened("audit", database) as recorded:
        from highseason_service.audit import audit

        reports = audit(recorded, experiment)
    if as_json:
        print_json({"experiments": [asdict(report) for report in reports]})
    else:
        for report in reports:
            verdict = "differs" if report.problems else "agrees"
            events = counted(report.events, "event")
            decisions = counted(report.decisions, "decision")
            click.echo(f"{report.experiment}: {verdict} ({events}, {decisions} computed again)")
            for problem in report.problems:
                click.echo(f"  {problem}")
        if not reports:
            click.echo("no experiments")
    return int(any(report.problems for report in reports))
