"""Optional dependencies: imported where they are used, with an error that names the extra."""

from importlib import import_module
from typing import Any


class MissingExtraError(ImportError):
    """A feature needs a library that is not installed."""


def require(module: str, extra: str | None, purpose: str) -> Any:
    """Import `module`, or say which extra of highseason brings it, or that it has to be installed.

    >>> require("json", extra="logs", purpose="reading logs").dumps([1])
    '[1]'
    >>> require("no_such_library", extra="logs", purpose="reading logs")
    Traceback (most recent call last):
    ...
    highseason.core.extras.MissingExtraError: reading logs needs no_such_library, which is not
    installed: pip install 'highseason[logs]'
    """
    try:
        return import_module(module)
    except ImportError as reason:
        package = module.partition(".")[0]
        if reason.name is None or reason.name.partition(".")[0] != package:
            raise  # it is installed, but something it needs is not
        wanted = package if extra is None else f"'highseason[{extra}]'"
        raise MissingExtraError(
            f"{purpose} needs {package}, which is not installed: pip install {wanted}",
            name=reason.name,
        ) from None
