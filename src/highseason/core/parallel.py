"""Work on several cores or machines: the one place that maps a function over blocks.

Blocks are cut by their content, never by the number of workers, and results come in the order of
the blocks.  So the same work gives the same bits on any executor, also after workers were lost or
a run was resumed.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from highseason.core.checkpoints import Checkpoint
from highseason.core.executors import Executors, Pool, opened

Block = TypeVar("Block")
Result = TypeVar("Result")

#: Blocks in flight per worker: enough to keep all busy, few enough to bound memory.
_IN_FLIGHT = 2
#: How often workers may be lost in a row, without a block being finished in between.
_LOSSES = 3


def map_blocks(
    work: Callable[[Block], Result],
    blocks: Iterable[Block],
    executor: Executors = None,
    *,
    workers: int | None = None,
    checkpoint: Checkpoint | None = None,
    processes: bool = False,
    in_flight: int = _IN_FLIGHT,
) -> Iterator[Result]:
    """Apply `work` to each block; yield the results in the blocks' order.

    Args:
        work: A pure function of a block.
        blocks: Taken as they are needed, so memory does not grow with their number.
        executor: A name (see `opened`), any `concurrent.futures.Executor`, or what `opened` gave.
        workers: How many workers; all there are if None.  One local worker is the caller's thread.
        checkpoint: Where finished blocks are kept, so that a later run resumes.
        processes: Whether local workers are processes, for work that holds the interpreter's lock,
            if `work` and blocks can be pickled by name; threads suit compiled code.
        in_flight: How many blocks each worker gets before the first result is taken: more keep all
            busy if some take much longer.

    >>> list(map_blocks(lambda block: sum(block), [range(3), range(5)], workers=2))
    [3, 10]
    """
    with opened(executor, workers) as pool:
        if pool.inline:
            yield from _one_by_one(work, blocks, checkpoint)
        else:
            flight = _Flight(pool, pool.sender(work, processes), checkpoint, in_flight)
            yield from flight.results(blocks)


def _one_by_one(
    work: Callable[[Block], Result], blocks: Iterable[Block], checkpoint: Checkpoint | None
) -> Iterator[Result]:
    for number, block in enumerate(blocks):
        stored = None if checkpoint is None else checkpoint.load(number, block)
        result: Result = work(block) if stored is None else stored.result
        if checkpoint is not None and stored is None:
            checkpoint.save(number, block, result)
        yield result


@dataclass
class _Sent(Generic[Block]):
    """A block that was handed out; the future of a stored block is finished."""

    number: int
    block: Block
    future: Future[Any]
    stored: bool

    @property
    def lost(self) -> bool:
        """Whether its worker is gone, and its result with it."""
        return not self.future.done() or isinstance(self.future.exception(), BrokenExecutor)


@dataclass
class _Flight(Generic[Block]):
    """The blocks that are being worked on, in their order."""

    pool: Pool
    send: Callable[[Block], Future[Any]]
    checkpoint: Checkpoint | None
    in_flight: int

    def results(self, blocks: Iterable[Block]) -> Iterator[Any]:
        """The results in the order of the blocks; nothing is left running after an error."""
        waiting = enumerate(blocks)
        sent: deque[_Sent[Block]] = deque()
        losses = 0
        try:
            while self._top_up(sent, waiting):
                try:
                    result = sent[0].future.result()
                except BrokenExecutor as reason:
                    losses += 1
                    self._recover(sent, reason, losses)
                    continue
                losses = 0
                self._keep(sent.popleft(), result)
                self._top_up(sent, waiting)
                yield result
        finally:
            for one in sent:  # after an error or an interruption nothing more is started
                one.future.cancel()

    def _top_up(self, sent: deque[_Sent[Block]], waiting: Iterator[tuple[int, Block]]) -> bool:
        """Hand out blocks while workers may run short; whether any is in flight."""
        while len(sent) < self.in_flight * self.pool.workers:
            number, block = next(waiting, (-1, None))
            if block is None and number < 0:
                break
            sent.append(self._sent(number, block))  # type: ignore[arg-type]  # None only at the end
        return bool(sent)

    def _sent(self, number: int, block: Block) -> _Sent[Block]:
        stored = None if self.checkpoint is None else self.checkpoint.load(number, block)
        if stored is None:
            return _Sent(number, block, self._future(block), stored=False)
        future: Future[Any] = Future()
        future.set_result(stored.result)
        return _Sent(number, block, future, stored=True)

    def _future(self, block: Block) -> Future[Any]:
        try:
            return self.send(block)
        except BrokenExecutor as reason:  # noticed while handing out: as if the block were lost
            future: Future[Any] = Future()
            future.set_exception(reason)
            return future

    def _keep(self, one: _Sent[Block], result: Any) -> None:
        if self.checkpoint is not None and not one.stored:
            self.checkpoint.save(one.number, one.block, result)

    def _recover(self, sent: deque[_Sent[Block]], reason: BrokenExecutor, losses: int) -> None:
        """Start lost workers again, and hand out again what they had not finished."""
        if losses > _LOSSES or not self.pool.restart():
            raise BrokenExecutor(
                f"workers were lost {losses} times in a row at block {sent[0].number}: expected "
                "them to stay alive; the usual reason is too little memory, so try fewer workers="
            ) from reason
        for one in sent:
            if one.lost:
                one.future = self._future(one.block)
