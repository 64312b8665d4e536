"""Work that travels to other processes once, however many of its blocks they are given.

Ray hands arrays over as read-only views, and Dask warns of large tasks.  So the work travels as
bytes, apart from the blocks, and a worker unpacks it when it first sees it.
"""

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

#: The work that this worker unpacked last.
_unpacked: dict[str, Callable[[Any], Any]] = {}


class Shipment(NamedTuple):
    """The work in bytes, and what to know it by."""

    key: str
    content: bytes


def pack(work: Callable[[Any], Any]) -> Shipment:
    """Pack the work, functions of a notebook or a script included."""
    import cloudpickle  # type: ignore[import-untyped]  # comes with Ray and with Dask

    content = cloudpickle.dumps(work)
    return Shipment(hashlib.sha256(content).hexdigest(), content)


def run_block(shipment: Shipment, block: Any) -> Any:
    """Work on one block: what a worker calls."""
    import pickle

    work = _unpacked.get(shipment.key)
    if work is None:
        work = pickle.loads(shipment.content)
        _unpacked.clear()
        _unpacked[shipment.key] = work
    return work(block)
