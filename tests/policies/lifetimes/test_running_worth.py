from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highseason.policies.rule import running_worth


@given(st.floats(1e-9, 1e9), st.integers(1, 60), st.data())
def test_stretches_of_equal_turns_are_worth_the_same(
    value: float, turns: int, data: st.DataObject
) -> None:
    worth = running_worth(np.full(turns, value))
    length = data.draw(st.integers(1, turns))
    found = {worth[start + length] - worth[start] for start in range(turns - length + 1)}
    assert len(found) == 1


@given(st.lists(st.floats(0.001, 1000), min_size=1, max_size=40))
def test_worth_is_in_proportion_to_the_sum(values: list[float]) -> None:
    worth = running_worth(np.array(values))
    assert worth[0] == 0.0
    assert worth[1:] / worth[-1] == pytest.approx(np.cumsum(values) / np.sum(values))


def test_order_does_not_matter() -> None:
    values = np.array([0.1, 0.3, 0.7, 1e-3, 12.0])
    assert running_worth(values)[-1] == running_worth(values[::-1])[-1]
