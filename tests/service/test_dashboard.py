"""The dashboard over HTTP: what it shows, who may see and change it, and that nothing leaks in."""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import re
from collections.abc import Iterator
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.service.conftest import MOMENT, Server, settings

from highseason.bandit.certainty import SURE, UNSURE
from highseason.core import format_number, percent
from highseason_service import Service
from highseason_service.model import Arm, Outcome
from highseason_service.security import create_token
from highseason_service.web import FOLDER

SHELF = "/experiments/shelf"
EVIL = """'"><script>alert(1)</script><img src=x onerror=alert(1)>"""


class _Page(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def form_token(http: httpx.Client) -> str:
    """What forms repeat; reading a page sets its cookie."""
    http.get("/sign-in", follow_redirects=True)
    token = http.cookies["highseason_form"]
    assert token is not None
    return token


def post(http: httpx.Client, path: str, **fields: Any) -> httpx.Response:
    return http.post(path, data={"form_token": form_token(http)} | fields)


def play(service: Service, turns: int, experiment: str = "shelf") -> None:
    for turn in range(1, turns + 1):
        arm = service.decide(experiment, turn).arm
        service.update_many(experiment, [Outcome(turn, 10.0 * float(arm), 100.0)])


def test_the_list_and_an_experiment_are_shown(live: Server, http: httpx.Client) -> None:
    play(live.service, 12)
    live.service.decide("shelf", 13)
    home = http.get("/")
    assert home.status_code == 200
    assert 'href="/experiments/shelf"' in home.text
    page = _Page(http.get(SHELF).text)
    last = live.service.decision("shelf", 13)
    assert "A shelf" in page.text
    assert f"price {last.arm}" in page.text
    page = _Page(http.get(f"{SHELF}/season").text)
    assert "13 of 40 days" in " ".join(page.text.split())
    charts = next(tag["data-charts"] for _, tag in page.tags if "data-charts" in tag)
    assert set(json.loads(str(charts))) == {"traffic", "choices", "rewards"}


def test_how_sure_the_ranking_is_stands_in_state_and_page(live: Server, http: httpx.Client) -> None:
    for turn in range(1, 31):
        arm = live.service.decide("shelf", turn).arm
        paid = 10.0 * float(arm) * (1 + turn % 5 / 90)
        live.service.update_many("shelf", [Outcome(turn, paid, 100.0 + turn)])
    state = http.get("/v1/experiments/shelf").json()
    arms = {arm["id"]: arm for arm in state["arms"]}
    leader = arms[state["best"]]
    assert leader["chance_best"] > 0.95
    assert leader["loss"] == min(arm["loss"] for arm in arms.values())
    assert state["verdict"].startswith(("You may stop: ", "Go on: "))
    page = " ".join(_Page(http.get(f"{SHELF}/arms").text).text.split())
    assert state["verdict"] in page
    assert "Chance of being best" in page
    assert all(percent(arm["chance_best"]) in page for arm in arms.values())
    assert format_number(leader["loss"]) in page


def test_a_leader_without_a_calibrated_chance_has_a_range(live: Server, http: httpx.Client) -> None:
    for turn in range(1, 31):
        arm = live.service.decide("shelf", turn).arm
        paid = 100.0 * (4.0 + 0.9 * (turn % 5)) + 10.0 * float(arm)
        live.service.update_many("shelf", [Outcome(turn, paid, 100.0)])
    state = live.service.state("shelf")
    leader = next(arm for arm in state.arms if arm.id == state.best)
    assert (leader.chance_best, leader.chance) == (None, f"{UNSURE:.0%} to {SURE:.0%}")
    assert leader.loss is not None
    page = " ".join(_Page(http.get(f"{SHELF}/arms").text).text.split())
    assert leader.chance in page.partition("closer numbers were found to be off")[0]


def test_before_any_reward_no_cost_is_shown(live: Server, http: httpx.Client) -> None:
    live.service.decide("shelf", 3)
    plan = http.get("/v1/experiments/shelf/plan?turns=7").json()
    assert {(one["best"], one["cost"]) for one in plan} == {(None, None)}
    page = _Page(http.get(SHELF).text).text
    assert "as every arm is tried once first" in page
    assert "Nothing is rewarded yet, so there is no best arm." in page
    assert "100%" not in page
    play(live.service, 2)
    assert "Nothing is rewarded yet" not in _Page(http.get(SHELF).text).text


def test_a_table_has_the_numbers_of_its_chart(live: Server, http: httpx.Client) -> None:
    play(live.service, 12)
    total = sum(record.reward or 0 for record in live.service.decisions("shelf"))
    rewards = http.get(f"{SHELF}/tables/rewards").text
    assert f">{total:,.0f}<" in rewards
    part = http.get(f"{SHELF}/tables/rewards", headers={"hx-request": "true"}).text
    assert part.strip() in rewards.replace("\n\n", "\n") or part.count("<tr>") == 13
    assert "<html" not in part
    assert http.get(f"{SHELF}/tables/nothing").status_code == 404


def test_the_live_part_comes_only_after_a_change(live: Server, http: httpx.Client) -> None:
    play(live.service, 2)
    seen = f"{live.service.state('shelf').events}.3"  # the last event, and the turn of now
    assert f"seen={seen}" in http.get(SHELF).text
    assert http.get(f"{SHELF}?seen={seen}").status_code == 204
    assert http.get(f"{SHELF}/season?seen={seen}").status_code == 204
    decided = live.service.decide("shelf", 3)
    fresh = http.get(f"{SHELF}?seen={seen}")
    assert fresh.status_code == 200
    assert f"price {decided.arm}" in fresh.text


def test_without_an_arm_pages_are_there(live: Server, http: httpx.Client) -> None:
    for arm in ("9.99", "10.99", "11.99"):
        live.service.remove_arm("shelf", arm)
    for path in ("", "/season", "/arms", "/manage"):
        answer = http.get(f"{SHELF}{path}")
        assert answer.status_code == 200, path
        assert "No arm is in the game" in answer.text


def test_a_reward_is_asked_for_when_its_day_is_over(live: Server, http: httpx.Client) -> None:
    today = live.service.decide("shelf", 3).arm
    page = http.get("/experiments/shelf").text
    assert f"Tue 3 Nov 2026: price {today}. What did it bring?" in page
    assert "It is not over yet" in page
    live.service.decide("shelf", 2)
    page = http.get("/experiments/shelf").text
    assert "What did these days bring?" in page
    assert page.index('<option value="2"') < page.index('<option value="3"')  # yesterday first
    assert "It is not over yet" not in page


def test_a_decided_day_is_not_offered(live: Server, http: httpx.Client) -> None:
    for turn in (3, 4, *range(10, 18)):  # more than the page lists
        decided = live.service.decide("shelf", turn)
    decided = live.service.decision("shelf", 4)
    page = http.get("/experiments/shelf").text
    assert f"Wed 4 Nov 2026: <strong>price {decided.arm}</strong>" in page
    assert "Decide Wed 4 Nov 2026 too" not in page


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("2026-10-30T12:00+00:00", "Begins Sun 1 Nov 2026"),
        ("2026-10-31T23:30+00:00", "Not decided yet"),  # the first of November in Rome
        ("2026-12-20T12:00+00:00", "The forecast has ended"),
    ],
)
def test_a_page_says_why_no_turn_is_now(
    live: Server, http: httpx.Client, moment: str, said: str
) -> None:
    live.service.clock = lambda: datetime.fromisoformat(moment)
    assert f'<p class="arm">{said}</p>' in http.get("/experiments/shelf").text


