"""The workers of a study: processes of this machine, or a cluster, which has no clone.

Plans and figures hold the interpreter's lock, so threads would wait for each other.
"""

import atexit
import gc
import importlib
import io
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from highseason.core.parallel import Pool, map_blocks

#: How often processes may be lost in a row, without a block being finished in between.
_LOSSES = 3


class Processes(Pool):
    """Processes of this machine; lost ones are replaced."""

    def __init__(self, workers: int) -> None:
        super().__init__(None, workers)

    def map(self, work: Callable[[Any], Any], blocks: Iterable[Any]) -> Iterator[Any]:
        """What the work makes of each block, in their order; both can be pickled by name."""
        left, losses = deque(blocks), 0
        while left:
            try:
                for result in map_blocks(work, tuple(left), self):
                    losses = 0
                    left.popleft()
                    yield result
            except BrokenExecutor:  # start again, with the blocks that are left
                losses += 1
                if losses > _LOSSES:
                    raise
                self._stop(wait=False)

    def sender(self, work: Callable[[Any], Any]) -> Callable[[Any], Future[Any]]:
        """A function that hands out one block of the work."""
        if self.executor is None:
            # A fork would copy locks that other threads hold.
            context = multiprocessing.get_context("spawn")
            self.executor = ProcessPoolExecutor(self.workers, context, _begin_worker)
        submit = self.executor.submit

        def send(block: Any) -> Future[Any]:
            with _without_main():
                return submit(_work_on, work, block)

        return send

    def close(self) -> None:
        """End all processes, when what they work on is done."""
        self._stop(wait=True)

    def _stop(self, wait: bool) -> None:
        if self.executor is not None:
            self.executor.shutdown(wait, cancel_futures=True)
        self.executor = None


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


# -- a cluster: the source of the studies travels with all work ------------------------------------


def with_source(pool: Pool, package: ModuleType) -> Pool:
    """The pool; if it is of a cluster, work brings the source of a package."""
    shares_it = pool.in_process or type(pool) is Pool  # the caller's own executor
    return pool if shares_it else Cluster(pool, package)


class Cluster(Pool):
    """The workers of another pool, to which the source of a package is brought."""

    def __init__(self, pool: Pool, package: ModuleType) -> None:
        super().__init__(pool.executor, pool.workers)
        self._pool, self._package = pool, package

    def sender(self, work: Callable[[Any], Any]) -> Callable[[Any], Future[Any]]:
        """A function that hands out one block of the work."""
        return self._pool.sender(_Carried(work, self._package))


class _Carried:
    """Work that is unpacked where the package can be imported."""

    def __init__(self, work: Callable[[Any], Any], package: ModuleType) -> None:
        self._work, self._package = work, package

    def __call__(self, block: Any) -> Any:
        return self._work(block)

    def __reduce__(self) -> tuple[Any, ...]:
        import cloudpickle  # type: ignore[import-untyped]  # comes with Ray and with Dask

        folder, content = Path(self._package.__path__[0]), io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for file in sorted(folder.rglob("*.py")):
                name = file.relative_to(folder.parent).as_posix()
                archive.writestr(zipfile.ZipInfo(name), file.read_bytes())
        vars(self._package)["_source"] = content.getvalue()  # this process has it
        cloudpickle.register_pickle_by_value(sys.modules[__name__])  # there is no clone yet
        return arrive, (self._package.__name__, content.getvalue(), cloudpickle.dumps(self._work))


def arrive(name: str, source: bytes, work: bytes) -> Any:
    """Make a package importable, in place of another version of it; then unpack the work."""
    if vars(sys.modules.get(name, sys)).get("_source") != source:
        folder = tempfile.TemporaryDirectory(prefix="highseason-")  # removed when the process ends
        zipfile.ZipFile(io.BytesIO(source)).extractall(folder.name)
        sys.path.insert(0, folder.name)
        for module in [each for each in sys.modules if each.partition(".")[0] == name]:
            del sys.modules[module]
        vars(importlib.import_module(name)).update(_source=source, _folder=folder)
    return pickle.loads(work)
