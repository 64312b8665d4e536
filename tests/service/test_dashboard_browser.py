"""The dashboard in a real browser: a merchandiser's day, charts and tables, keyboard, axe."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect
from tests.reference.browser import chromium
from tests.service.conftest import MOMENT, Server, settings
from tests.service.test_new_experiments import traffic
from tests.service.test_prices import played, priced

from highseason.core.text import format_number
from highseason_service import Service
from highseason_service.model import Arm, Outcome


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A live server with a shelf on which some days are played."""
    folder = tmp_path_factory.mktemp("dashboard")
    service = Service(f"{folder}/service.db", clock=lambda: MOMENT)
    service.create(settings())
    for turn in (1, 2):
        arm = service.decide("shelf", turn).arm
        service.update_many("shelf", [Outcome(turn, 10.0 * float(arm), 100.0)])
    service.add_arm("shelf", Arm("8.99", "price 8.99 <b>sale</b>", start=20))
    service.create(priced())
    played(service, turns=9)
    with Server(service) as one:
        yield one


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    """A page on which nothing may go wrong: no error, nothing from another host."""
    context = browser.new_context(base_url=server.url, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    one, wrong = context.new_page(), []
    one.on("pageerror", lambda error: wrong.append(str(error)))
    one.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    one.on("request", lambda asked: None if _is_own(asked.url, server) else wrong.append(asked.url))
    yield one
    context.close()
    assert wrong == []


def _is_own(address: str, server: Server) -> bool:
    return address.startswith((server.url, "data:", "blob:"))


def describe(page: Page, name: str, own_days: str = "") -> None:
    """Fill in the form for a new experiment, and ask for its plan."""
    page.goto("/")
    page.get_by_role("link", name="New experiment").first.click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_text("Banners, headlines or other arms").click()
    page.get_by_label("Arms, one per line").fill("9.99\n10.99\n11.99, premium")
    page.get_by_label("Greatest reward").fill("12")
    page.get_by_label("How many turns").fill("30")
    file = {"name": "traffic.csv", "mimeType": "text/csv", "buffer": traffic()}
    page.get_by_label("CSV or Excel file").set_input_files(file)
    if own_days:
        page.get_by_text("Your own days").click()
        page.get_by_label("One per line, past and coming").fill(own_days)
    page.get_by_role("button", name="See the plan").click()


def test_a_shop_names_its_own_days(page: Page, server: Server) -> None:
    own_days = "2026-09-09 sale\n2026-11-11 sale\n2026-11-12 closed"
    describe(page, "The price of milk", own_days)
    expect(page.get_by_text("Your own days: sale.")).to_be_visible()
    expect(page.get_by_text("Thu 12 Nov: closed, nobody is expected.")).to_be_visible()
    page.get_by_role("button", name="Start the experiment").click()
    values = server.service.look("the-price-of-milk", lambda live: live.forecast.values)
    assert values[11] == 1.0


def new_season() -> FilePayload:
    """A file with the first 20 days of November."""
    rows = "".join(f"2026-11-{day:02},{300 + day}\n" for day in range(1, 21))
    return {"name": "new.csv", "mimeType": "text/csv", "buffer": f"day,visitors\n{rows}".encode()}


def test_a_day_of_a_merchandiser(page: Page, server: Server) -> None:
    describe(page, "The price of tea")
    expect(page.get_by_role("heading", name="The plan of The price of tea")).to_be_visible()
    expect(page.locator("canvas")).to_have_count(2)
    page.get_by_text("Table: visitors").click()
    expect(page.locator("tbody tr")).to_have_count(30)
    page.get_by_role("button", name="Start the experiment").click()
    expect(page.get_by_role("status")).to_have_text("The experiment is running.")

    page.get_by_role("button", name="Decide Tue 3 Nov 2026").click()
    record = server.service.decision("the-price-of-tea", 3)
    shown = "premium" if record.arm == "11.99" else record.arm
    expect(page.locator("#now .arm")).to_have_text(shown)
    expect(page.locator(".decisions .why")).to_have_text(
        f"Quiet day: tried {shown}, as nothing is known yet"
    )

    page.get_by_label("Total reward").fill("512.5")
    page.get_by_label("Visitors who came").fill("100")
    page.get_by_role("button", name="Record the reward").click()
    expect(page.get_by_role("status")).to_have_text("The reward is recorded.")
    assert server.service.decision("the-price-of-tea", 3).reward == 512.5
    page.get_by_role("link", name="Season", exact=True).click()
    page.get_by_text("Table: reward").click()
    cells = page.locator("#chart-rewards tbody tr").last.locator("th, td")
    state = server.service.state("the-price-of-tea")
    [best] = [arm for arm in state.arms if arm.id == state.best]
    assert best.id == record.arm
    assert best.estimate is not None
    possible = format_number(100 * best.estimate)  # what the policy leads by, per visitor
    expect(cells).to_have_text(["to Tue 3 Nov 2026", "512.5", possible])

    page.get_by_role("link", name="Manage").click()
    page.get_by_label("Corrected reward").fill("500")
    page.get_by_label("Corrected visitors").fill("100")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("The reward is corrected.")
    assert server.service.decision("the-price-of-tea", 3).reward == 500

    page.get_by_label("CSV or Excel file").set_input_files(new_season())
    page.get_by_label("It is the forecast itself").check()
    page.get_by_role("button", name="See the new plan").press("Enter")
    # The first two days were never decided, so the new forecast holds for them, too.
    expect(page.get_by_text("New forecast for 20 days")).to_be_visible()
    page.get_by_role("button", name="Replace the forecast").click()
    expect(page.get_by_role("status")).to_have_text("The forecast is replaced.")
    assert server.service.state("the-price-of-tea").turns == 20

    page.get_by_role("link", name="Arms").click()
    page.get_by_label("Id", exact=True).fill("8.49")
    page.get_by_role("button", name="Add the arm").click()
    page.get_by_label("Remove 8.49", exact=True).click()
    page.get_by_role("button", name="Yes, remove 8.49").click()
    expect(page.get_by_role("status")).to_have_text("The arm is removed.")
    page.get_by_role("button", name="Bring back 8.49").first.click()
    expect(page.get_by_role("status")).to_have_text("The arm is added.")
    page.get_by_label("Remove 8.49", exact=True).click()
    page.get_by_role("button", name="Yes, remove 8.49").click()
    page.get_by_role("link", name="Manage").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("h1 .badge")).to_have_text("paused")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("h1 .badge")).to_have_text("running")
    state = server.service.state("the-price-of-tea")
    assert [arm.status for arm in state.arms] == ["playing"] * 3 + ["removed"]


