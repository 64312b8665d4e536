"""Work on several cores or machines: the one place that maps a function over blocks.

Blocks are cut by their content, never by the number of workers, results come in the order of the
blocks, and they are merged in a tree whose shape depends on the number of blocks alone.  So the
same work gives the same bits on any executor, also after workers were lost or a run was resumed.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from highseason.core.checkpoints import Checkpoint
from highseason.core.executors import Executors, Pool, opened

Block = TypeVar("Block")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]

#: Blocks in flight per worker: enough to keep all busy, few enough to bound memory.
_IN_FLIGHT = 2
#: How often workers may be lost in a row, without a block being finished in between.
_LOSSES = 3


def map_reduce(
    work: Callable[[Block], Result],
    blocks: Iterable[Block],
    merge: Callable[[Result, Result], Result],
    executor: Executors = None,
    *,
    workers: int | None = None,
    checkpoint: Checkpoint | None = None,
    receive: Callable[[Result], Result] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Apply `work` to every block and merge the results, with the same bits on every executor.

    Args:
        work: A pure function of a block.  Blocks worth half a second to two seconds keep the cost
            of handing them out below 1%.
        blocks: At least one; taken as they are needed, so memory does not grow with their number.
        merge: Makes one result of those of two neighbours, the earlier one first; it may change and
            return its first argument.
        executor: A name (see `opened`), any `concurrent.futures.Executor`, or what `opened` gave.
        workers: How many workers; all there are if None.
        checkpoint: Where finished blocks are kept, so that a later run resumes.
        receive: Applied to each result in the caller, in the order of the blocks, before it is
            merged: for what may be added in any order and need not wait in the tree.
        progress: Called with (blocks done, blocks in all), if `blocks` has a length.

    >>> map_reduce(lambda n: [n * n], range(5), lambda a, b: a + b, workers=2)
    [0, 1, 4, 9, 16]
    """
    results = map_blocks(work, blocks, executor, workers=workers, checkpoint=checkpoint)
    if receive is not None:
        results = map(receive, results)
    total = len(blocks) if isinstance(blocks, Sized) else 0
    if progress is not None and total:
        results = _reporting(results, progress, total)
    return merge_tree(results, merge)


def _reporting(results: Iterator[Result], progress: Progress, total: int) -> Iterator[Result]:
    for done, result in enumerate(results, start=1):
        yield result
        progress(done, total)  # after the block was merged


def merge_tree(results: Iterable[Result], merge: Callable[[Result, Result], Result]) -> Result:
    """Merge results in a binary tree, holding at most one of each height.

    n results are those of the largest power of two below n, merged with the others.  So a run of
    2, 4, 8 … neighbours that starts at a multiple of its length may be merged beforehand: the tree
    stays the same.

    >>> merge_tree("abcdefg", lambda left, right: f"({left}{right})")
    '(((ab)(cd))((ef)g))'
    """
    tree: list[tuple[int, Result]] = []  # heights fall from left to right
    for result in results:
        node = (0, result)
        while tree and tree[-1][0] == node[0]:
            node = (node[0] + 1, merge(tree.pop()[1], node[1]))
        tree.append(node)
    if not tree:
        raise ValueError("there is no block to work on")
    merged = tree.pop()[1]
    while tree:
        merged = merge(tree.pop()[1], merged)
    return merged


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

    Local workers are threads, which suits compiled code; with `processes` they are processes, for
    work that holds the interpreter's lock, if `work` and blocks can be pickled by name.  One local
    worker runs in the caller's thread.  Each worker gets up to `in_flight` blocks before the first
    result is taken: more keep all busy if some take much longer.  For other arguments see
    `map_reduce`.

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
