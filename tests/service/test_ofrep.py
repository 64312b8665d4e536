"""OpenFeature's remote evaluation protocol, over HTTP as its providers speak it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from openfeature import api
from openfeature.client import OpenFeatureClient
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.exception import ErrorCode
from openfeature.flag_evaluation import Reason
from tests.service.conftest import MOMENT, Server, settings

from highseason_service.forecast import TrafficForecast
from highseason_service.model import Arm, FlagValue, Outcome
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
            "shared": "everybody gets this arm until 2026-11-03T23:00:00+00:00",
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


def test_a_clock_that_is_far_ahead_decides_nothing(live: Server, http: httpx.Client) -> None:
    live.service.clock = lambda: MOMENT + timedelta(days=33)
    flag = http.post(f"{FLAGS}/shelf", json={}).json()
    assert "no turn was decided in the 32 before turn 36" in flag["metadata"]["note"]
    assert flag["metadata"]["shared"] == "everybody gets this arm"
    assert live.service.state("shelf").decided == 0


def test_errors_have_the_codes_of_the_protocol(live: Server, http: httpx.Client) -> None:
    unknown = http.post(f"{FLAGS}/nothing", json={})
    assert unknown.status_code == 404
    assert (unknown.json()["key"], unknown.json()["errorCode"]) == ("nothing", "FLAG_NOT_FOUND")
    for content, code in ((b"{", "PARSE_ERROR"), (b'{"context": 5}', "INVALID_CONTEXT")):
        wrong = http.post(f"{FLAGS}/shelf", content=content)
        assert (wrong.status_code, wrong.json()["errorCode"]) == (400, code)
        assert http.post(FLAGS, content=content).json()["errorCode"] == code
    for content in (b"", b"{}", b'{"context": {}}', b'{"context": null}'):
        assert http.post(FLAGS, content=content).status_code == 200
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
    # as OpenFeature's provider for the web sends it back, as a proxy that compresses, as a cache
    asked = {"json": {"context": {"targetingKey": "anyone"}}}
    for known in (tag, f"W/{tag}", f'"an older one", W/{tag}'):
        same = http.post(FLAGS, **asked, headers={"If-None-Match": known})
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    assert http.post(FLAGS, **asked, headers={"If-None-Match": tag[:-2]}).status_code == 200
    live.service.change_status("desk", "archive")
    changed = http.post(FLAGS, **asked, headers={"If-None-Match": tag})
    assert (changed.status_code, changed.headers["etag"] == tag) == (200, False)


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


@pytest.fixture
def flags(live: Server) -> Iterator[OpenFeatureClient]:
    """The official client for Python, with a token of the scope that it needs."""
    token = create_token(live.service.database, "shop", "decide")
    sent = {"Authorization": f"Bearer {token}"}
    api.set_provider(OFREPProvider(live.url, headers_factory=lambda: sent, timeout=60))
    yield api.get_client()
    api.clear_providers()


def test_the_client_for_python_gets_the_arm_of_now(live: Server, flags: OpenFeatureClient) -> None:
    found = flags.get_string_details("shelf", "nothing")
    decided = live.service.decision("shelf", 3)
    assert (found.variant, found.value) == (decided.arm, f"price {decided.arm}")
    assert (found.reason, found.error_code) == (Reason.STATIC, None)
    assert found.flag_metadata["turn"] == 3
    live.service.change_status("shelf", "pause")
    leader = flags.get_string_details("shelf", "nothing")
    assert "is paused" in str(leader.flag_metadata["note"])
    unknown = flags.get_string_details("shelves", "nothing")
    assert (unknown.value, unknown.error_code) == ("nothing", ErrorCode.FLAG_NOT_FOUND)


def test_an_arm_has_the_value_that_it_was_given(
    live: Server, http: httpx.Client, flags: OpenFeatureClient
) -> None:
    priced = tuple(Arm(price, f"{price} €", value=float(price)) for price in ("9.99", "10.99"))
    live.service.create(settings("price", arms=priced))
    price = flags.get_float_details("price", 0.0)
    assert price.value == float(price.variant or "")
    whole = tuple(Arm(str(price), value=price) for price in (10, 9.99))  # the first is played
    live.service.create(settings("whole", arms=whole, policy="greedy"))
    ten = flags.get_float_details("whole", 0.0)
    assert (ten.variant, ten.value, ten.error_code) == ("10", 10.0, None)
    live.service.create(settings("count", arms=(Arm("10", value=10), Arm("11", value=11))))
    assert flags.get_integer_details("count", 0).error_code is None
    look: dict[str, FlagValue] = {"headline": "Free delivery", "columns": 3, "bold": True}
    live.service.create(settings("look", arms=(Arm("a", value=look), Arm("b", value=look))))
    assert flags.get_object_details("look", {}).value == look
    live.service.create(settings("switch", arms=(Arm("on", value=True), Arm("off", value=False))))
    switch = flags.get_boolean_details("switch", False)
    assert switch.value is (switch.variant == "on")
    wrong = flags.get_boolean_details("price", False)
    assert (wrong.value, wrong.error_code) == (False, ErrorCode.TYPE_MISMATCH)


def test_values_of_arms_come_in_over_the_api(live: Server, http: httpx.Client) -> None:
    arms = "/v1/experiments/price/arms"
    live.service.create(settings("price", arms=(Arm("9", value=9), Arm("10", value=10))))
    assert http.post(arms, json={"id": "8", "value": 8}).json()["value"] == 8
    live.service.remove_arm("price", "8")
    assert http.post(arms, json={"id": "8"}).json()["value"] == 8  # it comes back as it was
    [arm] = [one for one in live.service.state("price").arms if one.id == "8"]
    assert arm.value == 8
    for value in ([1], {"a": {"b": 1}}, "x" * 1_001, 2**60, {str(n): n for n in range(101)}):
        assert http.post(arms, json={"id": "7", "value": value}).status_code == 422


#: How npm says that its registry cannot be reached, or does not answer.
UNREACHABLE = re.compile(
    r"\b(E[A-Z_]*(NOTFOUND|AGAIN|CONN|TIMEDOUT|TIMEOUT|UNREACH)\w*|E[45]\d\d)\b"
)


@pytest.fixture(scope="module")
def javascript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs with the official clients for JavaScript, from npm, by their locked hashes.

    Where npm is missing, it is skipped, and fails in CI; it is skipped, too, where npm's registry
    cannot be reached.
    """
    if shutil.which("npm") is None:
        missing = "npm is not installed: apt-get install npm"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(missing)
    folder = tmp_path_factory.mktemp("npm") / "javascript"
    shutil.copytree(Path(__file__).with_name("javascript"), folder)
    wanted = "npm ci --ignore-scripts --no-audit --no-fund --fetch-retries 0"
    ran = subprocess.run(
        wanted.split(), cwd=folder, check=False, capture_output=True, text=True, timeout=300
    )
    if ran.returncode and UNREACHABLE.search(ran.stderr):
        pytest.skip(f"npm's registry cannot be reached: {ran.stderr}")
    assert ran.returncode == 0, ran.stderr
    return folder


