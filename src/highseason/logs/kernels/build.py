"""The types of the kernels' arguments, and the kernels compiled for them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from highseason.core.compile import compiled
from highseason.logs.kernels.generate import Offer, Traffic, count_events, fill_events
from highseason.logs.kernels.lines import Wording, write_lines

Kernel = Callable[..., Any]


def _types() -> Any:
    from numba.core import types

    return types


@functools.cache
def count_kernel() -> Kernel:
    """`count_events`, compiled."""
    t = _types()
    traffic = t.NamedTuple((t.float64, t.float64, t.float64, t.float64, t.int64), Traffic)
    return compiled(count_events, t.void(traffic, t.uint64, t.uint64, t.int64, t.int64[::1]))


@functools.cache
def fill_kernel() -> Kernel:
    """`fill_events`, compiled."""
    t = _types()
    whole, short, real = t.int64[::1], t.int32[::1], t.float64[::1]
    offer = t.NamedTuple((whole, whole, short, real, real, real, real), Offer)
    return compiled(
        fill_events,
        t.void(offer, t.uint64, t.int64, whole, whole, short, t.uint8[::1], short),
    )


@functools.cache
def lines_kernel() -> Kernel:
    """`write_lines`, compiled."""
    t = _types()
    whole, short, byte = t.int64[::1], t.int32[::1], t.uint8[::1]
    wording = t.NamedTuple((whole, byte, whole, byte), Wording)
    columns = (whole, short, byte, short)
    return compiled(write_lines, t.int64(wording, t.uint64, t.int64, *columns, byte))
