"""The last Christmas of two real series, held out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from highseason.traffic import (
    Backtest,
    Blend,
    CalendarRegression,
    Multiplier,
    SeasonalNaive,
    backtest,
    read,
)

DATA = Path(__file__).parents[2].parent / "shared" / "data"

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.filterwarnings("ignore::highseason.traffic.FileNote"),  # of days without a camera
    pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data: {DATA} does not exist"),
]

FORECASTERS = {
    "week": SeasonalNaive(),
    "year": SeasonalNaive(lag=364),
    "on": CalendarRegression(country="GB-ENG"),
    "off": CalendarRegression(holidays=False),
    "blend": Blend(country="GB-ENG"),
}


def held_out(G: Multiplier, first: str) -> Backtest:
    origin = G.turn_of(first) - 1
    return backtest(G, FORECASTERS, G.turns - origin, [origin])


@pytest.fixture(scope="module", params=["leeds", "retail"])
def christmas(request: pytest.FixtureRequest) -> Backtest:
    if request.param == "leeds":
        hours = read(DATA / "leeds_footfall_hourly.csv.gz", value="Briggate", floor=1e-9)
        return held_out(hours.resample("1D"), "2016-11-01")
    shop = read(DATA / "online_retail_hourly.csv.gz", value="orders", floor=1e-9)
    return held_out(shop.resample("1D").floor(1), "2011-11-01")


def test_the_default_is_better_than_seasonal_naive(christmas: Backtest) -> None:
    for naive in ("week", "year"):
        for name in ("blend", "on"):
            assert christmas.mean("mase", name) < christmas.mean("mase", naive)
            assert christmas.mean("pinball", name) < christmas.mean("pinball", naive)


@pytest.mark.parametrize("christmas", ["leeds"], indirect=True)
def test_holidays_help(christmas: Backtest) -> None:
    # The shop's series ends on 9 December: hardly any of its days is special.
    assert christmas.mean("mase", "on") < 0.9 * christmas.mean("mase", "off")


def test_four_of_five_days_fall_into_their_interval(christmas: Backtest) -> None:
    # 38 and 61 days that hang together: a share of 0.8 may come out as 0.7 or as 0.94.
    assert 0.68 <= christmas.mean("coverage", "on") <= 0.95


@pytest.fixture(
    scope="module", params=[pytest.param(2, id="few"), pytest.param(1, marks=pytest.mark.soak)]
)
def rolling(request: pytest.FixtureRequest) -> list[Backtest]:
    """Four public series, none of which its constants were chosen on but the last."""
    sizes = {
        "nyc_taxi_30min": (336, 4, 336),
        "wikipedia_r_daily": (60, 6, 7),
        "air_passengers_monthly": (12, 6, 12),
        "us_retail_sales_monthly": (12, 6, 12),
    }
    known = {"naive": SeasonalNaive(), "calendar": CalendarRegression(), "blend": Blend()}
    return [
        backtest(
            read(DATA / "series" / f"{name}.csv.gz"), known, horizon, origins // request.param, step
        )
        for name, (horizon, origins, step) in sizes.items()
    ]


def test_rolling_origins_favour_the_default(rolling: list[Backtest]) -> None:
    errors = {
        name: np.log([found.mean("mase", name) for found in rolling]).mean()
        for name in rolling[0].forecasters
    }
    assert np.exp(errors["blend"] - errors["naive"]) < 0.7
    assert np.exp(errors["blend"] - errors["calendar"]) < 0.97


def test_rolling_origins_confirm_its_intervals(rolling: list[Backtest]) -> None:
    covered = [found.mean("coverage", "blend") for found in rolling]
    assert min(covered) > 0.6
    assert 0.7 < np.mean(covered) < 0.9
