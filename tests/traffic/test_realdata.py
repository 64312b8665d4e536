from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from highseason.traffic import Multiplier, MultiplierError, Threshold, read

DATA = Path(__file__).parents[2].parent / "shared" / "data"

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.filterwarnings("ignore::highseason.traffic.FileNote"),  # of days without a camera
    pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data: {DATA} does not exist"),
]

LEEDS = DATA / "leeds_footfall_hourly.csv.gz"
SHOP = DATA / "online_retail_hourly.csv.gz"
PAGES = DATA / "upworthy_daily_pageviews.csv"


@pytest.fixture(scope="module")
def briggate() -> Multiplier:
    return read(LEEDS, value="Briggate", floor=1e-9)


def test_eight_cameras_are_too_many() -> None:
    with pytest.raises(MultiplierError) as caught:
        read(LEEDS)
    assert "value=" in str(caught.value)
    for camera in ("AlbionStNorth", "Briggate", "CommercialStBarratts", "DortmundSq", "Headrow"):
        assert camera in str(caught.value)


def test_a_slip_in_the_cameras_name() -> None:
    with pytest.raises(MultiplierError, match=r"Did you mean 'Briggate'\?"):
        read(LEEDS, value="Brigate")


def test_a_camera_that_started_late_has_empty_cells() -> None:
    with pytest.raises(MultiplierError, match=r"line 2, column 'CommercialStBarratts': the cell"):
        read(LEEDS, value="CommercialStBarratts", floor=1)


def test_nights_without_anybody_need_a_floor(briggate: Multiplier) -> None:
    with pytest.raises(MultiplierError, match=r"line 2091, column 'Briggate': '0' .* floor="):
        read(LEEDS, value="Briggate")
    assert int((briggate.values < 1).sum()) == 15


def test_boxing_day(briggate: Multiplier) -> None:
    assert briggate.turns == 69816
    assert briggate.at("2013-12-26 12:00") == briggate.values.max() == 19820
    assert briggate.values.mean() == pytest.approx(1334, abs=1)
    assert Threshold.of("q0.75").resolve(briggate) == pytest.approx(1946, abs=1)
    days = briggate.resample("1D")
    christmas = days.window("2013-12-24", "2013-12-27")
    assert christmas.values.round().tolist() == [44769, 1571, 67646, 50650]


def test_missing_days_stay_missing(briggate: Multiplier) -> None:
    days = briggate.resample("1D")
    assert days.calendar is not None
    every = int((days.calendar[-1] - days.calendar[0]) / np.timedelta64(1, "D")) + 1
    assert every - days.turns == 13
    assert days.total == pytest.approx(briggate.total)


def test_the_shops_closed_hours_need_a_floor() -> None:
    with pytest.raises(MultiplierError, match=r"line 3, column 'orders': '0' cannot .* floor="):
        read(SHOP, value="orders")
    shop = read(SHOP, value="orders", floor=1e-9)
    assert shop.turns == 17718
    assert (shop.values < 1).mean() == pytest.approx(2 / 3, abs=0.02)


def test_the_shops_days() -> None:
    days = read(SHOP, value="orders", floor=1e-9).resample("1D", partial="keep")
    open_days = days.values[days.values >= 0.5]
    assert open_days.mean() == pytest.approx(54, abs=15)
    assert days.values.max() == pytest.approx(153)
    assert days.floor(1).values.min() == 1.0
    # The record starts at seven in the morning and ends at noon.
    assert days.turns - read(SHOP, value="orders", floor=1e-9).resample("1D").turns == 2


def test_page_views() -> None:
    pages = read(PAGES)
    assert (pages.turns, pages.name) == (850, "upworthy_daily_pageviews")
    assert pages.values.mean() == pytest.approx(2.77e6, rel=1e-2)
    assert Threshold.of("q0.75").resolve(pages) == pytest.approx(3.70e6, rel=1e-2)
    assert pages.values.max() == pytest.approx(12.45e6, rel=1e-2)
    assert pages.turn_of("2013-01-02") == 2
    assert pages.resample("1W").values.sum() < pages.total
