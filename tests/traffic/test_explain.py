"""What a forecast is made of, and how earlier ones from the same weeks would have done."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

import highseason as hs
from highseason.traffic import (
    Blend,
    ForecastError,
    Multiplier,
    PastForecast,
    SeasonalNaive,
    check,
    parts,
    trust,
)

DAYS = np.arange("2021-01-04", "2024-11-14", dtype="datetime64[D]")
WEEK = np.array([1, 1, 1.1, 1.2, 1.5, 2, 0.8])
SALES = [date(2022, 3, 4), date(2023, 6, 9), date(2024, 4, 12)]


def shop(last: str = "2024-11-13") -> Multiplier:
    """Twice as busy from 22 November to the end of the year."""
    t, rng = np.arange(DAYS.size), np.random.default_rng(3)
    day = (DAYS - DAYS.astype("datetime64[Y]").astype("datetime64[D]")).astype(int)
    values = (
        300 * WEEK[t % 7] * np.where(day >= 325, 2, 1) * np.exp(0.1 * rng.standard_normal(t.size))
    )
    values *= np.where(np.isin(DAYS, np.array(SALES, "datetime64[D]")), 2, 1)
    return Multiplier(values, DAYS).window(1, last)


def test_the_product_of_its_parts_is_the_forecast() -> None:
    coming = date(2024, 11, 18)
    known = Blend(events=dict.fromkeys([*SALES, coming], "sale")).fit(shop())
    forecast, made = known.predict(28), parts(known, 28)
    assert forecast.calendar is not None
    assert list(made) == ["level", "week", "season", "special days"]
    np.testing.assert_allclose(np.prod(list(made.values()), axis=0), forecast.median)
    weekday = (forecast.calendar - DAYS[0]).astype(int) % 7
    np.testing.assert_allclose(made["week"] / made["week"][4], WEEK[weekday], rtol=0.15)
    assert made["season"][14:].mean() > 1.5 * made["season"][:7].mean()
    place = forecast.calendar.tolist().index(coming)
    assert made["special days"][place] > 1.5
    assert made["special days"][place - 1] == 1
    assert made["level"].std() < 0.2 * made["level"].mean()


def test_parts_of_a_shop_with_closed_days() -> None:
    G = shop()
    kept = np.arange(G.turns) % 7 != 6
    known = Blend().fit(Multiplier(G.values[kept], DAYS[kept]))
    made = parts(known, 12)
    assert {part.size for part in made.values()} == {12}
    np.testing.assert_allclose(np.prod(list(made.values()), axis=0), known.predict(12).median)


def test_earlier_forecasts_from_the_same_weeks() -> None:
    checked = check(shop(), SeasonalNaive(), 14)
    begins = [f"2022-11-{day}" for day in (10, 17, 24)] + [
        f"2023-11-{day:02}" for day in (9, 16, 23)
    ]
    assert [one.begins for one in checked] == begins
    # The week before knows nothing of the season, the year before does.
    assert checked[0].sum_off < -0.1 < checked[0].last_year_sum_off
    assert trust(checked).endswith("; the same weeks a year before were nearer.")
    good = check(shop(), SeasonalNaive(lag=364), 14)
    assert [one.held for one in good] == [one.last_year_held for one in checked]
    assert trust(good).endswith(": trust it.")


@pytest.mark.parametrize(
    ("held", "off", "said"),
    [
        (0.8, 0.05, ": trust it."),
        (0.5, 0.05, "trust its sum, and expect"),
        (0.8, -0.2, "trust its interval rather"),
        (0.5, 0.2, "do not rely on it"),
    ],
)
def test_trust(held: float, off: float, said: str) -> None:
    assert said in trust([PastForecast("2022-11-10", held, off, 0.8, off)])


def test_what_cannot_be_checked() -> None:
    assert "needs a year before" in trust(check(shop("2022-11-13"), SeasonalNaive(), 14))
    with pytest.raises(ForecastError, match="without dates"):
        check([1, 2, 3], SeasonalNaive(), 14)


def test_weeks_and_months_are_checked() -> None:
    weeks = shop().resample("1W")
    assert len(check(weeks, SeasonalNaive(lag=52), 4)) == 3
    months = shop("2024-10-31").resample("1M")
    assert len(check(months, SeasonalNaive(lag=12), 2)) >= 3


@pytest.mark.parametrize(
    ("least", "most", "ticks"),
    [
        (0.95, 1.05, ["0.71", "1", "1.4"]),
        (0.8, 1.6, ["0.71", "1", "1.4"]),
        (0.5, 3.0, ["0.5", "0.71", "1", "1.4", "2", "2.8"]),
        (0.05, 2.5, ["0.062", "0.12", "0.25", "0.5", "1", "2"]),
        (1e-4, 4.0, ["0.00024", "0.0039", "0.062", "1"]),
    ],
)
def test_factors_can_be_read_and_the_level_has_its_ends(
    least: float, most: float, ticks: list[str]
) -> None:
    forecast = Blend().fit(shop()).predict(3)
    made = {"level": np.array([100.0, 120.0, 90.0]), "week": np.array([least, 1.0, most])}
    middle = hs.report.forecast(forecast, parts=made).canvas.axes[1]
    assert [tick.get_text() for tick in middle.get_yticklabels()] == ticks
    assert middle.get_title(loc="left") == "Its parts: a level of 90 to 120, times"


def test_a_figure_with_parts_and_last_year() -> None:
    known = Blend().fit(shop())
    figure = hs.report.forecast(known.predict(14), shop(), parts=parts(known, 14))
    top, middle, below = figure.canvas.axes
    assert "a year ago" in top.get_legend_handles_labels()[1]
    assert middle.get_legend_handles_labels()[1] == ["week", "season", "special days"]
    assert middle.get_title(loc="left").startswith("Its parts: a level of ")
    assert {"0.71", "1", "1.4"} <= {tick.get_text() for tick in middle.get_yticklabels()}
    assert below.get_title(loc="left") == "Probability of being busy"
