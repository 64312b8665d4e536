"""`highseason forecast`: the next turns, and which of them are busy."""

import warnings
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

import highseason as hs
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import check_figure, emit, print_table, print_wrapped, save
from highseason.core.text import format_number, percent
from highseason.core.warnings import warn_user
from highseason.traffic import (
    Forecast,
    Multiplier,
    PastForecast,
    Threshold,
    special_days,
)
from highseason.traffic import backtest as forecast_past
from highseason.traffic.dates import iso_times
from highseason.traffic.season_ahead import FittedSeason, forecaster_of


@with_examples(
    "forecast",
    "highseason forecast traffic.csv --horizon 14",
    "highseason forecast traffic.csv --horizon 28 --out forecast.png",
    "highseason forecast traffic.csv --horizon 28 --check",
    "highseason forecast traffic.csv --model seasonal-naive --horizon 7 --json",
)
@options.count("--horizon", "Number of turns ahead.", default=28)
@options.option(
    "--model NAME[:KEY=VALUE,…]",
    "blend, calendar, seasonal-naive, or a one-step forecaster.",
    default="blend",
)
@options.option("--country CODE", "Use the public holidays of GB, GB-ENG, US …")
@click.option(
    "--holidays/--no-holidays", default=True, help="Whether special days have their own effects."
)
@options.events
@options.option("--z", "Turns at or above it are busy.", default="q0.75")
@options.count("--backtest", "Also forecast the past, from this many earlier turns.", least=0)
@options.flag(
    "--check", "Also show how forecasts from these weeks of earlier years would have done."
)
@options.traffic
@options.path("--out", "Draw the forecast (.png, .svg, .pdf) or write it per turn (.csv).")
@options.size
@options.ignored_seed
def command(
    past: Multiplier,
    horizon: int,
    model: str,
    country: str | None,
    holidays: bool,
    events: str | None,
    z: str,
    backtest: int | None,
    check: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Forecast traffic from its past.

    Prints for each turn the expected value, the 80% interval, and the probability that it is busy.
    """
    check_figure(out, or_else=", or in .csv", tables=[".csv"])
    dates = click.get_current_context().params["dates"]
    own = {} if events is None else hs.traffic.own_days(events, dates)
    forecaster = forecaster_of(model, country, holidays, own or None)
    known = forecaster.fit(past)
    with warnings.catch_warnings(record=True) as warned:
        forecast = known.predict(horizon)
    for one in warned:
        warn_user(str(one.message), one.category)
    notes = [str(one.message) for one in warned] + options.note_days(known, forecast)
    limit = Threshold.of(z).resolve(np.concatenate([past.values, forecast.mean]))
    errors: dict[str, float] = {}
    if backtest:
        errors = forecast_past(past, {"model": forecaster}, horizon, backtest).to_dict()["model"]
    rows = _rows(forecast, limit, country if holidays else None, own)
    if out is not None:
        made = (
            partial(hs.traffic.parts, known, horizon) if isinstance(known, FittedSeason) else dict
        )
        draw = partial(hs.report.forecast, forecast, past, z, country=country)
        save(out, lambda: rows, lambda: draw(parts=made()))
    document = {
        "model": forecast.name,
        "series": past.name,
        "past_turns": past.turns,
        "horizon": len(forecast),
        "busy_from": limit,
        "interval": 0.8,
        "notes": notes,
        "forecast": rows,
    } | ({"backtest": errors} if errors else {})
    checked = hs.traffic.check(past, forecaster, horizon) if check else None
    if checked is not None:
        past_rows = [one._asdict() for one in checked]
        document["check"] = {"forecasts": past_rows, "verdict": hs.traffic.trust(checked)}
    show = partial(_print, forecast, past, limit, rows, errors, checked)
    emit(as_json, lambda: document, show, [out])


def _rows(
    forecast: Forecast, limit: float, country: str | None, own: Mapping[date, str]
) -> list[dict[str, Any]]:
    calendar, turns = forecast.calendar, len(forecast)
    columns: dict[str, Any] = {"turn": range(1, turns + 1)}
    if calendar is not None:
        columns["time"] = iso_times(calendar)
    low, high = (ends.tolist() for ends in forecast.interval(0.8))
    columns |= {"mean": forecast.mean.tolist(), "low": low, "high": high}
    columns["probability_busy"] = forecast.probability_above(limit).tolist()
    columns["special_day"] = [""] * turns
    if calendar is not None and turns > 1 and np.diff(calendar).min() <= np.timedelta64(1, "D"):
        clocks: Any = forecast.multiplier().calendar  # of the zone, if there is one
        days, names = clocks.astype("datetime64[D]").tolist(), special_days(clocks, country)
        columns["special_day"] = [own.get(*both) for both in zip(days, names, strict=True)]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _print(
    forecast: Forecast,
    past: Multiplier,
    limit: float,
    rows: list[dict[str, Any]],
    errors: dict[str, float],
    checked: Sequence[PastForecast] | None,
) -> None:
    busy = sum(row["probability_busy"] >= 0.5 for row in rows)
    print_wrapped(
        f"{past.name}: {past.turns} turns known, {len(forecast)} forecast by {forecast.name}; "
        f"{busy} of them probably busy ({format_number(limit)} or more)"
    )
    cells = [
        (
            str(row.get("time", row["turn"])).replace("T", " "),
            format_number(row["mean"]),
            f"{format_number(row['low'])} to {format_number(row['high'])}",
            percent(row["probability_busy"]),
            row["special_day"],
        )
        for row in rows
    ]
    first = "turn" if forecast.calendar is None else "time (UTC)" if forecast.zone else "time"
    columns = (first, "expected", "80% interval", "busy", "special day")
    print_table(columns, cells, left=(0, 4))
    if errors:
        print_wrapped(
            f"in the past: MASE {errors['mase']:.2f}, sMAPE {percent(errors['smape'])}, "
            f"{percent(errors['coverage'])} of the turns within the 80% interval"
        )
    if checked:
        names = ("forecast from", "held by 80%", "sum off by", "a year before: held", "sum off by")
        cells = [
            (one.begins, percent(one.held), f"{one.sum_off:+.0%}", percent(one.last_year_held),
             f"{one.last_year_sum_off:+.0%}")
            for one in checked
        ]  # fmt: skip
        print_table(names, cells)
    if checked is not None:
        print_wrapped(hs.traffic.trust(checked))
