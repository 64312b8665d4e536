"""What was used last: experiments in memory, up to date with the log, and what pages show."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import TypeVar

from highseason.service import snapshots, store
from highseason.service.brain import Brain, reaches_back
from highseason.service.errors import NotFoundError
from highseason.service.store import Batch

T = TypeVar("T")

#: How many experiments are kept; others are rebuilt when they are asked for.
REMEMBERED = 100


class Recent(OrderedDict[str, T]):
    """A dictionary with at most `most` entries; the least recently kept is evicted.

    >>> recent = Recent[int](2)
    >>> recent.keep("a", 1), recent.keep("b", 2), recent.keep("a", 3), recent.keep("c", 4)
    (1, 2, 3, 4)
    >>> list(recent.items())
    [('a', 3), ('c', 4)]
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def keep(self, name: str, value: T) -> T:
        """Keep a value, as the latest."""
        self[name] = value
        self.move_to_end(name)
        while len(self) > self._most:
            self.popitem(last=False)
        return value


class BrainCache(Recent[Brain]):
    """The experiments used last, which only the writer's thread changes.

    Any thread may look one up, which may then not be up to date.  `rebuilt` counts how often one
    was built from its log.
    """

    def __init__(self) -> None:
        super().__init__(REMEMBERED)
        self.rebuilt = 0

    def current(self, batch: Batch, experiment: str) -> Brain:
        """The experiment, up to date with the log."""
        last = batch.last_seq.get(experiment)
        if last is None:
            raise NotFoundError(f"there is no experiment {experiment!r}")
        brain = self.get(experiment)
        if brain is None:
            brain = snapshots.load(batch.connection, experiment)
            if brain is None or brain.seq != last:  # what the batch wrote is in the database
                return self.rebuild(batch, experiment)
            return self.keep(experiment, brain)
        if brain.seq != last:
            news = store.entries(batch.connection, experiment, brain.seq)
            if any(map(reaches_back, news)):
                return self.rebuild(batch, experiment)
            for entry in news:
                brain.follow(entry)
        return self.keep(experiment, brain)

    def rebuild(self, batch: Batch, experiment: str) -> Brain:
        """The experiment built from its log, with what the batch has not written yet."""
        if batch.entries:
            batch.write()
            batch.clear()
        self.rebuilt += 1
        return self.keep(experiment, Brain(store.entries(batch.connection, experiment)))

    def forget(self, experiments: Iterable[str]) -> None:
        """Drop experiments whose changes were not committed."""
        for experiment in experiments:
            self.pop(experiment, None)

    def is_clean(self, experiment: str) -> bool:
        """Whether the experiment holds no event that waits for a transaction."""
        brain = self.get(experiment)
        return brain is None or not brain.outbox.new
