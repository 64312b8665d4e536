"""The pages of the demo, the limits of requests and the tables are those they were.

After a change that is meant: `python -m tests.service.test_recorded`, and look at what differs.
"""

from __future__ import annotations

import html
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.reference.recorded import Cases, assert_recorded, record
from tests.service.conftest import Server

from highseason_service import Service, demo
from highseason_service.tables import metadata

RECORDED = Path(__file__).parent / "recorded.json"
MOMENT = datetime(2026, 12, 11, 9, tzinfo=UTC)
PAGES = ("/", "/experiments/demo-shop", "/experiments/demo-shop/season",
         "/experiments/demo-shop/arms", "/experiments/demo-shop/manage")  # fmt: skip
#: What a schema says of the numbers and texts that it takes.
LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
          "minItems", "maxItems", "default", "maxProperties")  # fmt: skip
#: What it says besides; the names of properties only since pydantic 2.10.
UNCOMPARED = ("example", "examples", "description", "propertyNames")


def words(page: str) -> list[str]:
    """The words that a page shows, without those that depend on the machine."""
    body = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", page, flags=re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]+>", "\n", body))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [line for line in lines if line and not re.search(r"highseason \d|127\.0\.0\.1", line)]


def shortened(value: Any) -> Any:
    """Long lists by their ends and some of their middle."""
    if isinstance(value, dict):
        return {key: shortened(one) for key, one in value.items()}
    if isinstance(value, list) and len(value) > 40:
        return [len(value), *map(shortened, (*value[:12], *value[12:-12:9], *value[-12:]))]
    return [shortened(one) for one in value] if isinstance(value, list) else value


def pages() -> dict[str, Any]:
    """The demo on a day in December."""
    with serving() as (service, client):
        demo.fill(service, MOMENT)
        found: dict[str, Any] = {}
        for path in PAGES:
            answer = client.get(path)
            found[path] = [answer.status_code, words(answer.text)]
        for path in re.findall(r"/experiments/demo-shop/tables/[a-z-]+", client.get(PAGES[2]).text):
            found[path] = shortened(words(client.get(path).text)[8:])
        for path in ("/v1/experiments/demo-shop", "/v1/experiments/demo-shop/plan?turns=9"):
            found[path] = shortened(client.get(path).json())
        return found


@contextmanager
def serving() -> Iterator[tuple[Service, httpx.Client]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Service(f"{folder}/service.db", clock=lambda: MOMENT) as service,
        Server(service) as server,
        httpx.Client(base_url=server.url, timeout=60) as client,
    ):
        yield service, client


def limits(schema: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Every limit and default in a description of the interface, and where it stands."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in LIMITS and not isinstance(value, dict):
                yield f"{where} {key}", value
            elif key not in UNCOMPARED:
                yield from limits(value, f"{where}/{key}")
    elif isinstance(schema, list):
        for place, value in enumerate(schema):
            name = value.get("name", place) if isinstance(value, dict) else place
            yield from limits(value, f"{where}/{name}")


def interface() -> dict[str, Any]:
    with serving() as (_, client):
        return dict(limits(client.get("/openapi.json").json()))


def tables() -> dict[str, Any]:
    return {
        name: {
            one.name: [str(one.type), bool(one.nullable), one.primary_key, str(one.autoincrement)]
            for one in table.columns
        }
        for name, table in metadata.tables.items()
    }


def shop_year() -> dict[str, Any]:
    """The traffic of the demo from two days on."""
    found = {
        str(day): demo.expected_traffic(day)[::13] for day in (date(2026, 1, 1), date(2025, 7, 9))
    }
    return found | {"turns": demo.expected_traffic(date(2026, 1, 1)).size}


CASES: Cases = {
    "pages": pages,
    "interface": interface,
    "tables": tables,
    "a shop's year": shop_year,
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_shown_and_taken_is_what_was_recorded(name: str) -> None:
    assert_recorded(RECORDED, CASES, name)


if __name__ == "__main__":
    record(RECORDED, CASES)
