"""`highseason generate`: synthetic logs for tests, demos and benchmarks."""

from pathlib import Path
from typing import Any

import click

from highseason.cli import options
from highseason.cli.group import GroupWithExamples, with_examples
from highseason.cli.output import check_folder, emit, progress_bar
from highseason.core.text import format_number
from highseason.logs import generate_log


@click.group(
    "generate",
    cls=GroupWithExamples,
    examples=["highseason generate yahoo --days 0.01 --seed 3 --out log"],
)
def command() -> None:
    """Generate synthetic logs that resemble real ones."""


@command.add_command
@with_examples(
    "yahoo",
    "highseason generate yahoo --days 0.01 --seed 3 --out log",
    "highseason generate yahoo --days 2 --events-per-second 0.1 --gzip --out logs/",
    "highseason generate yahoo --days 0.01 --articles 24 --out log --json",
)
@options.number("--days", "The length of the log; a day has about 1.8 million lines.", default=1.0)
@options.count("--articles", "Articles, all on offer throughout.  [default: they come and go]")
@options.number("--events-per-second", "Average rate of events.", default=21.0)
@options.option(
    "--drift",
    "Share of its click rate that an article loses over its lifetime.",
    type=click.FloatRange(0, 1),
    default=0.3,
)
@options.option(
    "--tilt",
    "Show articles in proportion to their click rate to this power; 0 is uniform.",
    type=float,
    default=0.0,
)
@options.flag("--gzip zipped", "Compress the log.")
@options.option(
    "--out",
    "A file, or a folder (exists, or ends in /), which gets one file per day.",
    required=True,
)
@options.seed
def yahoo(out: str, as_json: bool, **settings: Any) -> None:
    """Generate a log like the Yahoo! front page's (R6B).

    Pools, lifetimes of articles, click rates and traffic follow what is known of the real logs.
    """
    path = Path(out)
    is_folder = out.endswith(("/", "\\")) or path.is_dir()
    check_folder(path if is_folder else path.parent, f"--out {out}")
    with progress_bar("writing") as progress:
        files = generate_log(path, progress=progress, **settings)
    size = sum(file.stat().st_size for file in files)
    text = f"{format_number(size)} bytes; synthetic, not real"
    emit(as_json, lambda: {"bytes": size, **settings}, lambda: click.echo(text), files)
