"""Promotions, closures and events that a shop names itself."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from highseason.traffic import (
    Blend,
    CalendarRegression,
    ForecastError,
    ForecastWarning,
    Multiplier,
    SeasonAhead,
    own_days,
    unusual_days,
)
from highseason.traffic.history import History

DAYS = np.arange("2022-01-03", "2024-09-30", dtype="datetime64[D]")
SALES = [date(2022, 5, 13), date(2022, 9, 9), date(2023, 3, 17), date(2023, 10, 20),
         date(2024, 6, 7)]  # fmt: skip
COMING = date(2024, 10, 9)


def shop(lift: float = 2.5) -> Multiplier:
    rng = np.random.default_rng(2)
    values = (
        200 * np.exp(0.1 * rng.standard_normal(DAYS.size)) * (1 + (np.arange(DAYS.size) % 7 == 5))
    )
    return Multiplier(
        np.where(np.isin(DAYS, np.array(SALES, "datetime64[D]")), lift, 1) * values, DAYS
    )


EVENTS = dict.fromkeys([*SALES, COMING], "sale")


@pytest.mark.parametrize("forecaster", [Blend, CalendarRegression])
def test_a_coming_sale_has_the_effect_of_earlier_ones(forecaster: type[SeasonAhead]) -> None:
    plain, named = (forecaster(events=e).fit(shop()).predict(28) for e in (None, EVENTS))
    assert named.calendar is not None
    factors = named.median / plain.median
    place = named.calendar.tolist().index(COMING)
    assert 1.8 < factors[place] < 2.5  # shrunk
    last = [named.calendar.tolist().index(date(2024, 10, day)) for day in (18, 20)]
    assert np.delete(factors, [place, *last]) == pytest.approx(1, abs=0.1)
    assert (factors[last] < 1.1).all()  # as the sale of last year has a name
    assert (str(forecaster(events=EVENTS)), named.name) == (forecaster.name, forecaster.name)


@pytest.mark.parametrize("factor", [0.3, 3.0])
@pytest.mark.parametrize("apart", [0.0, 0.3])
def test_days_that_were_seen_often_are_not_shrunk_and_their_intervals_hold(
    factor: float, apart: float
) -> None:
    ratios, hits = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        t, sizes = np.arange(728), apart * rng.standard_normal(728)
        sale = np.isin(t, np.append(rng.choice(690, 12, replace=False), 700 + rng.choice(28, 6)))
        truth = 200 * np.where(sale, factor, 1) * (1 + (t % 7 == 5))
        values = truth * np.exp(0.1 * rng.standard_normal(728) + np.where(sale, sizes, 0))
        days = DAYS[:728]
        events = dict.fromkeys(days[sale].tolist(), "sale")
        ahead = Blend(events=events).fit(Multiplier(values[:700], days[:700])).predict(28)
        coming = sale[700:]
        ratios.append((ahead.median / truth[700:])[coming].mean())
        low, high = ahead.interval(0.8)
        hits += ((low <= values[700:]) & (values[700:] <= high))[coming].tolist()
    assert np.mean(ratios) == pytest.approx(1, abs=0.03 + 0.2 * apart)
    assert 0.7 < np.mean(hits) < 0.95


def test_a_sale_of_last_year_that_is_named_is_not_expected_again() -> None:
    again = np.datetime64("2024-10-18")  # 364 days after a sale
    forecast = Blend(events=EVENTS).fit(shop()).predict(28)
    assert forecast.calendar is not None
    place = forecast.calendar.tolist().index(again.item())
    assert forecast.mean[place] == pytest.approx(200, rel=0.1)


def test_closed_days_have_no_turn() -> None:
    closed = {date(2024, 10, 2): "Closed", date(2023, 8, 2): "closed", COMING: "closed"}
    known = Blend(events=closed).fit(shop())
    forecast = known.predict(14)
    assert forecast.calendar is not None
    assert not set(closed) & set(forecast.calendar.tolist())
    assert (len(forecast), str(forecast.calendar[-1])) == (14, "2024-10-15")
    assert not known.history.seen[(date(2023, 8, 2) - DAYS[0].item()).days]
    for _ in range(2):
        known.update(200.0)
    assert str(known.predict(1).calendar) == "['2024-10-03']"


def test_a_kind_without_earlier_days_is_an_ordinary_day() -> None:
    with pytest.warns(ForecastWarning, match=r"2024-10-09 is of the kind 'tv', which has no earl"):
        Blend(events={COMING: "tv"}).fit(shop()).predict(14)


def test_files_tables_and_mappings(tmp_path: Path) -> None:
    expected = {date(2024, 10, 9): "sale", date(2024, 12, 25): "closed"}
    (tmp_path / "events.csv").write_text("Datum;Was\n09.10.2024;Sale\n25.12.2024;closed\n")
    table = pd.DataFrame({"visitors": [5, 6, 7], "what": ["sale", "", "closed"],
                          "day": ["2024-10-09", "2024-10-10", "2024-12-25"]})  # fmt: skip
    indexed = table.assign(day=pd.to_datetime(table["day"])).set_index("day")
    for given in (tmp_path / "events.csv", str(tmp_path / "events.csv"), table, indexed, expected):
        assert own_days(given) == expected
    for none in ({}, table[:0]):
        assert own_days(none) == {}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("date,weekday,visitors,event\n2024-10-09,Wed,5,Sale\n2024-10-10,Thu,6,\n", "sale"),
        ("date,note,kind\n2024-10-09,by TV,promo\n", "promo"),
        ("Datum;Notiz;Anlass\n09.10.2024;neu;Messe\n", "messe"),
        ("date,noted on,what\n2024-10-09,2024-10-01,fair\n", "fair"),
        ("date,kind\n2024-10-09 18:00 - 21:00,late\n", "late"),
        ("date,name,kind\n2024-10-09,Singles' Day,sale\n", "sale"),
    ],
)
def test_the_column_of_kinds_is_called_so_or_the_only_one(
    tmp_path: Path, text: str, kind: str
) -> None:
    (tmp_path / "events.csv").write_text(text)
    assert own_days(tmp_path / "events.csv") == {date(2024, 10, 9): kind}


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("date,note,what\n2024-10-09,TV,a\n", "could be the kinds: note, what; call the right one"),
        ("start,end,kind\n2024-10-09,2024-10-12,a\n", "from 'start' to 'end': give each day a row"),
        (
            "date,kind\n2024-10-09,a\n2024-10-11 - 2024-10-14,a\n",
            "line 3, .* is more than a day: give",
        ),
        ("date,kind\n9 Oct 2024 to 11 Oct 2024,a\n", "is more than a day: give each day a row"),
    ],
)
def test_a_file_that_leaves_days_or_kinds_open_is_refused(
    tmp_path: Path, text: str, match: str
) -> None:
    (tmp_path / "events.csv").write_text(text)
    with pytest.raises(ForecastError, match=match):
        own_days(tmp_path / "events.csv")


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"2024-10-09": 3}, "the table of own days needs a column of dates and one of kinds"),
        (pd.Series({"2024-10-09": "sale"}), "own days are a mapping from dates .*, not Series"),
        ([("2024-10-09", "sale")], "own days are a mapping from dates .*, not list"),
        ({"someday": "sale"}, "needs a column of dates|is not a time"),
        (pd.DataFrame({"day": ["2024-10-09"] * 2, "what": ["a", "b"]}), "of the kind 'a' already"),
    ],
)
def test_what_names_no_days_is_refused(given: object, match: str) -> None:
    with pytest.raises(ForecastError, match=match):
        Blend(events=given).fit(shop())


@pytest.mark.parametrize(
    "past",
    [
        Multiplier(np.arange(120) % 52 + 1.0, DAYS[0] + 7 * np.arange(120)),
        Multiplier(np.arange(40) % 12 + 1.0, np.datetime64("2022-01") + np.arange(40)),
        np.arange(50) % 7 + 1.0,
    ],
)
def test_own_days_need_days(past: object) -> None:
    with pytest.raises(ForecastError, match="own days need turns with dates, of a day or shorter"):
        Blend(events={COMING: "closed"}, periods=(7,)).fit(past)


def test_unusual_days_of_last_year() -> None:
    past = shop().window(1, "2023-10-01").turns  # before the sale of 2023
    G = Multiplier(np.delete(shop().values, past + 12), np.delete(DAYS, past + 12))
    said = unusual_days(History.of(G), 28)
    assert said[0] == "Mon 14 Oct: missing last year"
    assert said[1].startswith("Fri 18 Oct: last year 2.")
    assert said[1].endswith("times a usual Friday")
    assert len(said) == 2
    assert unusual_days(History.of(G, own=EVENTS), 28) == said[:1]
    weeks = Multiplier(np.arange(120) % 52 + 1.0, DAYS[0] + 7 * np.arange(120))
    assert unusual_days(History.of(weeks), 5) == []


def test_a_weekday_that_was_closed_a_year_ago_is_not_missing() -> None:
    days = np.arange("2024-01-01", "2026-11-15", dtype="datetime64[D]")
    flat = 100.0 + np.arange(days.size) % 7
    shut = (np.arange(days.size) % 7 == 6) & (days < np.datetime64("2026-04-01"))
    shut |= days == np.datetime64("2025-11-18")
    shut |= (np.datetime64("2025-11-26") <= days) & (days <= np.datetime64("2025-12-05"))
    past = History.of(Multiplier(flat[~shut], days[~shut]))
    missing = [day for day in unusual_days(past, 28) if day.endswith(": missing last year")]
    dates = [18, 26, 27, 28, 29, *range(1, 6)]
    assert [int(day.split()[1]) for day in missing] == dates


def test_days_before_the_past_began_are_not_missing() -> None:
    days = np.arange("2025-03-01", "2025-11-10", dtype="datetime64[D]")
    flat = Multiplier(np.full(days.size, 100.0), days)
    assert unusual_days(History.of(flat), turns=30) == []


def test_coming_days_without_a_day_a_year_before_are_not_looked_at() -> None:
    past = History.of(shop())
    assert unusual_days(past, 800) == unusual_days(past, 364)
