"""`highseason demo`: every policy through one Christmas season, as a page with pictures."""

from __future__ import annotations

import warnings
from pathlib import Path

import click

from highseason.cli.examples import WithExamples
from highseason.cli.messages import one_line
from highseason.cli.options import count_option, debug_option, json_option, seed_option
from highseason.cli.output import print_json
from highseason.cli.progress import progress_bar
from highseason.cli.targets import check_file
from highseason.games import simulate
from highseason.multipliers import Multiplier, christmas
from highseason.policies import Plan, Policy, registry
from highseason.report import Season, season_page
from highseason.report.drawing import require_matplotlib
from highseason.rewards import bernoulli

_ARMS, _TURNS = 25, 500
_SHIPPED, _PAPER = "as shipped", "with the paper's values"


@click.command(
    "demo",
    cls=WithExamples,
    examples=[
        "highseason demo --out report/",
    ],
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("report"),
    show_default=True,
    help="The folder for the page.",
)
@count_option("--games", "How many games.", least=2, default=200, show_default=True)
@seed_option
@json_option
@debug_option
def command(out: Path, games: int, seed: int, as_json: bool) -> None:
    """Play every policy through a Christmas season.

    The page says what each earned and when it explored, with pictures, and stands alone: it opens
    without a network.
    """
    page = out / "index.html"
    check_file(page, "--out")
    require_matplotlib()
    casts = {_SHIPPED: _shipped(), _PAPER: _published()}
    everybody = {label: policy for cast in casts.values() for label, policy in cast.items()}
    G = christmas(turns=_TURNS)
    plans, told = _plans(everybody, G)
    with progress_bar("games") as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # told already
        result = simulate(
            everybody, bernoulli(arms=_ARMS), G, games, seed, curves=True, progress=progress
        )
    made_by = f"highseason demo --games {games} --seed {seed} --out {out}"
    labels = {title: list(cast) for title, cast in casts.items()}
    season_page(Season(G, plans, result, labels, told, made_by)).save(page)
    if as_json:
        print_json(result.to_dict() | {"page": page})
    else:
        click.echo(f"the page is {page}: open it in a browser")


def _shipped() -> dict[str, Policy]:
    """Every policy of ours with its own defaults; those of one family stand together."""
    made = [p() for p in registry().values() if p.__module__.startswith("highseason.")]
    made.sort(key=lambda p: (p.deliberate, p.decides_by.name, p.learns_scaled))
    return {policy.name: policy for policy in made}


def _published() -> dict[str, Policy]:
    """Every policy of the paper with its values; where these are the defaults, the same player."""
    found: dict[str, Policy] = {}
    for name, policy in _shipped().items():
        if "paper" in policy.profiles:
            published = policy.profile("paper")
            found[name if published == policy else f"{name} (paper)"] = published
    return found


def _plans(players: dict[str, Policy], G: Multiplier) -> tuple[dict[str, Plan], list[str]]:
    """The plans, and what they warn of: that belongs on the page rather than on the terminal."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        plans = {label: policy.plan(G, _ARMS) for label, policy in players.items()}
    return plans, list(dict.fromkeys(one_line(str(warning.message)) for warning in caught))