def test_a_removed_arm_can_be_brought_back(live: Server, http: httpx.Client) -> None:
    gone = post(http, f"{SHELF}/remove-arm", arm="9.99")
    assert gone.headers["location"] == f"{SHELF}/arms?done=remove-arm&arm=9.99"
    page = http.get(gone.headers["location"]).text
    assert page.count("Bring back price 9.99") == 2  # beside what was done, and in the table
    back = post(http, f"{SHELF}/add-arm", id="9.99", label="price 9.99", when="now")
    assert back.status_code == 303
    [arm] = [one for one in live.service.state("shelf").arms if one.id == "9.99"]
    assert (arm.label, arm.status) == ("price 9.99", "waiting")


def test_labels_are_text_on_every_page(live: Server, http: httpx.Client) -> None:
    live.service.create(settings("x", name=EVIL, arms=(Arm("9.99", EVIL), Arm("10.99"))))
    play(live.service, 3, "x")
    paths = ("", "/season", "/arms", "/manage", "/tables/traffic", "/tables/rewards")
    for path in ("/", *(f"/experiments/x{one}" for one in paths)):
        text = http.get(path).text
        page = _Page(text)
        assert "<script>alert" not in text, path
        assert not [tag for tag in page.tags if tag[0] == "img" and tag[1].get("src") == "x"]
        for _, attributes in page.tags:
            assert not [name for name in attributes if name.startswith("on") or name == "style"]
            json.loads(attributes.get("data-charts") or "{}")
    assert html.escape("<script>alert(1)</script>") in http.get("/experiments/x").text
    assert post(http, "/experiments/x/add-arm", id=EVIL, label=EVIL).status_code == 303
    refused = post(http, "/experiments/x/add-arm", id=EVIL, label=EVIL)
    assert refused.status_code == 409
    assert "<script>alert" not in refused.text
    assert "<script>alert" not in http.get(f"/experiments/{EVIL}").text
    assert "<script>alert" not in http.get("/sign-in", params={"next": EVIL}).text


