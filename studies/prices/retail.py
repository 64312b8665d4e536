"""Ladders of real items, and the demand that their sales show, as made worlds.

Prices were not randomised: big customers paid less.  So these are no answers about those items,
but ladders with uneven steps and demand that follows no formula.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

import highseason as hs
from highseason.rewards import Rewards

FILE = "online_retail_2010_2011_lines.csv.gz"
#: A price counts with this many order lines, an item with this many such prices.
_LINES, _PRICES = 60, 3
#: Of visitors buy at the prices of an item on average; its cost, as a share of its lowest price.
_LEVEL, _COST = 0.03, 0.4


def items(data: Path | None) -> Iterator[tuple[str, Rewards]]:
    """The items by code: what they were sold at, and how many lines a day they sold at it."""
    if data is None or not (data / FILE).is_file():
        return
    lines = pd.read_csv(
        data / FILE, usecols=["stock_code", "quantity", "invoice_time", "unit_price"]
    )
    lines = lines[(lines.quantity > 0) & (lines.unit_price > 0)]
    lines["day"] = lines.invoice_time.str[:10]
    sold = lines.groupby(["stock_code", "unit_price"]).agg(
        n=("day", "size"), days=("day", "nunique")
    )
    sold = sold[sold.n >= _LINES].reset_index()
    for code, rows in sold.groupby("stock_code"):
        if len(rows) < _PRICES:
            continue
        daily = rows.n / rows.days
        prices = rows.unit_price.tolist()
        rates = (_LEVEL * daily / daily.mean()).clip(upper=1.0).tolist()
        cost = round(_COST * min(prices), 2)
        yield str(code), hs.rewards.prices(prices, rates=rates, cost=cost)
