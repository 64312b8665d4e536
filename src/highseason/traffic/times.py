"""Times as people write them, and the zones they are in.

A zone is known by its IANA name (``Europe/Rome``), as ``UTC``, or as a fixed offset (``+01:00``).
pandas converts between instants and wall clocks; it is imported when the first zone needs it.
"""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

When = date | datetime | np.datetime64 | str
"""Anything that names a point in time; text is ISO, such as ``2013-12-26 12:00``."""

Instants = NDArray[np.datetime64]

_ISO = re.compile(
    r"(?P<day>\d{4}-\d\d(?:-\d\d)?)"
    r"(?:[T ](?P<clock>\d\d(?::\d\d(?::\d\d(?:\.\d{1,9})?)?)?)"
    r"\s*(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
_END_OF_DAY = re.compile(r"24[:.0]*")
_SUFFIX = re.compile(r"(?:Z|UTC|[+-][\d:]+)$", re.ASCII)
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)?(?::(\d\d))?", re.ASCII)
# Nine or ten digits, 1973 to 2286: smaller numbers are hours, days or a count of turns.
_UNIX = (1e8, 1e10)
_UNITS = ("D", "s", "us")


class TableError(ValueError):
    """The file or its data cannot be used; the message says where, and what to do."""


class Stamp(NamedTuple):
    """One point in time and its zone, if it names one; with a zone the instant is in UTC."""

    instant: np.datetime64
    zone: str | None


class Stamps(NamedTuple):
    """Points in time, in UTC where ``zones`` names one; NaT for cells that are not times."""

    instants: Instants
    zones: NDArray[np.object_]


