"""What was used last, by the name of its experiment."""

from collections import OrderedDict
from typing import TypeVar

T = TypeVar("T")


class Recent(OrderedDict[str, T]):
    """A dictionary that drops what was kept longest ago once there are more than `most`.

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
