"""`highseason replay`: what policies would have earned on a log."""

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

import highseason as hs
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import check_figure, emit, progress_bar, usage_error
from highseason.policies import Policy
from highseason.traffic.dates import parse_time


def _moment(text: str) -> int:
    """A time: whole seconds, or a date with or without a time of day, in UTC.

    >>> _moment("1317513291"), _moment("2011-10-02"), _moment("2011-10-02T06:30")
    (1317513291, 1317513600, 1317537000)
    """
    if text.removeprefix("-").isdecimal():
        return int(text)
    if (stamp := parse_time(text)) is None:
        raise click.BadParameter(
            f"{text!r} is neither whole seconds nor a date such as 2011-10-02T06:30"
        )
    return int(stamp.instant.astype("datetime64[s]").astype(int))


@with_examples(
    "replay",
    "highseason replay events.parquet --policy soft-ucb --policy ucb",
    "highseason replay events.parquet -p epsilon-z -p epsilon-greedy \\\n"
    "    --arms always --turns 500 --runs 20 --out runs.png",
    "highseason replay events.parquet -p soft-ucb-mortal -p ucb --bin 10 --json",
)
@click.argument("logs", metavar="FILE…", nargs=-1, required=True, type=click.Path(path_type=Path))
@options.players
@options.number(
    "--bin", "Length of a time bin; G is the number of events in it.", "SECONDS", default=1.0
)
@options.count("--turns", "Stop after this many matched turns.  [default: at the end of the log]")
@options.option(
    "--between START END",
    "Use only events from START to END: dates such as 2011-10-02T06:30 (UTC), or seconds.",
    type=_moment,
    nargs=2,
)
@options.option(
    "--arms IDS", "Study only these arms (comma-separated ids), or 'always': those in every pool."
)
@options.choice(
    "--init",
    "Untried arms begin when first shown, or in the order in which the rule asks for them.",
    ["first-shown", "rule"],
    default="first-shown",
)
@options.flag("--unknown-lifetimes", "Hide from policies when an arm will disappear.")
@options.choice(
    "--reweigh",
    "Thin a log with propensities until all arms are equally likely, then replay it.",
    ["accept"],
)
@options.reward_range
@options.count(
    "--runs", "Number of runs: different seeds, or sliding windows for deterministic policies."
)
@options.choice(
    "--how",
    "How to generate runs: repeat replays the whole log with new seeds, windows uses sliding "
    "windows; auto picks repeat for stochastic policies (with --runs).",
    ["auto", "repeat", "windows"],
    default="auto",
)
@options.flag(
    "--shuffle", "Shuffle the events of every run (with --runs; for a fixed pool without drift)."
)
@options.count("--times", "How many times each run replays the log (with --runs).", default=4)
@options.count("--window", "Events per window (with --runs).", default=100_000)
@options.count("--step", "Events from one window to the next (with --runs).", default=4_000)
@options.seed
@options.workers
@options.path("--out", "Draw the means as .png, .svg or .pdf.")
@options.size
def command(
    logs: tuple[Path, ...],
    players: dict[str, Policy],
    bin: float,  # noqa: A002  # the option's name
    between: tuple[int, int] | None,
    arms: str | None,
    unknown_lifetimes: bool,
    runs: int | None,
    out: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Estimate what policies would have earned on a log.

    The log must show arms at random.  Events in which a policy would have shown another arm are
    discarded.  The mean over the rest estimates what the policy earns per turn, if the log is
    uniformly random (which is tested) and its pools have one size; otherwise means per visitor are
    shown too.  FILE is an event table written by 'highseason convert'.  Several are independent
    logs: each is replayed by itself, and the table shows the mean over logs.
    """
    if runs is None:
        context = click.get_current_context()
        for name in ("how", "shuffle", "times", "window", "step"):
            del settings[name]
            if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
                raise usage_error(f"--{name} needs --runs: add it, or leave --{name} out")
    check_figure(out, inputs=logs)
    chosen: Any = arms
    if arms not in (None, "always"):
        chosen = tuple(part.strip() for part in arms.split(",") if part.strip())
    files = [hs.logs.LogFile(log, bin, chosen, between) for log in logs]
    settings["known_lifetimes"] = not unknown_lifetimes
    if runs is not None:
        settings["runs"] = runs
    elif len(files) > 1:
        settings |= {"runs": 1, "times": 1, "how": "repeat"}
    play: Any = hs.logs.replay_many if "runs" in settings else hs.replay
    with progress_bar("runs" if "runs" in settings else "policies") as progress:
        log = files[0].read() if len(files) == 1 else files
        result = play(players, log, progress=progress, **settings)
    if out is not None:
        hs.report.replays(result).save(out)
    text = str(result) if out is None else f"{result}\n"
    emit(as_json, result.to_dict, lambda: click.echo(text), [out])
