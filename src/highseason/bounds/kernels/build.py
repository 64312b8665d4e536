"""The kernels on arrays, compiled for their types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.kernels.leaders import leader_kernel, pool_kernel
from highseason.bounds.kernels.mortal import mortal_kernel
from highseason.bounds.kernels.top_sums import top_sums_kernel
from highseason.core.compile import compiled

Numbers = NDArray[np.float64]


def leader_costs(gaps: Numbers, kappas: Numbers, lams: Numbers) -> Numbers:
    """`leader_kernel` on arrays; `gaps` must fall."""
    out = np.empty(lams.size)
    numbers = _types().float64[::1]
    _run(leader_kernel, (numbers,) * 4, _writable(gaps), _writable(kappas), _writable(lams), out)
    return out


def pool_costs(gaps: Numbers, sizes: NDArray[np.int64], r: float) -> Numbers:
    """`pool_kernel` on arrays; `gaps` must fall."""
    out = np.empty(sizes.size)
    types = _types()
    numbers, counts = types.float64[::1], types.int64[::1]
    kinds = (numbers, counts, types.float64, numbers)
    _run(pool_kernel, kinds, _writable(gaps), np.array(sizes, np.int64), 2.0 * r * r, out)
    return out


def top_sums(
    gaps: Numbers, factors: Numbers, weights: Numbers, radii: Numbers, series: Numbers
) -> tuple[Numbers, Numbers]:
    """`top_sums_kernel` on arrays."""
    tried, total = np.zeros(weights.size), np.zeros(weights.size)
    if weights.size == 0:
        return tried, total
    order = np.argsort(-weights, kind="stable")
    numbers, counts = _types().float64[::1], _types().int64[::1]
    kinds = (numbers, numbers, numbers, counts, numbers, numbers, numbers, numbers)
    given = [_writable(array) for array in (gaps, factors, weights)]
    rest = [_writable(array) for array in (radii, series)]
    _run(top_sums_kernel, kinds, *given, order, *rest, tried, total)
    return tried, total


def mortal_costs(*arguments: Any, turns: int) -> Numbers:
    """`mortal_kernel` on arrays: what each turn adds to the bound."""
    types = _types()
    numbers, counts = types.float64[::1], types.int64[::1]
    table, plain = types.float64[:, ::1], (types.int64, types.float64)
    kinds = (numbers, *(counts,) * 4, table, numbers, numbers, *plain, numbers)
    out = np.zeros(turns)
    _run(mortal_kernel, kinds, *arguments, out)
    return out


def _run(kernel: Callable[..., None], kinds: tuple[Any, ...], *arguments: Any) -> None:
    compiled(kernel, _types().void(*kinds))(*arguments)


def _types() -> Any:
    from numba.core import types

    return types


def _writable(values: Numbers) -> Numbers:
    """A writable copy: numba gives read-only arrays another type."""
    return np.array(values, dtype=np.float64, order="C")
