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
Counts = NDArray[np.int64]


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
    """`top_sums_kernel` on arrays: the cost of trying arms, and of trying and misjudging them."""
    out = np.zeros((2, weights.size))
    if weights.size:
        order = np.argsort(-weights, kind="stable")
        rows = _types().float64[:, ::1]
        kinds = (rows, rows, _types().int64[::1], rows)
        by_arm, by_turn = np.array([gaps, factors]), np.array([weights, radii, series])
        _run(top_sums_kernel, kinds, by_arm, by_turn, order, out)
    return out[0], out[1]


def mortal_costs(
    means: Numbers, spans: Counts, epochs: Counts, psi: Numbers, G: Numbers, opening: int, r: float
) -> Numbers:
    """`mortal_kernel` on arrays: what each turn adds to the bound."""
    types = _types()
    numbers, rows, counts = types.float64[::1], types.float64[:, ::1], types.int64[:, ::1]
    kinds = (numbers, counts, counts, rows, rows, types.int64, types.float64, numbers)
    out = np.zeros(G.shape[1])
    _run(mortal_kernel, kinds, _writable(means), spans, epochs, psi, G, opening, float(r), out)
    return out


def _run(kernel: Callable[..., None], kinds: tuple[Any, ...], *arguments: Any) -> None:
    compiled(kernel, _types().void(*kinds))(*arguments)


def _types() -> Any:
    from numba.core import types

    return types


def _writable(values: Numbers) -> Numbers:
    """A writable copy: numba gives read-only arrays another type."""
    return np.array(values, dtype=np.float64, order="C")
