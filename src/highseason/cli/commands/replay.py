"""`highseason replay`: what policies would have earned on a log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource

from highseason.cli.group import WithExamples
from highseason.cli.logs import log_argument, moment, read_log, studied
from highseason.cli.messages import progress_bar
from highseason.cli.options import (
    count_option,
    debug_option,
    json_option,
    players,
    positive,
    seed_option,
)
from highseason.cli.output import print_json
from highseason.cli.output_paths import check_figure
from highseason.cli.parsing import as_options, usage_error
from highseason.policies import Policy

if TYPE_CHECKING:
    from highseason.logs import Events


@click.command(
    "replay",
    cls=WithExamples,
    examples=[
        "highseason replay events.parquet --policy soft-ucb --policy ucb",
        "highseason replay events.parquet -p epsilon-z -p epsilon-greedy --arms always \\\n"
        "    --turns 500 --runs 20 --out runs.png",
        "highseason replay events.parquet -p soft-ucb-mortal -p ucb --bin 10 --json",
    ],
)
@log_argument
@players
@click.option(
    "--bin",
    type=positive,
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="G is the number of records in a bin of this length.",
)
@count_option("--turns", "Stop after so many matched turns.  [default: when the log ends]")
@click.option(
    "--between",
    type=moment,
    nargs=2,
    metavar="START END",
    help="Only the records from START to END: seconds, or dates such as 2011-10-02T06:30 (UTC).",
)
@click.option(
    "--arms",
    metavar="IDS",
    help="Study only these arms (ids with commas), or 'always': those that are in every pool.",
)
@click.option(
    "--init",
    type=click.Choice(["first-shown", "rule"]),
    default="first-shown",
    show_default=True,
    help="Untried arms begin with their first showing, or in the order the rule asks for.",
)
@click.option(
    "--unknown-lifetimes", is_flag=True, help="Do not tell policies when an arm will disappear."
)
@click.option(
    "--reweigh",
    type=click.Choice(["accept"]),
    help="Thin a log with propensities until arms are equally likely, and replay what is left.",
)
@count_option("--runs", "Many runs instead of one: seeds, or windows for policies without chance.")
@click.option(
    "--how",
    type=click.Choice(["auto", "repeat", "windows"]),
    default="auto",
    show_default=True,
    help="Runs repeat the log or slide a window over it; auto: as the policy draws lots or not.",
)
@click.option(
    "--shuffle",
    is_flag=True,
    help="Repeat the log in another order each run (with --runs; for a fixed pool without drift).",
)
@count_option(
    "--times", "A run plays the log so often (with --runs).", default=4, show_default=True
)
@count_option("--window", "Records of a window (with --runs).", default=100_000, show_default=True)
@count_option(
    "--step", "Records from window to window (with --runs).", default=4_000, show_default=True
)
@seed_option
@count_option("--threads", "How many threads (with --runs).  [default: all cores]")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Draw the means as .png, .svg or .pdf."
)
@json_option
@debug_option
def command(
    log: Path,
    players: dict[str, Policy],
    bin: float,  # noqa: A002  # the option's name
    between: tuple[int, int] | None,
    arms: str | None,
    unknown_lifetimes: bool,
    runs: int | None,
    how: Literal["auto", "repeat", "windows"],
    shuffle: bool,
    times: int,
    window: int,
    step: int,
    threads: int | None,
    out: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Say what policies would have earned on a log of displays drawn at random.

    Records in which a policy would have shown another arm are discarded; the mean over the others
    is what it earns per turn if the log is uniformly random, which is tested, and pools are of one
    size; if not, means per visitor are given too.  FILE is an event table, as 'highseason convert'
    writes it.
    """
    from highseason.replay import PreparedLog, replay, replay_many

    if runs is None:
        _refuse("how", "shuffle", "times", "window", "step", "threads")
    if out is not None:
        check_figure(out, "--out", inputs=[log])
    events = read_log(log)
    if between is not None:
        events = _cut(events, *between)
    try:
        course = PreparedLog.of(events, bin, studied(arms, events))
        settings["known_lifetimes"] = not unknown_lifetimes
        with progress_bar("runs" if runs else "policies") as progress:
            if runs is None:
                result: Any = replay(players, course, progress=progress, **settings)
            else:
                result = replay_many(
                    players, course, runs=runs, how=how, shuffle=shuffle, times=times,
                    window=window, step=step, threads=threads, progress=progress, **settings,
                )  # fmt: skip
    except ValueError as reason:
        raise usage_error(as_options(str(reason))) from reason
    files = [] if out is None else [_draw(result, out)]
    if as_json:
        print_json(result.to_dict() | ({"files": files} if files else {}))
        return
    click.echo(str(result))
    for file in files:
        click.echo(f"\nwrote {file}")


def _refuse(*names: str) -> None:
    """Options that would have no effect without --runs."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise usage_error(f"--{name} is for many runs: give --runs too, or leave it out")


def _cut(events: Events, start: int, end: int) -> Events:
    """The records of that time; none is a mistake, not a result."""
    found = events.between(start, end)
    if len(found) == 0 and len(events) > 0:
        first, last = int(events.time.min()), int(events.time.max())
        raise usage_error(
            f"no record lies between {start} and {end}: the log goes from {first} to {last}"
        )
    return found


def _draw(result: Any, out: Path) -> Path:
    from highseason.report import replays

    return replays(result).save(out)
