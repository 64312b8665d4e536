"""What was used last."""

import threading
from collections import OrderedDict
from typing import TypeVar

T = TypeVar("T")


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
        self._most, self._lock = most, threading.Lock()

    def keep(self, name: str, value: T) -> T:
        """Keep a value, as the latest."""
        with self._lock:
            self[name] = value
            self.move_to_end(name)
            while len(self) > self._most:
                self.popitem(last=False)
        return value
