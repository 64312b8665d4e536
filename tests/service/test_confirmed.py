"""A report that looks wrong: no door takes it in without a confirmation, or bends it to fit."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.service.conftest import Server
from tests.service.test_dashboard import form_token

from highseason.cli import main
from highseason_service import Service
from highseason_service.audit import audit
from highseason_service.client import Client, RequestError
from highseason_service.errors import UnconfirmedError
from highseason_service.model import Outcome

#: Turns 1 and 2 have a reward when it begins, turn 3 has none; the range is 0 to 12.  What looks
#: wrong: a reward, who came (None: as many as before), and what is asked.
WRONG: list[tuple[float, float | None, str]] = [
    (
        9999.5,
        None,
        r"9999\.5 from \d+ visitors is [\d,.]+ per visitor, outside the range of 0 to 12",
    ),
    (9999.5, 90, r"9999\.5 from 90 visitors is 111\.1 per visitor, outside the range of 0 to 12"),
    (5, 60.5, r"60\.5 visitors is not a whole number"),
    (5, 5, r"5 visitors is below a tenth of the (60|100) expected"),
]


@dataclass
class Doors:
    """The ways to report; each gives what was said if the report was refused, or nothing."""

    live: Server
    http: httpx.Client
    capsys: pytest.CaptureFixture[str]

    def api(self, path: str, confirm: bool, **body: Any) -> str:
        sent = body | ({"confirm": True} if confirm else {})
        answer = self.http.post(f"/v1/experiments/shelf/{path}", json=sent)
        if answer.is_success:
            known = {"received", "new", "known_already", "turn", "reward", "visitors", "before"}
            assert set(answer.json()) <= known
            return ""
        said: dict[str, Any] = answer.json()
        assert (answer.status_code, said["code"]) == (409, "unconfirmed")
        assert said["detail"].startswith(". ".join(said["questions"]))
        assert '"confirm": true' in said["detail"]
        return str(said["detail"])

    def command(self, words: str, confirm: bool) -> str:
        line = ["experiment", *words.split(), *["--confirm"] * confirm, "--url", self.live.url]
        code = main(line, standalone_mode=False)
        said = self.capsys.readouterr().err
        assert (code, "add --confirm" in said) == ((2, True) if said else (0, False))
        return said

    def form(self, action: str, confirm: bool, **fields: Any) -> str:
        """A page that asks has a form, which confirms what was typed."""
        sent = {"form_token": form_token(self.http)} | fields
        page = self.http.post(f"/experiments/shelf/{action}", data=sent)
        (asked,) = re.findall(r'<form class="notice.*?</form>', page.text, re.DOTALL)
        if not confirm:
            assert (page.status_code, "Is this right?" in asked) == (409, True)
            return html.unescape(asked).replace("Turn", "turn")
        path = re.search(r'action="([^"]+)"', asked)
        again = dict(re.findall(r'name="(\w+)" value="([^"]*)"', asked))
        assert path is not None
        assert again == sent | {"confirm": "yes"} | {k: str(v) for k, v in fields.items()}
        done = self.http.post(path[1], data=again)
        assert done.status_code == 303
        return ""


#: Report a reward and visitors, confirmed or not; what is said against it.
Report = Callable[[Doors, bool, float, float], str]


def python(report: Callable[..., Any], confirm: bool) -> str:
    try:
        report(confirm=confirm)
    except (UnconfirmedError, RequestError) as reason:
        return str(reason)
    return ""


def client(doors: Doors, name: str, what: Any, confirm: bool) -> str:
    with Client(doors.live.url) as one:
        return python(lambda confirm: getattr(one, name)("shelf", what, confirm=confirm), confirm)


def service(doors: Doors, name: str, what: Any, confirm: bool) -> str:
    call = getattr(doors.live.service, name)
    return python(lambda confirm: call("shelf", what, confirm=confirm), confirm)


#: Turn 3 is reported, or turn 1 corrected.
DOORS: dict[str, Report] = {
    "API, one": lambda d, c, r, v: d.api("decisions/3/update", c, reward=r, visitors=v),
    "API, many": lambda d, c, r, v: d.api(
        "update", c, rewards=[{"turn": 3, "reward": r, "visitors": v}]
    ),
    "API, corrected": lambda d, c, r, v: d.api("decisions/1/correct", c, reward=r, visitors=v),
    "command": lambda d, c, r, v: d.command(
        f"update shelf --turn 3 --reward {r} --visitors {v}", c
    ),
    "command, corrected": lambda d, c, r, v: d.command(
        f"correct shelf --turn 1 --reward {r} --visitors {v}", c
    ),
    "page": lambda d, c, r, v: d.form("update", c, turn=3, reward=f"{r}", visitors=f"{v}"),
    "page, corrected": lambda d, c, r, v: d.form(
        "correct", c, turn=1, reward=f"{r}", visitors=f"{v}"
    ),
    "client": lambda d, c, r, v: client(d, "update_many", [Outcome(3, r, v)], c),
    "client, corrected": lambda d, c, r, v: client(d, "correct", Outcome(1, r, v), c),
    "service": lambda d, c, r, v: service(d, "update_many", [Outcome(3, r, v)], c),
    "service, corrected": lambda d, c, r, v: service(d, "correct", Outcome(1, r, v), c),
}


@pytest.fixture
def doors(live: Server, http: httpx.Client, capsys: pytest.CaptureFixture[str]) -> Doors:
    for turn, visitors in ((1, 100.0), (2, 250.0), (3, 0.0)):
        live.service.decide("shelf", turn)
        if visitors:
            live.service.update_many("shelf", [Outcome(turn, 3 * visitors, visitors)])
    return Doors(live, http, capsys)


@pytest.mark.parametrize(("reward", "visitors", "asked"), WRONG)
@pytest.mark.parametrize("door", DOORS)
def test_what_looks_wrong_is_asked_about_at_every_door(
    doors: Doors, door: str, reward: float, visitors: float | None, asked: str
) -> None:
    known, turn = doors.live.service, 1 if "corrected" in door else 3
    came = {1: 100, 3: 60}[turn] if visitors is None else visitors
    before, report = known.events("shelf"), DOORS[door]
    said = " ".join(report(doors, False, reward, came).split())
    assert re.search(f"turn {turn}: {asked}", said), said
    assert known.events("shelf") == before
    assert report(doors, True, reward, came) == ""
    assert _of(known, turn) == (turn, reward, came)  # recorded as reported
    state = known.state("shelf")
    assert max(arm.estimate or 0.0 for arm in state.arms) <= 12.0  # learned at the end
    assert known.update_many("shelf", [Outcome(*_of(known, turn))])["new"] == 0  # not asked again
    known._live.clear()  # it is built again from its log
    assert known.state("shelf") == state
    assert [one.problems for one in audit(known.database)] == [()]


def _of(service: Service, turn: int) -> tuple[int, Any, Any]:
    record = service.decision("shelf", turn)
    return turn, record.reward, record.visitors


def test_a_key_holds_for_a_report_and_its_confirmation(doors: Doors) -> None:
    key = {"Idempotency-Key": "day-3"}
    body: dict[str, Any] = {"reward": 9999.5, "visitors": 60}
    path = "/v1/experiments/shelf/decisions/3/update"
    assert doors.http.post(path, json=body, headers=key).status_code == 409
    confirmed = doors.http.post(path, json=body | {"confirm": True}, headers=key)
    assert (confirmed.status_code, confirmed.json()["new"]) == (200, 1)
    assert doors.http.post(path, json=body, headers=key).json() == confirmed.json()


def test_all_rows_that_look_wrong_are_named(doors: Doors) -> None:
    doors.live.service.decide("shelf", 4)
    rows = [{"turn": turn, "reward": 9999.5, "visitors": 60} for turn in (3, 4)]
    said = doors.api("update", False, rewards=rows)
    assert len(re.findall(r"turn [34]: 9999\.5 from 60", said)) == 2
    assert len(re.findall("outside the range", said)) == 1


@pytest.mark.parametrize("arms", [["49.99", "59.99"], ["red", "blue"]])
def test_a_range_is_the_users_at_every_door(
    live: Server,
    http: httpx.Client,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arms: list[str],
) -> None:
    """Nobody chooses one in silence: both choices are spelt out."""
    file = tmp_path / "tea.csv"
    file.write_text(
        "day,visitors\n" + "".join(f"2035-11-{day:02},{50 + day}\n" for day in range(1, 31))
    )
    words = [str(file), *(word for arm in arms for word in ("--arm", arm))]
    body = {"id": "tea", "arms": arms, "forecast": {"values": [5, 6, 7]}}
    typed = {
        "name": "tea",
        "arms": "\n".join(arms),
        "meaning": "forecast",
        "policy": "option-index",
    }
    sent = {"form_token": form_token(http)} | typed
    said = {}
    for name, line in {
        "serve": ["serve", "--database", f"{tmp_path}/s.db", "--experiment", *words],
        "create": ["experiment", "create", "tea", "--url", live.url, *words],
    }.items():
        assert main(line, standalone_mode=False) == 2
        said[name] = capsys.readouterr().err
    refused = http.post("/v1/experiments", json=body)
    assert refused.status_code == 422
    said["api"] = json.loads(refused.text)["detail"]
    shown = http.post("/new/plan", data=sent, files={"traffic": ("tea.csv", file.read_bytes())})
    said["page"] = html.unescape(shown.text)
    takings = {"49.99": "60", "red": "12"}[arms[0]]
    for name, text in said.items():
        text = " ".join(text.split())
        assert "needs the least and the greatest reward per visitor" in text, name
        ends = {"page": "0 to {}"}.get(name, "0..{}")
        assert f"{ends.format(1)} if you report orders" in text, text
        assert f"{ends.format(takings)} if you report takings" in text, text
        assert ("at these prices" in text) == (arms[0] != "red")
    assert [one.id for one in live.service.experiments()] == ["shelf"]


def test_a_served_experiment_keeps_its_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("highseason_service.server.serve", lambda *_, **__: None)
    monkeypatch.setattr("highseason_service.server.start_logging", lambda: None)
    (tmp_path / "tea.csv").write_text("day,visitors\n2035-11-01,5\n2035-11-02,6\n2035-11-03,7\n")
    line = ["serve", "--experiment", f"{tmp_path}/tea.csv", "--database", f"{tmp_path}/s.db"]
    line += ["--arm", "9.99", "--arm", "10.99"]
    assert main([*line, "--range", "0..1"], standalone_mode=False) in (None, 0)
    assert main(line, standalone_mode=False) in (None, 0)
    assert main([*line, "--range", "0..11"], standalone_mode=False) == 2
    assert "with the range (0.0, 1.0)" in " ".join(capsys.readouterr().err.split())
