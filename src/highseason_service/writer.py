"""The one thread of a process that writes: requests that wait are committed together.

A durable commit costs a write to the disk, however much it holds.  So while one transaction is on
its way, requests gather, and the next one takes all of them.  Answers are given after the commit.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, TypeVar

from sqlalchemy.exc import IntegrityError

from highseason.bandit import BanditError
from highseason_service import store
from highseason_service.database import Database
from highseason_service.errors import ClashError, InvalidError, ServiceError, UnavailableError
from highseason_service.store import Batch

log = logging.getLogger("highseason_service")

#: The most requests in one transaction.
MOST = 500

#: How often a request is tried after a conflict with another process.
ATTEMPTS = 3


@dataclass
class Job:
    """A request that changes something."""

    experiment: str  # the experiment it is about, which is locked
    work: Callable[[Batch], Any]  # what it does with the batch; it writes nothing itself
    alone: bool = False  # whether it needs a transaction of its own
    # whether a failure of `work` has left no trace in memory
    clean: Callable[[], bool] = lambda: True
    key: str | None = None  # its idempotency key, if it has one
    future: Future[Any] = field(default_factory=Future)


class _SpoiledError(Exception):
    """A request failed halfway: the transaction cannot go on."""


class Writer:
    """Runs jobs in batches.

    Args:
        database: Where to write.
        forget: Called with the experiments whose state in memory can no longer be trusted.
        between: Called between transactions, with whether nothing waits, and at the end.  If it
            fails, that is logged.
    """

    def __init__(
        self,
        database: Database,
        forget: Callable[[Sequence[str]], None],
        between: Callable[[bool, bool], None] = lambda idle, ending: None,
    ) -> None:
        self._database, self._forget, self._between = database, forget, between
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._closed, self._gate = False, threading.Lock()
        self.batches = self.jobs = 0
        self._thread = threading.Thread(target=self._run, name="highseason-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> Future[Any]:
        """Queue a job."""
        with self._gate:
            if self._closed:
                raise UnavailableError("the service is shutting down: try again")
            self._queue.put(job)
        return job.future

    def close(self) -> None:
        """Finish what is queued, and stop."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        job = self._queue.get()
        while job is not None:
            batch, job = self._gather(job)
            self._commit(batch)
            self._pause(idle=job is None and self._queue.empty())
            if job is None and not self._ended:
                job = self._queue.get()
        self._pause(idle=True, ending=True)

    def _pause(self, idle: bool, ending: bool = False) -> None:
        try:
            self._between(idle, ending)
        except Exception:  # requests must go on, whatever it is
            log.warning("a snapshot could not be written", exc_info=True)

    _ended = False

    def _gather(self, first: Job) -> tuple[list[Job], Job | None]:
        """The jobs of the next transaction, and the one after it if it is already known."""
        batch = [first]
        while not (first.alone or len(batch) >= MOST or self._queue.empty()):
            job = self._queue.get()
            if job is None:
                self._ended = True
                break
            if job.alone:
                return batch, job
            batch.append(job)
        return batch, None

    def _commit(self, jobs: list[Job]) -> None:
        try:
            self._finish(jobs, self._try(jobs))
        except (_SpoiledError, IntegrityError) as reason:
            self._forget([job.experiment for job in jobs])
            if len(jobs) > 1:
                for job in jobs:
                    self._commit([job])
            else:
                self._again(jobs[0], reason)
        except BaseException as reason:  # whatever it is, callers must not wait for ever
            self._forget([job.experiment for job in jobs])
            if not isinstance(reason, ServiceError):
                log.exception("a transaction failed")
            for job in jobs:
                job.future.set_exception(reason)

    def _again(self, job: Job, reason: Exception) -> None:
        if isinstance(reason, _SpoiledError):
            return job.future.set_exception(reason.__cause__ or reason)
        for _ in range(ATTEMPTS - 1):
            try:
                return self._finish([job], self._try([job]))
            except IntegrityError:  # another process was faster: what it did is visible now
                self._forget([job.experiment])
            except BaseException as failure:
                self._forget([job.experiment])
                cause = failure.__cause__ if isinstance(failure, _SpoiledError) else failure
                return job.future.set_exception(cause or failure)
        return job.future.set_exception(UnavailableError("the experiment is busy: try again"))

    def _try(self, jobs: list[Job]) -> list[Any]:
        """Run the jobs in one transaction; gives results and errors, in order."""
        with self._database.write() as connection:
            batch = store.lock(connection, (job.experiment for job in jobs))
            batch.look_up((job.experiment, job.key) for job in jobs if job.key is not None)
            results = [_result(job, batch) for job in jobs]
            batch.write()
        return results

    def _finish(self, jobs: list[Job], results: list[Any]) -> None:
        self.batches += 1
        self.jobs += len(jobs)
        for job, result in zip(jobs, results, strict=True):
            if isinstance(result, Exception):
                job.future.set_exception(result)
            else:
                job.future.set_result(result)


def _result(job: Job, batch: Batch) -> Any:
    try:
        return job.work(batch)
    except (ServiceError, ValueError) as reason:
        if isinstance(reason, UnavailableError):
            raise
        if job.clean():
            return _as_refusal(reason)
        raise _SpoiledError from _as_refusal(reason)


def _as_refusal(reason: ServiceError | ValueError) -> ServiceError:
    """What the bandit, or the library, refuses is refused by the service."""
    if isinstance(reason, ServiceError):
        return reason
    kind = ClashError if isinstance(reason, BanditError) else InvalidError
    refusal = kind(str(reason))
    refusal.__cause__ = reason
    return refusal


T = TypeVar("T")


class Mailbox:
    """Answers that another thread has put in, and that the event loop takes out.

    To wake the loop takes a system call, during which the interpreter is given up; so the loop is
    woken once, and takes out all that has come by then.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._done: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()
        self._woken = False

    async def wait(self, future: Future[T]) -> T:
        """The result of a future of another thread."""
        waiting: asyncio.Future[T] = self._loop.create_future()
        future.add_done_callback(lambda done: self._put(waiting, done))
        return await waiting

    def _put(self, waiting: asyncio.Future[Any], done: Future[Any]) -> None:
        self._done.append((waiting, done))
        if not self._woken:
            self._woken = True
            self._loop.call_soon_threadsafe(self._take_out)

    def _take_out(self) -> None:
        self._woken = False  # first: what comes from now on wakes the loop again
        while self._done:
            waiting, done = self._done.popleft()
            if waiting.done():  # the client has gone
                continue
            reason = done.exception()
            if reason is None:
                waiting.set_result(done.result())
            else:
                waiting.set_exception(reason)
