"""`highseason tune`: the best parameters for your traffic."""

from __future__ import annotations

from pathlib import Path

import click

from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.messages import note_if_too_short, progress_bar
from highseason.cli.output import check_figure, emit, plain_table, print_table, print_wrapped
from highseason.core.formatting import signed_percent, with_error, with_range
from highseason.multipliers import Multiplier
from highseason.policies import parse
from highseason.report import sensitivity
from highseason.report.figure import simulation_caption
from highseason.rewards import Rewards
from highseason.tuning import METHODS, Curve, Space, Tuned, tune


@with_examples(
    "tune",
    "highseason tune ucb-z --multiplier wave --arms 25 --turns 500",
    "highseason tune epsilon-z:z=30 --parameter k --multiplier traffic.csv --out k.png",
)
@click.argument("policy", metavar="NAME[:KEY=VALUE,…]")
@options.stakes
@options.arms_that_pay
@options.option(
    "--parameter", "Tune only this parameter; repeatable.", multiple=True, metavar="NAME"
)
@options.count("--trials", "Number of candidates.", default=48)
@options.count("--games", "Number of games the finalists play.", least=2, default=400)
@options.choice(
    "--search",
    "How to propose candidates: Optuna (tpe), or spread evenly (needs no extra).",
    METHODS,
    default="tpe",
)
@options.seed
@options.threads
@options.path("--out", "Save the sensitivity curves (.png, .svg, .pdf).")
def command(
    policy: str,
    G: Multiplier,
    rewards: Rewards,
    parameter: tuple[str, ...],
    trials: int,
    games: int,
    search: str,
    seed: int,
    threads: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Find good parameters for a policy on your traffic.

    All candidates play the same games.  The printed results come from other games.
    """
    start = parse(policy)
    Space.of(start, G, parameter or None)  # report a wrong name before any work
    check_figure(out)
    note_if_too_short(G.turns, rewards.arms)
    with progress_bar("rounds") as progress:
        tuned = tune(
            start, rewards, G, trials=trials, games=games, seed=seed, space=parameter or None,
            search=search, threads=threads, progress=progress,
        )  # fmt: skip
    if out is not None:
        sensitivity(tuned).save(out)
    files = [] if out is None else [out]
    emit(as_json, tuned.to_dict, lambda: _print(tuned), files)


def _print(tuned: Tuned) -> None:
    result = tuned.reported
    others = f"games that none of the {len(tuned.trials)} candidates played"
    print_wrapped(f"{simulation_caption(result)} ({others})")
    table = plain_table("policy", "parameters", "reward", "regret", "gain of tuned")
    table.columns[1].justify = "left"
    players = {"tuned": str(tuned.policy), "as given": str(tuned.start), "greedy": "greedy"}
    for label, parameters in players.items():
        gain = tuned.gain(label)
        table.add_row(
            label,
            parameters,
            with_error(result.mean("reward", label), result.error("reward", label)),
            with_error(result.mean("regret", label), result.error("regret", label)),
            "" if label == "tuned" else with_range(gain.value, gain.low, gain.high),
        )
    print_table(table)
    for curve in tuned.curves:
        print_wrapped(_curve_line(curve), indent="  ")


def _curve_line(curve: Curve) -> str:
    points = ", ".join(
        f"{value:g}: {signed_percent(change.value)}"
        for value, change in zip(curve.values, curve.changes, strict=True)
    )
    return f"{curve.axis.name}, others as tuned: {points}"
