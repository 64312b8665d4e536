"""`highseason advise`: which policy suits your traffic, and whether regulating pays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import highseason as hs
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import check_figure, check_file, emit, progress_bar, usage_error

if TYPE_CHECKING:
    from highseason.advice import Advice
    from highseason.traffic import Multiplier

_PAGE = ".html"


@with_examples(
    "advise",
    "highseason advise --multiplier traffic.csv --arms 4 --rates 2%..4%",
    "highseason advise -m traffic.csv --rates 2%..4% --rho 0.01 --out advice.html",
    "highseason advise -m wave --turns 300 --arms 5 --gap 0.1 --games 200 --json",
)
@options.stakes
@options.count("--arms", "Number of arms.", least=2, default=options.DEFAULT_ARMS)
@options.rates
@options.rho
@options.path("--history", "A table of past turns: rates and rho are fitted to it (see noise).")
@options.number("--gap", "Gap between the best arm and the second best, if known.")
@options.option(
    "--rewards -r NAME[:KEY=VALUE,…]",
    "What a turn pays: visitors, spend:…, or bernoulli (the paper's world: a turn is one draw).  "
    "[default: visitors for a file, bernoulli for a shape]",
)
@options.count("--games", "Games to judge by.  [default: 1000, fewer in long seasons]", least=2)
@options.seed
@options.workers
@options.flag("--bounds", "Also compute safe bounds.")
@options.path("--out", "Write a page (.html), or draw the advice (.png, .svg, .pdf).")
@options.size
def command(
    G: Multiplier,
    arms: int,
    rates: str | None,
    rho: float | None,
    rewards: str | None,
    history: Path | None,
    out: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Recommend a policy for your traffic.

    The parameters of every policy are searched on this very traffic, and fresh games judge the
    best of each.  The answer says what it assumes, and what would change it.
    """
    if out is not None and out.suffix.lower() == _PAGE:
        check_file(out, "--out")
    else:
        check_figure(out, or_else=", or .html for a page")
    from highseason.rewards.text import parse_range

    given = click.get_current_context().params
    settings["rates"] = None if rates is None else parse_range("--rates", rates)
    settings["rho"] = rho
    if history is not None:
        if (rates, rho, rewards) != (None, None, None):
            raise usage_error("--history stands for --rates, --rho and --rewards: leave those out")
        how = {key: given[key] for key in ("zone", "dates", "decimal")}
        rewards = hs.logs.fit_noise(history, **how).rewards
    settings["rewards"] = hs.rewards.parse(rewards, arms) if rewards and ":" in rewards else rewards
    with progress_bar("worlds") as progress:
        advice = hs.advise(G, arms, progress=progress, **settings)
    traffic = {key: given[key] for key in options.TRAFFIC_KEYS.split() if given[key] is not None}
    files = [] if out is None else [_write(advice, out, traffic)]
    text = advice.text(**traffic) + ("\n" if files else "")
    emit(as_json, lambda: advice.to_dict(**traffic), lambda: click.echo(text), files)


def _write(advice: Advice, out: Path, traffic: dict[str, Any]) -> Path:
    if out.suffix.lower() != _PAGE:
        return advice.figure().save(out)
    from highseason.report.page import save

    return save(advice.page(**traffic), out)
