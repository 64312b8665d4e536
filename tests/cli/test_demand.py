"""`highseason demand`: from a file of sales to a table, a picture and the best price."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import highseason as hs

Call = Callable[..., Any]
DAYS = [
    (day, 9.99 if day % 3 else 11.99, 20 - (day % 3 == 0) * 6, 500 + day) for day in range(1, 29)
]


def write(rows: list[str]) -> str:
    Path("sales.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return "sales.csv"


def english(days: list[Any] = DAYS) -> str:
    rows = (f"2026-02-{d:02},{x},{bought},{came}" for d, x, bought, came in days)
    return write(["date,price,purchases,visitors", *rows])


def german() -> str:
    rows = (f"{d:02}.02.2026;{x} €;{bought};{came}" for d, x, bought, came in DAYS)
    return write(
        ["Datum;Preis;Bestellungen;Besucher", *(row.replace(".99", ",99") for row in rows)]
    )


def takings() -> str:
    rows = (f"2026-02-{d:02},{x},{bought * x:.2f},{came}" for d, x, bought, came in DAYS)
    return write(["day,unit_price,revenue,sessions", *rows])


def several_a_day() -> str:
    rows = []
    for d, x, bought, came in DAYS:
        rows.append(f"2026-02-{d:02} 09:00,{x},{bought - 5},{came - 100}")
        rows.append(f"2026-02-{d:02} 17:00,{x},5,100")
    return write(["time,price,orders,visitors", *rows])


@pytest.mark.usefixtures("call")
@pytest.mark.parametrize("written", [english, german, takings, several_a_day])
def test_the_same_sales_give_the_same_table_however_they_are_written(
    written: Callable[[], str], call: Call
) -> None:
    found = json.loads(call("demand", written(), "--cost", "4,20", "--json").stdout)
    past = {"price": [x for _, x, _, _ in DAYS], "purchases": [b for _, _, b, _ in DAYS],
            "visitors": [c for _, _, _, c in DAYS], "t": [d for d, _, _, _ in DAYS]}  # fmt: skip
    rows = hs.Bandit(prices=[9.99, 11.99], cost=4.2).fit(past).demand()
    assert found["prices"] == [row._asdict() for row in rows]
    assert found["days"] == 28
    assert found["verdict"] == rows.verdict().partition(": ")[2]


def test_the_answer_is_the_best_price_with_how_sure(call: Call) -> None:
    shown = call("demand", english(), "--cost", "4.20", "--unit", "€").stdout
    assert shown.splitlines()[0].endswith("%.")
    assert "what a visitor brings in €, after cost and tax" in shown
    assert "settles the level" not in shown


def test_most_days_at_one_price_settle_the_level_only(call: Call) -> None:
    days = [(d, 9.99 if d < 25 else 11.99, b, c) for d, _, b, c in DAYS]
    shown = " ".join(call("demand", english(days)).stdout.split())
    assert "Most days had one price, 9.99 on 86% of them: this settles the level" in shown
    assert json.loads(call("demand", english(days), "--json").stdout)["most_days_at_one_price"]


def test_a_single_price_asks_for_others(call: Call) -> None:
    sales = english([(d, 9.99, b, c) for d, _, b, c in DAYS])
    answer = call("demand", sales)
    assert answer.code == 2
    assert "Every day had one price, 9.99: this settles the level of demand" in answer.line
    found = json.loads(call("demand", sales, "--price", "10,99", "--json").stdout)
    tried, other = found["prices"]
    assert (other["price"], other["visitors"]) == (10.99, 0)
    assert other["buys_high"] / other["buys_low"] > 2 * tried["buys_high"] / tried["buys_low"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["date,visitors", "2026-02-01,5"], "no column for the price: the columns are date, visi"),
        (["date,price,visitors", "2026-02-01,5,9"], "for the purchases or the takings: the col"),
        (["date,price,orders", "2026-02-01,5,9"], "no column for the visitors"),
        (
            ["date,price,orders,visitors", "2026-02-01,5,9,8"],
            "9 purchases from 8 visitors. Are these pie",
        ),
        (["date,price,orders,visitors", "2026-02-01,0,1,8"], "expected a price above 0, got '0'"),
        (["date,price,takings,visitors", "2026-02-01,9.99,20,8"], "20.00 is no whole number of sa"),
    ],
)
def test_what_cannot_be_read_is_named(rows: list[str], said: str, call: Call) -> None:
    answer = call("demand", write(rows))
    assert answer.code == 2
    assert said in answer.line


def test_the_picture_and_the_page_are_written(call: Call) -> None:
    assert "wrote new/demand.svg" in call("demand", english(), "--out", "new/demand.svg").stdout
    assert Path("new/demand.svg").read_bytes().startswith(b"<?xml")
    found = json.loads(call("demand", english(), "--out", "demand.html", "--json").stdout)
    page = Path("demand.html").read_text(encoding="utf-8")
    assert found["verdict"] in page
    assert "data:image/svg+xml" in page
    answer = call("demand", english(), "--out", "sales.csv")
    assert answer.code == 2
