"""`highseason reproduce`: a whole study, from its games to its report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from highseason.cli.examples import WithExamples
from highseason.cli.messages import say
from highseason.cli.options import count_option, debug_option, json_option, seed_option
from highseason.cli.output import print_json
from highseason.cli.progress import progress_bar
from highseason.cli.reading import usage_error
from highseason.cli.targets import check_file, check_folder
from highseason.studies import SOURCES, STUDIES, MissingDataError, Outcome


def source_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """An option for the files of each study that takes some; all arrive by the study's name."""
    for name, source in SOURCES.items():
        function = click.option(
            source.option,
            name,
            type=click.Path(path_type=Path, exists=True),
            multiple=True,
            metavar="PATH",
            help=source.words,
        )(function)
    return function


@click.command(
    "reproduce",
    cls=WithExamples,
    examples=[
        "highseason reproduce --only simulated --quick --out report/",
    ],
)
@click.option(
    "--only",
    type=click.Choice(list(STUDIES)),
    multiple=True,
    help="Which study; may be repeated.  [default: all of them]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("report"),
    show_default=True,
    help="The folder for the report; of several studies, a folder in it for each.",
)
@count_option("--games", "How many games in each setting.  [default: the study's own]", least=2)
@click.option("--quick", is_flag=True, help="A small sweep, to see that everything works.")
@click.option(
    "--profile",
    multiple=True,
    metavar="NAME",
    help="Whose parameters: paper, authors_code or tuned; may be repeated.  [default: the study's]",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder with real traffic (leeds_footfall_hourly.csv.gz …), for studies that use it.",
)
@source_options
@seed_option
@count_option("--threads", "How many threads.  [default: all cores]")
@json_option
@debug_option
def command(
    only: tuple[str, ...],
    out: Path,
    games: int | None,
    quick: bool,
    profile: tuple[str, ...],
    data: Path | None,
    seed: int,
    threads: int | None,
    as_json: bool,
    **files: tuple[Path, ...],
) -> None:
    """Run a study of ours or of the paper's and write its report.

    The report stands alone: it opens without a network.  If you interrupt a run, the same command
    goes on where it stopped.
    """
    names = list(dict.fromkeys(only)) or list(STUDIES)
    check_folder(out, f"--out {out}")
    done: dict[str, Outcome] = {}
    for name in names:
        folder = out if len(names) == 1 else out / name
        check_file(folder / "index.html", "--out")
        try:
            with progress_bar(name) as progress:
                done[name] = STUDIES[name](
                    folder, games, seed, quick, profile, progress, threads, data,
                    files.get(name, ()),
                )  # fmt: skip
        except KeyboardInterrupt:
            say(f"what is finished is kept in {folder}: the same command goes on from there")
            raise
        except MissingDataError as reason:
            if only or files.get(name):
                raise usage_error(reason) from reason
            say(f"note: left out: {reason}")
            continue
        except ValueError as reason:
            raise usage_error(reason) from reason
        if not as_json:
            _print(name, done[name])
    if as_json:
        print_json({"studies": {name: _describe(outcome) for name, outcome in done.items()}})


def _describe(outcome: Outcome) -> dict[str, Any]:
    return {
        "page": outcome.page,
        "files": list(outcome.files),
        "findings": list(outcome.findings),
        "seconds": outcome.seconds,
        "reused": outcome.reused,
    }


def _print(name: str, outcome: Outcome) -> None:
    for line in outcome.findings:
        click.echo(f"- {line}")
    total = sum(outcome.seconds.values())
    told = ", ".join(f"{kind} {spent:.1f} s" for kind, spent in outcome.seconds.items())
    drawing = outcome.seconds.get("drawing", 0.0) / total if total else 0.0
    click.echo(f"{name}: {told}; {drawing:.0%} of {total:.1f} s were spent drawing")
    if outcome.reused:
        click.echo(f"{outcome.reused} finished pieces were found and not played again")
    click.echo(f"the report is {outcome.page}: open it in a browser")
