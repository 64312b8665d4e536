"""`highseason sample`: a file of traffic, or a log of clicks, to start with."""

import math
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import click

from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import check_file, emit, usage_error

_WEEK = (100, 95, 104, 112, 150, 260, 210)  # Monday to Sunday


@with_examples(
    "sample",
    "highseason sample --out visitors.csv",
    "highseason sample --last 2025-12-31",
    "highseason sample --log --out clicks.csv",
)
@options.option(
    "--last DATE",
    "The last day.  [default: yesterday]",
    type=options.reader("a date such as 2025-12-31", date.fromisoformat),
)
@options.flag("--log clicks", "Write a log of clicks instead, for 'highseason convert table'.")
@options.path("--out", "The file to write.  [default: print it]")
@options.ignored_seed
def command(last: date | None, clicks: bool, out: Path | None, as_json: bool) -> None:
    """Write a CSV of daily visitors to start with.

    Two years of a made-up shop: busy at weekends, crowded before Christmas, quiet in summer.  With
    --log, three quarters of an hour of a made-up news page, whose articles come and go.
    """
    if out is not None:
        check_file(out, "--out")
    if clicks and last is not None:
        raise usage_error("--last is the last day of the traffic: omit it with --log")
    if clicks:
        text = "".join(["time,arm,reward,pool\n", *_clicks()])
        _write(text, {"events": text.count("\n") - 1}, out, as_json)
        return
    last = last or date.today() - timedelta(days=1)
    days = [last - timedelta(days=i) for i in reversed(range(731))]
    counts = [_visitors(day) for day in days]
    rows = [f"{day},{count}\n" for day, count in zip(days, counts, strict=True)]
    text = "".join(["day,visitors\n", *rows])
    _write(text, {"day": [str(day) for day in days], "visitors": counts}, out, as_json)


def _write(text: str, document: dict[str, Any], out: Path | None, as_json: bool) -> None:
    if out is not None:
        out.write_text(text, encoding="utf-8")
    emit(as_json, lambda: document, lambda: None if out else click.echo(text, nl=False), [out])


def _visitors(day: date) -> int:
    """The visitors of a day, always the same."""
    is_christmas = day.month == 12 and 8 <= day.day <= 24
    is_sale = (day.month == 11 and 24 <= day.day) or (day.month == 1 and 2 <= day.day <= 10)
    season = 5.0 if is_christmas else 2.0 if is_sale else 0.8 if day.month in (7, 8) else 1.0
    wobble = 1.0 + (day.toordinal() * 7919 % 41 - 20) / 200  # up to a tenth more or less
    return round(_WEEK[day.weekday()] * season * wobble)


def _clicks() -> Iterator[str]:
    """The rows of the log, always the same: each event shows one of the articles on offer."""
    luck = Random(3)
    rates = [luck.uniform(0.02, 0.08) for _ in range(24)]
    for second in range(2700):
        ages = [second - 180 * (j - 8) for j in range(24)]  # every three minutes a new one
        on_offer = [j for j, age in enumerate(ages) if 0 <= age < 1500 + 60 * (j % 5)]
        pool = "|".join(f"article-{j:02}" for j in on_offer)
        for _ in range(round(8 + 4 * math.sin(second / 400) + luck.random())):
            shown = luck.choice(on_offer)
            clicked = int(luck.random() < rates[shown])
            yield f"{1_767_258_000 + second},article-{shown:02},{clicked},{pool}\n"
