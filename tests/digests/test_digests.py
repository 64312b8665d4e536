"""Results are those that were recorded; names and files may change, numbers may not."""

from __future__ import annotations

import functools
import json
import os

import pytest
from tests.digests.cases import CASES, compute
from tests.digests.digest import RECORDED, difference

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
    expected, found = recorded().get(name, {}), compute(name)
    wrong = [f"{entry}: is gone" for entry in expected if entry not in found]
    wrong += [f"{entry}: was never recorded" for entry in found if entry not in expected]
    for entry in found:
        if entry in expected:
            differs = difference(found[entry], expected[entry])
            wrong += [f"{entry}: {differs}"] if differs else []
    if wrong:
        listed = "\n  ".join(wrong)
        pytest.fail(
            f"case {name!r}, {len(wrong)} of {len(found)} entries:\n  {listed}", pytrace=False
        )
