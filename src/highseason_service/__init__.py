"""The decision service: experiments over HTTP, kept in SQLite or PostgreSQL.

`highseason serve` starts it.  `Service` is the same without HTTP, `client.Client` talks to one.
"""

from typing import TYPE_CHECKING, Any

from highseason.core import require

if TYPE_CHECKING:
    from highseason_service.experiments import Service

__all__ = ["Service"]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Import the service when it is used: it needs the extra `service`."""
    if name != "Service":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require("sqlalchemy", "service", "the decision service")
    from highseason_service.experiments import Service

    return Service
