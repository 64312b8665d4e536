"""Requests that schemathesis makes up from the API's own description."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as examples
from hypothesis.errors import Unsatisfiable
from schemathesis.specs.openapi.checks import positive_data_acceptance
from tests.service.conftest import Server, settings

from highseason_service import Service
from highseason_service.app import create_app
from highseason_service.security import create_token


@pytest.fixture(scope="module")
def operations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    """All operations of a live server, with strategies for requests."""
    folder: Path = tmp_path_factory.mktemp("fuzzed")
    service = Service(f"{folder}/service.db")
    service.create(settings())
    token = create_token(service.database, "fuzz", "admin")
    with Server(service) as server:
        schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
        yield [(result.ok(), token) for result in schema.get_all_operations()]


def answers_are_described(
    operation: Any, token: str, mode: schemathesis.GenerationMode, count: int
) -> None:
    quick = examples(
        max_examples=count,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    @quick
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case: schemathesis.Case) -> None:
        # A valid body may still be refused: no schema knows the policies, or that 1.0 is no turn.
        case.call_and_validate(
            headers={"Authorization": f"Bearer {token}"},
            excluded_checks=[positive_data_acceptance],
        )

    with contextlib.suppress(Unsatisfiable):  # what has no parameters has no wrong ones
        check()


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=lambda mode: mode.value)
def test_every_answer_is_described(
    operations: list[Any], mode: schemathesis.GenerationMode
) -> None:
    assert len(operations) > 20
    for operation, token in operations:
        answers_are_described(operation, token, mode, count=4)


def test_every_operation_is_described(tmp_path: Path) -> None:
    with Service(f"{tmp_path}/service.db") as service:
        document = create_app(service).openapi()
    silent = [
        f"{method} {path}"
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if not operation.get("description")
    ]
    assert silent == []
