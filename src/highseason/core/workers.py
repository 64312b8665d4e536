"""How many threads there may be, and other counts that a user gives."""

from __future__ import annotations

import os

import numpy as np


def cores() -> int:
    """The cores this process may use; a queueing system often grants fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def workers(threads: int | None) -> int:
    """So many threads as were asked for; as many as there are cores if None."""
    return cores() if threads is None else at_least_one("threads", threads)


def at_least_one(name: str, value: int) -> int:
    """A whole number above 0; anything else is an error that names the argument.

    >>> at_least_one("games", 0)
    Traceback (most recent call last):
    ...
    ValueError: games must be a whole number, at least 1, not 0
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number, at least 1, not {value!r}")
    return int(value)
