"""Errors of the live bandit.  A request that raises one of them has changed nothing."""


class BanditError(ValueError):
    """The request is invalid; the message says why, and how to fix it."""


class PastForecastError(BanditError):
    """The turn lies beyond the multiplier: append turns with `extend`."""


class ConflictError(BanditError):
    """The turn has another reward or other visitors already; what is recorded is never replaced."""


class UnconfirmedError(BanditError):
    """What is reported looks wrong; with `confirm=True` it is taken in all the same."""


class DocumentError(BanditError):
    """A document or an event is corrupt, or was written by another version."""


class StoreError(BanditError):
    """The event store did not take the event, so what it describes did not happen."""


class StoreWarning(UserWarning):
    """The event store ends in an append that was interrupted; that event did not happen."""


class PriceWarning(UserWarning):
    """There are many prices, or some that differ by very little: each is seen seldom."""


class WaitingWarning(UserWarning):
    """Rewards wait for the number of visitors: nothing is learned from them yet."""
