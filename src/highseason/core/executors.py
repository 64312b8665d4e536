"""Where blocks of work run: in this process, on all cores, or on a cluster.

An executor is a name, any `concurrent.futures.Executor`, or a `Pool` that is open already.  Names
are resolved here and nowhere else: a new kind is a module with `start(address, workers)` that gives
a `Pool`, and an entry in `_KINDS`.
"""

import atexit
import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

from highseason.core.validation import whole_number

#: Executors with a module of their own; `NAME://ADDRESS` joins one that runs, where it can.
_KINDS = {
    "ray": "highseason.core.ray_pool",
    "dask": "highseason.core.dask_pool",
    "gpu": "highseason.core.gpu_pool",
}
#: What an executor can be called.
EXECUTORS = ("local", "serial", *_KINDS)


class Pool:
    """Workers that are ready: what `opened` gives, and everything with `executor=` takes.

    Attributes:
        executor: What runs the work.
        workers: How many workers it has.
        inline: Whether work runs in the caller's thread instead.
        in_process: Whether workers are threads of this process.
        on_gpu: Whether games are played on a GPU; all other work is done by the workers.
    """

    inline = False
    in_process = False
    on_gpu = False

    def __init__(self, executor: Executor | None, workers: int) -> None:
        self.executor = executor
        self.workers = workers

    def sender(self, work: Callable[[Any], Any], processes: bool) -> Callable[[Any], Future[Any]]:
        """A function that hands out one block of the work."""
        assert self.executor is not None
        submit = self.executor.submit
        return lambda block: submit(work, block)

    def start_processes(self, module: str) -> None:
        """Let local processes import what they will need, while the caller does something else."""

    def restart(self) -> bool:
        """Replace lost workers; False if that is not ours to do."""
        return False

    def close(self) -> None:
        """End what was started here; somebody else's executor stays open."""


Executors: TypeAlias = str | Executor | Pool | None


@contextmanager
def opened(executor: Executors = None, workers: int | None = None) -> Iterator[Pool]:
    """Start the workers, and end them afterwards if they were started here.

    Args:
        executor: "local" or None: the cores of this machine; "serial": none besides the caller;
            "ray" or "dask": started on this machine; "ray://HOST:PORT" or "dask://HOST:PORT": a
            cluster that runs; "gpu": the GPU of this machine for games, and its cores for
            everything else; or any `concurrent.futures.Executor`.
        workers: How many; all there are if None.

    >>> with opened("local", workers=2) as pool:
    ...     pool.workers
    2
    """
    if isinstance(executor, Pool):
        yield executor
        return
    pool = _open(executor, workers)
    try:
        yield pool
    finally:
        pool.close()


def _open(executor: str | Executor | None, workers: int | None) -> Pool:
    if executor is None or executor == "local":
        return LocalPool(worker_count(workers))
    if executor == "serial":
        return LocalPool(1)
    if isinstance(executor, Executor):
        known = getattr(executor, "_max_workers", None)  # of the standard library's executors
        return Pool(executor, worker_count(known if workers is None else workers))
    check_executor(executor)
    kind, _, address = executor.partition("://")
    if workers is not None:
        workers = worker_count(workers)
    pool: Pool = import_module(_KINDS[kind]).start(address, workers)
    return pool


def check_executor(executor: Executors) -> None:
    """Raise `ValueError` for an unknown executor name, before any work."""
    if executor is None or isinstance(executor, Executor | Pool) or executor in EXECUTORS:
        return
    kind, separator, _ = str(executor).partition("://")
    if not isinstance(executor, str) or not separator or kind not in _KINDS:
        raise ValueError(
            f"executor={executor!r} must be one of {', '.join(EXECUTORS)}, an address such as "
            "ray://HOST:10001 or dask://HOST:8786, or a concurrent.futures.Executor"
        )


def worker_count(workers: int | None) -> int:
    """The number of workers: as given, or for None one per core that this process may use."""
    if workers is not None:
        return whole_number("workers", workers, at_least=1)
    if hasattr(os, "sched_getaffinity"):  # a queueing system often grants fewer than there are
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalPool(Pool):
    """The cores of this machine: threads, and processes for work that asks for them."""

    def __init__(self, workers: int) -> None:
        super().__init__(None, workers)
        self.inline, self.in_process = workers == 1, True
        self._threads: ThreadPoolExecutor | None = None
        self._processes: ProcessPoolExecutor | None = None

    def sender(self, work: Callable[[Any], Any], processes: bool) -> Callable[[Any], Future[Any]]:
        """A function that hands out one block of the work."""
        if processes:
            return lambda block: self._send_to_process(work, block)
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.workers)
        submit = self._threads.submit
        return lambda block: submit(work, block)

    def _send_to_process(self, work: Callable[[Any], Any], block: Any) -> Future[Any]:
        if self._processes is None:
            # A fork would copy locks that other threads hold.
            context = multiprocessing.get_context("spawn")
            self._processes = ProcessPoolExecutor(self.workers, context, _begin_worker)
        with _without_main():
            return self._processes.submit(_work_on, work, block)

    def start_processes(self, module: str) -> None:
        """Let processes import what they will need, while the caller does something else."""
        if not self.inline:
            for _ in range(self.workers):
                self._send_to_process(_import, module)

    def restart(self) -> bool:
        """Start new processes in place of lost ones."""
        if self._processes is None:
            return False
        self._processes.shutdown(wait=False, cancel_futures=True)
        self._processes = None
        return True

    def close(self) -> None:
        """End all threads and processes, when what they work on is done."""
        for executor in (self._threads, self._processes):
            if executor is not None:
                executor.shutdown(cancel_futures=True)
        self._threads = self._processes = None


@contextmanager
def _without_main() -> Iterator[None]:
    """Keep a new process from running the user's script once more, which has no guard for that."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _import(module: str) -> None:
    import_module(module)


def _work_on(work: Callable[[Any], Any], block: Any) -> Any:
    """One block in a process, which collects garbage afterwards, and only what is new.

    Left to itself it would search the half a million objects of a compiler over and over.
    """
    try:
        return work(block)
    finally:
        gc.collect()
        gc.freeze()


def _begin_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it, however it ends; end at once."""
    atexit.register(os._exit, 0)  # the last of all: what is left in memory need not be cleared
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)
