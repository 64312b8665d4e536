"""A new experiment, or a new forecast, from an uploaded file: the plan first, then the start."""

from __future__ import annotations

import bz2
import gzip
import html
import io
import lzma
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import httpx
import pandas as pd
import pytest
from tests.service.conftest import Server
from tests.service.test_dashboard import form_token

from highseason.policies import DEFAULT_POLICY

FIELDS = {
    "name": "The price of tea",
    "arms": "9.99\n10.99\n11.99, premium",
    "greatest": "12",
    "turns": "30",
}


def traffic(days: int = 90, mark: str = ".") -> bytes:
    start = date(2026, 8, 3)
    rows = (f"{start + timedelta(i)};{300 + 200 * (i % 7 >= 5)}{mark}5" for i in range(days))
    return "\n".join(["day;visitors", *rows]).encode()


def plan(
    http: httpx.Client, content: bytes, name: str = "traffic.csv", **fields: str
) -> httpx.Response:
    data = {"form_token": form_token(http)} | FIELDS | fields
    return http.post("/new/plan", data=data, files={"traffic": (name, content)})


def start(http: httpx.Client, page: str) -> httpx.Response:
    draft = re.search(r'name="draft" value="([^"]*)"', page)
    assert draft is not None
    data = {"form_token": form_token(http), "draft": html.unescape(draft[1])}
    if notes := re.search(r'name="notes" value="([^"]*)"', page):
        data["notes"] = html.unescape(notes[1])
    return http.post("/new", data=data)


def test_the_past_is_forecast_and_started(live: Server, http: httpx.Client) -> None:
    shown = plan(http, traffic())
    assert shown.status_code == 200, shown.text
    assert "is worth the price of trying it, which is lowest on" in shown.text
    assert "Sun 1 Nov 2026" in shown.text  # the day after the last of the file
    assert len(live.service.experiments()) == 1  # nothing has started
    assert start(http, shown.text).headers["location"] == (
        "/experiments/the-price-of-tea?done=created"
    )
    state = live.service.state("the-price-of-tea")
    assert (state.turns, state.policy, state.reward_range) == (
        30,
        f"{DEFAULT_POLICY}:count=visitors",
        (0.0, 12.0),
    )
    assert [arm.label for arm in state.arms] == ["", "", "premium"]
    assert state.calendar == {"start": "2026-11-01", "every": "day", "zone": "UTC"}
    # Saturdays are busy in the file, and so in the forecast.
    values = [one.forecast for one in live.service.plan("the-price-of-tea", 30)]
    assert values[4] > 1.3 * values[2]  # from the third day on, which is now


def test_the_sample_can_be_planned(http: httpx.Client) -> None:
    page = http.get("/new").text
    assert 'href="/new/sample.csv"' in page
    sample = http.get("/new/sample.csv")
    assert sample.text.splitlines()[-1].startswith("2026-11-02,")  # yesterday
    shown = plan(http, sample.content)
    assert shown.status_code == 200, shown.text
    assert "Tue 3 Nov 2026" in shown.text  # today


def test_days_that_are_forecast_keep_their_zone(live: Server, http: httpx.Client) -> None:
    shown = plan(http, traffic(), zone="Europe/Berlin")
    assert "Europe/Berlin" in shown.text
    start(http, shown.text)
    calendar = live.service.state("the-price-of-tea").calendar
    assert calendar == {"start": "2026-11-01", "every": "day", "zone": "Europe/Berlin"}


def test_today_is_that_of_the_zone(live: Server, http: httpx.Client) -> None:
    live.service.clock = lambda: datetime(2026, 11, 2, 23, 30, tzinfo=UTC)
    rows = b"day,visitors\n2026-11-02,5\n2026-11-03,6\n"
    for zone, late in (("UTC", False), ("Europe/Rome", True), ("+01:00", True)):
        shown = plan(http, rows, meaning="forecast", zone=zone).text
        assert ("The forecast begins on 2026-11-02, before today" in shown) == late, zone


