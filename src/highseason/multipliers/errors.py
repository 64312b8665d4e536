"""What can be wrong with a multiplier."""


class MultiplierError(ValueError):
    """The data cannot serve as a multiplier; the message says where and what to do.

    >>> from highseason.multipliers import from_values
    >>> from_values([3.0, 0.0])
    Traceback (most recent call last):
    ...
    highseason.multipliers.errors.MultiplierError: turn 2 is 0: a multiplier must be > 0; \
for closed hours pass floor= (a small positive number)
    """


class CalendarWarning(UserWarning):
    """The calendar may not be what was meant: it has a gap, or its zone had to be chosen."""
