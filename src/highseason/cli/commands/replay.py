"""`highseason replay`: what policies would have earned on a log."""

from __future__ import annotations

from datetime import UTC, datetime
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
from highseason.cli.parsing import usage_error
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
    help="Length of a time bin; G is the number of events in it.",
)
@count_option("--turns", "Stop after this many matched turns.  [default: at the end of the log]")
@click.option(
    "--between",
    type=moment,
    nargs=2,
    metavar="START END",
    help="Use only events from START to END: dates such as 2011-10-02T06:30 (UTC), or seconds.",
)
@click.option(
    "--arms",
    metavar="IDS",
    help="Study only these arms (comma-separated ids), or 'always': those in every pool.",
)
@click.option(
    "--init",
    type=click.Choice(["first-shown", "rule"]),
    default="first-shown",
    show_default=True,
    help="Untried arms begin when first shown, or in the order in which the rule asks for them.",
)
@click.option(
    "--unknown-lifetimes", is_flag=True, help="Hide from policies when an arm will disappear."
)
@click.option(
    "--reweigh",
    type=click.Choice(["accept"]),
    help="Thin a log with propensities until all arms are equally likely, then replay it.",
)
@count_option(
    "--runs", "Number of runs: different seeds, or sliding windows for deterministic policies."
)
@click.option(
    "--how",
    type=click.Choice(["auto", "repeat", "windows"]),
    default="auto",
    show_default=True,
    help="How to generate runs: repeat replays the whole log with new seeds, windows uses sliding "
    "windows; auto picks repeat for stochastic policies (with --runs).",
)
@click.option(
    "--shuffle",
    is_flag=True,
    help="Shuffle the events of every run (with --runs; for a fixed pool without drift).",
)
@count_option(
    "--times",
    "How many times each run replays the log (with --runs).",
    default=4,
    show_default=True,
)
@count_option("--window", "Events per window (with --runs).", default=100_000, show_default=True)
@count_option(
    "--step",
    "Events from one window to the next (with --runs).",
    default=4_000,
    show_default=True,
)
@seed_option
@count_option("--threads", "Number of threads (with --runs).  [default: all cores]")
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
    """Estimate what policies would have earned on a log of randomly shown arms.

    Events in which a policy would have shown another arm are discarded.  The mean over the rest
    estimates what the policy earns per turn, if the log is uniformly random (which is tested) and
    its pools have one size; otherwise means per visitor are shown too.  FILE is an event table
    written by 'highseason convert'.
    """
    from highseason.replay import PreparedLog, replay, replay_many

    if runs is None:
        _require_runs("how", "shuffle", "times", "window", "step", "threads")
    if out is not None:
        check_figure(out, "--out", inputs=[log])
    events = read_log(log)
    if between is not None:
        events = _between(events, *between)
    prepared = PreparedLog.of(events, bin, studied(arms, events))
    settings["known_lifetimes"] = not unknown_lifetimes
    with progress_bar("runs" if runs else "policies") as progress:
        if runs is None:
            result: Any = replay(players, prepared, progress=progress, **settings)
        else:
            result = replay_many(
                players, prepared, runs=runs, how=how, shuffle=shuffle, times=times,
                window=window, step=step, threads=threads, progress=progress, **settings,
            )  # fmt: skip
    files = [] if out is None else [_draw(result, out)]
    if as_json:
        print_json(result.to_dict() | ({"files": files} if files else {}))
        return
    click.echo(str(result))
    for file in files:
        click.echo(f"\nwrote {file}")


def _require_runs(*names: str) -> None:
    """Reject options that have no effect without --runs."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise usage_error(f"--{name} needs --runs: add it, or leave --{name} out")


def _between(events: Events, start: int, end: int) -> Events:
    """The events of that time; an empty selection is a mistake, not a result."""
    part = events.between(start, end)
    if len(part) == 0 and len(events) > 0:
        first, last = int(events.time.min()), int(events.time.max())
        raise usage_error(
            f"no event between {_date(start)} and {_date(end)}: the log goes from "
            f"{_date(first)} to {_date(last)}"
        )
    return part


def _date(seconds: int) -> str:
    """A time of the Unix epoch as a date; small numbers are some other unit.

    >>> _date(1317513291), _date(300)
    ('2011-10-01T23:54:51', '300')
    """
    if not 10**8 <= seconds < 10**11:
        return str(seconds)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _draw(result: Any, out: Path) -> Path:
    from highseason.report import replays

    return replays(result).save(out)
