"""The API's page: its examples are what the service answers.

`python -m tests.service.test_description` writes the examples again.
"""

from __future__ import annotations

import json
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from tests.service.conftest import Server

from highseason_service import Service
from highseason_service.dashboard import EXAMPLES

#: The turn of Christmas Eve, and how its operations are asked in the order of a season.
MOMENT = datetime(2026, 12, 24, 9, tzinfo=UTC)
SHELF = "/v1/experiments/{experiment}"
TURN = f"{SHELF}/decisions/{{turn}}"
ASKED: list[tuple[str, str, dict[str, Any] | None]] = [
    (f"POST {SHELF}/decide", "", {"turn": 1}),
    (f"POST {TURN}/update", "", {"purchases": 12, "visitors": 310}),
    (f"POST {SHELF}/update", "", {"rewards": [{"turn": 2, "purchases": 9, "visitors": 275}]}),
    (f"POST {TURN}/correct", "", {"purchases": 11, "visitors": 310}),
    (f"POST {SHELF}/worth", "", {"cost": 4.6}),
    ("GET /v1/experiments", "", None),
    (f"GET {SHELF}", "", None),
    (f"GET {SHELF}/decisions", "?limit=1", None),
    (f"GET {TURN}", "", None),
    (f"POST {SHELF}/stay", "", {"stay_with_leader": True}),
    (f"POST {SHELF}/arms", "", {"price": 9.49, "label": "offer"}),
    (f"POST {SHELF}/arms/{{arm}}/remove", "", None),
    (f"POST {SHELF}/reforecast", "", {"first": 3, "values": [850, 320, 290]}),
    (f"GET {SHELF}/plan", "?turns=1", None),
    (f"GET {SHELF}/events", "?after=1&limit=1", None),
    (f"GET {SHELF}/export.{{kind}}", "", None),
    ("POST /ofrep/v1/evaluate/flags/{experiment}", "", {}),
    ("POST /ofrep/v1/evaluate/flags", "", {}),
    (f"POST {SHELF}/pause", "", None),
    (f"POST {SHELF}/resume", "", None),
    (f"POST {SHELF}/archive", "", None),
    ("GET /health", "", None),
    ("GET /ready", "", None),
]
PLACES = {"experiment": "shelf-7", "turn": "1", "arm": "11.99", "kind": "csv"}


def examples() -> dict[str, Any]:
    """What a new service answers, in that order."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        service = Service(f"{folder}/service.db", clock=lambda: MOMENT)
        with Server(service) as server, httpx.Client(base_url=server.url, timeout=60) as client:
            schemas = client.get("/openapi.json").json()["components"]["schemas"]
            [body] = schemas["ExperimentBody"]["examples"]
            for name, query, sent in [("POST /v1/experiments", "", body), *ASKED]:
                method, path = name.split()
                asked = path.format_map(PLACES) + query
                if name.endswith("{experiment}/update"):
                    service.decide("shelf-7", 2)
                answer = client.request(method, asked, json=sent)
                assert answer.is_success, answer.text
                text = answer.headers["content-type"].startswith("text/")
                found[name] = {"path": asked} | ({} if sent is None else {"sent": sent})
                found[name]["answer"] = answer.text if text else rounded(answer.json())
    return found


def rounded(value: Any) -> Any:
    """Numbers with four decimals: the last ones depend on the machine."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return round(value, 4) if isinstance(value, float) else value


def written(found: dict[str, Any]) -> str:
    """The examples as a file, one on a line."""
    rows = (f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in found.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def test_the_examples_are_what_the_service_answers() -> None:
    assert written(examples()) == EXAMPLES.read_text("utf-8"), "write them again: see this module"


def test_every_operation_has_a_request_and_an_answer(http: httpx.Client) -> None:
    page, schema = http.get("/docs").text, http.get("/openapi.json").json()
    named = {f"{m.upper()} {path}" for path, methods in schema["paths"].items() for m in methods}
    assert named - set(json.loads(EXAMPLES.read_text("utf-8"))) == {"GET /metrics"}
    assert page.count("curl ") >= len(named)
    listed = page.partition('class="contents"')[2].partition("</nav>")[0]
    contents = re.findall('href="#([^"]+)"', listed)
    assert len(set(contents)) == len(named) + 2  # how to ask, and the bodies
    assert all(f'id="{anchor}"' in page for anchor in contents)
    for parameter in (
        one
        for methods in schema["paths"].values()
        for operation in methods.values()
        for one in operation.get("parameters", ())
    ):
        assert parameter["description"]


def test_the_page_says_which_token_is_needed(http: httpx.Client) -> None:
    schema = http.get("/openapi.json").json()["paths"]
    assert list(schema[f"{SHELF}/decide"]["post"]["security"][0]) == ["decide"]
    page = http.get("/docs").text
    assert "Authorization: Bearer" in page
    assert "needs a token with the scope <b>decide</b>" in page


if __name__ == "__main__":
    Path(EXAMPLES).write_text(written(examples()), "utf-8")
