"""`python -m studies`: a whole study, from its games to its report."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from highseason.cli import options, output
from highseason.cli.group import Program
from highseason.cli.output import usage_error
from highseason.policies import Policy
from studies import STUDIES, MissingDataError, StudyReport, reproduce

NAME = "python -m studies"


def source_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """An option for the files of each study that takes some; they arrive by the study's name."""
    for name, study in STUDIES.items():
        if study.source is not None:
            kind = click.Path(path_type=Path, exists=True)
            function = click.option(
                study.source.option, name, type=kind, multiple=True, metavar="PATH",
                help=study.source.help,
            )(function)  # fmt: skip
    return function


def show_list(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the studies and end."""
    if wanted:
        output.print_table(
            ("study", "what it shows"), [(n, s.title) for n, s in STUDIES.items()], (0, 1)
        )
        context.exit()


@click.command(NAME, cls=Program, examples=[f"{NAME} simulated --quick --out report/"])
@click.argument("only", metavar="[STUDY]...", nargs=-1, type=click.Choice(list(STUDIES)))
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_list,
    help="List the studies.",
)
@options.path(
    "--out", "Folder of the report; several studies get a subfolder each.", default=Path("report")
)
@options.count("--games", "Number of games per setting.  [default: the study's own]", least=2)
@options.flag("--quick", "Run a small sweep to check that everything works.")
@options.flag("--pdf", "Also save each figure as PDF; of a finished report, only draw it again.")
@options.option(
    "--profile NAME",
    "Parameter profile: paper, authors_code or tuned; repeatable.  [default: the study's]",
    multiple=True,
)
@options.option(
    "--part NAME",
    "Group of settings (vs_option_index: paper, visitors, decks …); repeatable.  [default: all]",
    multiple=True,
)
@options.option(
    "--policy NAME[:KEY=VALUE,…]|FILE.py:CLASS",
    "A policy of your own beside the paper's (simulated, unknown_traffic); repeatable.",
    multiple=True,
)
@options.number("--k", "The k of the ε policies, which the paper leaves open.  [default: 14]")
@options.count("--arms", "Number of arms (unknown_traffic).  [default: 25]")
@options.count("--turns", "Number of turns (unknown_traffic).  [default: 500]", least=2)
@options.option(
    "--data",
    "Folder with real traffic (leeds_footfall_hourly.csv.gz …), for studies that use it.",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
@source_options
@options.seed
@options.workers
def command(
    only: tuple[str, ...], out: Path, profile: tuple[str, ...], part: tuple[str, ...],
    policy: tuple[str, ...], as_json: bool, **settings: Any,
) -> None:  # fmt: skip
    """Run the paper's studies and ours, all or those named, and write their reports.

    A report needs no network.  If a run is interrupted, the same command resumes it.
    """
    names = list(dict.fromkeys(only)) or list(STUDIES)
    files = {name: settings.pop(name, ()) for name in STUDIES}
    given = {name: settings.pop(name) for name in ("k", "arms", "turns")}
    given["policies"] = {text: _own_policy(text) for text in policy}
    output.check_folder(out, f"--out {out}")
    done: dict[str, StudyReport] = {}
    for name in names:
        study = STUDIES[name]
        folder = out if len(names) == 1 else out / name
        output.check_file(folder / "index.html", "--out")
        # Of all studies, each takes the profiles and parts that it knows.
        profiles = profile if only else [p for p in profile if p in study.profiles]
        parts = part if only else [p for p in part if p in study.parts]
        try:
            with output.progress_bar(name) as progress:
                own = {key: given[key] for key in given if only or key in study.takes}
                how = settings | own | {"profiles": profiles, "parts": parts, "files": files[name]}
                done[name] = reproduce(study, folder, progress=progress, **how)
        except KeyboardInterrupt:
            output.say(
                f"finished pieces are kept in {folder}: run the same command to resume", NAME
            )
            raise
        except MissingDataError as reason:
            if only or files[name]:
                raise usage_error(reason) from reason
            output.say(f"note: skipped: {reason}", NAME)
            continue
        if not as_json:
            _print(done[name])
    if as_json:
        keys = ("page", "files", "findings", "seconds", "reused")
        studies = {n: {key: getattr(o, key) for key in keys} for n, o in done.items()}
        output.print_json({"studies": studies})


def _own_policy(text: str) -> Policy:
    """A policy by its name, or by its file and class."""
    path, _, name = text.rpartition(":")
    if not path.endswith(".py"):
        return options.parse_policy(text)
    if not Path(path).is_file():
        raise usage_error(f"--policy {text}: there is no file {path}")
    kind = getattr(options.import_file(Path(path)), name, None)
    if not isinstance(kind, type) or not issubclass(kind, Policy):
        raise usage_error(f"--policy {text}: {path} has no policy class {name!r}")
    return kind()


def _print(done: StudyReport) -> None:
    for line in done.findings:
        output.print_wrapped(f"- {line}", indent="  ")
    seconds = ", ".join(f"{kind} {spent:.0f} s" for kind, spent in done.seconds.items())
    reused = f"; reused {done.reused} finished pieces" if done.reused else ""
    output.print_wrapped(f"Time: {seconds}{reused}")
    click.echo(f"Report: {done.page}")


if __name__ == "__main__":
    command()