def test_pages_need_no_inline_script_or_style(live: Server, http: httpx.Client) -> None:
    play(live.service, 3)
    tabs = [f"{SHELF}/{tab}" for tab in ("season", "arms", "manage", "tables/traffic")]
    for path in ("/", "/new", SHELF, *tabs):
        answer = http.get(path)
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self'; style-src 'self';" in policy
        assert not re.search(r"<script(?![^>]*\bsrc=\"/static/)", answer.text), path
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=", answer.text), path
        assert not re.search(r"(src|href)=\"(https?:)?//", answer.text), path


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/new", {"draft": "{}"}),
        (f"{SHELF}/decide", {"turn": "3"}),
        (f"{SHELF}/update", {"turn": "1", "reward": "5", "visitors": "2"}),
        (f"{SHELF}/correct", {"turn": "1", "reward": "5", "visitors": "2"}),
        (f"{SHELF}/reforecast", {"draft": '{"first": 9, "values": [5.0]}'}),
        (f"{SHELF}/reforecast/plan", {"meaning": "forecast"}),
        (f"{SHELF}/add-arm", {"id": "new"}),
        (f"{SHELF}/remove-arm", {"arm": "9.99"}),
        (f"{SHELF}/status", {"change": "pause"}),
        ("/sign-out", {}),
    ],
)
def test_forms_of_other_pages_are_refused(
    live: Server, http: httpx.Client, path: str, fields: dict[str, str]
) -> None:
    live.service.decide("shelf", 1)
    before = live.service.state("shelf")
    token = form_token(http)
    own = {"origin": str(http.base_url).rstrip("/")}
    attempts: list[tuple[dict[str, str], dict[str, str]]] = [
        (fields, own),  # no token
        (fields | {"form_token": "x" * len(token)}, own),
        (fields | {"form_token": token}, {"origin": "http://evil.example"}),
        (fields | {"form_token": token}, own | {"sec-fetch-site": "same-site"}),
        (fields | {"form_token": token}, own | {"sec-fetch-site": "cross-site"}),
    ]
    for data, headers in attempts:
        assert http.post(path, data=data, headers=headers).status_code == 403
    with httpx.Client(base_url=live.url, timeout=60) as other:  # a token of another browser
        assert other.post(path, data=fields | {"form_token": token}).status_code == 403
    assert live.service.state("shelf") == before


