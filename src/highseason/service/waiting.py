"""How the event loop waits for the writer: one wake-up for all answers of a transaction."""

import asyncio
from collections import deque
from concurrent.futures import Future
from typing import Any, TypeVar

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
            if not waiting.done():  # it is done if the client has gone
                _settle(waiting, done)


def _settle(waiting: asyncio.Future[Any], done: Future[Any]) -> None:
    reason = done.exception()
    if reason is None:
        waiting.set_result(done.result())
    else:
        waiting.set_exception(reason)
