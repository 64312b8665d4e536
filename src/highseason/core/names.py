"""What `dir` shows of a room: its public names, not the files that it is made of."""

import sys
from collections.abc import Callable
from types import ModuleType


def public_names(room: str, *modules: str) -> Callable[[], list[str]]:
    """The function `__dir__` of a room: `__all__`, or all names but modules and private ones.

    Args:
        room: The room's `__name__`.
        modules: Those of its modules that are public themselves.
    """

    def names() -> list[str]:
        there = vars(sys.modules[room])
        public = there.get("__all__") or (
            name
            for name, value in there.items()
            if not name.startswith("_") and not isinstance(value, ModuleType)
        )
        return sorted([*public, *modules])

    return names
