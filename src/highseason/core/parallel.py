"""Work on several cores: the one place that starts threads.

Blocks of work are cut by their content, never by the number of workers, and results come back in
the order of the blocks.  So the same work gives the same result on any number of workers.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from highseason.core.validation import whole_number

Block = TypeVar("Block")
Result = TypeVar("Result")

#: Blocks in flight per worker: enough to keep all busy, few enough to bound memory.
_IN_FLIGHT = 2


def cores() -> int:
    """The cores this process may use; a queueing system often grants fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def worker_count(workers: int | None) -> int:
    """The number of workers: as given, or one per core for None."""
    return cores() if workers is None else whole_number("workers", workers, at_least=1)


def map_blocks(
    work: Callable[[Block], Result],
    blocks: Iterable[Block],
    workers: int | None = None,
    executor: Executor | None = None,
) -> Iterator[Result]:
    """Apply `work` to each block on several workers; yield the results in the blocks' order.

    Args:
        work: A function of a block.
        blocks: The blocks; taken as they are needed, so memory does not grow with their number.
        workers: How many threads; all cores if None.  One worker runs in the caller's thread.
        executor: Where to run instead of threads of our own.

    >>> list(map_blocks(lambda block: sum(block), [range(3), range(5)], workers=2))
    [3, 10]
    """
    count = worker_count(workers)
    if executor is not None:
        yield from _in_order(work, blocks, executor, count)
    elif count == 1:
        yield from map(work, blocks)
    else:
        with ThreadPoolExecutor(count) as pool:
            yield from _in_order(work, blocks, pool, count)


def _in_order(
    work: Callable[[Block], Result], blocks: Iterable[Block], executor: Executor, workers: int
) -> Iterator[Result]:
    waiting = iter(blocks)
    futures: deque[Future[Result]] = deque(
        executor.submit(work, block) for block in islice(waiting, _IN_FLIGHT * workers)
    )
    try:
        while futures:
            result = futures.popleft().result()
            futures.extend(executor.submit(work, block) for block in islice(waiting, 1))
            yield result
    finally:
        for future in futures:  # after an error or an interruption nothing more is started
            future.cancel()
