"""The same dates in every door: traffic files, histories, tables of displays and `Bandit.fit`."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import highseason as hs
from highseason.logs import TableLog, collect

WRITTEN = {
    "iso": "%Y-%m-%d", "points": "%d.%m.%Y", "short years": "%d.%m.%y", "slashes": "%d/%m/%Y",
    "America": "%m/%d/%Y", "China": "%Y年%m月%d日", "Japan": "%Y/%m/%d", "compact": "%Y%m%d",
    "names": "%d %b %Y", "American names": "%B %d, %Y", "clock": "%d.%m.%Y %H:%M",
    "zone": "%Y-%m-%dT%H:%M:%S+00:00", "weeks": "%G-W%V-%u", "Thailand": "%d/%m/{thai}",
    "Thailand, iso": "{thai}-%m-%d", "seconds": "{seconds}", "milliseconds": "{seconds}000",
}  # fmt: skip


def written(days: pd.DatetimeIndex, style: str) -> list[str]:
    return [
        day.strftime(WRITTEN[style]).format(thai=day.year + 543, seconds=int(day.timestamp()))
        for day in days
    ]


def of_traffic(path: Path) -> list[Any]:
    return hs.traffic.read(path, value="visitors").calendar.astype("datetime64[D]").tolist()


def of_noise(path: Path) -> list[Any]:
    return hs.logs.read_history(path).turns.astype("datetime64[D]").tolist()


def of_log(path: Path) -> list[Any]:
    events, _ = collect(TableLog(path, time="date", arm="arm", reward="visitors"))
    return events.time.astype("datetime64[s]").astype("datetime64[D]").tolist()


def of_bandit(path: Path, shuffled: bool = False) -> float:
    """The reward that came last."""
    rows = pd.read_csv(path, dtype={"date": str})
    rows = rows.sample(frac=1, random_state=1) if shuffled else rows
    table = {"turn": rows["date"], "arm": rows["arm"], "reward": rows["visitors"], "visitors": 1}
    bandit = hs.Bandit(["a"], "windowed:window=1+ucb", [5.0] * 3, reward_range=(0, 1000))
    return bandit.fit(pd.DataFrame(table)).expectations()["a"]


def may_have_its_year_first(cells: list[str]) -> bool:
    """Whether each cell is a date by another order too, as 01.12.13 is: then rows must show it."""
    try:
        return all(datetime.strptime(cell, "%y.%m.%d") for cell in cells)
    except ValueError:
        return False


@pytest.mark.filterwarnings("ignore::highseason.traffic.FileNote")
@settings(deadline=None, max_examples=30)
@given(
    style=st.sampled_from(sorted(WRITTEN)),
    first=st.dates(date(1990, 1, 1), date(2029, 1, 1)),
    every=st.sampled_from([1, 3, 7]),
)
@example(style="short years", first=date(2013, 11, 29), every=1)
@example(style="short years", first=date(2028, 12, 20), every=3)  # 03.02.29 has one reading
def test_a_file_has_the_same_turns_in_every_door(
    tmp_path_factory: pytest.TempPathFactory, style: str, first: date, every: int
) -> None:
    """Rows in the order of time show the order of day and year; rows in disorder do not."""
    days = pd.date_range(first, periods=40, freq=f"{every}D")
    path = tmp_path_factory.mktemp("doors") / "history.csv"
    columns = {"date": written(days, style), "arm": "a", "visitors": np.arange(100, 140)}
    pd.DataFrame({**columns, "successes": 1}).to_csv(path, index=False)
    truth = days.date.tolist()
    assert of_traffic(path) == of_noise(path) == of_log(path) == truth
    assert of_bandit(path) == 139.0
    if may_have_its_year_first(columns["date"]):
        with pytest.raises(ValueError, match=r"' could be \S+ or \S+: write dates as"):
            of_bandit(path, shuffled=True)
    else:
        assert of_bandit(path, shuffled=True) == 139.0


@pytest.mark.parametrize("door", [of_traffic, of_noise, of_log, of_bandit])
def test_every_door_asks_what_a_date_means(door: Any, tmp_path: Path) -> None:
    path = tmp_path / "history.csv"
    rows = [f"0{day}/0{month}/2024,a,9,1" for month in (1, 2) for day in (1, 2, 3)]
    path.write_text("\n".join(["date,arm,visitors,successes", *rows]))
    with pytest.raises(
        ValueError, match=r"'.*2024' could be 2024-.* or 2024-.*: (pass|write) date"
    ):
        door(path)


@pytest.mark.filterwarnings("ignore::highseason.traffic.FileNote")
def test_points_mean_day_first_in_one_column(tmp_path: Path) -> None:
    path = tmp_path / "history.csv"
    rows = ["05.01.2024,a,9,1", "13.01.2024,a,9,1", "01.02.2024,a,9,1"]
    path.write_text("\n".join(["date,arm,visitors,successes", *rows]))
    days = ["2024-01-05", "2024-01-13", "2024-02-01"]
    for door in (of_traffic, of_noise, of_log):
        assert list(map(str, door(path))) == days


def test_a_thai_year_is_noted_even_where_the_order_is_given(tmp_path: Path) -> None:
    path = tmp_path / "history.csv"
    path.write_text("date,visitors\n28/02/2567,5\n29/02/2567,6\n")
    with pytest.warns(hs.traffic.FileNote, match="'28/02/2567' is read as 2024-02-28 .*Thai"):
        G = hs.traffic.read(path, dates="dmy")
    assert str(G.calendar[1]) == "2024-02-29"


def test_turns_written_as_numbers_are_in_the_order_of_numbers() -> None:
    rows = [("a", reward, turn, 1) for turn, reward in (("2", 0.2), ("10", 0.9), ("1", 0.1))]
    bandit = hs.Bandit(["a"], "windowed:window=1+ucb", [5.0] * 3, reward_range=(0, 1))
    assert bandit.fit(rows).expectations() == {"a": 0.9}
