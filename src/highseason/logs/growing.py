"""Arrays that grow at their end, for kernels that read them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Growing:
    """An array with room to spare: `whole` is handed to kernels, `size` of it is filled.

    >>> numbers = Growing(np.int64, room=2)
    >>> for more in ([1], [2, 3]):
    ...     numbers.extend(np.array(more))
    >>> numbers.whole[: numbers.size].tolist()
    [1, 2, 3]
    """

    def __init__(self, kind: type[Any], room: int = 1024) -> None:
        self.whole: NDArray[Any] = np.zeros(room, kind)
        self.size = 0

    def extend(self, more: NDArray[Any]) -> None:
        """Put some more at the end."""
        needed = self.size + more.size
        if needed > self.whole.size:
            room = np.zeros(max(needed, 2 * self.whole.size), self.whole.dtype)
            room[: self.size] = self.whole[: self.size]
            self.whole = room
        self.whole[self.size : needed] = more
        self.size = needed
