"""Results are those that were recorded; names and files may change, numbers may not."""

from __future__ import annotations

import functools
import json
import os

import pytest
from tests.digests.cases import CASES, compute
from tests.digests.digest import RECORDED, difference, summary

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"),
    reason="digests are of compiled results, and NUMBA_DISABLE_JIT is set",
)


@functools.cache
def recorded() -> dict[str, dict[str, object]]:
    """The file."""
    found: dict[str, dict[str, object]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def test_every_case_is_recorded() -> None:
    assert set(CASES) == set(recorded())


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_recorded(name: str) -> None:
    wrong = difference(summary(compute(name)), recorded().get(name, {}))
    if wrong:
        pytest.fail(
            f"case {name!r}: {'; '.join(wrong)}\nto see which entry, compare the output of "
            f"python -m tests.digests.record --entries {name!r} before and after the change",
            pytrace=False,
        )