def test_the_client_for_javascript_gets_the_arm_of_now(live: Server, javascript: Path) -> None:
    token = create_token(live.service.database, "shop", "decide")
    command = ["node", str(javascript / "ask.js"), live.url, token, "shelf", "shelves"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    found, unknown = json.loads(ran.stdout)
    decided = live.service.decision("shelf", 3)
    assert (found["variant"], found["value"]) == (decided.arm, f"price {decided.arm}")
    assert (found["reason"], found["flagMetadata"]["turn"]) == ("STATIC", 3)
    assert (unknown["value"], unknown["errorCode"]) == ("default", "FLAG_NOT_FOUND")


def test_the_client_for_pages_polls_until_something_changes(live: Server, javascript: Path) -> None:
    token = create_token(live.service.database, "shop", "decide")
    command = ["node", str(javascript / "watch.js"), live.url, token, "shelf", "shelves"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as page:
        assert page.stdout is not None
        same = json.loads(page.stdout.readline())
        live.service.change_status("shelf", "pause")
        changed = json.loads(page.stdout.readline())
    (sent, status, tag), *polls = same["polls"]
    assert (sent, status, polls) == (None, 200, [[tag, 304, tag]] * 2)
    found, unknown = same["said"]
    decided = live.service.decision("shelf", 3)
    assert (found["variant"], found["value"]) == (decided.arm, f"price {decided.arm}")
    assert (found["reason"], found["flagMetadata"]["turn"]) == ("STATIC", 3)
    assert (unknown["value"], unknown["errorCode"]) == ("default", "FLAG_NOT_FOUND")
    sent, status, new = changed["polls"][-1]
    assert (sent, status, new == tag) == (tag, 200, False)
    assert "is paused" in changed["said"][0]["flagMetadata"]["note"]
    assert live.service.state("shelf").decided == 1
