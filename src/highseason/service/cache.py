"""Experiments in memory, up to date with the log; changed by the writer's thread only."""

from collections.abc import Iterable

from highseason.service import snapshots, store
from highseason.service.brain import Brain, reaches_back
from highseason.service.errors import NotFoundError
from highseason.service.recent import Recent
from highseason.service.store import Batch

#: How many experiments are kept; others are rebuilt when they are asked for.
REMEMBERED = 100


class BrainCache:
    """The experiments used last.  `rebuilt` counts how often one was built from its log."""

    def __init__(self) -> None:
        self._brains: Recent[Brain] = Recent(REMEMBERED)
        self.rebuilt = 0

    def get(self, batch: Batch, experiment: str) -> Brain:
        """The experiment, up to date with the log."""
        last = batch.last_seq.get(experiment)
        if last is None:
            raise NotFoundError(f"there is no experiment {experiment!r}")
        brain = self._brains.get(experiment)
        if brain is None:
            brain = snapshots.load(batch.connection, experiment)
            if brain is None or brain.seq != last:  # what the batch wrote is in the database
                return self.rebuild(batch, experiment)
            return self.remember(experiment, brain)
        if brain.seq != last:
            news = store.entries(batch.connection, experiment, brain.seq)
            if any(map(reaches_back, news)):
                return self.rebuild(batch, experiment)
            for entry in news:
                brain.follow(entry)
        return self.remember(experiment, brain)

    def peek(self, experiment: str) -> Brain | None:
        """The experiment as it is remembered, which may not be up to date; for any thread."""
        return self._brains.get(experiment)

    def rebuild(self, batch: Batch, experiment: str) -> Brain:
        """The experiment built from its log, with what the batch has not written yet."""
        if batch.entries:
            batch.write()
            batch.clear()
        self.rebuilt += 1
        return self.remember(experiment, Brain(store.entries(batch.connection, experiment)))

    def remember(self, experiment: str, brain: Brain) -> Brain:
        """Keep an experiment, and drop the one not used for longest if there are too many."""
        return self._brains.keep(experiment, brain)

    def remembered(self) -> list[Brain]:
        """The experiments that are kept."""
        return list(self._brains.values())

    def forget(self, experiments: Iterable[str]) -> None:
        """Drop experiments whose changes were not committed."""
        for experiment in experiments:
            self._brains.pop(experiment, None)

    def is_clean(self, experiment: str) -> bool:
        """Whether the experiment holds no event that waits for a transaction."""
        brain = self._brains.get(experiment)
        return brain is None or not brain.outbox.new
