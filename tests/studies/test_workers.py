"""Processes of a study and their loss; packages that travel to where they are not."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from highseason.core import pools
from highseason.core.parallel import Pool
from studies import workers
from studies.workers import Cluster, Processes


def squared(n: int) -> int:
    return n * n


def named(n: int) -> tuple[int, int]:
    return n, os.getpid()


def killed_once(marks: Path, n: int) -> int:
    """Ends its own process at block 3, the first time only; counts how often a block is run."""
    (marks / f"{n}-{time.monotonic_ns()}").touch()
    if n == 3 and len(list(marks.glob("3-*"))) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return n * n


def always_killed(n: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return n


# -- processes and their loss ----------------------------------------------------------------------


def test_processes_are_used_and_lost_ones_replaced(tmp_path: Path) -> None:
    with closing(Processes(2)) as processes:
        pids = {pid for _, pid in processes.map(named, range(6))}
        assert os.getpid() not in pids
        work = partial(killed_once, tmp_path)
        assert list(processes.map(work, range(8))) == [n * n for n in range(8)]
    runs = [len(list(tmp_path.glob(f"{n}-*"))) for n in range(8)]
    assert runs[3] == 2
    assert max(runs) <= 2


def test_workers_that_always_die_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_LOSSES", 1)
    with closing(Processes(2)) as processes, pytest.raises(BrokenExecutor, match="at block 0"):
        list(processes.map(always_killed, range(3)))


class _Failing(Processes):
    """Loses each block this many times, and then does it at once."""

    def __init__(self, losses: dict[int, int]) -> None:
        super().__init__(1)
        self.losses = losses

    def sender(self, work: Any) -> Any:
        def send(block: int) -> Future[Any]:
            future: Future[Any] = Future()
            self.losses[block] = left = self.losses.get(block, 0) - 1
            if left >= 0:
                future.set_exception(BrokenExecutor())
            else:
                future.set_result(work(block))
            return future

        return send


def test_losses_are_counted_in_a_row() -> None:
    pool = _Failing({0: 3, 3: 3, 9: 3})
    assert list(pool.map(squared, range(12))) == [n * n for n in range(12)]
    for block in (0, 5):
        with pytest.raises(BrokenExecutor, match="workers were lost at block 0:"):
            list(_Failing({block: 4}).map(squared, range(block, 12)))


def test_the_callers_script_is_not_run_again() -> None:
    before = sys.modules["__main__"]
    with workers._without_main():
        assert not hasattr(sys.modules["__main__"], "__file__")
    assert sys.modules["__main__"] is before


# -- packages that travel --------------------------------------------------------------------------

WORKER = """
import pickle, sys
from highseason.core.pools import run_block
for block in pickle.load(open(sys.argv[1], "rb")):
    print(run_block(*block))
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that only this process can import."""
    folder = tmp_path / "clone" / "travels"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(folder.parent))
    yield folder
    for name in ("travels", "travels.work"):
        sys.modules.pop(name, None)


class _Packing(Pool):
    """Gives the work and its blocks as they would be sent."""

    def sender(self, work: Any) -> Any:
        shipment = pools.pack(work)
        return lambda block: (shipment, pools.pack_block(block))


def test_a_package_travels_with_its_work_in_its_latest_version(
    package: Path, tmp_path: Path
) -> None:
    pytest.importorskip("cloudpickle")
    blocks: list[Any] = []
    for factor in ("2", "30"):
        (package / "work.py").write_text(f"def times(n):\n    return {factor} * n\n")
        module = importlib.import_module("travels.work")
        send = Cluster(_Packing(None, 1), sys.modules["travels"]).sender(module.times)
        blocks += [send(n) for n in (1, 2)]
        assert pools.run_block(*blocks[-1]) == module.times(2)  # here it is not unpacked
        assert sys.modules["travels.work"] is module
    sent = tmp_path / "sent"
    sent.write_bytes(pickle.dumps(blocks))
    words = [sys.executable, "-c", WORKER, str(sent)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "4", "30", "60"]
