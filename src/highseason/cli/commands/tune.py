"""`highseason tune`: the best parameters for your traffic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import highseason as hs
from highseason.cli import options, output
from highseason.cli.group import with_examples


@with_examples(
    "tune",
    "highseason tune ucb-z --multiplier wave --arms 25 --turns 500",
    "highseason tune epsilon-z:z=30 --parameter k -m traffic.csv --out k.png",
)
@click.argument("policy", metavar="NAME[:KEY=VALUE,…]", shell_complete=options.policy_names)
@options.stakes
@options.arms_that_pay
@options.option("--parameter NAME", "Tune only this parameter; repeatable.", multiple=True)
@options.count("--trials", "Number of candidates.", default=48)
@options.count("--games", "Number of games the finalists play.", least=2, default=400)
@options.choice(
    "--search",
    "How to propose candidates: Optuna (tpe), or spread evenly (needs no extra).",
    ("tpe", "spread"),
    default="tpe",
)
@options.seed
@options.workers
@options.path("--out", "Save the sensitivity curves (.png, .svg, .pdf).")
@options.size
def command(
    policy: str,
    G: hs.traffic.Multiplier,
    rewards: hs.rewards.Rewards,
    parameter: tuple[str, ...],
    out: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Find good parameters for a policy on your traffic.

    All candidates play the same games.  The printed results come from other games.
    """
    start, space = options.parse_policy(policy), parameter or None
    hs.advice.Space.of(start, G, space)  # report a wrong name before any work
    output.check_figure(out)
    output.note_if_too_short(G.turns, rewards.arms)
    with output.progress_bar("rounds") as progress:
        tuned = hs.tune(start, rewards, G, space=space, progress=progress, **settings)
    if out is not None:
        hs.report.sensitivity(tuned).save(out)
    output.emit(as_json, tuned.to_dict, lambda: output.print_assumed(f"{tuned}", rewards, G), [out])
