"""Pools that need a library of their own: those of Ray and Dask.

Work travels to other machines once, however many of its blocks they are given.  Ray hands arrays
over as read-only views, and Dask warns of large tasks, so it travels as bytes, apart from the
blocks, and a worker unpacks it when it first sees it.  Ray and Dask run a task again whose worker
or machine was lost.
"""

import hashlib
import os
import pickle
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

from highseason.core.extras import require
from highseason.core.parallel import Pool, worker_count

#: The work that this worker unpacked last.
_unpacked: dict[str, Callable[[Any], Any]] = {}


class Shipment(NamedTuple):
    """The work in bytes, and what to know it by."""

    key: str
    content: bytes


def pack(work: Callable[[Any], Any]) -> Shipment:
    """Pack the work, functions of a notebook or a script included."""
    content = pack_block(work)
    return Shipment(hashlib.sha256(content).hexdigest(), content)


def pack_block(block: Any) -> bytes:
    """Pack a block: what it holds may come with the work, so it is unpacked after that."""
    import cloudpickle  # type: ignore[import-untyped]  # comes with Ray and with Dask

    return bytes(cloudpickle.dumps(block))


def run_block(shipment: Shipment, block: bytes) -> Any:
    """Work on one block: what a worker calls."""
    work = _unpacked.get(shipment.key)
    if work is None:
        work = pickle.loads(shipment.content)
        _unpacked.clear()
        _unpacked[shipment.key] = work
    return work(pickle.loads(block))


#: How often a task is run again after its worker was lost.
_RETRIES = 10


class RayPool(Pool):
    """The workers of Ray, for which blocks are tasks."""

    def __init__(self, ray: Any, workers: int, end: Callable[[], None]) -> None:
        super().__init__(None, workers)
        self._ray, self._end = ray, end
        self._task = ray.remote(max_retries=_RETRIES)(run_block)
        self._running: dict[Future[Any], Any] = {}

    def sender(self, work: Callable[[Any], Any]) -> Callable[[Any], Future[Any]]:
        """Send the work to the cluster once; gives a function that hands out one block."""
        shipment = self._ray.put(pack(work))
        return lambda block: self._future(self._task.remote(shipment, pack_block(block)))

    def _future(self, task: Any) -> Future[Any]:
        future: Future[Any] = task.future()
        self._running[future] = task
        future.add_done_callback(self._running.pop)
        return future

    def close(self) -> None:
        """Stop what is still running; end Ray if it was started here."""
        for task in list(self._running.values()):
            self._ray.cancel(task, force=True)
        self._end()


def start_ray(address: str, workers: int | None) -> RayPool:
    """Start Ray on this machine, or join the cluster at `address`, through its client."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no telemetry
    ray = require("ray", extra="ray", purpose="the executor ray")
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "warning"}
    if address:
        require("grpc", extra="ray", purpose="the client of Ray")
        client = ray.init(f"ray://{address}", **options)
        return RayPool(ray, workers or int(ray.cluster_resources()["CPU"]), client.disconnect)
    if ray.is_initialized():  # the program's own, which stays
        return RayPool(ray, workers or int(ray.cluster_resources()["CPU"]), lambda: None)
    count = worker_count(workers)
    here = {"include_dashboard": False, "_node_ip_address": "127.0.0.1", **options}
    ray.init("local", num_cpus=count, **here)  # also where another cluster runs on this machine
    return RayPool(ray, count, ray.shutdown)


class DaskPool(Pool):
    """The workers of Dask."""

    def __init__(self, client: Any, workers: int, cluster: Any = None) -> None:
        super().__init__(client.get_executor(pure=False), workers)
        self._client, self._cluster = client, cluster

    def sender(self, work: Callable[[Any], Any]) -> Callable[[Any], Future[Any]]:
        """A function that hands out one block of the work."""
        assert self.executor is not None
        # A task that gives the work back: what was scattered would be lost with its worker.
        shipment = self._client.submit(lambda packed: packed, pack(work), pure=False)
        submit = self.executor.submit
        return lambda block: submit(run_block, shipment, pack_block(block))

    def close(self) -> None:
        """Stop what is still running; end Dask if it was started here."""
        assert self.executor is not None
        self.executor.shutdown(wait=False)
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def start_dask(address: str, workers: int | None) -> DaskPool:
    """Start Dask on this machine, or join the cluster whose scheduler is at `address`."""
    distributed = require("distributed", extra="dask", purpose="the executor dask")
    if address:
        client = distributed.Client(f"tcp://{address}")
        threads = sum(client.nthreads().values())
        return DaskPool(client, workers or max(1, threads))
    count = worker_count(workers)
    try:
        cluster = distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        )
    except RuntimeError as reason:
        raise RuntimeError(
            "Dask could not start its workers, which import the script that starts them: put what "
            'it does under `if __name__ == "__main__":`, so that they do not start workers too'
        ) from reason
    return DaskPool(distributed.Client(cluster), count, cluster)
