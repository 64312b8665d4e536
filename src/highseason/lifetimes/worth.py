"""What stretches of turns are worth, so that lifetimes can be ranked by them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def running_worth(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Running sums of G, beginning with 0, in whole steps that are tiny beside its greatest value.

    Sums of whole numbers are exact.  So lifetimes whose turns are worth the same tie in rank; sums of
    floats would put one above the other by their last bit.

    >>> worth = running_worth(np.full(9, 0.1))
    >>> bool(worth[5] - worth[1] == worth[8] - worth[4])
    True
    """
    steps = np.rint(values / values.max() * (2.0**52 / values.size))
    return np.concatenate([[0.0], np.cumsum(steps)])