def test_a_day_of_a_shop_with_prices(page: Page, server: Server) -> None:
    page.goto("/new")
    page.get_by_label("Name", exact=True).fill("Green tea")
    page.get_by_label("Prices, one per line").fill("8,99\n9,99\n10,99\n11,99")
    page.get_by_label("Cost of a sold piece").fill("4,20")
    page.get_by_label("Money").fill("€")
    page.get_by_label("How many turns").fill("30")
    file = {"name": "traffic.csv", "mimeType": "text/csv", "buffer": traffic()}
    page.get_by_label("CSV or Excel file").set_input_files(file)
    page.get_by_role("button", name="See the plan").click()
    expect(page.get_by_text("A sold piece costs 4.20 €: profit counts.")).to_be_visible()
    page.get_by_role("button", name="Start the experiment").press("Enter")
    page.get_by_role("button", name="Decide Tue 3 Nov 2026").press("Enter")
    record = server.service.decision("green-tea", 3)
    expect(page.locator("#now .arm")).to_have_text(f"{record.arm} €")

    page.get_by_label("Purchases").fill("12")
    page.get_by_label("Visitors who came").fill("310")
    page.keyboard.press("Enter")
    expect(page.locator(".brought").first).to_contain_text("12 bought of 310")
    expect(page.locator(".verdict")).to_have_text(server.service.state("green-tea").verdict)

    page.get_by_role("link", name="Prices").click()
    dot = page.locator("#chart-demand circle.dot")
    expect(dot).to_have_count(1)  # of four prices, one was tried
    expect(page.locator("#chart-profit circle.knot")).to_have_count(4)
    rows = page.locator("table.arms tbody tr")
    expect(rows.locator("th")).to_contain_text(["8.99 €", "9.99 €", "10.99 €", "11.99 €"])
    expect(rows.filter(has_text="12 of 310")).to_contain_text(f"{record.arm} €")

    page.get_by_role("link", name="Manage").click()
    page.get_by_label("Cost of a sold piece").fill("5")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("the past learned again")
    margin = float(record.arm) - 5.0
    assert server.service.decision("green-tea", 3).reward == pytest.approx(12 * margin)


