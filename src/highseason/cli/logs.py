"""Options of the commands on logged events, parsed for the library."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from highseason.cli.parsing import usage_error

if TYPE_CHECKING:
    from highseason.logs import Events

log_argument = click.argument("log", metavar="FILE", type=click.Path(path_type=Path))


def read_log(path: Path) -> Events:
    """Read an event table, as `highseason convert` writes it."""
    from highseason.logs import read_events

    return read_events(path)


def moment(text: str) -> int:
    """A time: whole seconds, or a date with or without a time of day, in UTC.

    >>> moment("1317513291"), moment("2011-10-02"), moment("2011-10-02T06:30")
    (1317513291, 1317513600, 1317537000)
    """
    try:
        return int(text)
    except ValueError:
        pass
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is neither whole seconds nor a date such as 2011-10-02T06:30"
        ) from None
    return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())


def studied(text: str | None, events: Events) -> tuple[str, ...] | None:
    """The arms to study: ids separated by commas, or `always` for those always on offer."""
    if text is None:
        return None
    if text != "always":
        return tuple(part.strip() for part in text.split(",") if part.strip())
    from highseason.logs import always_on_offer

    arms = always_on_offer(events)
    if not arms:
        raise usage_error(
            "no arm is on offer in every event, so --arms always leaves none: cut the log with "
            "--between, or find a stretch with 'highseason slice'"
        )
    return arms
