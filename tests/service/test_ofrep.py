"""OpenFeature's remote evaluation protocol, over HTTP as its providers speak it."""

from __future__ import annotations

import httpx
import pytest
from tests.service.conftest import Server, settings

from highseason_service.forecast import TrafficForecast
from highseason_service.model import Outcome
from highseason_service.security import create_token

FLAGS = "/ofrep/v1/evaluate/flags"


def test_an_evaluation_decides_the_turn_of_now(live: Server, http: httpx.Client) -> None:
    answer = http.post(f"{FLAGS}/shelf", json={"context": {"targetingKey": "anyone"}})
    assert answer.status_code == 200
    decided = live.service.decision("shelf", 3)  # the turn of the clock
    assert answer.json() == {
        "key": "shelf",
        "reason": "STATIC",
        "variant": decided.arm,
        "value": f"price {decided.arm}",
        "metadata": {
            "turn": 3,
            "explored": not decided.exploited,
            "until": "2026-11-03T23:00:00+00:00",  # midnight in Rome
        },
    }
    events = live.service.state("shelf").events
    assert http.post(f"{FLAGS}/shelf", json={}).json() == answer.json()
    assert live.service.state("shelf").events == events  # asked again, nothing changes


def test_a_paused_experiment_answers_with_its_leader(live: Server, http: httpx.Client) -> None:
    service = live.service
    for turn in (1, 2):
        service.decide("shelf", turn)
        service.update_many("shelf", [Outcome(turn, 100.0 * turn, 100.0)])
    service.change_status("shelf", "pause")
    flag = http.post(f"{FLAGS}/shelf", json={}).json()
    assert flag["variant"] == service.state("shelf").best == service.decision("shelf", 2).arm
    assert flag["reason"] == "STATIC"
    assert "paused" in flag["metadata"]["note"]
    assert service.state("shelf").decided == 2


def test_errors_have_the_codes_of_the_protocol(live: Server, http: httpx.Client) -> None:
    unknown = http.post(f"{FLAGS}/nothing", json={})
    assert unknown.status_code == 404
    assert (unknown.json()["key"], unknown.json()["errorCode"]) == ("nothing", "FLAG_NOT_FOUND")
    for content, code in ((b"{", "PARSE_ERROR"), (b'{"context": 5}', "INVALID_CONTEXT")):
        wrong = http.post(f"{FLAGS}/shelf", content=content)
        assert (wrong.status_code, wrong.json()["errorCode"]) == (400, code)
        assert http.post(FLAGS, content=content).json()["errorCode"] == code
    live.service.create(settings("timeless", forecast=TrafficForecast((5.0, 6.0))))
    none = http.post(f"{FLAGS}/timeless", json={})  # without a calendar no turn is now
    assert (none.status_code, none.json()["errorCode"]) == (400, "GENERAL")


def test_all_flags_have_an_etag(live: Server, http: httpx.Client) -> None:
    live.service.create(settings("old"))
    live.service.change_status("old", "archive")
    live.service.create(settings("desk"))
    answer = http.post(FLAGS, json={})
    assert [flag["key"] for flag in answer.json()["flags"]] == ["desk", "shelf"]
    tag = answer.headers["etag"]
    same = http.post(FLAGS, json={}, headers={"If-None-Match": tag})
    assert (same.status_code, same.content) == (304, b"")
    live.service.change_status("desk", "archive")
    assert http.post(FLAGS, json={}, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("header", ["Authorization", "X-API-Key"])
def test_a_token_may_come_as_a_key(live: Server, http: httpx.Client, header: str) -> None:
    scopes = {
        scope: create_token(live.service.database, scope, scope) for scope in ("read", "decide")
    }
    prefix = "Bearer " if header == "Authorization" else ""
    sent = {name: {header: f"{prefix}{token}"} for name, token in scopes.items()}
    assert http.post(FLAGS, json={}).status_code == 401
    assert http.post(FLAGS, json={}, headers=sent["read"]).status_code == 403
    assert http.post(FLAGS, json={}, headers=sent["decide"]).status_code == 200
