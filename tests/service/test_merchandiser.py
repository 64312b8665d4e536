"""From the export of a shop to tomorrow's price: in four commands, and in six clicks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect
from tests.reference.browser import chromium
from tests.reference.exports import COUNTED, EXPORTS, days_to, visitors
from tests.service.conftest import Server

import highseason as hs
from highseason.cli import main
from highseason_service import Service

PRICES = ["9.99", "10.99", "11.99"]
COST = "4.20"
TODAY = date.today()
TOMORROW = TODAY + timedelta(days=1)


def in_words(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b}"


@pytest.fixture(params=EXPORTS)
def export(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """An export that ends yesterday."""
    path: Path = tmp_path / request.param
    path.write_text(EXPORTS[request.param](TODAY - timedelta(days=1)), encoding="utf-8")
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Server]:
    """A service of today, with nothing in it."""
    noon = datetime.combine(TODAY, time(12), UTC)
    service = Service(f"{tmp_path}/service.db", clock=lambda: noon)
    with Server(service) as server:
        yield server
    service.close()


@pytest.mark.filterwarnings("ignore::highseason.traffic.FileNote")
def test_an_export_is_read_right(export: Path) -> None:
    counted = COUNTED.get(export.name, visitors)
    days = days_to(TODAY - timedelta(days=1))
    G = hs.traffic.read(export)
    assert G.calendar is not None
    assert G.calendar.astype("datetime64[D]").tolist() == days
    assert G.values.tolist() == [counted(day) for day in days]


def test_in_four_commands(export: Path, shop: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first alone tells what to do today, the others name the price."""
    monkeypatch.setenv("HIGHSEASON_URL", shop.url)
    arms = [word for price in PRICES for word in ("--price", price)] + ["--cost", COST]
    file = str(export)
    plan, _, today, tomorrow = (
        run("plan", file, *arms),
        run("experiment", "create", "tea", file, *arms),
        run("experiment", "decide", "tea"),
        run("experiment", "decide", "tea", "--turn", str(TOMORROW)),
    )
    for day in (TODAY, TOMORROW):
        assert re.search(rf"^  {in_words(day)}, (.*) expected: (.*)$", plan, re.MULTILINE), plan
    assert {today.strip(), tomorrow.strip()} <= set(PRICES)
    # Which price is tried may be known of later days, too; but these learn from today first.
    tried = re.search(rf"^  {in_words(TODAY)}, .* expected: try (.*9)$", plan, re.MULTILINE)
    assert tried is None or tried[1] == today.strip()


def run(*words: str) -> str:
    """What a command prints."""
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    with chromium() as one:
        yield one


@pytest.fixture
def page(browser: Browser, shop: Server) -> Iterator[Page]:
    context = browser.new_context(base_url=shop.url)
    context.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    yield context.new_page()
    context.close()


def test_in_six_clicks(page: Page, shop: Server, export: Path) -> None:
    clicks = 0

    def click(role: str, name: str) -> None:
        nonlocal clicks
        clicks += 1
        page.get_by_role(role, name=name).first.click()  # type: ignore[arg-type]  # a role's name

    page.goto("/")
    click("link", "New experiment")
    page.get_by_label("Name", exact=True).fill("The price of tea")
    page.get_by_label("Prices, one per line").fill("\n".join(PRICES))
    page.get_by_label("Cost of a sold piece").fill(COST)
    clicks += 1  # the file is chosen
    page.get_by_label("CSV or Excel file").set_input_files(export)
    click("button", "See the plan")
    click("button", "Start the experiment")
    click("button", f"Decide {in_words(TODAY)}")
    click("button", f"Decide {in_words(TOMORROW)}")
    shown = page.locator("#now p", has_text=f"{in_words(TOMORROW)} {TOMORROW.year}: ")
    expect(shown).to_be_visible()
    price = shop.service.decision("the-price-of-tea", 2).arm
    assert price in PRICES
    assert shown.inner_text().endswith(f": {price}.")
    assert clicks == 6
    values = shop.service.look("the-price-of-tea", lambda live: live.forecast.values)
    counted = COUNTED.get(export.name, visitors)
    coming = sum(counted(TODAY + timedelta(days=i)) for i in range(14))
    assert sum(values[:14]) == pytest.approx(coming, rel=0.2)
