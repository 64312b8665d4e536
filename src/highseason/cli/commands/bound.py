"""`highseason bound`: what a policy can cost at most, before it is played."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np

from highseason import bounds
from highseason.bounds import RegretBound
from highseason.cli.examples import WithExamples
from highseason.cli.lifetimes import lifetimes_option, read_lifetimes
from highseason.cli.options import (
    count_option,
    debug_option,
    json_option,
    players,
    seed_option,
    stakes,
)
from highseason.cli.output import print_json
from highseason.cli.progress import progress_bar
from highseason.cli.reading import read_rewards, usage_error
from highseason.cli.targets import check_figure
from highseason.core.formatting import counted, with_error
from highseason.engine.lifetimes import Lifetimes
from highseason.games import simulate
from highseason.multipliers import Multiplier
from highseason.policies import Policy
from highseason.report import bound as draw_bounds
from highseason.results import SimulationResult
from highseason.rewards import Rewards

#: Where simulated games are looked at: evenly apart on a logarithmic axis.
_STOPS = 200


@click.command(
    "bound",
    cls=WithExamples,
    examples=[
        "highseason bound --policy epsilon-z:k=50,z=30 --means 0.9,0.8,0.5 \\\n"
        "    --multiplier wave --turns 5000",
        "highseason bound -p ucb-z:z=30 --means 0.5,0.9 -m wave --form paper --json",
        "highseason bound -p epsilon-z:k=50,z=30 --means 0.1,0.9 -m step --turns 2000 \\\n"
        "    --overlay bound.png --games 100",
    ],
)
@players
@stakes
@click.option(
    "--means",
    required=True,
    metavar="NUMBERS",
    help="The means of the arms, in the order in which they are first tried, such as 0.9,0.8,0.5.",
)
@lifetimes_option
@click.option(
    "--form",
    type=click.Choice(["safe", "paper"]),
    default="safe",
    show_default=True,
    help="Our corrected form, which always holds, or the formula as printed.",
)
@click.option(
    "--overlay",
    type=click.Path(path_type=Path),
    help="Play games, too, and draw both as .png, .svg or .pdf.",
)
@count_option("--games", "How many games for --overlay.", default=200, show_default=True)
@seed_option
@json_option
@debug_option
def command(
    players: dict[str, Policy],
    G: Multiplier,
    means: str,
    lifetimes_text: str | None,
    form: Literal["safe", "paper"],
    overlay: Path | None,
    games: int,
    seed: int,
    as_json: bool,
) -> None:
    """Bound the regret of a policy before it is played.

    The regret is what is lost to not playing the best arm.  A bound that tells no more than the
    worst case would is called vacuous; a printed formula that is not known to hold, not valid.
    """
    if overlay is not None:
        check_figure(overlay, "--overlay")
    arms = read_rewards("bernoulli", None, means)
    lifetimes = read_lifetimes(lifetimes_text, G.turns)
    if lifetimes is not None and lifetimes.name != "fixed":
        raise usage_error(
            f"--lifetimes {lifetimes_text}: these are drawn anew in every game, and a bound is about given "
            "arms: write 1-90,30- (first and last turn of each)"
        )
    told = {label: _bound(policy, arms, G, form, lifetimes) for label, policy in players.items()}
    played = None
    if overlay is not None:
        played = _play(players, arms, G, games, seed, lifetimes)
        draw_bounds(told, played).save(overlay)
    if as_json:
        documents = [_document(told, label, played) for label in told]
        file = {} if overlay is None else {"file": overlay}
        print_json((documents[0] if len(told) == 1 else {"bounds": documents}) | file)
        return
    click.echo("\n\n".join(map(str, told.values())))
    for label in told if played is not None else ():
        click.echo(f"{label}: {_played(played, label)}")
    if overlay is not None:
        click.echo(f"wrote {overlay}")


def _bound(
    policy: Policy,
    arms: Rewards,
    G: Multiplier,
    form: Literal["safe", "paper"],
    lifetimes: Lifetimes | None,
) -> RegretBound:
    try:
        return bounds.regret(policy, arms, multiplier=G, form=form, lifetimes=lifetimes)
    except ValueError as reason:
        raise usage_error(reason) from reason


def _play(
    players: dict[str, Policy],
    arms: Rewards,
    G: Multiplier,
    games: int,
    seed: int,
    lifetimes: Lifetimes | None,
) -> SimulationResult:
    stops = np.unique(np.geomspace(1, G.turns, _STOPS).round().astype(np.int64))
    with progress_bar("games") as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the notes of the bound tell them
        return simulate(
            players, arms, G, games, seed, curves=stops, lifetimes=lifetimes, progress=progress
        )


def _played(result: SimulationResult | None, label: str) -> str:
    assert result is not None  # asked only where games were played
    told = with_error(result.mean("regret", label), result.error("regret", label))
    return f"played, the mean regret of {counted(result.settings['games'], 'game')} is {told}"


def _document(
    told: dict[str, RegretBound], label: str, played: SimulationResult | None
) -> dict[str, Any]:
    """As the library tells it, but with numbers that JSON lacks as null."""
    bound = told[label]
    document = bound.to_dict() | {
        "policy": label,
        "total": bound.total,
        "parts": bound.parts,
        "cross_terms": bound.cross_terms,
    }
    if played is not None:
        document |= {
            "regret_mean": played.mean("regret", label),
            "regret_se": played.error("regret", label),
            "games": played.settings["games"],
            "seed": played.settings["seed"],
        }
    return document
