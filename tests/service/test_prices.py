"""An experiment whose arms are prices: purchases come in, money follows, at every door."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.service.conftest import MOMENT, Run, Server, settings
from tests.service.test_dashboard import form_token, post
from tests.service.test_new_experiments import plan, traffic

import highseason as hs
from highseason.bandit import PRICE_POLICY
from highseason.core import format_number
from highseason_service import Service, export, forms
from highseason_service.audit import audit
from highseason_service.client import Client
from highseason_service.errors import ClashError, InvalidError
from highseason_service.model import Arm, ExperimentBody, Outcome, Settings, money, prices_of

Open = Callable[[], Service]


def priced(experiment: str = "tea", cost: float = 4.0, **changes: Any) -> Settings:
    """The settings of an experiment with prices."""
    arms = prices_of([8.99, 9.99, 10.99], cost)
    plain = {"policy": PRICE_POLICY, "reward_range": None, "arms": arms, "unit": "€"}
    return settings(experiment, **plain | changes)


def played(service: Service, experiment: str = "tea", turns: int = 6) -> None:
    """Play the first turns; more buy where it is cheaper."""
    for turn in range(1, turns + 1):
        arm = service.decide(experiment, turn).arm
        bought = {"8.99": 6.0, "9.99": 5.0}.get(arm, 3.0) + turn % 2
        service.update_many(experiment, [Outcome(turn, visitors=100.0, purchases=bought)])


# ---- what is kept, and what follows ------------------------------------------------------------


def test_money_follows_from_purchases(opened: Open) -> None:
    service = opened()
    service.create(priced())
    played(service)
    first = service.decision("tea", 1)
    assert first.purchases is not None
    assert first.reward == first.purchases * hs.rewards.Offer(float(first.arm), 4.0).margin
    assert first == service.decide("tea", 1) == service.decisions("tea")[-1]
    again = opened()
    assert again.state("tea") == service.state("tea")
    assert again.decisions("tea") == service.decisions("tea")
    (report,) = audit(service.database)
    assert (report.decisions, report.problems) == (6, ())


def test_takings_are_purchases_at_the_price(opened: Open) -> None:
    service = opened()
    service.create(priced())
    arm = service.decide("tea", 1).arm
    service.update_many("tea", [Outcome(1, visitors=90.0, takings=round(7 * float(arm), 2))])
    assert service.decision("tea", 1).purchases == 7.0
    same = [Outcome(1, visitors=90.0, purchases=7.0)]
    assert service.update_many("tea", same)["known_already"] == 1
    with pytest.raises(ClashError, match="already has purchases=7"):
        service.update_many("tea", [Outcome(1, visitors=90.0, purchases=8.0)])


@pytest.mark.parametrize("visitors", [100.0, 500.0])
def test_a_correction_holds_from_the_beginning(opened: Open, visitors: float) -> None:
    """One of the visitors builds the bandit again, and takings may be what was wrong."""
    service = opened()
    service.create(priced())
    played(service)
    takings = round(11 * float(service.decision("tea", 2).arm), 2)
    was = service.decision("tea", 2).purchases
    answer = service.correct("tea", Outcome(2, visitors=visitors, takings=takings))
    assert answer["before"] == {"purchases": was, "visitors": 100.0}
    assert (answer["purchases"], answer["visitors"]) == (11.0, visitors)
    assert service.decision("tea", 2).purchases == 11.0
    assert opened().state("tea") == service.state("tea")
    assert audit(service.database)[0].problems == ()


def told(live: Service, **changes: Any) -> list[tuple[Any, ...]]:
    """What an experiment makes of its prices."""
    return [(arm.id, arm.cost, arm.estimate, arm.demand) for arm in live.state("tea").arms]


def test_a_purchase_is_worth_what_was_said_last(opened: Open) -> None:
    """One entry; everything is as if that had been said at first, and so after a reload."""
    service, reference = opened(), opened()
    service.create(priced())
    played(service)
    before, known = service.state("tea").events, service.decisions("tea")
    service.change_worth("tea", cost=5.5, tax=0.05)
    assert service.state("tea").events == before + 1
    service.change_worth("tea", cost=5.5)  # nothing new
    assert service.state("tea").events == before + 1
    (event,) = service.events("tea", after=before)
    assert (event["kind"], event["event"]["event"]) == ("worth_changed", "WorthChanged")
    records = service.decisions("tea")
    assert [one.purchases for one in records] == [one.purchases for one in known]
    for one in records:
        assert one.reward == one.purchases * (float(one.arm) / 1.05 - 5.5)
    for other in (reference, opened()):
        assert told(other) == told(service)
        assert other.decisions("tea") == records
    service.decide("tea", 7)
    assert audit(service.database)[0].problems == ()
    table = list(csv.DictReader(io.StringIO(export.as_csv(service, "tea"))))
    assert [float(row["total"]) for row in table] == [one.reward for one in records[::-1]]


def test_a_price_that_waits_has_its_cost_changed_too(opened: Open) -> None:
    service = opened()
    service.create(priced())
    played(service, turns=3)
    service.add_arm("tea", Arm.priced(11.99))
    assert service.state("tea").arms[-1].cost == 4.0  # that of the others
    before = service.state("tea").events
    service.change_worth("tea", cost={"11.99": 6.0})
    assert service.state("tea").events == before + 1
    for turn in range(4, 30):
        if service.decide("tea", turn).arm == "11.99":
            break
    assert service.look("tea", lambda live: live.bandit.offers)["11.99"].cost == 6.0
    assert audit(service.database)[0].problems == ()
    with pytest.raises(InvalidError, match="each price has a cost of its own"):
        service.add_arm("tea", Arm.priced(12.99))
    service.remove_arm("tea", "11.99")
    service.change_worth("tea", cost=4.5)
    assert service.add_arm("tea", Arm.priced(11.99))["cost"] == 4.5
    assert opened().state("tea") == service.state("tea")


def test_without_costs_takings_count(opened: Open) -> None:
    """None is 0, for prices that come later, too; and a cost may fall to 0."""
    service = opened()
    arms = Arm.priced(8.99), Arm.priced(9.99), replace(Arm.priced(10.99), start=3, when="now")
    service.create(priced(arms=arms))
    service.add_arm("tea", replace(Arm.priced(11.99), when="now"))
    played(service)
    assert {one.cost for one in service.look("tea", lambda live: live.bandit.offers).values()} == {
        0
    }
    known = service.state("tea")
    service.change_worth("tea", cost=2.0)
    assert service.state("tea").arms[0].cost == 2.0
    assert [a.demand for a in service.change_worth("tea", cost=0.0).arms] == [
        a.demand for a in known.arms
    ]
    assert audit(service.database)[0].problems == ()


def test_the_range_of_an_experiment_may_be_wrong(opened: Open) -> None:
    service = opened()
    service.create(settings(reward_range=(0.0, 1.0)))
    service.decide("shelf", 1)
    outside = [Outcome(1, 500.0, 100.0)]
    with pytest.raises(ClashError, match="experiment change-worth shelf --range"):
        service.update_many("shelf", outside)
    service.update_many("shelf", outside, confirm=True)
    [clipped] = [arm for arm in service.state("shelf").arms if arm.rewards]
    service.change_worth("shelf", reward_range=[0.0, 12.0])
    [arm] = [arm for arm in service.state("shelf").arms if arm.rewards]
    assert (clipped.estimate, arm.estimate) == (1.0, pytest.approx(5.0))
    assert service.state("shelf").reward_range == (0.0, 12.0)
    assert opened().state("shelf") == service.state("shelf")
    assert audit(service.database)[0].problems == ()


def test_the_export_has_purchases_and_profit(opened: Open, tmp_path: Path) -> None:
    service = opened()
    service.create(priced())
    played(service)
    rows = list(csv.DictReader(io.StringIO(export.as_csv(service, "tea"))))
    records = service.decisions("tea")[::-1]
    for row, one in zip(rows, records, strict=True):
        assert (row["arm"], float(row["purchases"])) == (one.arm, one.purchases)
        assert (float(row["visitors"]), float(row["total"])) == (100.0, one.reward)
        assert float(row["reward"]) == one.reward / 100.0
        assert float(row["propensity"]) == one.probability
    path = tmp_path / "tea.parquet"
    path.write_bytes(export.as_parquet(service, "tea"))
    assert len(hs.logs.read_events(path)) == len(records)
    service.create(settings())
    assert "purchases" not in export.columns(service, "shelf")


# ---- bad input, at every door ------------------------------------------------------------------

#: What is wrong with a report of prices, and what is said.
WRONG: list[tuple[dict[str, Any], int, str]] = [
    ({"reward": 50.0}, 422, "expected purchases, how many of the visitors bought, or takings"),
    ({"reward": 50.0, "purchases": 3.0}, 422, "a reward could be takings or profit"),
    ({"purchases": 3.0, "takings": 26.97}, 422, "one of the two"),
    ({}, 422, "expected purchases"),
    ({"purchases": 3.5}, 422, "a whole number of purchases, got 3.5: report money as takings"),
    ({"purchases": -1.0}, 422, "at least 0"),
    ({"takings": 12.0}, 409, "takings=12 is no whole number of sales at"),
    ({"purchases": 101.0}, 409, "101 purchases from 100 visitors. Are these pieces?"),
]


@pytest.mark.parametrize(("report", "status", "words"), WRONG)
def test_a_report_that_is_wrong_changes_nothing(
    live: Server, http: httpx.Client, report: dict[str, Any], status: int, words: str
) -> None:
    live.service.create(priced())
    live.service.decide("tea", 1)
    base, body = "/v1/experiments/tea", report | {"visitors": 100}
    for path, sent in (
        ("decisions/1/update", body),
        ("update", {"rewards": [body | {"turn": 1}]}),
        ("decisions/1/correct", body),
    ):
        answer = http.post(f"{base}/{path}", json=sent)
        assert (answer.status_code, words in answer.json()["detail"]) == (status, True), answer.text
    assert not live.service.decision("tea", 1).is_reported
    assert live.service.state("tea").events == 2


def test_purchases_are_not_of_other_arms(live: Server, http: httpx.Client) -> None:
    live.service.decide("shelf", 1)
    answer = http.post(
        "/v1/experiments/shelf/decisions/1/update", json={"purchases": 3, "visitors": 100}
    )
    assert answer.status_code == 422
    assert "expected its total reward; purchases are of prices" in answer.json()["detail"]
    answer = http.post("/v1/experiments/shelf/decisions/1/update", json={"visitors": 100})
    assert (answer.status_code, answer.json()["detail"]) == (
        422, "turn 1: expected its total reward"
    )  # fmt: skip


BODY = {"id": "x", "forecast": {"values": [100, 250, 60]}}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"prices": [9.99]}, "two prices at least"),
        ({"prices": [9.99, 9.99]}, "there twice"),
        ({"prices": [9.99, -1]}, "above 0|at least 0|prices"),
        ({"prices": [9.99, "10.99"]}, "expected a number, got '10.99'"),
        ({"prices": [9.99, 10.99], "cost": 9.99}, "9.99 is not above its cost of 9.99"),
        ({"prices": [9.99, 10.99], "cost": [1, 2, 3]}, "2 prices, but 3 costs"),
        ({"prices": [9.99, 10.99], "cost": 9, "tax": 0.19}, "without tax, is not above its cost"),
        ({"prices": [9.99, 10.99], "tax": 1}, "tax"),
        ({"prices": [9.99, 10.99], "reward_range": [0, 12]}, "follows from prices, cost and tax"),
        ({"prices": [9.99, 10.99], "arms": ["a"]}, "not both"),
        ({}, "expected arms, or prices where they are prices, got neither"),
        ({"arms": ["a", "b"], "cost": 4}, "cost: it belongs to prices"),
        ({"arms": [{"id": "a"}, {"price": 9.99}]}, "'9.99' is a price, and 'a' is none"),
        ({"arms": [{"id": "a", "price": 9.99}, {"price": 8.99}]}, "leave 'a' out"),
        ({"arms": [{"price": 8.99}, {"price": 9.99, "cost": 2}]}, "some prices have a cost"),
        (
            {"arms": [{"price": 8.99, "cost": 2}, {"price": 9.99, "cost": 12}]},
            "not above its cost of 12",
        ),
        ({"arms": [{"id": "a", "cost": 2}, {"id": "b"}]}, "cost and tax are of prices"),
        ({"arms": ["a", "b"], "policy": PRICE_POLICY}, "price"),
        ({"prices": [9.99, 10.99], "unit": "€" * 30}, "unit: expected at most 20 characters"),
    ],
)
def test_what_no_prices_are_is_refused(
    http: httpx.Client, body: dict[str, Any], words: str
) -> None:
    answer = http.post("/v1/experiments", json=BODY | body)
    assert answer.status_code == 422, answer.text
    assert any(one in answer.json()["detail"] for one in words.split("|")), answer.text
    assert "=" not in answer.json()["detail"]  # no words of Python


@pytest.mark.parametrize(
    ("experiment", "body", "words"),
    [
        ("tea", {}, "expected a cost or a tax"),
        ("tea", {"reward_range": [0, 5]}, "expected a cost or a tax"),
        ("tea", {"cost": {"7.99": 4}}, "there is no price '7.99'"),
        ("tea", {"cost": 8.99}, "8.99 is not above its cost"),
        ("tea", {"cost": -1}, "at least 0"),
        ("shelf", {"cost": 4}, "expected a range of rewards: cost and tax are of prices"),
        ("shelf", {}, "expected a range of rewards"),
        ("shelf", {"reward_range": [5, 5]}, "two rising numbers"),
    ],
)
def test_what_a_purchase_cannot_be_worth(
    live: Server, http: httpx.Client, experiment: str, body: dict[str, Any], words: str
) -> None:
    live.service.create(priced())
    answer = http.post(f"/v1/experiments/{experiment}/worth", json=body)
    assert answer.status_code in (409, 422), answer.text
    assert words in answer.json()["detail"]
    assert live.service.state(experiment).events == 1


# ---- HTTP, OpenFeature, the client -------------------------------------------------------------


def test_over_http_from_prices_to_an_export(http: httpx.Client) -> None:
    body = BODY | {"id": "tea", "prices": [8.99, 9.99, 1.749], "cost": 1.2, "unit": "€"}
    assert http.post("/v1/experiments", json=body).status_code == 201
    assert http.post("/v1/experiments", json=body).status_code == 201  # the same again
    base = "/v1/experiments/tea"
    state = http.get(base).json()
    assert state["policy"].startswith(PRICE_POLICY)
    assert [(arm["id"], arm["price"], arm["cost"]) for arm in state["arms"]] == [
        ("8.99", 8.99, 1.2), ("9.99", 9.99, 1.2), ("1.7490", 1.749, 1.2)
    ]  # fmt: skip
    arm = http.post(f"{base}/decide", json={"turn": 1}).json()["arm"]
    report = {"purchases": 3, "visitors": 100}
    assert http.post(f"{base}/decisions/1/update", json=report).json()["new"] == 1
    assert http.post(f"{base}/arms", json={"price": 2.5}).json()["id"] == "2.5"
    assert http.post(f"{base}/arms", json={"price": 1.1}).status_code == 422  # below its cost
    assert http.post(f"{base}/arms", json="banner").status_code == 422
    assert http.post(f"{base}/arms/2.5/remove").json()["removed"]
    changed = http.post(f"{base}/worth", json={"cost": 1.3, "tax": 0.1}).json()
    assert (changed["tax"], changed["unit"]) == (0.1, "€")
    record = http.get(f"{base}/decisions/1").json()
    price = next(one["price"] for one in state["arms"] if one["id"] == arm)
    assert record["reward"] == pytest.approx(3 * (price / 1.1 - 1.3))
    assert record["purchases"] == 3


def test_flags_have_the_price_as_a_number(live: Server, http: httpx.Client) -> None:
    live.service.create(priced())
    flag = http.post("/ofrep/v1/evaluate/flags/tea", json={}).json()
    assert flag["value"] == float(flag["variant"])
    with pytest.raises(InvalidError, match=r"clients get a text .* but a number"):
        live.service.add_arm("tea", Arm("12", price=12.0, value="a lot"))


def test_the_client_says_the_same(live: Server) -> None:
    with Client(live.url) as client:
        client.create(priced(tax=0.05))
        client.decide("tea", 1)
        client.update_many("tea", [Outcome(1, visitors=100.0, purchases=3.0)])
        client.correct("tea", Outcome(1, visitors=100.0, purchases=4.0))
        assert client.change_worth("tea", cost={"8.99": 4.5}) == live.service.state("tea")
        assert client.state("tea") == live.service.state("tea")
        assert client.decisions("tea") == live.service.decisions("tea")


# ---- the command line --------------------------------------------------------------------------


def days(folder: Path) -> str:
    rows = "".join(f"2026-11-{day:02},{200 + day}\n" for day in range(1, 31))
    (folder / "days.csv").write_text("date,visitors\n" + rows)
    return f"-m {folder}/days.csv"


def test_from_the_command_line(run: Run, live: Server, tmp_path: Path) -> None:
    code, text = run(
        f"create tea {days(tmp_path)} --price 8.99 --price 9,99 --cost 4,20 --unit € --tax 5%"
    )
    assert (code, "tea is running: 2 prices, 30 turns" in text) == (0, True), text
    made = live.service.state("tea")
    assert (made.unit, made.tax, [arm.cost for arm in made.arms]) == ("€", 0.05, [4.2, 4.2])
    price = run("decide tea --turn 1")[1].strip()
    assert run("update tea --turn 1 --purchases 12 --visitors 210")[1] == "turn 1: recorded\n"
    code, text = run("update tea --turn 1 --reward 100 --visitors 210")
    assert (code, "report" in text or "purchases" in text) == (2, True)
    assert (
        "it was 12 purchases from 210 visitors"
        in (run(f"correct tea --turn 1 --takings {round(11 * float(price), 2)} --visitors 210")[1])
    )
    assert run("add-arm tea --price 10.50")[0] == 0
    assert live.service.state("tea").arms[-1].id == "10.5"
    code, text = run("change-worth tea --cost 10,50=5 --cost 9.99=4.60 --tax 7%")
    assert (code, "changed, and learned again" in text) == (0, True), text
    state = live.service.state("tea")
    assert [arm.cost for arm in state.arms] == [4.2, 4.6, 5.0]
    shown = run("show tea")[1]
    assert [shown.index(one) for one in ("8.99 €", "9.99 €", "10.50 €")] == sorted(
        shown.index(one) for one in ("8.99 €", "9.99 €", "10.50 €")
    )
    assert f"11 of {210}" in shown
    assert "earns" in shown
    assert json.loads(run("show tea --json")[1])["arms"][0]["price"] == 8.99
    assert run("remove-arm tea --price 10.5")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "add --price 9.99 --price 10.99"),
        ("--price 9.99", "two prices at least"),
        ("--price 9.99 --price 10.99 --arm a", "leave one out"),
        ("--price 9.99 --price 10.99 --cost 9.99", "not above its cost of 9.99"),
        ("--price 9.99 --price 10.99 --range 0..12", "the range follows from prices"),
        ("--arm a --arm b --cost 3", "--cost is for prices"),
        ("--price x --price 9", "a number above 0, got 'x'"),
        ("--price 9.99 --price 10.99 --tax 119%", "a share below 1"),
    ],
)
def test_what_cannot_be_created(run: Run, tmp_path: Path, words: str, said: str) -> None:
    code, text = run(f"create tea {days(tmp_path)} {words}")
    assert (code, said in " ".join(text.split())) == (2, True), text


def test_arms_that_look_like_prices_are_asked_about(
    run: Run,
    tmp_path: Path,
) -> None:
    code, text = run(f"create tea {days(tmp_path)} --arm 9.99 --arm 10.99 --range 0..1")
    assert code == 0
    assert "these arms look like prices" in " ".join(text.split())
    assert "look like prices" not in run(f"create b {days(tmp_path)} --arm a --arm b --range 0..1")


def test_a_cost_is_one_for_all_or_named(run: Run, live: Server) -> None:
    live.service.create(priced())
    assert run("change-worth tea --cost 4 --cost 9.99=5")[0] == 2
    assert "a cost of 0 or more" in run("change-worth tea --cost 9.99=x")[1]
    assert run("change-worth shelf --range 0..60")[0] == 0
    assert live.service.state("shelf").reward_range == (0.0, 60.0)


# ---- the dashboard -----------------------------------------------------------------------------


def test_the_form_asks_for_purchases(live: Server, http: httpx.Client) -> None:
    live.service.create(priced())
    live.service.decide("tea", 2)
    page = http.get("/experiments/tea").text
    assert 'name="purchases"' in page
    assert 'name="reward"' not in page
    answer = post(http, "/experiments/tea/update", turn="2", purchases="300", visitors="250")
    assert answer.status_code == 409
    assert "300 purchases from 250 visitors. Are these pieces?" in answer.text
    assert 'value="300"' in answer.text  # what was typed stays
    answer = post(http, "/experiments/tea/update", turn="2", purchases="12,5", visitors="250")
    assert (answer.status_code, "a whole number of purchases" in answer.text) == (422, True)
    answer = post(http, "/experiments/tea/update", turn="2", purchases="12", visitors="250")
    assert answer.headers["location"].endswith("done=update")
    assert live.service.decision("tea", 2).purchases == 12.0
    manage = http.get("/experiments/tea/manage").text
    assert "12 purchases from 250 visitors" in manage


def test_the_form_changes_what_a_purchase_is_worth(live: Server, http: httpx.Client) -> None:
    live.service.create(priced())
    path = "/experiments/tea/worth"
    assert post(http, path, cost="4,80", tax="5 %").headers["location"].endswith("done=worth")
    state = live.service.state("tea")
    assert ({arm.cost for arm in state.arms}, state.tax) == ({4.8}, 0.05)
    answer = post(http, path, cost="20", tax="5%")
    assert (answer.status_code, "is not above its cost of 20" in answer.text) == (422, True)
    assert "Tax in the prices: expected a share such as 19%" in (
        post(http, path, cost="4", tax="a lot").text
    )
    live.service.change_worth("tea", cost={"9.99": 5.0})
    page = http.get("/experiments/tea/manage").text
    assert page.count("Cost of a sold piece at") == 3
    each = {"cost 8.99": "4", "cost 9.99": "4.5", "cost 10.99": "4"}
    assert post(http, path, tax="", **each).status_code == 303
    assert [arm.cost for arm in live.service.state("tea").arms] == [4.0, 4.5, 4.0]
    post(http, "/experiments/shelf/worth", least="0", greatest="60")
    assert live.service.state("shelf").reward_range == (0.0, 60.0)


def test_prices_are_shown_in_their_order_with_their_bands(live: Server, http: httpx.Client) -> None:
    live.service.create(priced())
    assert "<svg" not in http.get("/experiments/tea/arms").text.partition("<main")[2]
    played(live.service, turns=9)
    live.service.add_arm("tea", Arm.priced(9.49))
    page = http.get("/experiments/tea/arms").text
    places = [page.index(f">{price} € <small>") for price in ("8.99", "9.49", "9.99", "10.99")]
    assert places == sorted(places)
    assert page.count('class="dot"') == 2 * len(
        [arm for arm in live.service.state("tea").arms if arm.rewards]
    )
    assert live.service.state("tea").verdict in page
    assert page.count("<polygon") == 2


def test_why_a_price_is_played_and_what_it_costs(live: Server, http: httpx.Client) -> None:
    """On a day that exploits it earns most; on one that explores it says what that costs."""
    service = live.service
    service.create(priced())
    seen = set[bool]()
    for turn in range(1, 20):
        today = service.decide("tea", turn)
        service.clock = lambda days=turn - 3: MOMENT + timedelta(days=days)
        page = http.get("/experiments/tea").text.partition('id="now"')[2].partition("</section>")[0]
        cost = service.look("tea", lambda one: one.bandit.why(one.bandit.last_turn).cost)
        said = f"To learn: costs about {format_number(cost)} € today."
        assert (said in page) == (not today.exploited)
        assert (f"played {today.arm} €, the best so far" in page) == today.exploited or turn == 1
        seen.add(today.exploited)
        bought = 3.0 + turn % 3
        service.update_many("tea", [Outcome(turn, visitors=100.0, purchases=bought)])
    assert seen == {True, False}


def test_a_new_experiment_of_prices(live: Server, http: httpx.Client) -> None:
    fields = {"prices": "8,99\n9.99\n\n10.99", "cost": "4,20", "tax": "5%", "unit": "€"}
    shown = plan(http, traffic(), arms="", greatest="", **fields)
    assert shown.status_code == 200, shown.text
    assert "Prices: 8.99 €, 9.99 €, 10.99 €." in shown.text
    assert "A sold piece costs 4.20 €, and the prices hold 5% tax: profit counts." in shown.text
    near = plan(http, traffic(), arms="", greatest="", prices="9.99\n10.00\n12")
    assert "differ by less than 1%" in near.text
    looks = plan(http, traffic())
    assert "These arms look like prices" in looks.text or "premium" in looks.text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"prices": "9.99"}, "two prices at least"),
        ({"prices": "9.99\nlots"}, "prices: expected a number such as 1234.5, got"),
        ({"prices": "9.99\n10.99", "cost": "10"}, "not above its cost of 10"),
        ({"prices": "9.99\n10.99", "tax": "1900"}, "Tax in the prices"),
        ({"prices": "1.749\n1.769"}, "could be 1749 or 1.749"),
    ],
)
def test_what_the_form_refuses(http: httpx.Client, fields: dict[str, str], words: str) -> None:
    answer = plan(http, traffic(), arms="", greatest="", **fields)
    assert answer.status_code == 422
    assert words in answer.text


def test_a_form_token_is_needed(http: httpx.Client) -> None:
    assert form_token(http)
    assert http.post("/experiments/shelf/worth", data={"greatest": "60"}).status_code == 403


@pytest.mark.parametrize(
    ("value", "said"), [(0.0, "0 €"), (0.24071, "0.241 €"), (12.5, "12.50 €"), (-3.456, "-3.46 €")]
)
def test_amounts_of_money(value: float, said: str) -> None:
    assert money(value, "€") == said


def test_a_body_is_what_settings_were(tmp_path: Path) -> None:
    """What the client sends is what the service knows."""
    one = priced(tax=0.05)
    assert ExperimentBody.model_validate(json.loads(json.dumps(one.to_body()))).settings() == one
    assert Settings.from_dict(json.loads(json.dumps(one.to_dict()))) == one
    assert forms.worth_from({"cost": "4", "tax": ""}).cost == 4.0
    with Service(f"{tmp_path}/one.db", clock=lambda: MOMENT) as service:
        assert service.create(one) == service.create(one)
