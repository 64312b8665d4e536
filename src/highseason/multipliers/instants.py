"""Points in time, all brought to one form: ``datetime64`` in UTC without a zone."""

import re
from datetime import UTC, date, datetime
from typing import NamedTuple

import numpy as np

from highseason.multipliers.errors import MultiplierError

When = date | datetime | np.datetime64 | str
"""Anything that names a point in time; text is ISO, such as ``2013-12-26 12:00``."""

_ISO = re.compile(
    r"(?P<day>\d{4}-\d\d(?:-\d\d)?)"
    r"(?:[T ](?P<clock>\d\d(?::\d\d(?::\d\d(?:\.\d{1,9})?)?)?)"
    r"\s*(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)


class Stamp(NamedTuple):
    """One point in time (in UTC), and whether it said which zone it is in."""

    instant: np.datetime64
    aware: bool


def parse(text: str) -> Stamp | None:
    """Read an ISO date or time; None where it is not one.

    A bare year is refused: in a file it cannot be told from a number of customers.

    >>> parse("2013-12-26 12:00+01:00")
    Stamp(instant=np.datetime64('2013-12-26T11:00'), aware=True)
    >>> parse("26/12/2013") is None
    True
    """
    match = _ISO.fullmatch(text.strip())
    if match is None:
        return None
    day, clock, zone = match.group("day", "clock", "zone")
    try:
        instant = np.datetime64(day if clock is None else f"{day}T{clock}")
    except ValueError:  # well formed, but no such day: 2013-02-30
        return None
    return Stamp(instant - _offset(zone), True) if zone else Stamp(instant, False)


def _offset(zone: str) -> np.timedelta64:
    if zone in ("Z", "UTC"):
        return np.timedelta64(0, "m")
    digits = zone[1:].replace(":", "").ljust(4, "0")
    minutes = 60 * int(digits[:2]) + int(digits[2:])
    return np.timedelta64(-minutes if zone[0] == "-" else minutes, "m")


def stamp_of(when: object, label: str = "") -> Stamp:
    """Bring a date, datetime, ISO text or ``datetime64`` to one form.

    The label says in an error where the time came from.

    >>> stamp_of(date(2013, 12, 26))
    Stamp(instant=np.datetime64('2013-12-26'), aware=False)
    """
    stamp: Stamp | None = None
    if isinstance(when, str):
        stamp = parse(when)
    elif isinstance(when, np.datetime64):
        stamp = Stamp(when, False)
    elif isinstance(when, datetime):
        naive = when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when
        stamp = Stamp(np.datetime64(naive), when.tzinfo is not None)
    elif isinstance(when, date):
        stamp = Stamp(np.datetime64(when), False)
    if stamp is None or np.isnat(stamp.instant):
        place = f"{label}: " if label else ""
        raise MultiplierError(
            f"{place}{when!r} is not a time: write it as 2013-12-26 or 2013-12-26 12:00"
        )
    return stamp


def span_of(when: When) -> tuple[np.datetime64, np.datetime64]:
    """Return the stretch that ``when`` names: from its start up to, not including, its end.

    A date is the whole day and ``"2013-12"`` the whole month; a datetime is an instant.

    >>> span_of("2013-12")
    (np.datetime64('2013-12'), np.datetime64('2014-01'))
    """
    start = stamp_of(when).instant
    return start, start + np.timedelta64(1)  # one of its own unit


def show(instant: np.datetime64) -> str:
    """Write an instant as briefly as it can be without losing anything.

    >>> show(np.datetime64("2013-12-26T00:00:00"))
    '2013-12-26'
    """
    return str(np.datetime_as_string(instant, unit="auto")).replace("T", " ")
