"""Work on several cores or machines: the one place that maps a function over blocks.

Blocks are cut by their content, never by the number of workers, and results come in the order of
the blocks.  So the same work gives the same bits on any executor, also after workers were lost.
An executor is a name, any `concurrent.futures.Executor`, or a `Pool` that is open already; names
are resolved here and nowhere else.
"""

import atexit
import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from types import ModuleType
from typing import Any, Generic, TypeAlias, TypeVar

from highseason.core.validation import whole_number

#: What starts an executor of that name, given an address or "" and how many workers; rooms may add
#: one.  `NAME://ADDRESS` joins one that runs, where it can.
STARTERS = {"ray": "highseason.core.pools:start_ray", "dask": "highseason.core.pools:start_dask"}
#: Blocks in flight per worker: enough to keep all busy, few enough to bound memory.
_IN_FLIGHT = 2
#: How often workers may be lost in a row, without a block being finished in between.
_LOSSES = 3

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

    def sender(self, work: Callable[[Any], Any], processes: bool) -> Callable[[Any], Future[Any]]:
        """A function that hands out one block of the work."""
        assert self.executor is not None
        submit = self.executor.submit
        return lambda block: submit(work, block)

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
    """The cores of this machine: threads, and processes for work that asks for them."""

    def __init__(self, workers: int) -> None:
        super().__init__(None, workers)
        self.inline, self.in_process = workers == 1, True
        self._processes: ProcessPoolExecutor | None = None

    def sender(self, work: Callable[[Any], Any], processes: bool) -> Callable[[Any], Future[Any]]:
        """A function that hands out one block of the work."""
        if processes:
            return lambda block: self._send_to_process(work, block)
        if self.executor is None:
            self.executor = ThreadPoolExecutor(self.workers)
        return super().sender(work, processes)

    def _send_to_process(self, work: Callable[[Any], Any], block: Any) -> Future[Any]:
        if self._processes is None:
            # A fork would copy locks that other threads hold.
            context = multiprocessing.get_context("spawn")
            self._processes = ProcessPoolExecutor(self.workers, context, _begin_worker)
        with _without_main():
            return self._processes.submit(_work_on, work, block)

    def restart(self) -> bool:
        """Start new processes in place of lost ones."""
        if self._processes is None:
            return False
        self._processes.shutdown(wait=False, cancel_futures=True)
        self._processes = None
        return True

    def close(self) -> None:
        """End all threads and processes, when what they work on is done."""
        for executor in (self.executor, self._processes):
            if executor is not None:
                executor.shutdown(cancel_futures=True)
        self.executor = self._processes = None


@contextmanager
def _without_main() -> Iterator[None]:
    """Keep a new process from running the user's script once more, which has no guard for that."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


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


def map_blocks(
    work: Callable[[Block], Result],
    blocks: Iterable[Block],
    executor: Executors = None,
    *,
    workers: int | None = None,
    processes: bool = False,
    in_flight: int = _IN_FLIGHT,
) -> Iterator[Result]:
    """Apply `work` to each block; yield the results in the blocks' order.

    Args:
        work: A pure function of a block.
        blocks: Taken as they are needed, so memory does not grow with their number.
        executor: A name (see `opened`), any `concurrent.futures.Executor`, or what `opened` gave.
        workers: How many workers; all there are if None.  One local worker is the caller's thread.
        processes: Whether local workers are processes, for work that holds the interpreter's lock,
            if `work` and blocks can be pickled by name; threads suit compiled code.
        in_flight: How many blocks each worker gets before the first result is taken: more keep all
            busy if some take much longer.

    >>> list(map_blocks(lambda block: sum(block), [range(3), range(5)], workers=2))
    [3, 10]
    """
    with opened(executor, workers) as pool:
        if pool.inline:
            yield from map(work, blocks)
        else:
            yield from _in_flight(pool, pool.sender(work, processes), blocks, in_flight)


@dataclass
class _Sent(Generic[Block]):
    """A block that was handed out."""

    number: int
    block: Block
    future: Future[Any]

    @property
    def lost(self) -> bool:
        """Whether its worker is gone, and its result with it."""
        return not self.future.done() or isinstance(self.future.exception(), BrokenExecutor)


def _in_flight(
    pool: Pool,
    send: Callable[[Block], Future[Any]],
    blocks: Iterable[Block],
    each: int,
) -> Iterator[Any]:
    """The results in the order of the blocks; nothing is left running after an error."""
    waiting, losses = enumerate(blocks), 0
    sent: deque[_Sent[Block]] = deque()

    def top_up() -> bool:
        """Hand out blocks while workers may run short; whether any is in flight."""
        for number, block in islice(waiting, each * pool.workers - len(sent)):
            sent.append(_Sent(number, block, _future(send, block)))
        return bool(sent)

    try:
        while top_up():
            try:
                result = sent[0].future.result()
            except BrokenExecutor as reason:  # start lost workers again, with what they had
                losses += 1
                if losses > _LOSSES or not pool.restart():
                    raise BrokenExecutor(
                        f"workers were lost {losses} times in a row at block {sent[0].number}: "
                        "expected them to stay alive; the usual reason is too little memory, so "
                        "try fewer workers="
                    ) from reason
                for one in sent:
                    if one.lost:
                        one.future = _future(send, one.block)
                continue
            losses = 0
            sent.popleft()
            top_up()
            yield result
    finally:
        for one in sent:  # after an error or an interruption nothing more is started
            one.future.cancel()


def _future(send: Callable[[Block], Future[Any]], block: Block) -> Future[Any]:
    try:
        return send(block)
    except BrokenExecutor as reason:  # noticed while handing out: as if the block were lost
        future: Future[Any] = Future()
        future.set_exception(reason)
        return future