def test_a_large_dot_is_of_many_visitors(page: Page, server: Server) -> None:
    """And what is drawn lies within its picture, on any screen."""
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto("/experiments/tea/arms")
        for chart in ("demand", "profit"):
            picture = page.locator(f"#chart-{chart} > svg").bounding_box()
            assert picture is not None
            for one in page.locator(f"#chart-{chart} circle, #chart-{chart} text").all():
                box = one.bounding_box()
                assert box is not None
                assert picture["x"] - 1 <= box["x"]
                assert box["x"] + box["width"] <= picture["x"] + picture["width"] + 1
    seen = [arm.demand.visitors for arm in server.service.state("tea").arms if arm.rewards]
    radii = [float(one.get_attribute("r")) for one in page.locator("#chart-demand .dot").all()]
    areas = [(radius / max(radii)) ** 2 for radius in radii]
    assert areas == pytest.approx([visitors / max(seen) for visitors in seen], abs=0.02)
    assert len(set(seen)) > 1


def test_charts_are_drawn_and_have_tables(page: Page, server: Server) -> None:
    page.goto("/experiments/shelf/season")
    expect(page.locator("canvas")).to_have_count(4)
    painted = page.evaluate(
        """[...document.querySelectorAll("canvas")].map((one) => one.getContext("2d")
           .getImageData(0, 0, one.width, one.height).data.some((value) => value > 0))"""
    )
    assert painted == [True] * 4
    page.get_by_text("Table: visitors").click()
    table = page.locator("#chart-traffic table")
    expect(table.locator("tbody tr")).to_have_count(40)
    expect(table.locator("tbody tr").first.locator("th, td")).to_have_text(
        ["Sun 1 Nov 2026", "100", "100", "–"]
    )
    plan = server.service.plan("shelf", 40)
    expect(table.locator("tbody tr").last.locator("td").first).to_have_text(
        f"{plan[-1].forecast:.0f}"
    )
    page.get_by_text("Table: exploring").click()
    expect(page.locator("#chart-choices tbody tr")).to_have_count(2)
    page.locator("#chart-traffic .u-over").first.hover()
    assert "2026" in page.locator("#chart-traffic [data-at]").inner_text()


def test_an_open_page_follows_the_experiment(page: Page, server: Server) -> None:
    server.service.create(settings("desk"))
    page.clock.install()
    page.goto("/experiments/desk")
    server.service.decide("desk", 1)
    page.reload()
    page.get_by_label("Total reward").fill("12.5")
    record = server.service.decide("desk", 3)
    page.clock.fast_forward(11_000)
    expect(page.locator("#now .arm")).to_have_text(f"price {record.arm}")
    expect(page.locator(".decisions li")).to_have_count(2)
    assert page.get_by_label("Total reward").input_value() == "12.5"  # what is typed stays
    page.get_by_role("link", name="Season", exact=True).click()
    server.service.decide("desk", 4)
    page.clock.fast_forward(11_000)
    expect(page.locator("#sentence-choices")).to_contain_text("of 3 days it explored")


@pytest.mark.parametrize(("width", "most"), [(1280, 1600), (390, 2500)])
def test_the_daily_part_is_short(page: Page, server: Server, width: int, most: int) -> None:
    server.service.create(settings("daily"))
    for turn in range(1, 13):
        server.service.decide("daily", turn)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/experiments/daily")
    assert page.evaluate("document.documentElement.scrollHeight") <= most


