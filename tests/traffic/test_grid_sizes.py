"""One wrong date spans a grid that no memory holds: its size is judged before it is laid."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.memory import run_within

import highseason as hs
from highseason.traffic import Calendar, Multiplier, MultiplierError, read

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs limits on memory")

DOORS = """
from highseason.cli import main
from click.testing import CliRunner
from highseason.traffic import Blend, Calendar, Multiplier, from_values, parse_forecaster, read

LIMIT
folder, answers = Path(sys.argv[1]), {}
for unit, second in {"s": "00:00:01", "min": "00:01:00", "h": "01:00:00"}.items():
    times = ["1970-01-01 00:00:00", "1970-01-01 " + second, "2026-12-31 00:00:00"]
    values = np.array([5.0, 6.0, 7.0])
    rows = "".join(f"{time},{value:.0f}\\n" for time, value in zip(times, values))
    (path := folder / f"{unit}.csv").write_text("date,visitors\\n" + rows)
    frame = pd.DataFrame({"visitors": values}, index=pd.DatetimeIndex(times))
    G = Multiplier(values, times)
    command = lambda *arguments: CliRunner().invoke(main, [*arguments]).output
    asks = {
        "read": lambda: read(path),
        "a zone": lambda: read(path, zone="Europe/Rome"),
        "a floor": lambda: read(path, floor=1.0),
        "a frame": lambda: read(frame),
        "zeros": lambda: from_values(values - 5.0, times),
        "plan": lambda: command("plan", str(path), "--turns", "3"),
        "forecast": lambda: command("forecast", str(path)),
        "ahead": lambda: command("simulate", "-p", "ucb", "-m", str(path), "--ahead", "7"),
        "fit": lambda: Blend().fit(G).predict(3),
        "fit a series": lambda: hs.forecast(frame["visitors"], 3),
        "fit own days": lambda: Blend(events={"2027-01-01": "closed"}).fit(G),
        "fit last year": lambda: parse_forecaster("seasonal-naive").fit(G),
        "backtest": lambda: hs.traffic.backtest(G, [Blend()], turns=1, origins=1),
    }
    works = {
        "every": lambda: read(path, every="1D").turns,
        "resample": lambda: G.resample("1D").turns,
        "years": lambda: G.resample("999999D", partial="keep").turns,
        "months": lambda: G.resample("999999M", partial="keep").turns,
        "one step": lambda: len(hs.traffic.RandomWalk().fit(G).predict(3)),
    }
    answers[unit] = [{name: answer(one) for name, one in each.items()} for each in (asks, works)]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return run_within(300, DOORS, str(tmp_path_factory.mktemp("files")))


@pytest.mark.parametrize("unit", ["s", "min"])
def test_a_wrong_date_is_asked_about_at_every_door(answers: Any, unit: str) -> None:
    for door, text in answers[unit][0].items():
        words = " ".join(text.split())
        assert "is a date wrong, such as 2026-12-31? If none is, pass " in words, (door, text)
        assert "every='1D' to add up" in words or "--every '1D' to add up" in words, (door, text)


def test_half_a_million_hours_are_missing(answers: Any) -> None:
    for door, text in answers["h"][0].items():
        if door.startswith("fit") or door in ("ahead", "forecast"):
            assert "(is the date 2026-12-31 wrong?)" in text, (door, text)
        assert "MEMORY" not in text


@pytest.mark.parametrize("unit", ["s", "min", "h"])
def test_the_way_out_works(answers: Any, unit: str) -> None:
    expected = {"every": "2", "resample": "2", "years": "1", "months": "1", "one step": "3"}
    assert answers[unit][1] == expected


FAR = """
LIMIT
times = np.datetime64("2026-01-01T00:00:00") + np.arange(200_000)
G = hs.traffic.Multiplier(100 + 50 * np.sin(np.arange(200_000) / 7), times)
closed = {f"2026-{month:02}-{day:02}": "closed" for month in range(2, 9) for day in range(1, 29)}
hour = hs.traffic.Calendar.starting("2026-01-01", "minute", closed=range(1, 10_080))
print(json.dumps([
    answer(lambda: hs.traffic.Blend().fit(G).predict(60 * 86_400)),
    answer(lambda: hs.traffic.RandomWalk().fit(G).predict(60 * 86_400)),
    answer(lambda: hs.traffic.Blend(events=closed).fit(G).predict(60)),
    answer(lambda: hour.instants(200_000)),
]))
"""


def test_a_forecast_is_no_longer_than_memory_holds() -> None:
    for text in run_within(300, FAR):
        assert "MultiplierError: " in text or "SparseError: " in text
        assert "are more than the 1,250,000 that can be planned" in text


def spread(rows: int, gap: int, unit: str) -> np.ndarray:
    return np.datetime64("2026-01-01", unit) + gap * np.arange(rows)


def test_the_wrong_date_is_named_on_either_side() -> None:
    days = np.append(
        np.datetime64("1925-03-04"), np.arange("2025-01-01", "2025-03-01", dtype="M8[D]")
    )
    with pytest.raises(ValueError, match=r"missing, .*\(is the date 1925-03-04 wrong\?\)"):
        hs.forecast(Multiplier(np.ones(days.size), days), 7)


def test_no_date_is_blamed_where_all_are_far_apart(tmp_path: Path) -> None:
    twice = (spread(3_000, 1, "D")[:, None] + np.array([0, 1], "m8[s]")).ravel()
    rows = "".join(f"{str(time).replace('T', ' ')},5\n" for time in twice)
    (tmp_path / "a.csv").write_text("time,visitors\n" + rows)
    with pytest.raises(MultiplierError, match=r"there are 6,000: is a date wrong\? If none is"):
        read(tmp_path / "a.csv")
    assert read(tmp_path / "a.csv", every="1D").turns == 2_999  # the last day is not over


@pytest.mark.parametrize(
    ("rows", "gap", "unit"), [(20_000, 60, "m"), (1_000, 24 * 7, "h"), (300_000, 1, "s")]
)
def test_what_is_only_thin_is_read(rows: int, gap: int, unit: str) -> None:
    """Hours by the minute, an hour a week, and days of seconds lie on grids of their own."""
    line = Multiplier(np.ones(rows), spread(rows, gap, unit)).timeline
    assert line is not None
    grid, places, _ = Calendar.around(line)
    assert places[-1] + 1 >= rows
    assert grid.at(places[-1:])[0] == line.instants[-1]
