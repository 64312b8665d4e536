"""`highseason sample`: a file of traffic to start with."""

from datetime import date, timedelta
from pathlib import Path

import click

from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import check_file, emit

_WEEK = (100, 95, 104, 112, 150, 260, 210)  # Monday to Sunday


@with_examples(
    "sample", "highseason sample --out visitors.csv", "highseason sample --last 2025-12-31"
)
@options.option(
    "--last DATE",
    "The last day.  [default: yesterday]",
    type=options.reader("a date such as 2025-12-31", date.fromisoformat),
)
@options.path("--out", "The file to write.  [default: print it]")
@options.ignored_seed
def command(last: date | None, out: Path | None, as_json: bool) -> None:
    """Write a CSV of daily visitors to start with.

    Two years of a made-up shop: busy at weekends, crowded before Christmas, quiet in summer.
    """
    last = last or date.today() - timedelta(days=1)
    days = [last - timedelta(days=i) for i in reversed(range(731))]
    counts = [_visitors(day) for day in days]
    rows = [f"{day},{count}\n" for day, count in zip(days, counts, strict=True)]
    text = "".join(["day,visitors\n", *rows])
    if out is not None:
        check_file(out, "--out")
        out.write_text(text, encoding="utf-8")
    document = {"day": [str(day) for day in days], "visitors": counts}
    emit(as_json, lambda: document, lambda: None if out else click.echo(text, nl=False), [out])


def _visitors(day: date) -> int:
    """The visitors of a day, always the same."""
    is_christmas = day.month == 12 and 8 <= day.day <= 24
    is_sale = (day.month == 11 and 24 <= day.day) or (day.month == 1 and 2 <= day.day <= 10)
    season = 5.0 if is_christmas else 2.0 if is_sale else 0.8 if day.month in (7, 8) else 1.0
    wobble = 1.0 + (day.toordinal() * 7919 % 41 - 20) / 200  # up to a tenth more or less
    return round(_WEEK[day.weekday()] * season * wobble)
