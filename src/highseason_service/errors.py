"""What a request to the service may be answered with instead of a result."""


class ServiceError(Exception):
    """A request was not carried out, and has changed nothing; `status` is its HTTP status."""

    status = 500


class InvalidError(ServiceError):
    """The request is invalid."""

    status = 422


class NotFoundError(ServiceError):
    """There is no such experiment, turn or arm."""

    status = 404


class ClashError(ServiceError):
    """The request contradicts what is recorded, or the experiment's status."""

    status = 409


class UnavailableError(ServiceError, OSError):
    """The database cannot be reached, or cannot write; the same request may be sent again."""

    status = 503


class SchemaError(ServiceError, ValueError):
    """The database was written by a newer highseason, or is not one of its databases."""
