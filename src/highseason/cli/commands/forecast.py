"""`highseason forecast`: what the next turns will bring, and which of them are busy."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from highseason.cli.group import WithExamples
from highseason.cli.options import count_option, debug_option, json_option, positive
from highseason.cli.output import plain_table, print_json, print_table
from highseason.cli.output_paths import check_figure, check_file
from highseason.cli.parsing import parse_multiplier
from highseason.core.formatting import format_number, percent
from highseason.forecasters import Forecast, Forecaster, SeasonAhead, backtest, parse, special_days
from highseason.multipliers import Multiplier, Threshold
from highseason.report import forecast as draw_forecast
from highseason.tabular import format_time


@click.command(
    "forecast",
    cls=WithExamples,
    examples=[
        "highseason forecast traffic.csv --horizon 14",
        "highseason forecast traffic.csv --horizon 28 --out forecast.png",
        "highseason forecast traffic.csv --model seasonal-naive --horizon 7 --json",
    ],
)
@click.argument("traffic", metavar="FILE")
@count_option("--horizon", "How many turns ahead.", default=28, show_default=True)
@click.option(
    "--model",
    default="calendar",
    show_default=True,
    metavar="NAME[:KEY=VALUE,…]",
    help="calendar, seasonal-naive, ets, arima, mstl, or a one-step forecaster.",
)
@click.option("--country", metavar="CODE", help="Whose public holidays count: GB, GB-ENG, US …")
@click.option(
    "--holidays/--no-holidays", default=True, help="Whether special days count for themselves."
)
@click.option("--zone", metavar="NAME", help="The shop's time zone, where times are in UTC.")
@click.option("--z", default="q0.75", show_default=True, help="Turns at or above it are busy.")
@count_option("--backtest", "Also forecast the past from so many earlier turns.", least=0)
@click.option("--every", metavar="LENGTH", help="Join turns first: 1D makes days of hours.")
@click.option("--time", metavar="COLUMN", help="The file's time column, if not obvious.")
@click.option("--value", metavar="COLUMN", help="The file's value column, if not obvious.")
@click.option("--floor", type=positive, metavar="NUMBER", help="Raise values below it to it.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Draw it (.png, .svg, .pdf) or write it turn by turn (.csv).",
)
@click.option(
    "--seed", type=int, expose_value=False, help="Taken, and of no effect: no chance is involved."
)
@json_option
@debug_option
def command(
    traffic: str,
    horizon: int,
    model: str,
    country: str | None,
    holidays: bool,
    zone: str | None,
    z: str,
    backtest: int | None,
    every: str | None,
    time: str | None,
    value: str | None,
    floor: float | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Forecast traffic from its past.

    Says for each turn what to expect, between which numbers it will lie four times out of five,
    and how likely it is to be busy.
    """
    if out is not None:
        check_file(out, "--out") if _is_csv(out) else check_figure(out, "--out", ", or in .csv")
    past = parse_multiplier(traffic, None, time, value, floor)
    past = past if every is None else past.resample(every)
    forecaster = _forecaster(model, country, holidays, zone)
    found = forecaster.fit(past).predict(horizon)
    limit = Threshold.of(z).resolve(np.concatenate([past.values, found.mean]))
    errors = _errors(past, forecaster, horizon, backtest)
    rows = _rows(found, limit, country if holidays else None)
    if out is not None:
        if _is_csv(out):
            _write(rows, out)
        else:
            draw_forecast(found, past, z, country=country).save(out)
    if as_json:
        print_json(_document(found, past, limit, rows, errors, out))
        return
    _print(found, past, limit, rows, errors)
    if out is not None:
        click.echo(f"wrote {out}")


def _forecaster(model: str, country: str | None, holidays: bool, zone: str | None) -> Forecaster:
    forecaster = parse(model)
    if isinstance(forecaster, SeasonAhead):
        said = {"country": country, "zone": zone}
        told = {key: text for key, text in said.items() if text is not None}
        if not holidays:
            told["holidays"] = False  # type: ignore[assignment]  # a flag among texts
        return replace(forecaster, **told)  # type: ignore[arg-type]  # settings by name
    if country or zone:
        raise ValueError(f"--country and --zone mean nothing to {forecaster}: leave them out")
    return forecaster


def _errors(
    past: Multiplier, forecaster: Forecaster, horizon: int, origins: int | None
) -> dict[str, float] | None:
    if not origins:
        return None
    found = backtest(past, {"model": forecaster}, horizon, origins)
    return found.to_dict()["model"]


def _is_csv(out: Path) -> bool:
    return out.suffix.lower() == ".csv"


def _rows(found: Forecast, limit: float, country: str | None) -> list[dict[str, Any]]:
    low, high = found.interval(0.8)
    chance = found.probability_above(limit)
    times = [] if found.calendar is None else [format_time(instant) for instant in found.calendar]
    days = [""] * len(found)
    if found.calendar is not None and len(found) > 1:
        short = found.calendar[1] - found.calendar[0] <= np.timedelta64(1, "D")
        days = special_days(found.calendar, country) if short else days
    return [
        {
            "turn": i + 1,
            **({"time": times[i]} if times else {}),
            "mean": float(found.mean[i]),
            "low": float(low[i]),
            "high": float(high[i]),
            "chance_busy": float(chance[i]),
            "special_day": days[i],
        }
        for i in range(len(found))
    ]


def _write(rows: list[dict[str, Any]], out: Path) -> None:
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _document(
    found: Forecast,
    past: Multiplier,
    limit: float,
    rows: list[dict[str, Any]],
    errors: dict[str, float] | None,
    out: Path | None,
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "model": found.name,
        "series": past.name,
        "past_turns": past.turns,
        "horizon": len(found),
        "busy_from": limit,
        "interval": 0.8,
        "forecast": rows,
    }
    if errors is not None:
        document["backtest"] = errors
    return document | ({"files": [out]} if out is not None else {})


def _print(
    found: Forecast,
    past: Multiplier,
    limit: float,
    rows: list[dict[str, Any]],
    errors: dict[str, float] | None,
) -> None:
    busy = sum(row["chance_busy"] >= 0.5 for row in rows)
    click.echo(
        f"{past.name}: {past.turns} turns known, {len(found)} forecast by {found.name}; "
        f"{busy} of them probably busy ({format_number(limit)} or more)"
    )
    table = plain_table("turn" if found.calendar is None else "when", "expected", "80% interval",
                        "chance busy", "special day")  # fmt: skip
    table.columns[4].justify = "left"
    for row in rows:
        table.add_row(
            str(row.get("time", row["turn"])),
            format_number(row["mean"]),
            f"{format_number(row['low'])} to {format_number(row['high'])}",
            percent(row["chance_busy"]),
            row["special_day"],
        )
    print_table(table)
    if errors is not None:
        click.echo(
            f"in the past: MASE {errors['mase']:.2f}, sMAPE {percent(errors['smape'])}, "
            f"{percent(errors['coverage'])} of the turns within the 80% interval"
        )