def parse_time(text: str) -> Stamp | None:
    """Read an ISO date or time; None for any other text.

    A bare year is refused: in a file it looks like a number of customers.

    >>> parse_time("2013-12-26 12:00+01:00")
    Stamp(instant=np.datetime64('2013-12-26T11:00'), zone='+01:00')
    >>> parse_time("26/12/2013") is None
    True
    """
    match = _ISO.fullmatch(text.strip())
    if match is None:
        return None
    day, clock, zone = match.group("day", "clock", "zone")
    try:
        is_end = clock is not None and _END_OF_DAY.fullmatch(clock) is not None
        instant = np.datetime64(day if clock is None else f"{day}T{'00' if is_end else clock}")
        instant = instant + np.timedelta64(24, "h") if is_end else instant
        zone = check_zone(zone) if zone else None
    except ValueError:  # well formed, but no such day or offset: 2013-02-30, +99:00
        return None
    if zone is None:
        return Stamp(instant, None)
    offset = zone_info(zone).utcoffset(None) or timedelta(0)
    # In minutes: the unit sets the length of the period that a lookup covers.
    return Stamp(instant - np.timedelta64(offset // timedelta(minutes=1), "m"), zone)


def parse_times(cells: Sequence[str] | NDArray[np.object_]) -> Stamps:
    """Read a column of ISO dates and times: `parse_time` for a million cells.

    >>> parse_times(["2013-12-26", "Boxing Day"]).instants.astype(str).tolist()
    ['2013-12-26T00:00:00.000000', 'NaT']
    """
    import pandas as pd

    # The pattern decides what is a time: pandas also reads "now", "2013-1-2" and "2013".
    last = [match and match.lastgroup for match in map(_ISO.fullmatch, cells)]
    rows = np.flatnonzero([group is not None for group in last])
    zoned = np.flatnonzero([group == "zone" for group in last])
    zones = np.full(len(last), None, dtype=np.object_)
    texts = np.asarray(cells, dtype=np.object_)
    written = pd.Index(texts[rows], dtype=object)
    parsed = pd.to_datetime(written, format="ISO8601", errors="coerce", utc=bool(zoned.size))
    instants = np.full(len(last), "NaT", dtype=f"datetime64[{parsed.unit}]")
    instants[rows] = parsed.tz_localize(None).to_numpy()
    for i in rows[np.isnat(instants[rows])].tolist():  # 2013-02-30, or a form pandas lacks
        stamp = parse_time(texts[i])
        instants[i] = stamp.instant if stamp else "NaT"
    canonical = cache(check_zone)
    for i in zoned[~np.isnat(instants[zoned])].tolist():
        zones[i] = canonical(next(_SUFFIX.finditer(texts[i])).group())
    return Stamps(instants, zones)


def unix_times(numbers: NDArray[np.float64]) -> Stamps:
    """Read numbers as unix seconds, which are in UTC; NaT for those that are too small or large."""
    low, high = _UNIX
    valid = (numbers >= low) & (numbers < high)
    instants = np.full(numbers.size, "NaT", dtype="datetime64[us]")
    instants[valid] = np.rint(numbers[valid] * 1e6).astype(np.int64).astype("datetime64[us]")
    return Stamps(instants, np.array(["UTC" if one else None for one in valid], dtype=np.object_))


def time_of(when: object, label: str = "") -> Stamp:
    """Read a date, datetime, ISO text or ``datetime64``; errors begin with the label."""
    stamp: Stamp | None = None
    if isinstance(when, str):
        stamp = parse_time(when)
    elif isinstance(when, datetime) and when.tzinfo is not None:
        utc = when.astimezone(UTC).replace(tzinfo=None)
        stamp = Stamp(np.datetime64(utc), zone_name(when.tzinfo, when.utcoffset()))
    elif isinstance(when, np.datetime64 | date):
        stamp = Stamp(np.datetime64(when), None)
    if stamp is None or np.isnat(stamp.instant):
        place = f"{label}: " if label else ""
        raise TableError(
            f"{place}{when!r} is not a time: write it as 2013-12-26 or 2013-12-26 12:00"
        )
    return stamp


def format_time(instant: np.datetime64) -> str:
    """Write an instant as briefly as possible without losing anything.

    >>> format_time(np.datetime64("2013-12-26T00:00:00"))
    '2013-12-26'
    """
    return str(np.datetime_as_string(instant, unit="auto")).replace("T", " ")


def iso_times(instants: Instants) -> list[str]:
    """Write instants in one ISO format for all: dates, or dates with times to the second.

    >>> iso_times(np.array(["2013-12-26T00", "2013-12-26T12"], "datetime64[h]"))
    ['2013-12-26T00:00:00', '2013-12-26T12:00:00']
    """
    return [str(text) for text in np.datetime_as_string(coarsest(instants))]


def coarsest(instants: Instants) -> Instants:
    """Return the same times in the coarsest lossless unit: days, seconds, microseconds or ns.

    Nanoseconds end in 2262, so a comparison with a later date would wrap round.
    """
    for unit in _UNITS:
        coarse = instants.astype(f"datetime64[{unit}]")
        if np.array_equal(coarse, instants):
            return coarse
    return instants.copy()


def check_zone(name: str) -> str:
    """Return the canonical spelling of a zone; refuse any other text.

    >>> check_zone("Europe/Rome"), check_zone("+0100"), check_zone("Z")
    ('Europe/Rome', '+01:00', 'UTC')
    """
    if not isinstance(name, str):
        raise TableError(f"zone must be a text such as 'Europe/Rome', got {name!r}")
    try:
        return zone_name(zone_info(name), None)
    except (OSError, ValueError, LookupError):  # unknown, a folder, or not a name at all
        raise TableError(
            f"{name!r} is not a time zone: write an IANA name such as 'Europe/Rome', 'UTC' or an "
            "offset such as '+01:00' (names need the system's time zones, or pip install tzdata)"
        ) from None


@cache
def zone_info(zone: str) -> tzinfo:
    """Return the zone as Python and pandas know it."""
    if zone in ("Z", "UTC"):
        return UTC
    match = _OFFSET.fullmatch(zone)
    if match is None:
        return ZoneInfo(zone)
    hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
    size = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return timezone(-size if match[1] == "-" else size)


def zone_name(zone: tzinfo, offset: timedelta | None) -> str:
    """Name the zone of a datetime whose offset from UTC is ``offset``."""
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)  # zoneinfo's, pytz's
    return str(name) if name else offset_name(offset or zone.utcoffset(None) or timedelta(0))


def offset_name(offset: timedelta) -> str:
    """Return the name of the zone with this fixed offset from UTC."""
    return str(timezone(offset)).removeprefix("UTC") or "UTC"


def to_wall(instants: Instants, zone: str) -> Instants:
    """Return what the wall clock shows at these instants."""
    import pandas as pd

    wall = pd.DatetimeIndex(instants, tz=UTC).tz_convert(zone_info(zone)).tz_localize(None)
    return np.asarray(wall)


def to_instants(wall: Instants, zone: str) -> Instants:
    """Return the instants at which the wall clock shows these times, in chronological order.

    An hour that comes twice means the first one, or the second once the clock has gone back. An
    hour that is skipped counts on from the hour before it.

    >>> to_instants(np.array(["2024-10-27T02", "2024-10-27T02"], "datetime64[h]"), "Europe/Rome")
    array(['2024-10-27T00:00:00', '2024-10-27T01:00:00'], dtype='datetime64[s]')
    """
    first, second = (_localized(wall, zone, earlier) for earlier in (True, False))
    gone_back = False
    last = -1
    for i in np.flatnonzero(second > first).tolist():
        gone_back = (gone_back and i == last + 1) or (i > 0 and bool(wall[i] <= wall[i - 1]))
        if gone_back:
            first[i] = second[i]
        last = i
    return first


def is_ambiguous(wall: np.datetime64, zone: str) -> bool:
    """Say whether the clock shows this time twice, before and after it is put back."""
    first, second = instants_of(wall, zone)
    return bool(second > first)


def instants_of(wall: np.datetime64, zone: str) -> tuple[np.datetime64, np.datetime64]:
    """Return the first and the last instant at which the clock shows this time."""
    first, second = (_localized(np.array([wall]), zone, earlier)[0] for earlier in (True, False))
    return first, second


def _localized(wall: Instants, zone: str, earlier: bool) -> Instants:
    """The instants, with the earlier or the later one where the clock shows a time twice."""
    import pandas as pd

    index: Any = pd.DatetimeIndex(wall)
    zoned = index.tz_localize(
        zone_info(zone), ambiguous=np.full(wall.size, earlier), nonexistent="shift_backward"
    )
    # By the offset, not the shifted time itself: 02:30 in a skipped hour stays half an hour on.
    return np.array(index - (zoned.tz_localize(None) - zoned.tz_convert(None)))
