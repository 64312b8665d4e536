"""`highseason bound`: the most a policy can cost, before it is played."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click
import numpy as np

import highseason as hs
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import check_figure, print_json, print_wrapped, progress_bar, usage_error
from highseason.core.text import counted, with_error
from highseason.core.warnings import quiet

#: Checkpoints of the simulated games, evenly spaced on a logarithmic axis.
_STOPS = 200


@with_examples(
    "bound",
    "highseason bound --policy epsilon-z:k=50,z=30 --means 0.9,0.8,0.5 \\\n"
    "    --multiplier wave --turns 5000",
    "highseason bound -p ucb-z:z=30 --means 0.5,0.9 -m wave --form paper --json",
    "highseason bound -p epsilon-z:k=50,z=30 --means 0.1,0.9 -m step --turns 2000 \\\n"
    "    --overlay bound.png --games 100",
)
@options.players
@options.stakes
@options.option(
    "--means NUMBERS",
    "Mean reward of each arm, in the order of the first tries, e.g. 0.9,0.8,0.5.",
    required=True,
)
@options.lifetimes
@options.choice(
    "--form",
    "safe: our corrected form, which always holds; paper: the formula as printed.",
    ["safe", "paper"],
    default="safe",
)
@options.path("--overlay", "Also play games, and draw both (.png, .svg, .pdf).")
@options.size
@options.count("--games", "Number of games for --overlay.", default=200)
@options.seed
def command(
    players: dict[str, hs.Policy],
    G: hs.traffic.Multiplier,
    means: str,
    lifetimes_text: str | None,
    form: Literal["safe", "paper"],
    overlay: Path | None,
    games: int,
    seed: int,
    as_json: bool,
) -> None:
    """Bound the regret of a policy before it is played.

    Regret is what is lost by not always playing the best arm.  A bound no better than the worst
    case is called vacuous; a printed formula that is not known to hold is called not valid.
    """
    check_figure(overlay, "--overlay")
    arms = options.parse_rewards(None, None, means, G=G)
    lifetimes = options.parse_lifetimes(lifetimes_text, G.turns)
    if lifetimes is not None and lifetimes.name != "fixed":
        raise usage_error(
            f"--lifetimes {lifetimes_text} are drawn for every game, but a bound needs given ones: "
            "write START-END of each arm, such as 1-90,30-"
        )
    if arms.counts_visitors:  # the theorems are about policies that count turns
        players = {label: policy.counting("turns") for label, policy in players.items()}
    regret = {
        label: hs.bounds.regret(policy, arms, multiplier=G, form=form, lifetimes=lifetimes)
        for label, policy in players.items()
    }
    played = None
    if overlay is not None:
        stops = np.unique(np.geomspace(1, G.turns, _STOPS).round().astype(np.int64))
        how: Any = {"games": games, "seed": seed, "curves": stops, "lifetimes": lifetimes}
        with progress_bar("games") as progress, quiet():  # the notes of the bound say the same
            played = hs.simulate(players, arms, G, progress=progress, **how)
        hs.report.bound(regret, played).save(overlay)
    if as_json:
        documents = [_document(label, bound, played) for label, bound in regret.items()]
        file = {} if overlay is None else {"file": overlay}
        print_json((documents[0] if len(regret) == 1 else {"bounds": documents}) | file)
        return
    click.echo("\n\n".join(map(str, regret.values())))
    if played is not None:
        for label in regret:
            mean = with_error(played.mean("regret", label), played.error("regret", label))
            print_wrapped(f"{label}: mean regret of {counted(games, 'game')} played: {mean}")
        click.echo(f"wrote {overlay}")


def _document(
    label: str, bound: hs.bounds.RegretBound, played: hs.SimulationResult | None
) -> dict[str, Any]:
    """The bound's own document, with infinities as numbers, which `print_json` turns into null."""
    numbers = {key: getattr(bound, key) for key in ("total", "parts", "cross_terms")}
    document = bound.to_dict() | {"policy": label, **numbers}
    if played is None:
        return document
    regret = {"mean": played.mean("regret", label), "se": played.error("regret", label)}
    how = {key: played.settings[key] for key in ("games", "seed", "rewards")}
    return document | {f"regret_{key}": value for key, value in regret.items()} | how
