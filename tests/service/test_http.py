"""The HTTP API on a live server: strict bodies, safe headers, tokens, and what it answers."""

from __future__ import annotations

import io
import re
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.service.conftest import MOMENT, Server, settings

import highseason as hs
from highseason.cli import main
from highseason.traffic import Calendar
from highseason_service import Service, security
from highseason_service.client import Client, RequestError
from highseason_service.forecast import TrafficForecast
from highseason_service.model import Arm, Outcome
from highseason_service.security import create_token

SHELF = "/v1/experiments/shelf"
DOCS = Path(__file__).parents[2] / "docs/guides"


def test_the_client_sees_what_the_service_sees(live: Server) -> None:
    with Client(live.url) as client:
        client.create(settings("desk", seed=3))
        decision = client.decide("desk", 1)
        assert client.decide("desk", 1) == decision == live.service.decide("desk", 1)
        assert client.decide("desk").turn == 3
        assert client.decide("desk", at=MOMENT.replace(day=4)).turn == 4
        assert client.update_many("desk", [Outcome(1, 700.0, 100.0)], "k")["new"] == 1
        client.correct("desk", Outcome(1, 650.0, 100.0))
        client.add_arm("desk", Arm("new one", when="now"))
        assert client.remove_arm("desk", "new one").removed
        assert client.reforecast("desk", 30, [5.0])["version"] == 2
        assert client.state("desk") == live.service.state("desk")
        assert client.plan("desk", 5) == live.service.plan("desk", 5)
        assert client.decisions("desk") == live.service.decisions("desk")
        assert client.change_status("desk", "archive") == live.service.experiment("desk")
        assert [one.id for one in client.experiments()] == ["desk", "shelf"]
        with pytest.raises(RequestError, match="archived") as refused:
            client.decide("desk", 20)
        assert refused.value.status == 409


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/update", '{"rewards": [{"turn": 1, "reward": NaN, "visitors": 1}]}'),
        ("/update", '{"rewards": [{"turn": 1, "reward": Infinity, "visitors": 1}]}'),
        ("/update", '{"rewards": [{"turn": 1, "reward": 1e999, "visitors": 1}]}'),
        ("/update", '{"rewards": [{"turn": 1, "reward": 1e13, "visitors": 1}]}'),
        ("/update", '{"rewards": [{"turn": 1, "reward": 1, "visitors": -1}]}'),
        ("/update", '{"rewards": [{"turn": 1, "reward": "1", "visitors": 1}]}'),
        ("/update", '{"rewards": [{"turn": 1.5, "reward": 1, "visitors": 1}]}'),
        ("/update", '{"rewards": [{"turn": true, "reward": 1, "visitors": 1}]}'),
        ("/update", '{"rewards": [{"turn": 1, "reward": 1, "visitors": 1, "arm": "a"}]}'),
        ("/update", '{"rewards": []}'),
        ("/update", '{"rewards": [{"turn": 1, "reward": %s, "visitors": 1}]}' % ("9" * 9999)),
        ("/update", "[" * 100_000),
        ("/update", "{"),
        ("/decide", '{"turn": 0}'),
        ("/decide", '{"turn": 99999999999999999999}'),
        ("/decide", '{"at": "yesterday"}'),
        ("/arms", '{"id": "=1+1"}'),
        ("/arms", '{"id": "a|b"}'),
        ("/arms", '{"id": "a", "label": "\\u0000"}'),
        ("/arms", '{"id": "a", "label": "\\ud800"}'),
    ],
)
def test_an_invalid_body_is_422(http: httpx.Client, path: str, body: str) -> None:
    http.post(f"{SHELF}/decide", json={"turn": 1})
    answer = http.post(SHELF + path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422, answer.text
    assert http.get(f"{SHELF}/decisions/1").json()["reward"] is None


@pytest.mark.parametrize(
    "changes",
    [
        {"policy": "nonsense"},
        {"policy": "ucb-z:z=-"},
        {"reward_range": [3, 1]},
        {"seed": -1},
        {"arms": [{"id": "a"}, {"id": "a"}]},
        {"arms": [{"id": "a"}]},
        {"forecast": {"values": [0]}},
        {"forecast": {"values": [1], "calendar": {"start": "2026-02-31"}}},
        {"forecast": {"values": [1, 2], "calendar": {"start": "2026-11-01"}}},  # it is over
        {"forecast": {"values": [1], "calendar": {"start": "2026-02-01", "zone": "Mars/Base"}}},
    ],
)
def test_an_invalid_experiment_is_refused(http: httpx.Client, changes: dict[str, Any]) -> None:
    good = {
        "id": "x",
        "arms": [{"id": "a"}, {"id": "b"}],
        "forecast": {"values": [5, 9]},
        "reward_range": [0, 1],
    }
    answer = http.post("/v1/experiments", json=good | changes)
    assert answer.status_code == 422, answer.text
    assert http.post("/v1/experiments", json=good).status_code == 201


@pytest.mark.parametrize(
    ("visitors", "said"),
    [
        (1.398, "turn 1: 1.398 visitors is not a whole number"),
        (9, "turn 1: 9 visitors is below a tenth of the 100 expected"),
    ],
)
def test_visitors_that_look_mistyped_are_asked_about(
    http: httpx.Client, visitors: float, said: str
) -> None:
    """Over HTTP, on the dashboard and on the command line, when reported and when corrected."""
    http.post(f"{SHELF}/decide", json={"turn": 1})
    body = {"reward": 5, "visitors": visitors}
    for what, status in (("update", 409), ("correct", 409)):
        refused = http.post(f"{SHELF}/decisions/1/{what}", json=body)
        assert (refused.status_code, refused.json()["questions"]) == (status, [said])
        sure = http.post(f"{SHELF}/decisions/1/{what}", json=body | {"confirm": True})
        assert sure.status_code == 200
        assert http.get(f"{SHELF}/decisions/1").json()["visitors"] == visitors
        other = {"reward": 5, "visitors": 90}  # what is right is not asked about
        assert http.post(f"{SHELF}/decisions/1/correct", json=other).status_code == 200
    assert http.post(
        f"{SHELF}/decisions/1/correct", json=body | {"visitors": 0, "reward": 0}
    ).is_success


def test_unknown_things_are_404(http: httpx.Client) -> None:
    for path in ("/v1/experiments/desk", f"{SHELF}/decisions/9", "/v1/nothing", "/nothing"):
        assert http.get(path).status_code == 404, path
    assert http.post("/v1/experiments/desk/decide").status_code == 404


def test_an_idempotency_key_holds(http: httpx.Client) -> None:
    http.post(f"{SHELF}/decide", json={"turn": 1})
    body = {"reward": 5, "visitors": 2}
    send = f"{SHELF}/decisions/1/update"
    first = http.post(send, json=body, headers={"Idempotency-Key": "k"})
    again = http.post(send, json=body, headers={"Idempotency-Key": "k"})
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    other = http.post(send, json=body | {"reward": 6}, headers={"Idempotency-Key": "k"})
    assert other.status_code == 409


def test_headers_are_safe(http: httpx.Client) -> None:
    for path in ("/health", "/docs", "/nothing", f"{SHELF}/export.csv"):
        headers = http.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


def test_pages_of_other_sites_get_nothing(http: httpx.Client) -> None:
    assert http.get("/health", headers={"host": "evil.example"}).status_code == 400
    evil = {"origin": "http://evil.example"}
    refused = http.post(f"{SHELF}/decide", headers=evil)
    assert (refused.status_code, "ask from your server" in refused.text) == (403, True)
    guide = re.findall(r"guide '(.*)'", refused.json()["detail"])
    assert guide == [(DOCS / "openfeature.md").read_text("utf-8").split("\n")[0].removeprefix("# ")]
    form = {"content-type": "text/plain"}
    assert http.post(f"{SHELF}/decide", content='{"turn": 1}', headers=form).status_code == 422
    own = {"origin": str(http.base_url).rstrip("/")}
    assert http.post(f"{SHELF}/decide", headers=own).status_code == 200


def test_bodies_are_limited(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "MOST_BYTES", 1000)
    json = {"content-type": "application/json"}
    big = http.post("/v1/experiments", content=b" " * 2000, headers=json)
    assert big.status_code == 413

    def drip() -> Any:
        yield from (b" " * 500 for _ in range(5))

    assert http.post("/v1/experiments", content=drip(), headers=json).status_code == 413


@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/ofrep/v1/evaluate/flags"])
def test_what_anyone_may_send_is_small(live: Server, http: httpx.Client, path: str) -> None:
    """It is refused before it is parsed, and before a token is looked for."""
    create_token(live.service.database, "till", "decide")
    form = {"content-type": "application/x-www-form-urlencoded"}
    begun = time.monotonic()
    for size in (2**16 + 1, 8 * 2**20):
        assert http.post(path, content=b"&" * size, headers=form).status_code == 413
    assert time.monotonic() - begun < 2
    assert http.post(path, content=b"&" * 2**16, headers=form).status_code in (401, 403)

    def drip() -> Any:
        yield from (b"&" * 2**14 for _ in range(5))

    said = http.post(path, content=drip(), headers=form)
    assert said.status_code == (401 if "ofrep" in path else 413)
    for page in ("/new", "/new/plan", "/experiments/shelf/update"):  # these may be large
        begun = time.monotonic()
        assert http.post(page, content=b"&" * 8 * 2**20, headers=form).status_code == 401
        assert time.monotonic() - begun < 2


def test_tokens_have_scopes(tmp_path: Path) -> None:
    service = Service(f"{tmp_path}/service.db", clock=lambda: MOMENT)
    service.create(settings())
    tokens = {s: create_token(service.database, s, s) for s in ("read", "decide", "admin")}
    with Server(service) as server:
        for scope, token in tokens.items():
            with httpx.Client(
                base_url=server.url,
                headers={"Authorization": f"Bearer {token}"},
                timeout=60,
            ) as c:
                statuses = [
                    c.get(SHELF).status_code,
                    c.post(f"{SHELF}/decide").status_code,
                    c.post(f"{SHELF}/pause").status_code,
                ]
                c.post(f"{SHELF}/resume")
            allowed = ["read", "decide", "admin"].index(scope) + 1
            assert statuses == [200] * allowed + [403] * (3 - allowed), scope
        for headers in (
            {},
            {"Authorization": "Bearer nonsense"},
            {"Authorization": tokens["admin"]},
        ):
            assert httpx.get(f"{server.url}{SHELF}", headers=headers, timeout=60).status_code == 401
        assert httpx.get(f"{server.url}/health", timeout=60).status_code == 200
    assert tokens["admin"].encode() not in (tmp_path / "service.db").read_bytes()


def test_operations(http: httpx.Client) -> None:
    assert http.get("/health").json() == {"status": "alive"}
    assert http.get("/ready").json() == {"status": "ready"}
    http.post(f"{SHELF}/decide")
    text = http.get("/metrics").text
    route = re.escape('route="/v1/experiments/{experiment}/decide"')
    assert re.search(rf"highseason_requests_total\{{.*{route}.*\}} 1.0", text)


def test_a_lost_database_is_503_and_comes_back(live: Server, http: httpx.Client) -> None:
    """Another process that holds the lock stands for a database that cannot be written to."""
    import sqlite3

    from highseason_service import database

    path = live.service.database.url.database
    blocker = sqlite3.connect(path, isolation_level=None)
    with live.service.database.writing.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 100").close()
    blocker.execute("BEGIN IMMEDIATE")
    answer = http.post(f"{SHELF}/decide", json={"turn": 1})
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
    assert database.PATIENCE > 0
    blocker.execute("ROLLBACK")
    blocker.close()
    assert http.post(f"{SHELF}/decide", json={"turn": 1}).status_code == 200


def test_the_documentation_needs_no_other_host(http: httpx.Client) -> None:
    page = http.get("/docs").text
    assert "/v1/experiments/{experiment}/decide" in page
    assert "http://" not in page.replace(str(http.base_url), "")
    assert "https://" not in page
    assert page.count("<script") == page.count('<script src="/static/')


def test_labels_are_not_markup(http: httpx.Client) -> None:
    label = "<script>alert(1)</script>"
    assert http.post(f"{SHELF}/arms", json={"id": "x", "label": label}).json()["label"] == label
    assert http.get(SHELF).headers["content-type"] == "application/json"


def test_an_export_can_be_replayed(http: httpx.Client, live: Server, tmp_path: Path) -> None:
    live.service.create(settings("coin", policy="uniform"))
    for turn in range(1, 31):
        arm = live.service.decide("coin", turn).arm
        live.service.update_many("coin", [Outcome(turn, 50.0 * float(arm), 100.0)])
    live.service.remove_arm("coin", "9.99")
    path = tmp_path / "events.parquet"
    path.write_bytes(http.get("/v1/experiments/coin/export.parquet").content)
    log = hs.logs.read_events(path)
    assert len(log) == 30
    assert log.propensity.tolist() == [1.0] * 3 + [1 / 3] * 27  # each arm is tried once first
    assert hs.replay("uniform", log)["uniform"].turns > 0

    table = tmp_path / "events.csv"
    table.write_text(http.get("/v1/experiments/coin/export.csv").text)
    words = f"convert table {table} --decimal ."
    words += f" --out {tmp_path}/two.parquet"
    assert main(words.split(), standalone_mode=False) == 0
    again = hs.logs.read_events(tmp_path / "two.parquet")
    assert again.reward.tolist() == log.reward.tolist()
    assert [again.arms[i] for i in again.arm] == [log.arms[i] for i in log.arm]


def test_events_come_in_pages(http: httpx.Client) -> None:
    for turn in range(1, 8):
        http.post(f"{SHELF}/decide", json={"turn": turn})
    seen, after = [], 0
    while after is not None:
        page = http.get(f"{SHELF}/events", params={"after": after, "limit": 3}).json()
        seen += [event["seq"] for event in page["events"]]
        after = page["next"]
    assert seen == list(range(1, 9))


def test_logs_are_json_without_secrets(tmp_path: Path) -> None:
    import json
    import logging

    from highseason_service.server import start_logging

    stream = io.StringIO()
    names = ("highseason_service", "uvicorn.error", "uvicorn.access")
    before = {n: (logging.getLogger(n).handlers, logging.getLogger(n).propagate) for n in names}
    start_logging(stream)
    try:
        with Server(Service(f"{tmp_path}/service.db")) as server:
            headers = {"Authorization": "Bearer very-secret"}
            httpx.get(f"{server.url}/v1/experiments", headers=headers, timeout=60)
    finally:
        for name, (handlers, propagate) in before.items():
            logger = logging.getLogger(name)
            logger.handlers, logger.propagate, logger.disabled = handlers, propagate, False
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert any(line["message"] == "GET /v1/experiments 200" and line["ms"] > 0 for line in lines)
    assert "very-secret" not in stream.getvalue()


@pytest.mark.parametrize("policy", ["option-index", "thompson", "peak-grabber+ucb"])
def test_the_arm_played_as_the_best_is_the_best_in_the_answer(live: Server, policy: str) -> None:
    """Also with rewards out of range, and visitors that come late; an arm that goes stays known."""
    experiment = f"{live.url}/v1/experiments/led"
    with Client(live.url, timeout=60) as client, httpx.Client(timeout=60) as http:  # it compiles
        client.create(settings("led", policy=policy, turns=60))
        for turn in range(1, 51):
            if turn == 30:
                before = {arm.id: arm for arm in client.state("led").arms}
                client.remove_arm("led", "9.99")
                after = {arm.id: arm for arm in client.state("led").arms}
                gone = {"status": "removed", "chance_best": None, "loss": None}
                assert vars(after["9.99"]) == vars(before["9.99"]) | gone
            made = http.post(f"{experiment}/decide", json={"turn": turn}).json()
            state = http.get(experiment).json()
            known = {arm["id"]: arm for arm in state["arms"]}
            for arm in state["arms"]:
                assert arm["low"] is None or arm["low"] <= arm["estimate"] <= arm["high"]
            if made["exploited"]:
                assert state["best"] == made["arm"]
                assert known[made["arm"]]["status"] == "playing"
            visitors = 1.0 if turn % 3 == 0 else 3000.0
            paid = (turn * 7 % 5 if visitors == 1.0 else 0.2 * float(made["arm"])) + turn % 2
            reward = 1e12 if turn == 9 else paid * visitors
            client.update_many("led", [Outcome(turn, reward, visitors)], confirm=True)


def test_a_turn_far_ahead_is_decided_only_if_forced(live: Server, http: httpx.Client) -> None:
    far = {"turn": 35}  # 32 turns after the one that is now
    refused = http.post("/v1/experiments/shelf/decide", json=far)
    assert refused.status_code == 409
    assert "32 turns ahead" in refused.json()["detail"]
    assert http.post("/v1/experiments/shelf/decide", json={"turn": 34}).status_code == 200
    forced = http.post("/v1/experiments/shelf/decide", json=far | {"force": True})
    assert forced.status_code == 200


def test_experiments_have_gauges(live: Server, http: httpx.Client) -> None:
    for turn in (1, 2, 3):
        live.service.decide("shelf", turn)
    live.service.update_many("shelf", [Outcome(1, 500.0, 100.0)])
    text = http.get("/metrics").text
    for line in ("decisions", "3.0"), ("rewards_waiting", "1.0"), ("days_since_reward", "1.0"):
        assert f'highseason_experiment_{line[0]}{{experiment="shelf"}} {line[1]}\n' in text
    assert 'highseason_experiment_days_left{experiment="shelf"} 38.0\n' in text


def test_gauges_of_days_are_in_days(live: Server, http: httpx.Client) -> None:
    hours = TrafficForecast((5.0,) * 72, Calendar.starting("2026-11-02", "hour"))
    live.service.create(settings("hourly", forecast=hours))  # its 37th turn is now
    live.service.create(settings("timeless", forecast=TrafficForecast((5.0,) * 9)))
    text = http.get("/metrics").text
    for line in ("days_since_reward", "hourly", "1.5"), ("days_left", "hourly", "1.5"):
        assert f'highseason_experiment_{line[0]}{{experiment="{line[1]}"}} {line[2]}\n' in text
    assert 'highseason_experiment_days_left{experiment="timeless"} NaN\n' in text


def test_what_is_wrong_with_an_id_is_said_in_words(http: httpx.Client) -> None:
    refused = http.post("/v1/experiments/shelf/arms", json={"id": "grün"})
    assert refused.status_code == 422
    assert "put everything else into the label" in refused.json()["detail"]


GOOD: dict[str, Any] = {"id": "x", "arms": ["a"], "forecast": {"values": [5, 9]}}
DATED: dict[str, Any] = {"start": "2026-12-24"}

#: Bodies and parameters that people get wrong, and what they are told, by the endpoint.
WRONG: dict[tuple[str, str], list[tuple[str, Any, str]]] = {
    ("post", "/v1/experiments"): [
        ("", {}, "id: it is missing; forecast: it is missing"),
        ("", [1], "the body: expected an object, got a list of 1"),
        ("", None, "the body: it is missing"),
        ("", GOOD | {"arms": "9.99, 10.99"}, "arms: expected a list, got '9.99, 10.99'"),
        ("", GOOD | {"arms": [9.99]}, "arms[0]: expected an object, got 9.99"),
        ("", GOOD | {"arms": []}, "expected arms, or prices where they are prices, got neither"),
        ("", GOOD | {"prices": 9.99}, "prices: expected a list, got 9.99"),
        ("", GOOD | {"prices": [0]}, "prices[0]: expected above 0, got 0"),
        ("", GOOD | {"cost": "x"}, "cost: expected a number of at least 0, or one for each price"),
        ("", GOOD | {"cost": [1, "x"]}, "cost: expected a number of at least 0, or one for each"),
        ("", GOOD | {"tax": 1}, "tax: expected below 1, got 1"),
        ("", GOOD | {"unit": "€" * 21}, "unit: expected at most 20 characters, got"),
        ("", GOOD | {"unit": 5}, "unit: expected text, got 5"),
        ("", GOOD | {"arms": [{"label": "x"}]}, "arms[0].id: it is missing"),
        ("", GOOD | {"arms": [{"id": "a", "hue": 1}]}, "arms[0].hue: there is no such field"),
        ("", GOOD | {"arms": [{"id": "a", "value": {"x": []}}]}, "arms[0].value: expected a num"),
        ("", GOOD | {"polcy": "ucb"}, "polcy: there is no such field"),
        ("", GOOD | {"policy": ""}, "policy: it is empty"),
        ("", GOOD | {"name": "a\nb"}, "name: expected at most 200 characters, on one line"),
        ("", GOOD | {"seed": "7"}, "seed: expected a whole number, got '7'"),
        ("", GOOD | {"reward_range": "0..1"}, "reward_range: expected a list, got '0..1'"),
        ("", GOOD | {"stay_with_leader": 1}, "stay_with_leader: expected true or false, got 1"),
        ("", GOOD | {"noise": {"rho": 2}}, "noise.rho: expected at most 1, got 2"),
        ("", GOOD | {"noise": {"count": "x"}}, "noise.count: expected 'turns' or 'visitors', got"),
        ("", GOOD | {"forecast": [5]}, "forecast: expected an object, got a list of 1"),
        ("", GOOD | {"forecast": {"values": [5, "9"]}}, "forecast.values[1]: expected a number"),
        (
            "",
            GOOD | {"forecast": {"values": [5], "calendar": {"start": "soon"}}},
            "forecast.calendar.start: expected a date such as",
        ),
        (
            "",
            GOOD | {"forecast": {"values": [5], "calendar": DATED | {"every": "month"}}},
            "forecast.calendar.every: expected 'minute', 'hour', 'day' or 'week', got 'month'",
        ),
    ],
    ("post", "/{experiment}/decide"): [
        ("/decide", {"turn": "1"}, "turn: expected a whole number, got '1'"),
        ("/decide", {"turn": 0}, "turn: expected at least 1, got 0"),
        ("/decide", {"at": "yesterday"}, "at: expected a moment such as 2026-12-24T18:00+01:00"),
        ("/decide", {"day": 1}, "day: there is no such field"),
        ("/decide", DATED | {"turn": 1.5}, "turn: expected a whole number, got 1.5; start: there"),
    ],
    ("post", "/{experiment}/update"): [
        ("/update", {"rewards": {}}, "rewards: expected a list, got an object"),
        ("/update", {"rewards": [{"turn": 1, "reward": 1}]}, "rewards[0].visitors: it is missing"),
        ("/update", {"rewards": [1]}, "rewards[0]: expected an object, got 1"),
    ],
    ("post", "/{experiment}/decisions/{turn}/update"): [
        ("/decisions/1/update", {"reward": "5", "visitors": -1}, "reward: expected a number, got "),
        ("/decisions/x/update", {"reward": 5, "visitors": 1}, "turn: expected a whole number"),
        ("/decisions/1/update", {"purchases": "x", "visitors": 1}, "purchases: expected a number"),
        (
            "/decisions/1/update",
            {"takings": -1, "visitors": 1},
            "takings: expected at least 0, got",
        ),
    ],
    ("post", "/{experiment}/decisions/{turn}/correct"): [
        ("/decisions/1/correct", {"reward": [], "visitors": 1}, "reward: expected a number, got"),
        ("/decisions/0/correct", {"reward": 5, "visitors": 1}, "turn: expected at least 1, got"),
    ],
    ("post", "/{experiment}/arms"): [
        ("/arms", {"id": "a", "when": "soon"}, "when: expected 'low' or 'now', got 'soon'"),
        ("/arms", {"id": "a", "start": "1"}, "start: expected a whole number, got '1'"),
        ("/arms", {"id": "grün"}, "id: expected letters (a to z)"),
        ("/arms", {"price": "9.99"}, "id: it is missing; price: expected a number, got '9.99'"),
        ("/arms", {"price": 8.99}, "'8.99' is a price, and '9.99' is none"),
    ],
    ("post", "/{experiment}/worth"): [
        (
            "/worth",
            {"cost": {"9.99": -1}},
            "cost: expected a number of at least 0, or one for each",
        ),
        ("/worth", {"tax": "19%"}, "tax: expected a number, got '19%'"),
        (
            "/worth",
            {"reward_range": [1]},
            "reward_range: expected a list of at least 2, got a list",
        ),
        ("/worth", {}, "expected a range of rewards: cost and tax are of prices"),
    ],
    ("post", "/{experiment}/stay"): [("/stay", {}, "stay_with_leader: it is missing")],
    ("post", "/{experiment}/reforecast"): [
        ("/reforecast", {"first": 1, "values": 300}, "values: expected a list, got 300"),
    ],
    ("get", "/{experiment}/decisions"): [
        ("/decisions?limit=x", None, "limit: expected a whole number, got 'x'"),
    ],
    ("get", "/{experiment}/decisions/{turn}"): [
        ("/decisions/0", None, "turn: expected at least 1, got '0'"),
    ],
    ("get", "/{experiment}/plan"): [("/plan?turns=999", None, "turns: expected at most 366, got")],
    ("get", "/{experiment}/events"): [("/events?after=-1", None, "after: expected at least 0")],
    ("get", "/{experiment}/export.{kind}"): [
        ("/export.xml", None, "kind: expected 'csv' or 'parquet', got 'xml'"),
    ],
}


def test_what_is_wrong_with_a_request_is_said_in_our_words(http: httpx.Client) -> None:
    for (method, path), cases in WRONG.items():
        for end, body, words in cases:
            address = path if path == "/v1/experiments" else SHELF + end
            sent = {} if body is None else {"json": body}
            answer = http.request(method, address, **sent)
            assert answer.status_code == 422, (address, body)
            detail = answer.json()["detail"]
            assert words in detail, (address, body, detail)
            for phrase in ("should", "Field", "nput", "alid", "Extra", "Value", "constrained"):
                assert phrase not in detail


def test_every_endpoint_is_asked_wrongly(http: httpx.Client) -> None:
    paths = http.get("/openapi.json").json()["paths"]
    can_be_wrong = {
        (method, path.removeprefix("/v1/experiments") or path)
        for path, methods in paths.items()
        for method, operation in methods.items()
        if path.startswith("/v1/experiments")
        and (
            "requestBody" in operation
            or {one["name"] for one in operation.get("parameters", [])}
            - {"experiment", "arm", "Idempotency-Key"}
        )
    }
    assert can_be_wrong == set(WRONG)


def test_what_cannot_be_read_is_said_in_our_words(http: httpx.Client) -> None:
    as_json = {"content-type": "application/json"}
    for content, headers, words in (
        ("{", as_json, "the body is not JSON: see character 2"),
        ("[" * 100_000, as_json, "the body cannot be read: too deep a nesting"),
        ('{"turn": 1}', {"content-type": "text/plain"}, "without the header 'content-type: app"),
        ("{}", as_json | {"Idempotency-Key": "a b"}, "Idempotency-Key: expected at most 200"),
    ):
        answer = http.post(f"{SHELF}/decide", content=content, headers=headers)
        assert (answer.status_code, words in answer.json()["detail"]) == (422, True), answer.text


def test_an_arm_may_be_its_id_alone(live: Server, http: httpx.Client) -> None:
    forecast = {"values": [5.0, 6.0]}
    body = {"id": "desk", "arms": ["red", "blue"], "forecast": forecast, "reward_range": [0, 1]}
    assert http.post("/v1/experiments", json=body).status_code == 201
    assert [arm.id for arm in live.service.state("desk").arms] == ["red", "blue"]


def test_a_turn_and_a_moment_together_are_refused(http: httpx.Client) -> None:
    body = {"turn": 6, "at": "2026-11-02T12:00:00Z"}
    assert http.post("/v1/experiments/shelf/decide", json=body).status_code == 422


def test_monitors_may_ask_for_the_head_alone(http: httpx.Client) -> None:
    for path in ("/health", "/", "/experiments/shelf"):
        assert http.head(path).status_code == 200


def test_a_fault_has_the_headers_of_other_answers(
    live: Server, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live.service, "state", lambda _: 1 / 0)
    answer = http.get(SHELF)
    assert answer.status_code == 500
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-request-id"] in answer.json()["detail"]
    assert http.get("/health").status_code == 200


def test_what_is_wrong_with_a_token_is_said(tmp_path: Path) -> None:
    service = Service(f"{tmp_path}/service.db")
    create_token(service.database, "till", "decide")
    with Server(service) as server, httpx.Client(base_url=server.url) as http:
        known = {"Authorization": "Bearer hs_revoked"}
        assert "is not known, or was revoked" in http.get("/v1/experiments", headers=known).text
        assert "a token is needed" in http.get("/v1/experiments").text
        # What the API is like is no secret, and what is in it needs a token.
        assert http.get("/docs").status_code == http.get("/openapi.json").status_code == 200
        assert http.get("/metrics").status_code == 401


def test_answers_use_the_words_of_the_service(http: httpx.Client) -> None:
    """No answer names a function of the library."""
    for turn in (1, 2):
        http.post(f"{SHELF}/decide", json={"turn": turn})
    http.post(f"{SHELF}/decisions/1/update", json={"reward": 5, "visitors": 5})
    body = {"id": "x", "arms": ["a"], "forecast": {"values": [5, 9]}}
    february = {"values": [1], "calendar": {"start": "2026-02-29"}}
    answers = [
        http.post(f"{SHELF}/decisions/9/update", json={"reward": 5, "visitors": 5}),
        http.post(f"{SHELF}/decisions/9/correct", json={"reward": 5, "visitors": 5}),
        http.post(f"{SHELF}/decisions/2/correct", json={"reward": 5, "visitors": 5}),
        http.post(f"{SHELF}/decisions/1/update", json={"reward": 6, "visitors": 5}),
        http.post(f"{SHELF}/decisions/1/update", json={"reward": 5, "visitors": 0}),
        http.post(f"{SHELF}/decide", json={"turn": 99}),
        http.post(f"{SHELF}/decide", json={"at": "2026-11-02T12:00:00"}),
        http.post(f"{SHELF}/reforecast", json={"first": 60, "values": [5]}),
        http.post("/v1/experiments", json=body),
        http.post("/v1/experiments", json=body | {"arms": [{"id": "a", "start": 2}]}),
        http.post("/v1/experiments", json=body | {"forecast": february}),
        *[http.post(f"{SHELF}/arms/{arm}/remove") for arm in ("9.99", "10.99", "11.99")],
        http.post(f"{SHELF}/decide", json={"turn": 3}),
    ]
    texts = [answer.text for answer in answers if answer.status_code in (409, 422)]
    assert len(texts) == 12
    for text in texts:
        assert not re.search(r"\w\(|=\(|_arm\b|pull|extend|bandit|: :", text), text