def german() -> bytes:
    """An export with a title, a sum below each month, and takings beside the visitors."""
    rows, month = ["Besucher Filiale 12;;", "Datum;Besucher;Umsatz"], 0
    for i in range(92):
        day = date(2026, 8, 1) + timedelta(i)
        count = 1_300 + 200 * (day.weekday() > 4)
        month += count
        rows.append(f"{day:%d.%m.%Y};1.{count - 1000};{count}.345,50".replace(f"{count}.", "2."))
        if (day + timedelta(1)).day == 1:
            rows.append(f"Summe {day:%m/%Y};{month};99.345,50")
            month = 0
    return "\n".join(rows).encode("cp1252")


NOTICED = [
    "the lines above the table are left out ('Besucher Filiale 12')",
    "3 lines ('Summe 08/2026', …) are left out: they are not data",
    "the visitors are column 'Besucher', not 'Umsatz'",
    "in column 'Besucher' '1.500' is read as 1500 (column 'Umsatz' has decimal commas)",
    "in column 'Datum' '01.08.2026' is read as 2026-08-01",
]


def test_what_was_noticed_in_a_file_is_said_in_the_plan_and_once_it_has_started(
    http: httpx.Client,
) -> None:
    shown = plan(http, german(), "Export März.csv")
    lines = [f"<p>Export_März.csv: {html.escape(note)}.</p>" for note in NOTICED]
    page = shown.text.replace("&#39;", "&#x27;")
    assert [line for line in lines if line not in page] == []
    assert "/tmp" not in page
    address = start(http, shown.text).headers["location"]
    started = http.get(address).text.replace("&#39;", "&#x27;")
    assert "The experiment is running." in started
    assert [line for line in lines if line not in started] == []
    assert "Umsatz" not in http.get(address.partition("?")[0]).text  # said once
    assert "Umsatz" not in http.get("/experiments/shelf?done=created").text  # of another one


def test_what_was_noticed_is_said_of_a_new_forecast(http: httpx.Client) -> None:
    rows = "".join(f"{day:02}.11.2026,500\n" for day in range(3, 21))
    shown = html.unescape(replan(http, rows).text)
    assert "<p>new.csv: in column 'day' '03.11.2026' is read as 2026-11-03.</p>" in shown


def test_a_zone_that_had_to_be_chosen_is_said(http: httpx.Client) -> None:
    rows = "time,visitors\n2027-03-27T00:00+01:00,9\n2027-03-28T00:00+01:00,8\n"
    text = plan(http, f"{rows}2027-03-29T00:00+02:00,7\n".encode(), meaning="coming").text
    assert "days and hours are taken in UTC; to use one clock name its zone" in text


def test_two_columns_that_may_be_the_visitors_are_a_question(http: httpx.Client) -> None:
    days = (f"{date(2026, 8, 3) + timedelta(i)};800;24" for i in range(90))
    asked = plan(http, "\n".join(["Tag;Klicks;Bestellungen", *days]).encode())
    assert asked.status_code == 422
    assert "several columns could hold the visitors: choose one below" in asked.text


def test_chosen_settings_stay_in_sight(http: httpx.Client) -> None:
    assert "<details open>\n    <summary>More" not in plan(http, b"").text
    assert "<details open>\n    <summary>More" in plan(http, b"", every="1D").text


def test_a_file_may_be_the_forecast(live: Server, http: httpx.Client) -> None:
    refused = plan(http, traffic(20, ","), meaning="forecast", zone="Europe/Rome", id="tea")
    assert refused.status_code == 422
    assert "the season is over: its last day was Sat 22 Aug 2026. Give newer" in refused.text
    shown = plan(http, traffic(110, ","), meaning="forecast", zone="Europe/Rome", id="tea")
    start(http, shown.text)
    state = live.service.state("tea")
    assert state.turns == 110
    assert state.calendar == {"start": "2026-08-03", "every": "day", "zone": "Europe/Rome"}
    assert live.service.plan("tea", 1)[0].forecast == 300.5


