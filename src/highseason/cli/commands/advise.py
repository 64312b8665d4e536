"""`highseason advise`: which policy suits your traffic, and whether regulating pays."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

import highseason as hs
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import check_figure, check_file, emit, progress_bar, usage_error


@with_examples(
    "advise",
    "highseason advise traffic.csv --arms 4 --rates 2%..4%",
    "highseason advise traffic.csv --arm 9.99 --arm 10.99 --worth 35 --currency €",
    "highseason advise -m traffic.csv --rates 2%..4% --rho 0.01 --out advice.html",
    "highseason advise -m wave --turns 300 --arms 5 --gap 0.1 --games 200 --json",
)
@options.stakes
@options.named_arms
@options.rates
@options.rho
@options.path("--history", "A table of past turns: rates and rho are fitted to it (see noise).")
@options.number("--gap", "Gap between the best arm and the second best, if known.")
@options.option(
    "--rewards -r NAME[:KEY=VALUE,…]",
    "What a turn pays: visitors, spend:…, or bernoulli (the paper's world: a turn is one draw).  "
    "[default: visitors for a file, bernoulli for a shape]",
)
@options.also
@options.imports
@options.count("--games", "Games to judge by.  [default: 1000, fewer in long seasons]", least=2)
@options.seed
@options.workers
@options.flag("--bounds", "Also compute safe bounds.")
@options.number("--worth", "What an order is worth: gains are also shown in money.")
@options.option("--currency TEXT", "The currency of --worth.", default="")
@options.flag("--details", "Also show how the answer depends on rho, and Python that starts.")
@options.path("--out", "Write a page (.html), or draw the advice (.png, .svg, .pdf).")
@options.size
def command(
    G: hs.traffic.Multiplier,
    labels: list[str],
    rates: str | None,
    rho: float | None,
    rewards: str | None,
    history: Path | None,
    worth: float | None,
    currency: str,
    details: bool,
    out: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Recommend a policy for your traffic.

    FILE holds the visitors of the past, a date and a number a row; the next two months are planned,
    and the answer ends with what to do on the coming days.
    The parameters of every policy are searched on this very traffic, and fresh games judge the
    best of each.  The answer says what it assumes, and what would change it.
    """
    is_page = out is not None and out.suffix.lower() == ".html"
    if out is not None and is_page:
        check_file(out, "--out")
    else:
        check_figure(out, or_else=", or .html for a page")
    from highseason.cli.next_steps import next_steps, shown_steps
    from highseason.report.page import save
    from highseason.rewards.text import parse_range

    given, arms = click.get_current_context().params, len(labels)
    settings |= {"rates": rates and parse_range("--rates", rates), "rho": rho}
    if history is not None:
        if (rates, rho, rewards) != (None, None, None):
            raise usage_error("--history stands for --rates, --rho and --rewards: leave those out")
        how = {key: given[key] for key in ("zone", "dates", "decimal")}
        try:
            rewards = hs.logs.fit_noise(history, **how).rewards
        except ValueError as reason:  # the columns have no options here
            raise usage_error(re.sub("; name one, .*", "; rename one", str(reason))) from reason
        given |= dict.fromkeys(how) if G.is_shape else {}  # they read no traffic
    settings["rewards"] = hs.rewards.parse(rewards, arms) if rewards and ":" in rewards else rewards
    with progress_bar("worlds") as progress:
        advice = hs.advise(G, arms, progress=progress, **settings)
    traffic = {key: given[key] for key in options.TRAFFIC_KEYS.split() if given[key] is not None}
    steps = next_steps(advice, given["arm"], traffic)
    if out is not None and is_page:
        save(advice.page(steps), out)
    elif out is not None:
        hs.report.advice(advice).save(out)

    def show() -> None:
        shown = shown_steps(advice, given["arm"], steps, details)
        text = advice.text(labels, worth=worth, currency=currency, details=details, steps=shown)
        click.echo(text + ("" if out is None else "\n"))

    emit(as_json, lambda: {**advice.to_dict(labels), "next": steps}, show, [out])
