"""Points in time, all brought to one form: ``datetime64``, in UTC where a zone was said."""

import re
from datetime import UTC, date, datetime
from typing import NamedTuple

import numpy as np

from highseason.multipliers.errors import MultiplierError
from highseason.multipliers.zones import checked_zone, zone_of

When = date | datetime | np.datetime64 | str
"""Anything that names a point in time; text is ISO, such as ``2013-12-26 12:00``."""

_ISO = re.compile(
    r"(?P<day>\d{4}-\d\d(?:-\d\d)?)"
    r"(?:[T ](?P<clock>\d\d(?::\d\d(?::\d\d(?:\.\d{1,9})?)?)?)"
    r"\s*(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)


class Stamp(NamedTuple):
    """One point in time, and its zone if it said one; with a zone the instant is in UTC."""

    instant: np.datetime64
    zone: str | None


def parse(text: str) -> Stamp | None:
    """Read an ISO date or time; None where it is not one.

    A bare year is refused: in a file it cannot be told from a number of customers.

    >>> parse("2013-12-26 12:00+01:00")
    Stamp(instant=np.datetime64('2013-12-26T11:00'), zone='+01:00')
    >>> parse("26/12/2013") is None
    True
    """
    match = _ISO.fullmatch(text.strip())
    if match is None:
        return None
    day, clock, zone = match.group("day", "clock", "zone")
    try:
        instant = np.datetime64(day if clock is None else f"{day}T{clock}")
        zone = checked_zone(zone) if zone else None
    except ValueError:  # well formed, but no such day or offset: 2013-02-30, +99:00
        return None
    return Stamp(instant - _offset(zone), zone) if zone else Stamp(instant, None)


def _offset(zone: str) -> np.timedelta64:
    if zone == "UTC":
        return np.timedelta64(0, "m")
    minutes = 60 * int(zone[1:3]) + int(zone[4:6])
    return np.timedelta64(-minutes if zone[0] == "-" else minutes, "m")


def stamp_of(when: object, label: str = "") -> Stamp:
    """Bring a date, datetime, ISO text or ``datetime64`` to one form.

    The label says in an error where the time came from.

    >>> stamp_of(date(2013, 12, 26))
    Stamp(instant=np.datetime64('2013-12-26'), zone=None)
    """
    stamp: Stamp | None = None
    if isinstance(when, str):
        stamp = parse(when)
    elif isinstance(when, np.datetime64):
        stamp = Stamp(when, None)
    elif isinstance(when, datetime):
        stamp = _from_datetime(when)
    elif isinstance(when, date):
        stamp = Stamp(np.datetime64(when), None)
    if stamp is None or np.isnat(stamp.instant):
        place = f"{label}: " if label else ""
        raise MultiplierError(
            f"{place}{when!r} is not a time: write it as 2013-12-26 or 2013-12-26 12:00"
        )
    return stamp


def _from_datetime(when: datetime) -> Stamp:
    if when.tzinfo is None:
        return Stamp(np.datetime64(when), None)
    utc = when.astimezone(UTC).replace(tzinfo=None)
    return Stamp(np.datetime64(utc), zone_of(when.tzinfo, when.utcoffset()))


def show(instant: np.datetime64) -> str:
    """Write an instant as briefly as it can be without losing anything.

    >>> show(np.datetime64("2013-12-26T00:00:00"))
    '2013-12-26'
    """
    return str(np.datetime_as_string(instant, unit="auto")).replace("T", " ")