#: Words of the library that mean nothing in a form.
PYTHON = re.compile(r"\w=['(\d]|\bhs\.|\w\(\)|\b[a-z]+_[a-z]+\b")


@pytest.mark.parametrize(
    ("content", "changes", "words"),
    [
        (b"", {}, "choose a file"),
        (b"\x00\x01\x02", {}, "traffic:"),
        (b"day;visitors\n2026-01-01;none\n2026-01-02;5\n", {}, "traffic.csv"),
        (b"day;visitors\n2026-01-01;0\n2026-01-02;5\n", {"meaning": "forecast"}, "traffic.csv"),
        (traffic(), {"turns": "100000"}, "can be forecast"),
        (traffic(), {"turns": "x"}, "a whole number"),
        (traffic(), {"arms": ""}, "say what is decided: prices, or other arms in their place"),
        (traffic(), {"prices": "9.99\n10.99"}, "say what is decided: prices, or other arms"),
        (traffic(), {"arms": "a"}, "at least two arms, got a: write each on a line of its own"),
        (traffic(), {"arms": "tea\n=1+1"}, "expected an arm such as 9.99 or b=Blue, got '=1+1'"),
        (traffic(), {"arms": "9.99,10.99"}, "looks like more than one arm: write each on a line"),
        (traffic(), {"greatest": "1.500"}, "per visitor: '1.500' could be 1500 or 1.5: write 1500"),
        (traffic(), {"arms": "9.99\n9.99"}, "9.99"),
        (traffic(), {"arms": "a=tea\nb=tea"}, "'tea' is there twice"),
        (traffic(), {"another": "nonsense"}, "nonsense"),
        (
            traffic(),
            {"greatest": ""},
            "visitor: 0 to 1 if you report orders, 0 to 12 if you report takings at these prices",
        ),
        (traffic(), {"least": "5", "greatest": "3"}, "expected more than the least, 5, got '3'"),
        (
            traffic(),
            {"greatest": "1e15"},
            "Least and greatest reward per visitor: expected at most",
        ),
        (traffic(), {"floor": "abc"}, "Raise small values to: expected a number"),
        (traffic(), {"floor": "-1"}, '"Raise small values to" must be'),
        (
            b"day,visitors\n2026-01-01,5\n2026-02-01,6\n",
            {"meaning": "forecast"},
            "a row per minute",
        ),
        (b"day,visitors\n2026-01-01,5\n2026-01-01,6\n", {}, 'use "Join rows to: days"'),
        (
            b"day,visitors\n01/02/2026,5\n02/02/2026,6\n",
            {},
            'use "Dates are written: day, month, year" or',
        ),
        (b"day;visitors\n2026-01-01;1.234\n", {}, '"Decimal mark: point"'),
        (b"day,visitors\n2026-01-01,0\n2026-01-02,0\n", {}, 'use "Raise small values to" ('),
        (traffic(), {"zone": "Mars/Base"}, "Mars/Base"),
        (traffic(), {"id": "shelf"}, "already"),
        (traffic(), {"seed": "-1"}, "seed: expected at least 0, got -1"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays(
    live: Server, http: httpx.Client, content: bytes, changes: dict[str, str], words: str
) -> None:
    answer = plan(http, content, **changes)
    assert answer.status_code in (409, 422)
    alert = re.search(r'role="alert">(.*?)</p>', answer.text, re.DOTALL)
    assert alert is not None
    assert words in html.unescape(alert[1])
    assert not PYTHON.search(html.unescape(alert[1]))
    assert "/tmp" not in alert[1]
    for label, choice in re.findall(r'"([^":]+): ([^"]+)"', html.unescape(alert[1])):
        assert re.search(rf"<label>{label}\s(?:(?!</label>).)*>{choice}<", answer.text, re.DOTALL)
    assert "The price of tea" in answer.text
    assert len(live.service.experiments()) == 1


def zipped(content: bytes) -> bytes:
    """The content in a zip file, as Excel writes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("sheet.xml", content)
    return file.getvalue()


def test_only_text_files_are_read(http: httpx.Client) -> None:
    for name in ("traffic.xls", "traffic.csv.gz", "../../etc/passwd", "<b>.html"):
        answer = plan(http, traffic(), name)
        assert answer.status_code == 422
        assert "a file ending in" in answer.text
        assert "<b>" not in answer.text


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zipped])
def test_packed_files_are_refused_whatever_they_are_called(
    http: httpx.Client, pack: Callable[[bytes], bytes]
) -> None:
    answer = plan(http, pack(traffic()))
    assert (answer.status_code, "the file is packed" in answer.text) == (422, True)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_columns_are_limited(http: httpx.Client, mark: str) -> None:
    answer = plan(http, b"\n".join([mark.join("a" * 200_000).encode()] * 3))
    assert (answer.status_code, "at most 1,000 columns" in answer.text) == (422, True)


@pytest.mark.parametrize(
    ("arms", "ids", "labels"),
    [
        ("9,99\n10,99\n11,99 €", ["9.99", "10.99", "11.99"], ["9,99", "10,99", "11,99 €"]),
        ("9,99 = cheap\n10,99, dear", ["9.99", "10.99"], ["cheap", "dear"]),
        ("Grün\nRot", ["Grun", "Rot"], ["Grün", ""]),
    ],
)
def test_arms_as_people_write_them(
    live: Server, http: httpx.Client, arms: str, ids: list[str], labels: list[str]
) -> None:
    start(http, plan(http, traffic(), arms=arms).text)
    known = live.service.state("the-price-of-tea").arms
    assert ([arm.id for arm in known], [arm.label for arm in known]) == (ids, labels)


def excel() -> bytes:
    """A workbook with two columns that could be the visitors."""
    table = pd.DataFrame({"Day": pd.date_range("2026-08-03", periods=90).strftime("%Y-%m-%d")})
    table["Active"] = [300 + 200 * (i % 7 >= 5) for i in range(90)]
    table["Engaged"] = 100
    content = io.BytesIO()
    table.to_excel(content, index=False)
    return content.getvalue()


def test_a_column_of_an_excel_file_is_chosen(live: Server, http: httpx.Client) -> None:
    asked = plan(http, excel(), "Sessions over time.xlsx")
    assert asked.status_code == 422
    assert "several columns could hold the visitors" in asked.text
    assert re.findall(r"<option>(\w+)</option>", asked.text) == ["Active", "Engaged"]
    kept = dict(re.findall(r'name="(kept\w*)" value="([^"]*)"', asked.text))
    assert kept["kept_name"] == "Sessions over time.xlsx"
    shown = plan(http, b"", "", value="Active", **kept)  # the file need not be chosen again
    assert shown.status_code == 200, shown.text
    start(http, shown.text)
    assert live.service.state("the-price-of-tea").turns == 30


def test_a_file_is_judged_by_its_content(http: httpx.Client) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/worksheets/sheet1.xml", bytes(65 * 2**20))
    for name, content, words in (
        ("traffic.csv", excel(), "the file is packed"),
        ("traffic.xlsx", traffic(), "not an Excel file"),
        ("traffic.xlsx", bomb.getvalue(), "too large"),
    ):
        answer = plan(http, content, name)
        assert answer.status_code == 422
        assert words in answer.text


def test_a_plan_that_explores_when_it_is_busy_has_a_banner(http: httpx.Client) -> None:
    assert "busiest days" in plan(http, traffic(), another="soft-ucb").text
    assert "busiest days" not in plan(http, traffic()).text


def replan(http: httpx.Client, rows: str, **fields: str) -> httpx.Response:
    data = {"form_token": form_token(http), "meaning": "forecast"} | fields
    path = "/experiments/shelf/reforecast/plan"
    return http.post(path, data=data, files={"traffic": ("new.csv", f"day,visitors\n{rows}")})


def test_a_new_forecast_is_shown_before_it_holds(live: Server, http: httpx.Client) -> None:
    service = live.service
    locked = [service.decide("shelf", turn) for turn in (1, 2)]
    rows = "".join(f"2026-11-{day:02},{500 + day}\n" for day in range(1, 21))
    shown = replan(http, rows)
    assert shown.status_code == 200, shown.text
    words = " ".join(html.unescape(re.sub("<[^>]+>", " ", shown.text)).split())
    assert "The new plan of A shelf" in words
    assert "From Tue 3 Nov 2026" in words  # the first day that is not decided
    assert "New forecast for 18 days: 9,207 visitors in total, instead of 2,100." in words
    assert service.state("shelf").forecast_version == 1  # nothing has changed
    draft = re.search(r'name="draft" value="([^"]*)"', shown.text)
    assert draft is not None
    data = {"form_token": form_token(http), "draft": html.unescape(draft[1])}
    sent = http.post("/experiments/shelf/reforecast", data=data)
    assert sent.headers["location"] == "/experiments/shelf/manage?done=reforecast"
    state = service.state("shelf")
    assert (state.forecast_version, state.turns) == (2, 20)
    assert [one.forecast for one in service.plan("shelf", 2)] == [503.0, 504.0]
    assert [service.decide("shelf", turn) for turn in (1, 2)] == locked


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("2026-11-01,5\n", "decided already"),
        ("2027-11-01,5\n2027-11-02,6\n", "between 2026-11-01 and the end"),
        ("2026-11-02,5\n2026-11-09,6\n", "expected one per day"),
        ("2026-11-02,none\n2026-11-03,6\n", "new.csv"),
    ],
)
def test_a_forecast_that_does_not_fit_is_refused(
    live: Server, http: httpx.Client, rows: str, words: str
) -> None:
    live.service.decide("shelf", 1)
    answer = replan(http, rows)
    assert answer.status_code in (409, 422)
    assert words in html.unescape(answer.text)
    assert live.service.state("shelf").forecast_version == 1


def test_a_tampered_draft_is_refused(live: Server, http: httpx.Client) -> None:
    for draft in ("", "{}", '{"id": "x", "arms": []}', "[" * 10_000):
        data = {"form_token": form_token(http), "draft": draft}
        assert http.post("/new", data=data).status_code == 422
    assert len(live.service.experiments()) == 1


def sales(days: int = 420) -> tuple[bytes, str]:
    """Visitors who double on every 28th day, and these days: the last is to come."""
    start = date(2025, 9, 1)
    rows = [f"{start + timedelta(i)},{600 if i % 28 == 10 else 300 + i % 7}" for i in range(days)]
    named = [f"{start + timedelta(i)}\tSale" for i in range(10, days + 28, 28)]
    return "\n".join(["day,visitors", *rows]).encode(), "\r\n".join(named)


def test_own_days_are_forecast_by_their_kind(live: Server, http: httpx.Client) -> None:
    content, events = sales()
    shown = plan(http, content, events=f"{events}\r\n2026-10-28, closed")
    assert shown.status_code == 200, shown.text
    assert "Your own days: sale." in shown.text
    assert "Wed 28 Oct: closed, nobody is expected." in shown.text
    start(http, shown.text)
    values = live.service.look("the-price-of-tea", lambda live: live.forecast.values)
    assert values[10] > 1.6 * values[9]  # 5 November is a sale
    assert (values[2], min(values)) == (1.0, 1.0)
    wrong = plan(http, content, events="2026-11-05")
    assert "your own days: expected a date and a kind, got &#39;2026-11-05&#39;" in wrong.text
    assert "2026-11-05</textarea>" in wrong.text
    assert "your own days: " in plan(http, content, events="soon sale").text


def test_a_new_forecast_knows_own_days(live: Server, http: httpx.Client) -> None:
    content, events = sales(430)
    data = {"form_token": form_token(http), "meaning": "past", "turns": "60", "events": events}
    address = "/experiments/shelf/reforecast/plan"
    zone = {"zone": "Europe/Rome"}
    shown = http.post(address, data=data | zone, files={"traffic": ("t.csv", content)})
    assert shown.status_code == 200, shown.text
    assert "Your own days: sale." in shown.text
