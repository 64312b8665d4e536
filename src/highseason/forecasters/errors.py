"""What can be wrong with a forecast."""


class ForecastError(ValueError):
    """The series cannot be forecast this way; the message says why and what to do."""
