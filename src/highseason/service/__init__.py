"""The decision service: experiments over HTTP, kept in SQLite or PostgreSQL.

`highseason serve` starts it.  `Service` is the same without HTTP, `client.Client` talks to one.
"""

from typing import TYPE_CHECKING, Any

from highseason.core.extras import require
from highseason.core.names import public_names as _public_names

if TYPE_CHECKING:
    from highseason.service.experiments import Service

__all__ = ["Service"]
__dir__ = _public_names(__name__)


def __getattr__(name: str) -> Any:
    """Import the service when it is used: it needs the extra `service`."""
    if name != "Service":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require("sqlalchemy", "service", "the decision service")
    from highseason.service.experiments import Service

    return Service
