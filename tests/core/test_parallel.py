"""Blocks on any executor: order, and lost workers."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

from highseason.core.extras import MissingExtraError
from highseason.core.parallel import map_blocks, opened


def squared(n: int) -> int:
    return n * n


def always_killed(n: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return n


# -- executors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("executor", ["local", "serial", None])
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_results_come_in_order(executor: str | None, workers: int) -> None:
    def slow_at_first(n: int) -> int:
        time.sleep(0.02 if n == 0 else 0)
        return squared(n)

    found = map_blocks(slow_at_first, range(9), executor, workers=workers)
    assert list(found) == [n * n for n in range(9)]


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_will_do_and_stays_open(kind: Any) -> None:
    with kind(2) as executor:
        assert list(map_blocks(squared, range(5), executor)) == [0, 1, 4, 9, 16]
        assert executor.submit(squared, 3).result() == 9


def test_blocks_in_flight_are_bounded() -> None:
    together = threading.Barrier(2, timeout=300)  # breaks where blocks run one after the other
    running, most, lock = 0, 0, threading.Lock()
    taken = 0

    def blocks() -> Any:
        nonlocal taken
        for n in range(40):
            taken += 1
            yield n

    def work(n: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait()
        with lock:
            running -= 1
        return n

    ahead = [taken - done for done, _ in enumerate(map_blocks(work, blocks(), workers=2))]
    assert most == 2
    assert max(ahead) <= 5


def test_a_long_block_holds_up_none_that_is_in_flight() -> None:
    """The first block ends after all others: with two in flight for each worker, it never could."""
    others = threading.Semaphore(0)

    def work(n: int) -> int:
        if n > 0:
            others.release()
            return n
        return sum(others.acquire(timeout=300) for _ in range(11))

    assert list(map_blocks(work, range(12), workers=2, in_flight=6)) == [11, *range(1, 12)]


def test_an_error_of_the_work_stops_it() -> None:
    done = []

    def work(n: int) -> int:
        if n == 2:
            raise ZeroDivisionError(n)
        done.append(n)
        return n

    with pytest.raises(ZeroDivisionError):
        list(map_blocks(work, range(1000), workers=2))
    assert len(done) < 10


@pytest.mark.parametrize("wrong", ["rai", "gpus", "http://x", 3])
def test_an_unknown_executor_is_an_error(wrong: Any) -> None:
    with pytest.raises(ValueError, match="must be one of local, serial"), opened(wrong):
        pass


@pytest.mark.parametrize(("name", "library"), [("ray", "ray"), ("dask", "distributed")])
def test_a_missing_library_is_named_with_its_extra(
    name: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:

    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=rf"highseason\[{name}\]"), opened(name):
        pass


def test_a_broken_executor_of_the_caller_is_not_replaced() -> None:
    with ProcessPoolExecutor(1) as executor, pytest.raises(BrokenExecutor, match="lost at block 0"):
        list(map_blocks(always_killed, range(3), executor))