def test_a_new_experiment_has_the_zone_of_the_browser(browser: Browser, server: Server) -> None:
    page = browser.new_page(base_url=server.url, timezone_id="Europe/Berlin")
    page.goto("/new")
    expect(page.get_by_label("Time zone")).to_have_value("Europe/Berlin")
    page.close()


def test_the_keyboard_is_enough(page: Page) -> None:
    page.goto("/experiments/shelf/season")
    page.keyboard.press("Tab")
    focused = page.locator(":focus")
    expect(focused).to_have_text("Skip to the content")
    page.keyboard.press("Enter")
    for _ in range(40):
        page.keyboard.press("Tab")
        assert focused.evaluate("one => getComputedStyle(one).outlineStyle") != "none"
        if "Table: visitors" in focused.inner_text():
            break
    page.keyboard.press("Enter")
    expect(page.locator("#chart-traffic tbody tr").first).to_be_visible()


@pytest.mark.parametrize("width", [375, 1440])
def test_pages_fit_their_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    tabs = ("", "/season", "/arms", "/manage")
    names = ("shelf", "tea")
    for path in ("/", "/new", *(f"/experiments/{one}{tab}" for one in names for tab in tabs)):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    chart = page.goto("/experiments/shelf/season")
    assert chart is not None
    box = page.locator("#chart-traffic canvas").first.bounding_box()
    assert box is not None
    assert 0.7 * min(width, 1200) < box["width"] < width


def test_tables_are_there_without_scripts(browser: Browser, server: Server) -> None:
    context = browser.new_context(base_url=server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/experiments/shelf/season")
    page.get_by_text("Table: visitors").click()
    page.get_by_role("link", name="Open the table").first.click()
    expect(page.locator("tbody tr")).to_have_count(40)
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Page, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=scheme)
    axe, paths = Axe(), ("/", "/new", "/docs", "/experiments/shelf/arms")
    describe(page, f"Tea by {scheme}")
    _open_everything(page)
    found = {"plan": _serious(axe, page)}
    page.goto("/experiments/shelf/manage")
    page.get_by_label("CSV or Excel file").set_input_files(new_season())
    page.get_by_label("It is the forecast itself").check()
    page.get_by_role("button", name="See the new plan").click()
    _open_everything(page)
    found["new plan"] = _serious(axe, page)
    tabs = ("", "/season", "/manage", "/tables/choices")
    of_prices = (f"/experiments/tea{tab}" for tab in ("", "/arms", "/manage"))
    for path in (*paths, *(f"/experiments/shelf{tab}" for tab in tabs), *of_prices):
        page.goto(path)
        _open_everything(page)
        found[path] = _serious(axe, page)
    assert not any(found.values()), found


def _open_everything(page: Page) -> None:
    for one in page.locator("summary").all():
        one.click()
    page.wait_for_load_state("networkidle")


def _serious(axe: object, page: Page) -> list[str]:
    violations = axe.run(page).response["violations"]  # type: ignore[attr-defined]
    return [
        f"{one['id']}: {node['html'][:200]}"
        for one in violations
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def test_signing_in_and_refusals_are_accessible(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    from highseason_service.security import create_token

    folder = tmp_path_factory.mktemp("closed")
    service = Service(f"{folder}/service.db", clock=lambda: MOMENT)
    service.create(settings())
    token = create_token(service.database, "reader", "read")
    with Server(service) as server:
        page = browser.new_page(base_url=server.url, color_scheme="dark")
        page.goto("/experiments/shelf")
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("not known")
        assert _serious(Axe(), page) == []
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Sign in").click()
        expect(page).to_have_url(re.compile("/experiments/shelf$"))
        assert page.evaluate("document.cookie") == ""  # scripts see no cookie
        expect(page.get_by_role("button", name="Remove")).to_have_count(0)
        page.goto("/new")
        expect(page.get_by_role("heading", name="Not allowed")).to_be_visible()
        assert _serious(Axe(), page) == []
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        page.close()
