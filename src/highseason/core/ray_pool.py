"""Ray as an executor: started on this machine, or a cluster that runs.

Ray has no `concurrent.futures.Executor` of its own.  It runs a task again whose worker or machine
was lost.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from highseason.core.executors import Pool, worker_count
from highseason.core.extras import require
from highseason.core.shipped import pack, pack_block, run_block

#: How often a task is run again after its worker was lost.
_RETRIES = 10


def start(address: str, workers: int | None) -> RayPool:
    """Start Ray on this machine, or join the cluster at `address`, through its client."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no telemetry
    ray = require("ray", extra="ray", purpose="the executor ray")
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "warning"}
    if address:
        require("grpc", extra="ray", purpose="the client of Ray")
        session = ray.init(f"ray://{address}", **options)
        return RayPool(ray, workers or int(ray.cluster_resources()["CPU"]), session.disconnect)
    if ray.is_initialized():  # the program's own, which stays
        return RayPool(ray, workers or int(ray.cluster_resources()["CPU"]), lambda: None)
    count = worker_count(workers)
    here = {"include_dashboard": False, "_node_ip_address": "127.0.0.1", **options}
    ray.init("local", num_cpus=count, **here)  # also where another cluster runs on this machine
    return RayPool(ray, count, ray.shutdown)


class RayExecutor(Executor):
    """Runs functions as tasks of Ray."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._task = ray.remote(max_retries=_RETRIES)(run_block)
        self._running: dict[Future[Any], Any] = {}

    def ship(self, work: Callable[[Any], Any]) -> Callable[[Any], Future[Any]]:
        """Send the work to the cluster once; gives a function that hands out one block."""
        shipment = self._ray.put(pack(work))
        return lambda block: self._future(self._task.remote(shipment, pack_block(block)))

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run one function."""
        return self.ship(lambda _: function(*args, **kwargs))(None)

    def _future(self, task: Any) -> Future[Any]:
        future: Future[Any] = task.future()
        self._running[future] = task
        future.add_done_callback(self._running.pop)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stop what is still running; Ray itself stays."""
        for task in list(self._running.values()):
            if cancel_futures:
                self._ray.cancel(task, force=True)
            elif wait:
                self._ray.wait([task])


class RayPool(Pool):
    """The workers of Ray."""

    executor: RayExecutor

    def __init__(self, ray: Any, workers: int, end: Callable[[], None]) -> None:
        super().__init__(RayExecutor(ray), workers)
        self._end = end

    def sender(self, work: Callable[[Any], Any], processes: bool) -> Callable[[Any], Future[Any]]:
        """A function that hands out one block of the work."""
        return self.executor.ship(work)

    def close(self) -> None:
        """Stop what is still running; end Ray if it was started here."""
        self.executor.shutdown(cancel_futures=True)
        self._end()
