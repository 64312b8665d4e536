"""`highseason demand`: what past sales say of each price."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import highseason as hs
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import check_figure, check_file, emit, print_wrapped, usage_error
from highseason.core.text import exact, percent

#: From this share of the days at one price on, most had that one.
_MOST = 0.8
_LEGEND = (
    "buys: of the visitors; earns: what a visitor brings{}, after cost and tax; each with its 90% "
    "band.  best: the chance that the price earns most.  What changed together with a price, such "
    "as the season, counts as its doing."
)


@with_examples(
    "demand",
    "highseason demand sales.csv --cost 4.20 --unit €",
    "highseason demand sales.csv --price 11.99 --price 12.99 --cost 4.20 --tax 19%",
    "highseason demand sales.xlsx --cost 4.20 --out demand.png --json",
)
@click.argument("sales", metavar="SALES", type=click.Path(path_type=Path))
@options.more_prices
@options.option("--unit TEXT", "What money is called, such as €.", default="")
@options.zone
@options.dates
@options.decimal
@options.path("--out", "Draw demand and profit (.png, .svg, .pdf), or write a page (.html).")
@options.size
def command(
    sales: Path,
    asked: options.Asked,
    unit: str,
    out: Path | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Show what past sales say of each price.

    SALES is a table with a date, a price, its visitors, and how many of them bought (or the takings
    of that) a row, as CSV, Excel or Parquet.  One price tells of the others, also of those that you
    add with --price and never asked.
    """
    is_page = out is not None and out.suffix.lower() == ".html"
    if out is not None and is_page:
        check_file(out, "--out", [sales])
    else:
        check_figure(out, or_else=", or .html for a page", inputs=[sales])
    past = hs.logs.read_sales(sales, **how)
    prices = sorted({*past["price"], *asked.prices})
    days = past.groupby("price")["t"].nunique().to_dict()
    usual, most = max(days.items(), key=lambda one: one[1])
    share = float(most / past["t"].nunique())
    had = f"Most days had one price, {exact(usual)} on {percent(share)} of them"
    had = had if share < 1.0 else f"Every day had one price, {exact(usual)}"
    one = f"{had}: this settles the level of demand, not its slope."
    if len(prices) < 2:
        raise usage_error(
            f"{sales}: {one} List the prices that you would ask, too, such as --price 10.99"
        )
    rows = hs.Bandit(**asked._replace(prices=prices)._asdict()).fit(past).demand()
    verdict = rows.verdict().partition(": ")[2]
    notes = [one] if share >= _MOST else []
    legend = _LEGEND.format(f" in {unit}" if unit else "")
    if out is not None and is_page:
        from highseason.report.page import render, save

        figure = hs.report.demand(rows, unit).picture()
        page = render("demand.html.j2", title=verdict, notes=[*notes, legend], figure=figure,
                      table=rows.table())  # fmt: skip
        save(page, out)
    elif out is not None:
        hs.report.demand(rows, unit).save(out)

    def show() -> None:
        print_wrapped(verdict)
        for note in notes:
            print_wrapped(note)
        click.echo(f"\n{rows}")
        print_wrapped(legend)

    document = {
        "verdict": verdict,
        "days": int(past["t"].nunique()),
        "most_days_at_one_price": share >= _MOST,
        "unit": unit,
        "prices": [row._asdict() for row in rows],
    }
    emit(as_json, lambda: document, show, [out])
