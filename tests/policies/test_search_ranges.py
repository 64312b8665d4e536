"""Each policy declares where tuning looks for its parameters."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from highseason.core.validation import Limits
from highseason.policies import parameter, registry
from highseason.policies.parameters import SearchRange, search_range

G = np.array([2.0, 30.0, 50.0])
LIMITS = {
    (policy.name, entry.name): entry.metadata["limits"]
    for policy in registry().values()
    for entry in fields(policy)
    if policy.__module__.startswith("highseason.") and "limits" in entry.metadata
}


@pytest.mark.parametrize(
    ("policy", "name", "expected"),
    [
        ("epsilon-greedy", "k", (1e-3, 1e2, "log")),
        ("soft-ucb", "P", (1e-3, 1e2, "log")),
        ("ucb-l", "c", (1e-3, 1e2, "log")),
        ("variable-pool", "c", (1.01, 1e3, "log")),
        ("ucb-z", "z", (2.0, 51.0, "log")),
        ("windowed", "window", (1.01, 1e3, "log")),
        ("discounted", "discount", (1e-3, 1.0, "log")),
        ("cap", "cap", (1e-3, 1e2, "log")),
    ],
)
def test_the_declared_ranges(policy: str, name: str, expected: tuple[object, ...]) -> None:
    assert search_range(LIMITS[policy, name], G) == expected


@pytest.mark.parametrize(("policy", "name"), LIMITS)
def test_every_number_has_a_range_of_values_that_it_accepts(policy: str, name: str) -> None:
    limits: Limits = LIMITS[policy, name]
    if limits.numeric:
        low, high, scale = search_range(limits, G)
        assert limits.search is not None or limits.allows_expression
        assert low < high
        assert scale == "log" or not low > 0
        limits.check(name, high)
        limits.check(name, round(low) if limits.whole else low)


def test_a_number_that_declares_no_range_gets_one_from_its_limits() -> None:
    def of(**limits: float) -> SearchRange:
        declared: Limits = parameter(2.0, "a number", **limits).metadata["limits"]
        return search_range(declared, G)

    assert of() == (1e-3, 1e2, "log")
    assert of(above=1.0) == (1.01, 1e3, "log")
    assert of(at_least=0.0, at_most=1.0) == (1e-3, 1.0, "log")