def test_a_form_does_what_it_says(live: Server, http: httpx.Client) -> None:
    service = live.service
    assert post(http, f"{SHELF}/decide", turn="3").status_code == 303
    assert service.decision("shelf", 3).turn == 3
    sent = post(http, f"{SHELF}/update", turn="3", reward="512.5", visitors="60")
    assert sent.headers["location"] == "/experiments/shelf?done=update"
    assert "The reward is recorded." in http.get(sent.headers["location"]).text
    assert service.decision("shelf", 3).reward == 512.5
    again = post(http, f"{SHELF}/update", turn="3", reward="512.5", visitors="60")
    assert again.headers["location"].endswith("done=known")
    post(http, f"{SHELF}/correct", turn="3", reward="500", visitors="50")
    assert (service.decision("shelf", 3).reward, service.decision("shelf", 3).visitors) == (500, 50)
    assert "price" in http.get(SHELF).text.partition("500 from 50")[0]
    post(http, f"{SHELF}/add-arm", id="8.99", label="sale", when="now", end="39")
    assert service.state("shelf").arms[-1].label == "sale"
    post(http, f"{SHELF}/remove-arm", arm="8.99")
    assert service.state("shelf").arms[-1].status == "removed"
    assert "Play the best meanwhile" in http.get(f"{SHELF}/manage").text
    post(http, f"{SHELF}/stay", stay="yes")
    assert service.state("shelf").stay_with_leader
    assert "Try arms as planned" in http.get(f"{SHELF}/manage").text
    post(http, f"{SHELF}/stay", stay="no")
    assert not service.state("shelf").stay_with_leader
    post(http, f"{SHELF}/status", change="pause")
    assert service.state("shelf").status == "paused"
    post(http, f"{SHELF}/status", change="resume")
    assert post(http, f"{SHELF}/status", change="archive").status_code == 422  # without the box
    assert service.state("shelf").status == "running"
    post(http, f"{SHELF}/status", change="archive", sure="yes")
    assert service.state("shelf").status == "archived"
    assert "Enter a reward" not in http.get(SHELF).text


@pytest.mark.parametrize(
    ("path", "fields", "status", "words"),
    [
        ("update", {"turn": "1", "reward": "many", "visitors": "2"}, 422, "expected a number"),
        ("update", {"turn": "1", "reward": "nan", "visitors": "2"}, 422, "reward:"),
        ("update", {"turn": "1", "reward": "5", "visitors": "-2"}, 422, "visitors:"),
        ("update", {"turn": "9", "reward": "5", "visitors": "2"}, 409, "turn 9"),
        ("update", {"turn": "1e3", "reward": "5", "visitors": "2"}, 422, "a whole number"),
        ("correct", {"turn": "1", "reward": "5", "visitors": "2"}, 409, "no reward to correct"),
        ("reforecast", {"draft": "{}"}, 422, "fill in the form again"),
        ("reforecast", {"draft": '{"first": 1, "values": [5.0]}'}, 409, "decided already"),
        ("reforecast/plan", {"meaning": "forecast"}, 422, "choose a file"),
        ("explode", {}, 404, "no form"),
        ("add-arm", {"id": "=1+1"}, 422, "needs a letter (a to z) or a digit"),
        ("add-arm", {"id": "9.99"}, 409, "already"),
        ("add-arm", {"id": "new", "when": "never"}, 422, "when:"),
        ("remove-arm", {"arm": "none"}, 404, "no arm"),
        ("status", {"change": "explode"}, 422, "pause, resume or archive"),
        ("decide", {"turn": "500"}, 409, "outside the forecast"),
    ],
)
def test_a_wrong_form_says_why(
    live: Server, http: httpx.Client, path: str, fields: dict[str, str], status: int, words: str
) -> None:
    live.service.decide("shelf", 1)
    answer = post(http, f"{SHELF}/{path}", **fields)
    assert answer.status_code == status
    assert words in _Page(answer.text).text


def test_what_is_not_there_is_a_page(http: httpx.Client) -> None:
    answer = http.get("/experiments/desk")
    assert answer.status_code == 404
    assert "There is no experiment" in answer.text
    assert http.get(f"{SHELF}/arms?page=0").status_code == 422


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[tuple[Server, dict[str, str]]]:
    """A live server that needs tokens, and one of each scope."""
    service = Service(f"{tmp_path}/service.db", clock=lambda: MOMENT)
    service.create(settings())
    service.decide("shelf", 1)
    tokens = {scope: create_token(service.database, scope, scope) for scope in ("read", "admin")}
    tokens["decide"] = create_token(service.database, "decide", "decide")
    with Server(service) as server:
        yield server, tokens


