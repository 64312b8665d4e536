"""`highseason reproduce`: the studies, with their figures and verdicts."""

from __future__ import annotations

from pathlib import Path

import click

from highseason.cli.examples import WithExamples
from highseason.cli.options import count_option, debug_option, json_option, seed_option
from highseason.cli.output import print_json
from highseason.cli.progress import progress_bar
from highseason.cli.targets import check_file
from highseason.experiments import STUDIES, study
from highseason.report.drawing import require_matplotlib


@click.command(
    "reproduce",
    cls=WithExamples,
    examples=[
        "highseason reproduce --only unknown --quick --out report/",
    ],
)
@click.option("--only", type=click.Choice(list(STUDIES)), help="One study instead of all.")
@count_option("--games", "How many games in each cell.  [default: the study's own]", least=2)
@click.option("--quick", is_flag=True, help="Fewer games and cells: a look, not a result.")
@click.option("--profile", metavar="NAME", help="Published values: paper or authors_code.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("report"),
    show_default=True,
    help="The folder for the pages.",
)
@seed_option
@json_option
@debug_option
def command(
    only: str | None,
    games: int | None,
    quick: bool,
    profile: str | None,
    out: Path,
    seed: int,
    as_json: bool,
) -> None:
    """Run the studies again, and write what they show."""
    require_matplotlib()
    names = [only] if only else list(STUDIES)
    for name in names:
        check_file(out / name / "index.html", "--out")
    found = []
    for name in names:
        with progress_bar(name) as progress:
            found.append(study(name)(out, games, seed, quick, profile, progress))
    if as_json:
        print_json(found[0] if only else {"studies": found})
        return
    for told in found:
        click.echo(f"{told['study']}: the page is {told['page']}")
        for verdict in told["verdicts"]:
            click.echo(f"  {verdict['verdict']}: {verdict['claim']}; {verdict['evidence']}")
