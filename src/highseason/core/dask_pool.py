"""Dask as an executor: started on this machine, or a cluster that runs.

Dask runs a task again whose worker was lost.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from highseason.core.executors import Pool, worker_count
from highseason.core.extras import require
from highseason.core.shipped import Shipment, pack, pack_block, run_block


def start(address: str, workers: int | None) -> DaskPool:
    """Start Dask on this machine, or join the cluster whose scheduler is at `address`."""
    distributed = require("distributed", extra="dask", purpose="the executor dask")
    if address:
        client = distributed.Client(f"tcp://{address}")
        threads = sum(client.nthreads().values())
        return DaskPool(client, workers or max(1, threads))
    count = worker_count(workers)
    cluster = distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    )
    return DaskPool(distributed.Client(cluster), count, cluster)


class DaskPool(Pool):
    """The workers of Dask."""

    def __init__(self, client: Any, workers: int, cluster: Any = None) -> None:
        super().__init__(client.get_executor(pure=False), workers)
        self._client, self._cluster = client, cluster

    def sender(self, work: Callable[[Any], Any], processes: bool) -> Callable[[Any], Future[Any]]:
        """A function that hands out one block of the work."""
        assert self.executor is not None
        # A task that gives the work back: what was scattered would be lost with its worker.
        shipment = self._client.submit(_itself, pack(work), pure=False)
        submit = self.executor.submit
        return lambda block: submit(run_block, shipment, pack_block(block))

    def close(self) -> None:
        """Stop what is still running; end Dask if it was started here."""
        assert self.executor is not None
        self.executor.shutdown(wait=False)
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _itself(shipment: Shipment) -> Shipment:
    return shipment
