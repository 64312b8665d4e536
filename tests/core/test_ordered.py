"""Sorted numbers: what NumPy says of all of them, without looking at all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from highseason.core.ordered import WithOne

numbers = st.floats(1e-300, 1e300) | st.sampled_from([1.0, 2.0, 3.0])
several = st.lists(numbers, max_size=40)


@given(several, numbers, st.floats(0, 1) | st.sampled_from([0.0, 0.1, 0.5, 0.75, 1.0]))
def test_quantiles_are_numpys_to_the_last_bit(
    values: list[float], one: float, share: float
) -> None:
    every = WithOne(sorted(values), one)
    assert every.quantile(share) == float(np.quantile([*values, one], share))
    assert (every.min(), every.max()) == (min([*values, one]), max([*values, one]))
    assert sorted(np.asarray(every).tolist()) == sorted([*values, one])
