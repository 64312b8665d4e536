"""What can be wrong with a request to a live bandit: then nothing was changed by it."""


class BanditError(ValueError):
    """The request makes no sense as it stands; the message says why and what would."""


class PastForecastError(BanditError):
    """The turn lies beyond the multiplier: append turns with `extend`."""


class ConflictError(BanditError):
    """The turn was told something else before, and what was told stays."""


class DocumentError(BanditError):
    """The JSON document is damaged, or was written by a later version."""
