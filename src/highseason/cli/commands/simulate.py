"""`highseason simulate`: many games of several policies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import highseason as hs
from highseason.cli import options, output
from highseason.cli.group import with_examples
from highseason.cli.output import usage_error

_QUANTILES = (0.1, 0.5, 0.9)


@with_examples(
    "simulate",
    "highseason simulate --policy ucb --policy soft-ucb --policy ucb-z:z=30 \\\n"
    "    --multiplier wave --arms 25 --turns 500 --games 1000 --seed 1",
    "highseason simulate -p ucb -p ucb-z -p greedy -m traffic.csv --out rewards.png",
    "highseason simulate -p ucb -p soft-ucb --means 0.9,0.8,0.5 --json",
    "highseason simulate traffic.csv -p price-curve --prices 8.99..14.99/8 --cost 4",
    "highseason simulate -p ucb -p soft-ucb-mortal -p ucb-l \\\n"
    "    --lifetimes articles --turns 1440",
)
@options.players
@options.stakes
@options.arms_that_pay
@options.lifetimes
@options.count("--games", "Number of games.", default=1000)
@options.seed
@options.workers
@options.flag("--curves with_curves", "Also record running totals over turns.")
@options.flag(
    "--realised",
    "Also measure the realised regret, which includes the luck of the game.",
)
@options.path("--save", "Save the result as an .npz file.")
@options.path(
    "--out", "Draw the rewards (.png, .svg, .pdf); with --curves also NAME-curves beside it."
)
@options.size
def command(
    players: dict[str, hs.Policy],
    G: hs.traffic.Multiplier,
    rewards: hs.rewards.Rewards,
    lifetimes_text: str | None,
    with_curves: bool,
    save: Path | None,
    out: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Play many games and compare the rewards.

    All policies face the same arms and the same luck; the first is the baseline for the others.
    """
    if save is not None:
        if save.suffix.lower() != ".npz":
            raise usage_error(f"--save {save} must end in .npz")
        output.check_file(save, "--save")
    output.check_figure(out)
    lifetimes = options.parse_lifetimes(lifetimes_text, G.turns)
    given = click.get_current_context().params["arms"] is not None
    rewards = options.match_arms(rewards, lifetimes, given)
    if lifetimes is None:
        output.note_if_too_short(G.turns, rewards.arms)
    with output.progress_bar("games") as progress:
        settings |= {"curves": with_curves, "lifetimes": lifetimes, "progress": progress}
        result = hs.simulate(players, rewards, G, **settings)
    files = [] if save is None else [result.save(save)]
    if out is not None:
        files.append(hs.report.rewards(result).save(out))
        if result.curves:
            files.append(hs.report.curves(result).save(out.with_stem(f"{out.stem}-curves")))
    output.emit(
        as_json,
        lambda: _document(result),
        lambda: output.print_assumed(f"{result}", rewards, G),
        files,
    )


def _document(result: hs.SimulationResult) -> dict[str, Any]:
    """With running totals by quantity; in each, a row per policy, in the order given."""
    document: dict[str, Any] = {}
    for metric, curve in result.curves.items():
        quantiles = {f"q{100 * q:.0f}": curve.quantile(q) for q in _QUANTILES}
        document |= {"turns": curve.turns, metric: {"mean": curve.mean, **quantiles}}
    return result.to_dict() | ({"curves": document} if document else {})
