"""Events of a bandit that wait for the transaction that writes them."""

from collections.abc import Iterable, Iterator

from highseason.bandit import Event


class Outbox:
    """The store that a bandit writes to here: new events wait for the transaction."""

    def __init__(self, past: Iterable[Event] = ()) -> None:
        self._past = past
        self.new: list[Event] = []

    def append(self, event: Event) -> None:
        """Keep an event until it is taken."""
        self.new.append(event)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._past)

    def take(self) -> list[Event]:
        """The new events, which are then someone else's."""
        events, self.new = self.new, []
        return events
