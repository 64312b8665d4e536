"""Time zones: what the clock on the wall says at an instant, and back.

A zone is known by its IANA name (``Europe/Rome``), as ``UTC``, or as a fixed offset (``+01:00``).
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from highseason.multipliers.errors import MultiplierError

Times = NDArray[np.datetime64]
Offsets = NDArray[np.timedelta64]

_FIXED = re.compile(r"([+-])(\d\d):?(\d\d)?(?::(\d\d))?", re.ASCII)
# Python's datetime ends here, give or take an offset; what lies outside is clocked like its edge.
_FIRST, _LAST = np.datetime64("0001-01-03", "s"), np.datetime64("9999-12-29", "s")


def checked_zone(name: str) -> str:
    """Return the one way in which the zone is written; refuse what is none.

    >>> checked_zone("Europe/Rome"), checked_zone("+0100"), checked_zone("Z")
    ('Europe/Rome', '+01:00', 'UTC')
    """
    if not isinstance(name, str):
        raise MultiplierError(f"zone must be a text such as 'Europe/Rome', not {name!r}")
    if name in ("Z", "UTC"):
        return "UTC"
    match = _FIXED.fullmatch(name)
    if match:
        sign, hours, minutes, seconds = match.groups(default="0")
        size = timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds))
        if size < timedelta(days=1):
            return offset_name(-size if sign == "-" else size)
    elif _knows(name):
        return name
    raise MultiplierError(
        f"{name!r} is not a time zone: write an IANA name such as 'Europe/Rome', 'UTC' or an "
        "offset such as '+01:00' (names need the system's time zones, or pip install tzdata)"
    )


def _knows(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (OSError, ValueError, LookupError):  # unknown, a folder, or not a name at all
        return False
    return True


def offset_name(offset: timedelta) -> str:
    """Return the name of the zone that is always so far ahead of UTC.

    >>> offset_name(timedelta(hours=-3, minutes=-30))
    '-03:30'
    """
    if not offset:
        return "UTC"
    return str(timezone(offset)).removeprefix("UTC")


def zone_of(zone: tzinfo, offset: timedelta | None) -> str:
    """Name a zone that came with a datetime, which it puts ``offset`` ahead of UTC.

    >>> zone_of(ZoneInfo("Europe/Rome"), None), zone_of(timezone(timedelta(hours=1)), None)
    ('Europe/Rome', '+01:00')
    """
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)  # zoneinfo's, pytz's
    if name:
        return checked_zone(str(name))
    return offset_name(offset or zone.utcoffset(None) or timedelta(0))


@cache
def _tzinfo(zone: str) -> tzinfo:
    if zone == "UTC":
        return UTC
    match = _FIXED.fullmatch(zone)
    if match is None:
        return ZoneInfo(zone)
    sign, hours, minutes, seconds = match.groups(default="0")
    size = timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds))
    return timezone(-size if sign == "-" else size)


def offsets(instants: Times, zone: str) -> Offsets:
    """Return how far the zone is ahead of UTC at each instant.

    >>> offsets(np.array(["2024-03-30", "2024-03-31T12"], dtype="datetime64[h]"), "Europe/Rome")
    array([3600, 7200], dtype='timedelta64[s]')
    """
    clock = _tzinfo(zone)
    return _by_day(instants, lambda at: at.replace(tzinfo=UTC).astimezone(clock).utcoffset())


def to_local(instants: Times, zone: str) -> Times:
    """Return what the clock on the wall says.

    >>> to_local(np.array(["2024-03-30T23:00"], dtype="datetime64[s]"), "Europe/Rome")
    array(['2024-03-31T00:00:00'], dtype='datetime64[s]')
    """
    return instants + offsets(instants, zone)


def to_instants(local: Times, zone: str) -> Times:
    """Return the instants at which the clock says so, taken in the order of time.

    Of an hour that comes twice the first is meant, and the second once the clock has gone back;
    an hour that is skipped ends where it begins.

    >>> to_instants(np.array(["2024-10-27T02", "2024-10-27T02"], "datetime64[h]"), "Europe/Rome")
    array(['2024-10-27T00:00:00', '2024-10-27T01:00:00'], dtype='datetime64[s]')
    """
    first, second = (local - _wall_offsets(local, zone, fold) for fold in (0, 1))
    gone_back = False
    last = -1
    for i in np.flatnonzero(second > first).tolist():
        gone_back = (gone_back and i == last + 1) or (i > 0 and bool(local[i] <= local[i - 1]))
        if gone_back:
            first[i] = second[i]
        last = i
    return first


def comes_twice(local: np.datetime64, zone: str) -> bool:
    """Say whether the clock shows this time twice, before and after it is put back.

    >>> comes_twice(np.datetime64("2024-10-27T02:30"), "Europe/Rome")
    True
    """
    one, other = (_wall_offsets(np.array([local]), zone, fold)[0] for fold in (0, 1))
    return bool(one > other)


def _wall_offsets(local: Times, zone: str, fold: int) -> Offsets:
    clock = _tzinfo(zone)
    return _by_day(local, lambda at: at.replace(tzinfo=clock, fold=fold).utcoffset())


def _by_day(times: Times, offset_at: Callable[[datetime], timedelta | None]) -> Offsets:
    """Ask for the offset once a day, and for each time only on days on which it changes."""

    def ask(moments: Times) -> Offsets:
        asked = [offset_at(at) for at in moments.astype("datetime64[us]").tolist()]
        return np.array(asked, dtype="timedelta64[s]")

    seconds = np.clip(times.astype("datetime64[s]"), _FIRST, _LAST)
    days, row = np.unique(seconds.astype("datetime64[D]"), return_inverse=True)
    start, end = ask(days), ask(days + 1)
    found = start[row]
    changing = (start != end)[row]
    found[changing] = ask(seconds[changing])
    return found