def test_signing_in(closed: tuple[Server, dict[str, str]]) -> None:
    server, tokens = closed
    with httpx.Client(base_url=server.url, timeout=60) as http:
        assert http.post(f"{SHELF}/decide", data={"turn": "1"}).status_code == 401
        asked = http.get(SHELF)
        assert (asked.status_code, asked.headers["location"]) == (303, f"/sign-in?next={SHELF}")
        assert "A shelf" not in asked.text
        wrong = post(http, "/sign-in", token="nonsense", next=SHELF)
        assert wrong.status_code == 401
        assert "highseason_session" not in http.cookies
        right = post(http, "/sign-in", token=tokens["read"], next=SHELF)
        assert right.headers["location"] == SHELF
        cookie = right.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert http.get(SHELF).status_code == 200
        # The cookie opens pages only: the API wants its header.
        assert http.get("/v1/experiments/shelf").status_code == 401
        assert http.get(f"{SHELF}/export.csv").headers["content-type"].startswith("text/csv")
        post(http, "/sign-out")
        for path in (SHELF, f"{SHELF}/export.csv", f"{SHELF}/season", f"{SHELF}/tables/traffic"):
            assert http.get(path).status_code == 303, path


def test_signing_in_leads_nowhere_else(closed: tuple[Server, dict[str, str]]) -> None:
    server, tokens = closed
    for address in ("//evil.example", "https://evil.example", "/\\evil.example", "/\nevil", "x"):
        with httpx.Client(base_url=server.url, timeout=60) as http:
            right = post(http, "/sign-in", token=tokens["read"], next=address)
            assert right.headers["location"] == "/", address


def test_scopes_hold_for_pages(closed: tuple[Server, dict[str, str]]) -> None:
    server, tokens = closed
    reward = {"turn": "1", "reward": "5", "visitors": "20"}
    for scope, allowed in (("read", 1), ("decide", 2), ("admin", 3)):
        with httpx.Client(base_url=server.url, timeout=60) as http:
            post(http, "/sign-in", token=tokens[scope])
            page = "".join(http.get(f"{SHELF}{tab}").text for tab in ("", "/arms", "/manage"))
            statuses = [
                http.get(SHELF).status_code == 200,
                post(http, f"{SHELF}/update", **reward).status_code == 303,
                post(http, f"{SHELF}/remove-arm", arm="9.99").status_code == 303,
            ]
            assert statuses == [True] * allowed + [False] * (3 - allowed), scope
            assert (f"{SHELF}/update" in page) == (allowed >= 2)
            for words in ("Add an arm", "Remove", "Replace the forecast"):
                assert (words in page) == (allowed >= 3), words
            assert (http.get("/new").status_code == 200) == (allowed >= 3)


def test_what_browsers_load_is_small_and_as_it_was_published() -> None:
    files = [file for file in FOLDER.rglob("*") if file.suffix in (".js", ".css", ".svg")]
    assert len(files) == 6
    size = sum(len(gzip.compress(file.read_bytes(), 9)) for file in files)
    assert size < 60_000
    listed = dict(
        re.findall(
            r"\| `([\w.]+)` \|.*\| `([0-9a-f]{64})` \|", (FOLDER / "vendor/README.md").read_text()
        )
    )
    vendored = [file for file in files if file.parent.name == "vendor"]
    assert {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in vendored} == listed


def test_browsers_keep_files_whose_address_names_their_content(http: httpx.Client) -> None:
    address = re.search(r'src="(/static/dashboard\.js\?v=[0-9a-f]+)"', http.get("/").text)
    assert address is not None
    assert "immutable" in http.get(address[1]).headers["cache-control"]
    assert "immutable" not in http.get("/static/dashboard.js").headers["cache-control"]
    assert http.get("/").headers["cache-control"] == "no-store"
