"""`highseason advise`: which policy suits your traffic, and whether regulating pays."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    "highseason advise traffic.csv --price 9.99 --price 10.99 --cost 4.20 --unit €",
    "highseason advise traffic.csv --arm red --arm blue --worth 35 --unit €",
    "highseason advise -m traffic.csv --rates 2%..4% --rho 0.01 --out advice.html",
    "highseason advise -m wave --turns 300 --arms 5 --gap 0.1 --games 200 --json",
)
@options.stakes
@options.choice_of_arms
@options.rates
@options.rho
@options.path("--history", "A table of past turns: rates and rho are fitted to it (see noise).")
@options.number("--gap", "Gap between the best arm and the second best, if known.")
@options.option(
    "--rewards -r NAME[:KEY=VALUE,…]",
    "What a turn pays: visitors, spend:…, prices:demand=… (if its kind is known), or bernoulli "
    "(the paper's world: a turn is one draw).  "
    "[default: visitors for a file, bernoulli for a shape]",
)
@options.also
@options.imports
@options.count("--games", "Games to judge by.  [default: 1000, fewer in long seasons]", least=2)
@options.seed
@options.workers
@options.flag("--bounds", "Also compute safe bounds.")
@options.number("--worth", "What an order is worth: gains are also shown in money.")
@options.unit
@options.flag("--details", "Also show how the answer depends on rho, and Python that starts.")
@options.path("--out", "Write a page (.html), or draw the advice (.png, .svg, .pdf).")
@options.size
def command(
    G: hs.traffic.Multiplier,
    arms: options.Arms,
    rates: str | None,
    rho: float | None,
    rewards: str | None,
    history: Path | None,
    worth: float | None,
    unit: str | None,
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

    Prices are played on demand curves that nobody knows, and the answer is in money: --cost says
    what a sold piece costs, --rates how many buy at the middle price, --unit what money is called.
    """
    is_page = out is not None and out.suffix.lower() == ".html"
    if out is not None and is_page:
        check_file(out, "--out")
    else:
        check_figure(out, or_else=", or .html for a page")
    from highseason.cli.next_steps import next_steps, shown_steps
    from highseason.report.page import save
    from highseason.rewards.text import parse_range

    given, labels, offers = click.get_current_context().params, arms.labels, arms.offers
    settings |= {"rates": rates and parse_range("--rates", rates), "rho": rho}
    if offers and worth is not None:
        raise usage_error("--worth: prices say what an order is worth, leave it out")
    if offers and settings["gap"] is not None:
        raise usage_error("--gap: prices lie on a demand curve, leave it out")
    if history is not None:
        if (rates, rho, rewards) != (None, None, None):
            raise usage_error("--history stands for --rates, --rho and --rewards: leave those out")
        how = {key: given[key] for key in ("zone", "dates", "decimal")}
        try:
            rewards = hs.logs.fit_noise(history, **how).rewards
        except ValueError as reason:  # the columns have no options here
            raise usage_error(re.sub("; name one, .*", "; rename one", str(reason))) from reason
        given |= dict.fromkeys(how) if G.is_shape else {}  # they read no traffic
    settings |= {"arms": len(labels), "rewards": rewards}
    if offers:
        settings |= _for_prices(offers, None if history is None else rewards, G)
    elif rewards and ":" in rewards:
        settings["rewards"] = hs.rewards.parse(rewards, len(labels))
    with progress_bar("worlds") as progress:
        advice = hs.advise(G, progress=progress, **settings)
    traffic = {key: given[key] for key in options.TRAFFIC_KEYS.split() if given[key] is not None}
    steps = next_steps(advice, given["arm"], traffic, unit)
    if out is not None and is_page:
        save(advice.page(steps), out)
    elif out is not None:
        hs.report.advice(advice).save(out)

    def show() -> None:
        shown = shown_steps(advice, given["arm"], steps, details)
        text = advice.text(labels, worth=worth, unit=unit, details=details, steps=shown)
        click.echo(text + ("" if out is None else "\n"))

    emit(as_json, lambda: {**advice.to_dict(labels), "next": steps}, show, [out])


def _for_prices(
    offers: Sequence[hs.rewards.Offer], history: str | None, G: hs.traffic.Multiplier
) -> dict[str, Any]:
    """What `hs.advise` takes for prices: unknown demand, or that of the world that was given.

    `history` is the world that fits a history, if there is one.
    """
    from highseason.advice.days import price_arguments

    given = click.get_current_context().params
    if given["rewards"] is not None:
        keys = "rewards arms rates rho price prices cost tax".split()
        model = options.parse_rewards(means=None, G=G, **{key: given[key] for key in keys})
        return {"arms": None, "rewards": model, "rates": None, "rho": None}
    settings = {"arms": None, "rewards": None, **price_arguments(offers)}
    if history is None:
        return settings
    fitted: Any = hs.rewards.parse(history, len(offers))
    if fitted.bounds != (0.0, 1.0):
        raise usage_error("--history: prices need purchases and visitors, not sums of money")
    return settings | {"rates": fitted.between, "rho": fitted.kind.rho}
