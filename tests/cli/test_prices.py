"""Prices on the command line: what is listed, what it costs, and what is said in money."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import highseason as hs
from highseason.cli import options

Call = Callable[..., Any]
TWO = ("--price", "9,99", "--price", "10.99")


def document(call: Call, *words: str) -> Any:
    answer = call(*words, "--json")
    assert answer.code == 0, answer.stderr
    return json.loads(answer.stdout)


def test_prices_are_listed_or_a_ladder(call: Call, traffic: Path) -> None:
    words = ("simulate", str(traffic), "--ahead", "7", "-p", "greedy", "--games", "4")
    listed = document(call, *words, *TWO, "--cost", "4,20", "--tax", "19%")
    ladder = document(call, *words, "--prices", "9.99..10,99/2", "--cost", "4.20", "--tax", "0.19")
    assert listed == ladder
    assert listed["rewards"] == "prices:demand=any,cost=4.2,tax=0.19"
    own = hs.rewards.prices([9.99, 10.99], cost=4.2, tax=0.19)
    G = hs.forecast(hs.traffic.read(traffic), 7).multiplier()
    played = hs.simulate("greedy", own, G, games=4)
    assert listed["policies"][0]["reward_mean"] == played.mean("reward", 0)


def test_each_price_may_have_a_cost_of_its_own() -> None:
    asked = options.parse_prices([8.99, 9.99], None, [4.0, 5.0], 0.19)
    assert asked == ([8.99, 9.99], [4.0, 5.0], 0.19)
    assert options.parse_prices([8.99], None, [], None) == ([8.99], 0.0, 0.0)


@pytest.mark.parametrize(
    "command", ["simulate {} -p greedy", "tune ucb {} --trials 2 --search spread"]
)
def test_demand_and_level_are_those_of_the_options(command: str, call: Call, traffic: Path) -> None:
    words = [*command.format(traffic).split(), "--ahead", "7", "--games", "4", "--rates", "2%..4%"]
    demand = "prices:demand=linear:best=10..11"
    found = document(call, *words, *TWO, "--rho", "0.01", "--rewards", demand)
    name = found.get("rewards") or found["reported"]["rewards"]
    assert name == f"{demand},level=2%..4%,rho=0.01"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("plan --price 9.99", "expected two prices at least, got 9.99"),
        ("plan --price 9.99 --price 9,99", "the price 9.99 is there twice"),
        ("plan --price 9.99 --arm a", "--arm and --price both say what there is to choose"),
        ("plan --prices 8..9/2 --arms 3", "--arms and --prices both say what there is to choose"),
        ("plan --price 9 --prices 8..9/2", "--price and --prices both list prices"),
        ("plan --prices 8..9", "'8..9' does not say how many prices"),
        ("plan --prices x..9/3", "expected a number, such as 1234.5, got 'x'"),
        ("plan --price 1.398 --price 2", "'1.398' could be 1398 or 1.398"),
        ("plan --price cheap --price 2", "expected a number above 0, got 'cheap'"),
        ("plan -p ucb --cost 4", "--cost is for prices: list them"),
        ("simulate -p ucb --tax 19%", "--tax is for prices: list them"),
        ("plan --price 3 --price 4 --cost 3", "the price 3 is not above its cost of 3"),
        ("plan --price 3 --price 4 --cost 1 --cost 1 --cost 1", "2 prices, but 3 costs"),
        ("plan --price 3 --price 4 --tax 119%", "expected a share below 1, such as 19%"),
        ("plan --price 3 --price 4 --cost -1", "expected a cost of 0 or more"),
        ("simulate -p ucb --price 3 --price 4 --arms 2", "leave --arms out"),
        ("simulate -p ucb --price 3 --price 4 --means 0.1,0.2", "leave --means out"),
        ("simulate -p ucb --price 3 --price 4 -r visitors", "leave --rewards out"),
        ("simulate -p ucb --price 3 --price 4 --rates 4%..2%", "--rates '4%..2%' must be two"),
        ("advise --price 3 --price 4 --worth 3", "--worth: prices say what an order is worth"),
        ("advise --price 3 --price 4 --gap 0.1", "--gap: prices lie on a demand curve"),
    ],
)
def test_an_error_names_what_is_wrong(words: str, said: str, call: Call) -> None:
    command, *rest = words.split()
    answer = call(command, "-m", "wave", "--turns", "9", *rest)
    assert (answer.code, answer.stdout) == (2, "")
    assert said in answer.line


def test_arms_that_look_like_prices_are_noted_once(call: Call) -> None:
    words = ("plan", "-m", "wave", "--turns", "9", "-p", "ucb")
    (note,) = call(*words, "--arm", "9,99", "--arm", "10.99=premium").stderr.splitlines()
    assert "these arms look like prices. With --price 9.99 --price 10.99" in note
    assert call(*words, "--arm", "9,99", "--arm", "red").stderr == ""
    assert call(*words, *TWO).stderr == ""


def test_prices_are_planned_with_the_policy_that_knows_them(
    call: Call, traffic: Path, on: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("highseason.advice.days.GAMES", 2)
    on("2026-02-26")
    assert document(call, "plan", str(traffic), *TWO)["policy"] == "price-curve"
    shown = call("plan", str(traffic), *TWO, "--cost", "4.20").stdout
    assert "expected: try 9.99" in shown or "expected: try 10.99" in shown
    assert "Which price is best is learned on the" in shown
    assert document(call, "plan", str(traffic), *TWO, "-p", "ucb")["policy"] == "ucb"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("quick_advice")
def test_advice_on_prices_is_in_money_and_goes_on(
    call: Call, traffic: Path, on: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("highseason.advice.days.GAMES", 1)
    on("2026-02-26")
    few = ("--ahead", "30", "--games", "20", "--also", "kl-ucb")
    words = ("advise", str(traffic), *few, *TWO, "--cost", "4.2", "--unit", "€", "--details")
    shown = " ".join(call(*words).stdout.split())
    assert "of what the best price would" in shown
    assert "nobody knows how demand falls with the price" in shown
    assert "1% to 5% of the visitors buy at 10.49" in shown
    assert re.search(
        r"about \d+ € (more|less) than the best single price to choose beforehand", shown
    )
    assert "less than with the best price known from the start" in shown
    found = document(call, *words)
    assert {"greedy", "price-curve", "option-index", "kl-ucb"} <= {
        one["name"] for one in found["compared"]
    }
    plan, serve, python = found["next"]
    assert " ".join(serve.replace("\\", "").split()).endswith(
        "--price 9.99 --price 10.99 --cost 4.2 --unit '€'"
    )
    assert call(*shlex.split(plan.replace("\\\n", " "))[1:]).code == 0
    names: dict[str, Any] = {}
    exec(python, names)
    assert names["shop"].offers[9.99].cost == 4.2
    assert sum(row.purchases for row in names["shop"].demand()) == 20


@pytest.mark.usefixtures("quick_advice")
def test_a_history_gives_the_level_and_how_alike_visitors_are(
    call: Call, traffic: Path, history: Path
) -> None:
    words = ("advise", "-m", str(traffic), "--turns", "20", "--games", "10", *TWO)
    found = document(call, *words, "--history", str(history / "sales.csv"))
    fitted = hs.rewards.parse(hs.logs.fit_noise(history / "sales.csv").rewards)
    assert found["rho"] == fitted.kind.rho > 0
    low, high = (f"{100 * end:g}%" for end in fitted.between)
    assert f"{low} to {high} of the visitors buy" in found["assumption"]


@pytest.mark.usefixtures("quick_advice")
def test_demand_of_a_known_kind_is_played_as_it_is(call: Call, traffic: Path) -> None:
    words = ("advise", "-m", str(traffic), "--turns", "20", "--games", "10", *TWO)
    found = document(call, *words, "-r", "prices:demand=linear", "--rates", "2%..3%")
    assert found["rewards"].startswith("prices:demand=linear,level=2%..3%")
    assert found["beforehand"]["price"] in (9.99, 10.99)
