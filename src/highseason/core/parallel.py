"""Work on several cores or machines: the one place that maps a function over blocks.

Blocks are cut by their content, never by the number of workers, and results come in the order of
the blocks.  So the same work gives the same bits on any executor.
An executor is a name, any `concurrent.futures.Executor`, or a `Pool` that is open already; names
are resolved here and nowhere else.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from highseason.core.validation import whole_number

#: What starts an executor of that name, given an address or "" and how many workers; rooms may add
#: one.  `NAME://ADDRESS` joins one that runs, where it can.
STARTERS = {"ray": "highseason.core.pools:start_ray", "dask": "highseason.core.pools:start_dask"}
#: Blocks in flight per worker: enough to keep all busy, few enough to bound memory.
_IN_FLIGHT = 2

Block = TypeVar("Block")
Result = TypeVar("Result")


class Pool:
    """Workers that are ready: what `opened` gives, and everything with `executor=` takes.

    Attributes:
        executor: What runs the work.
        workers: How many workers it has.
        inline: Whether work runs in the caller's thread instead.
        in_process: Whether workers are threads of this process.
    """

    inline = False
    in_process = False

    def __init__(self, executor: Executor | None, workers: int) -> None:
        self.executor = executor
        self.workers = workers

    def sender(self, work: Callable[[Any], Any]) -> Callable[[Any], Future[Any]]:
        """A function that hands out one block of the work."""
        assert self.executor is not None
        submit = self.executor.submit
        return lambda block: submit(work, block)

    def close(self) -> None:
        """End what was started here; somebody else's executor stays open."""


Executors: TypeAlias = str | Executor | Pool | None


@contextmanager
def opened(executor: Executors = None, workers: int | None = None) -> Iterator[Pool]:
    """Start the workers, and end them afterwards if they were started here.

    Args:
        executor: "local" or None: the cores of this machine; "serial": none besides the caller;
            "ray" or "dask": started on this machine; "ray://HOST:PORT" or "dask://HOST:PORT": a
            cluster that runs; a name in `STARTERS`; or any `concurrent.futures.Executor`.
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
    module, _, start = STARTERS[kind].partition(":")
    pool: Pool = getattr(import_module(module), start)(address, workers)
    return pool


def check_executor(executor: Executors) -> None:
    """Raise `ValueError` for an unknown executor name, before any work."""
    if executor is None or isinstance(executor, Executor | Pool):
        return
    names = ("local", "serial", *STARTERS)
    kind, address, _ = str(executor).partition("://")
    if not isinstance(executor, str) or kind not in (STARTERS if address else names):
        raise ValueError(
            f"executor={executor!r} must be one of {', '.join(names)}, an address such as "
            "ray://HOST:10001 or dask://HOST:8786, or an executor object"
        )


def worker_count(workers: int | None) -> int:
    """The number of workers: as given, or for None one per core that this process may use."""
    if workers is not None:
        return whole_number("workers", workers, at_least=1)
    if hasattr(os, "sched_getaffinity"):  # a queueing system often grants fewer than there are
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalPool(Pool):
    """Threads on the cores of this machine: they suit compiled code."""

    def __init__(self, workers: int) -> None:
        super().__init__(None, workers)
        self.inline, self.in_process = workers == 1, True

    def sender(self, work: Callable[[Any], Any]) -> Callable[[Any], Future[Any]]:
        """A function that hands out one block of the work."""
        if self.executor is None:
            self.executor = ThreadPoolExecutor(self.workers)
        return super().sender(work)

    def close(self) -> None:
        """End all threads, when what they work on is done."""
        if self.executor is not None:
            self.executor.shutdown(cancel_futures=True)
        self.executor = None


def map_blocks(
    work: Callable[[Block], Result],
    blocks: Iterable[Block],
    executor: Executors = None,
    *,
    workers: int | None = None,
    in_flight: int = _IN_FLIGHT,
) -> Iterator[Result]:
    """Apply `work` to each block; yield the results in the blocks' order.

    Args:
        work: A pure function of a block.
        blocks: Taken as they are needed, so memory does not grow with their number.
        executor: A name (see `opened`), any `concurrent.futures.Executor`, or what `opened` gave.
        workers: How many workers; all there are if None.  One local worker is the caller's thread.
        in_flight: How many blocks each worker gets before the first result is taken: more keep all
            busy if some take much longer.

    >>> list(map_blocks(lambda block: sum(block), [range(3), range(5)], workers=2))
    [3, 10]
    """
    with opened(executor, workers) as pool:
        if pool.inline:
            yield from map(work, blocks)
            return
        send, waiting, number = pool.sender(work), iter(blocks), 0
        sent: deque[Future[Any]] = deque()

        def top_up() -> bool:
            """Hand out blocks while workers may run short; whether any is in flight."""
            sent.extend(map(send, islice(waiting, in_flight * pool.workers - len(sent))))
            return bool(sent)

        try:
            while top_up():
                result = sent.popleft().result()
                top_up()
                number += 1
                yield result
        except BrokenExecutor as reason:
            raise BrokenExecutor(
                f"workers were lost at block {number}: expected them to stay alive; the usual "
                "reason is too little memory, so try fewer workers="
            ) from reason
        finally:
            for future in sent:  # after an error or an interruption nothing more is started
                future.cancel()
