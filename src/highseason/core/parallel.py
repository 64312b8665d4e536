"""Work on several cores: the one place that starts threads.

Blocks of work are cut by their content, never by the number of workers, and results come back in
the order of the blocks.  So the same work gives the same result on any number of workers.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from highseason.core.validation import whole_number

Block = TypeVar("Block")
Result = TypeVar("Result")

#: Blocks in flight per worker: enough to keep all busy, few enough to bound memory.
_IN_FLIGHT = 2


def worker_count(workers: int | None) -> int:
    """The number of workers: as given, or for None one per core that this process may use."""
    if workers is not None:
        return whole_number("workers", workers, at_least=1)
    if hasattr(os, "sched_getaffinity"):  # a queueing system often grants fewer than there are
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_blocks(
    work: Callable[[Block], Result], blocks: Iterable[Block], workers: int | None = None
) -> Iterator[Result]:
    """Apply `work` to each block on several threads; yield the results in the blocks' order.

    Blocks are taken as they are needed, so memory does not grow with their number.  One worker runs
    in the caller's thread.

    >>> list(map_blocks(lambda block: sum(block), [range(3), range(5)], workers=2))
    [3, 10]
    """
    count = worker_count(workers)
    if count == 1:
        yield from map(work, blocks)
        return
    waiting = iter(blocks)
    futures: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(count) as pool:
        try:
            futures.extend(pool.submit(work, b) for b in islice(waiting, _IN_FLIGHT * count))
            while futures:
                result = futures.popleft().result()
                futures.extend(pool.submit(work, block) for block in islice(waiting, 1))
                yield result
        finally:
            for future in futures:  # after an error or an interruption nothing more is started
                future.cancel()
