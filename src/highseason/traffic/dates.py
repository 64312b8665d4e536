"""A column of text as times, however its country writes dates.

Whether 01/02/2025 is in January or in February is decided over the whole column: 31/12/2025 in
another row settles it.  Where nothing does, the column is a question, never a guess.  A year of the
Thai calendar, such as 2568, is read as 2025.

A zone is known by its IANA name (``Europe/Rome``), as ``UTC``, or as a fixed offset (``+01:00``).
pandas converts between instants and wall clocks; it is imported when the first zone needs it.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import Any, Literal, NamedTuple
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
    """The file or its data cannot be used; the message says where, and what to do.

    `columns` are those to choose from, where several could hold what is looked for.
    """

    columns: tuple[str, ...] = ()


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

    A bare year is refused: in a file it looks like a number of visitors.

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
    instants = np.full(len(last), "NaT", dtype="datetime64[us]")  # nanoseconds end in 2262
    instants[rows] = parsed.tz_localize(None).to_numpy()
    for i in rows[np.isnat(instants[rows])].tolist():  # 2013-02-30, or a form pandas lacks
        stamp = parse_time(texts[i])
        instants[i] = stamp.instant if stamp else "NaT"
    canonical = cache(check_zone)
    for i in zoned[~np.isnat(instants[zoned])].tolist():
        zones[i] = canonical(next(_SUFFIX.finditer(texts[i])).group())
    return Stamps(instants, zones)


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
    offsets = np.asarray(zoned.tz_localize(None)) - np.asarray(zoned.tz_convert(None))
    return np.asarray(index.to_numpy() - offsets)


Order = Literal["dmy", "mdy", "ymd"]
ORDERS: tuple[Order, ...] = ("dmy", "mdy", "ymd")

_MONTHS = (
    "january januar janvier enero gennaio januari janeiro", "february februar fevrier febrero "
    "febbraio februari fevereiro", "march marz maerz mars marzo maart marco mrz",
    "april avril abril aprile", "may mai mayo maggio mei maio", "june juni juin junio giugno junho",
    "july juli juillet julio luglio julho", "august aout agosto augustus",
    "september septembre septiembre settembre setembro", "october oktober octobre octubre ottobre "
    "outubro", "november novembre noviembre novembro", "december dezember decembre diciembre "
    "dicembre dezembro",
)  # fmt: skip
_WEEKDAY = re.compile(
    r"(?:mo|tu|we|th|fr|sa|su|di|mi|do|so|lu|ma|me|je|ju|ve|vi|gi|wo|vr|za|zo)[^\W\d]*\.?,?\s+"
)
_CLOCK = re.compile(
    r"(?P<day>.*?)(?:[T\s,]+(?P<clock>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
    r"(?:\s*[ap]\.?m\.?)?|[0-9]{1,2}\s*(?:[ap]\.?m\.?|h|uhr)))?",
    re.I,
)
_RANGE = re.compile(r"(.+?)\s+(?:[-–—]|to|bis|au|al)\s+(.+)", re.I)
_CHINESE = str.maketrans("年月日", "-- ")
_HOUR = re.compile(
    r"([0-9]{1,2})(?::([0-9]{2}))?(?::([0-9]{2})(?:[.,][0-9]+)?)?\s*(?:([ap])\.?m\.?|h|uhr)?"
    r"(?:\s*[-–]\s*[0-9]{1,2}(?::[0-9]{2})?(?:\s*uhr)?)?",
    re.I,
)
_NUMERIC = re.compile(r"([0-9]{1,4})([./-])([0-9]{1,2})\2([0-9]{1,4})\.?")
_MONTH_YEAR = re.compile(r"([0-9]{1,2})[./-]([0-9]{4})")
_YEAR_MONTH = re.compile(r"([0-9]{4})[/-]([0-9]{1,2})")
_COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})?(?:T?([0-9]{2})([0-9]{2})?([0-9]{2})?)?")
_WEEK = re.compile(r"([0-9]{4})[-/ ]?(?:w|kw|cw)\s?([0-9]{1,2})(?:-?([1-7]))?")
_WEEK_YEAR = re.compile(r"(?:week|woche|w|kw|cw)\.?\s?([0-9]{1,2})[\s/,.-]+([0-9]{4})")
_QUARTER = re.compile(r"([0-9]{4})[-/ ]?q([1-4])|q([1-4])[\s/-]?([0-9]{4})")
_NAMED_DMY = re.compile(
    r"([0-9]{1,2})(?:st|nd|rd|th)?\.?[\s/-]*(?:de )?([a-z]{3,})\.?,?(?: de)?[\s/-]+"
    r"([0-9]{4}|[0-9]{2})"
)
_NAMED_MDY = re.compile(r"([a-z]{3,})\.?[\s/-]+([0-9]{1,2})(?:st|nd|rd|th)?,?[\s/-]+([0-9]{4})")
_NAMED_MY = re.compile(r"([a-z]{3,})\.?[\s/-]*(?:de )?([0-9]{4})")
_NAMED_SHORT = re.compile(r"([a-z]{3,})\.?[\s/'-]*([0-9]{2})")  # Jan-25, a month or a day
_NAMED_YMD = re.compile(r"([0-9]{4})[\s/-]+([a-z]{3,})\.?(?:[\s/-]+([0-9]{1,2}))?")

_ENOUGH_ROWS = 20
_THAI = np.arange(2450, 2650)  # years of the Buddhist era, 543 ahead: 1907 to 2106
_THAI_YEAR = re.compile(r"(?<![0-9])2(?:4[5-9]|5[0-9]|6[0-4])[0-9](?![0-9])")
_MILLISECONDS = "numbers are read as unix milliseconds"

Ymd = tuple[int, int, int]


class Times(NamedTuple):
    """A column as times, NaT where a cell is none; how it was read, or what has to be asked."""

    stamps: Stamps
    note: str = ""
    question: str = ""
    order: Order | None = None  # in which day, month and year were read

    @property
    def share(self) -> float:
        """The share of cells that are times."""
        return float(np.mean(~np.isnat(self.stamps.instants)))


def read_times(
    cells: Sequence[str], order: Order | None = None, is_called_time: bool = True
) -> Times:
    """Read a column of text.

    Args:
        cells: The cells, without blanks around them.
        order: The order of day, month and year, where the cells do not show it.
        is_called_time: Whether the column is known to hold times.  Otherwise what may as well be
            a number, such as 20250101 or 01.2025, must be a time in every cell, in order.

    >>> read_times(["31.12.2025", "01.01.2026"]).note
    "'31.12.2025' is read as 2025-12-31"
    >>> read_times(["01/02/2025", "02/02/2025"]).question
    "'01/02/2025' could be 2025-02-01 or 2025-01-02: pass dates='dmy' or dates='mdy'"
    """
    iso = Times(parse_times(cells))
    years = 1970 + iso.stamps.instants.astype("datetime64[Y]").astype(np.int64)
    is_thai = bool(np.isin(years, _THAI).any())
    if iso.share > 0.5 and not is_thai:
        return iso
    other = _other_forms(cells, order, is_called_time)
    return other if is_thai else max(iso, other, key=lambda one: one.share)


def read_clocks(cells: Sequence[str]) -> NDArray[np.float64]:
    """Times of day in seconds: hours from 0 to 23, or 13:00, or 1 pm; NaN for other cells.

    >>> read_clocks(["0", "13:30", "1 PM", "noon"]).tolist()
    [0.0, 48600.0, 46800.0, nan]
    """
    clock = cache(_clock)
    return np.array([np.nan if (one := clock(cell)) is None else one for cell in cells])


def is_month(word: str) -> bool:
    """Say whether a word is the name of a month."""
    return _month(_plain_letters(word)) is not None


def is_time(cell: str) -> bool:
    """Say whether a cell is a date or a time by any of the conventions, and not just a number."""
    return any(read_times([cell], order, is_called_time=False).share > 0 for order in ORDERS)


def is_range(cell: str) -> bool:
    """Say whether a cell goes from one date to another, such as `2025-01-01 - 2025-01-07`."""
    span = _RANGE.fullmatch(cell)
    return span is not None and is_time(span[2])


def _other_forms(cells: Sequence[str], order: Order | None, is_called_time: bool) -> Times:
    import pandas as pd

    codes, distinct = pd.factorize(np.asarray(cells, dtype=object), use_na_sentinel=False)
    readings = [_readings(cell, is_called_time) for cell in distinct]
    days = np.array([[_day(one) for one in reading.days] for reading in readings], "datetime64[D]")
    seconds = np.array([reading.seconds for reading in readings], "timedelta64[s]")
    instants = days[codes].T.astype("datetime64[s]") + seconds[codes]
    has_dots = all(one.has_dots for one in readings if any(one.days))
    chosen, question = _choose(instants, cells, order, has_dots)
    picked = instants[chosen]
    if not is_called_time and any(one.is_numeric for one in readings):
        is_sure = picked.size > 1 and bool(np.all(picked[1:] > picked[:-1]))
        picked = picked if is_sure else np.full_like(picked, "NaT")
    if any(one.is_short for one in readings):
        steps = np.abs(np.diff(picked)) / np.timedelta64(1, "D")
        is_sure = steps.size > 0 and bool(np.all((steps >= 28) & (steps <= 31)))
        picked = picked if is_sure else np.full_like(picked, "NaT")
    stamps = Stamps(picked, np.full(len(codes), None, dtype=np.object_))
    is_thai = np.array([_THAI_YEAR.search(cell) is not None for cell in distinct])[codes]
    return Times(stamps, _note(cells, instants, chosen, order, is_thai), question, ORDERS[chosen])


class _CellReading(NamedTuple):
    """A cell by each of the orders, None where it is no date; and the time of day."""

    days: tuple[Ymd | None, Ymd | None, Ymd | None] = (None, None, None)
    seconds: int = 0
    is_numeric: bool = False  # it may as well be a number
    has_dots: bool = False  # 01.02.2025, which is day first all over the world
    is_short: bool = False  # Jan-25, which is a month only in a column of months


def _readings(cell: str, is_called_time: bool) -> _CellReading:
    span = _RANGE.fullmatch(cell)
    if span and (_clock(span[2]) is not None or any(_readings(span[2], is_called_time).days)):
        return _readings(span[1], is_called_time)
    match = _CLOCK.fullmatch(cell)
    seconds = _clock(match["clock"] or "0") if match else None
    if match is None or seconds is None:
        return _CellReading()
    text = _plain_letters(match["day"].translate(_CHINESE).rstrip("- "))
    numeric = _NUMERIC.fullmatch(text) or _NUMERIC.fullmatch(_WEEKDAY.sub("", text, count=1))
    if numeric:
        return _CellReading(_orders(*numeric.group(1, 3, 4)), seconds, has_dots=numeric[2] == ".")
    if compact := _COMPACT.fullmatch(text):
        return _compact(compact, is_called_time)
    plain = _plain(text, is_called_time)
    is_numeric, is_short = (
        form.fullmatch(text) is not None for form in (_MONTH_YEAR, _NAMED_SHORT)
    )
    return _CellReading((plain, plain, plain), seconds, is_numeric, is_short=is_short)


def _plain_letters(text: str) -> str:
    """The text in small letters without accents."""
    letters = unicodedata.normalize("NFKD", text.strip().lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _orders(a: str, b: str, c: str) -> tuple[Ymd | None, Ymd | None, Ymd | None]:
    """Three numbers as day, month and year in each order; a year has two or four digits."""
    ymd = (_year(a), int(b), int(c)) if len(a) in (2, 4) and len(c) <= 2 else None
    if len(a) > 2 or len(c) not in (2, 4):
        return (ymd, ymd, ymd) if len(a) == 4 else (None, None, None)
    return (_year(c), int(b), int(a)), (_year(c), int(a), int(b)), ymd


def _compact(match: re.Match[str], is_called_time: bool) -> _CellReading:
    year, month, day, *clock = (int(part or 0) for part in match.groups())
    is_plausible = 1900 <= year < 2100 and clock[0] < 24 and clock[1] < 60 and clock[2] < 60
    if not is_plausible or (match[3] is None and not is_called_time):
        return _CellReading()
    one = (year, month, day or 1) if match[3] is None or day else None
    seconds = clock[0] * 3600 + clock[1] * 60 + clock[2]
    return _CellReading((one, one, one), seconds, is_numeric=True)


def _plain(text: str, is_called_time: bool) -> Ymd | None:
    """A date in a form that has only one meaning."""
    for candidate in (text, _WEEKDAY.sub("", text, count=1)):
        for form, read in _FORMS:
            match = form.fullmatch(candidate)
            if match and (is_called_time or form is not _MONTH_YEAR):
                return read(*match.groups())
    return None


def _week(year: str, week: str, day: str | None) -> Ymd | None:
    try:
        first = date.fromisocalendar(_year(year), int(week), int(day or 1))
    except ValueError:
        return None
    return first.year, first.month, first.day


def _named(year: str, month: str, day: str) -> Ymd | None:
    number = _month(month)
    return None if number is None else (_year(year), number, int(day))


_FORMS: tuple[tuple[re.Pattern[str], Callable[..., Ymd | None]], ...] = (
    (_MONTH_YEAR, lambda month, year: (_year(year), int(month), 1)),
    (_YEAR_MONTH, lambda year, month: (_year(year), int(month), 1)),
    (_WEEK, _week),
    (_WEEK_YEAR, lambda week, year: _week(year, week, None)),
    (_QUARTER, lambda y, q, first, last: (_year(y or last), 3 * int(q or first) - 2, 1)),
    (_NAMED_DMY, lambda day, month, year: _named(year, month, day)),
    (_NAMED_MDY, lambda month, day, year: _named(year, month, day)),
    (_NAMED_MY, lambda month, year: _named(year, month, "1")),
    (_NAMED_YMD, lambda year, month, day: _named(year, month, day or "1")),
    (_NAMED_SHORT, lambda month, year: _named(year, month, "1")),
)


@cache
def _month(word: str) -> int | None:
    """The month whose name begins so, if there is only one."""
    fits = [
        i for i, names in enumerate(_MONTHS, 1) if any(n.startswith(word) for n in names.split())
    ]
    return fits[0] if len(fits) == 1 else None


def _year(text: str) -> int:
    """A year; of two digits, one from 1969 to 2068; of the Thai calendar, that of ours."""
    year = int(text)
    if len(text) == 4:
        return year - 543 if year in _THAI else year
    return 2000 + year if year < 69 else 1900 + year


def _day(ymd: Ymd | None) -> np.datetime64:
    try:
        return np.datetime64(date(*ymd), "D") if ymd else np.datetime64("NaT", "D")
    except ValueError:  # no such day
        return np.datetime64("NaT", "D")


def _clock(text: str) -> int | None:
    match = _HOUR.fullmatch(text.strip())
    if match is None:
        return None
    hour, minute, second = (int(part or 0) for part in match.groups()[:3])
    if match[4]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (match[4].lower() == "p")
    seconds = hour * 3600 + minute * 60 + second
    is_end_of_day = seconds == 86_400 and match[2] is not None  # 24:00
    return seconds if (hour < 24 and minute < 60 and second < 60) or is_end_of_day else None


def _choose(
    instants: NDArray[np.datetime64], cells: Sequence[str], order: Order | None, has_dots: bool
) -> tuple[int, str]:
    """The order that reads most cells, and the question if several do and differ."""
    if order is not None:
        return ORDERS.index(order), ""
    good = np.count_nonzero(~np.isnat(instants), axis=1)
    best = [int(i) for i in np.flatnonzero(good == good.max())]
    if has_dots and 0 in best:  # no country writes the month first with points
        best = [i for i in best if ORDERS[i] != "mdy"]
    if len(cells) >= _ENOUGH_ROWS:  # rows in order of time are proof enough
        steps = np.diff(instants).astype(np.int64)
        best = [i for i in best if np.all(steps[i] >= 0) or np.all(steps[i] <= 0)] or best
    first = best[0]
    for other in best[1:]:
        is_other = (instants[first] != instants[other]) & ~np.isnat(instants[first])
        for i in np.flatnonzero(is_other).tolist():
            one, two = (format_time(instants[k][i]) for k in (first, other))
            return first, (
                f"{cells[i]!r} could be {one} or {two}: "
                f"pass dates={ORDERS[first]!r} or dates={ORDERS[other]!r}"
            )
    return first, ""


def _note(
    cells: Sequence[str],
    instants: NDArray[np.datetime64],
    chosen: int,
    order: Order | None,
    is_thai: NDArray[np.bool_],
) -> str:
    """How a cell was read: one of a Thai year, or that only this order can read, if there is."""
    is_read = ~np.isnat(instants[chosen])
    is_thai = is_read & is_thai
    if (order is not None and not is_thai.any()) or not is_read.any():
        return ""
    is_proof = is_read & (np.isnat(instants).sum(axis=0) > 0)
    i = int(np.argmax(is_thai if is_thai.any() else is_proof if is_proof.any() else is_read))
    calendar = " (a year of the Thai calendar)" if is_thai.any() else ""
    return f"{cells[i]!r} is read as {format_time(instants[chosen][i])}{calendar}"


def read_unix(numbers: NDArray[np.float64]) -> Times | None:
    """The numbers as unix seconds or milliseconds, which are in UTC; None if none of them is."""
    low, high = _UNIX
    for seconds, note in ((numbers, ""), (numbers / 1000.0, _MILLISECONDS)):
        valid = (seconds >= low) & (seconds < high)
        if valid.any():
            instants = np.full(seconds.size, "NaT", dtype="datetime64[us]")
            microseconds = np.rint(seconds[valid] * 1e6).astype(np.int64)
            instants[valid] = microseconds.astype("datetime64[us]")
            zones = np.array([None, "UTC"], dtype=np.object_)[valid.astype(np.int64)]
            return Times(Stamps(instants, zones), note)
    return None
