"""A service that is killed at random moments loses nothing and never contradicts itself.

Clients note what they asked and what they were answered.  After a kill they ask again what was not
answered, as a till would.  At the end their notes are compared with the database.
"""

from __future__ import annotations

import random
import statistics
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from tests.service.conftest import settings
from tests.service.forked import serving_fork
from tests.service.test_storage import raw

from highseason_service import Service
from highseason_service.audit import audit
from highseason_service.model import Outcome
from highseason_service.store import Changes

CLIENTS, TURNS = 32, 3000


class Asked(NamedTuple):
    """A request: for the arm of a turn, or with its reward."""

    turn: int
    reward: float | None = None


class Note(NamedTuple):
    """An answer: status 0 stands for none."""

    asked: Asked
    status: int
    arm: str | None = None


@dataclass
class Shop:
    """One client, over several lives of the service."""

    draw: random.Random
    notes: list[Note] = field(default_factory=list)
    again: list[Asked] = field(default_factory=list)
    waiting: bool = False

    def run(self, url: str, stop: threading.Event) -> None:
        """Ask until the service is killed."""
        with httpx.Client(base_url=f"{url}/v1/experiments/shelf", timeout=300) as http:
            while not stop.is_set():
                turn = self.draw.randint(1, TURNS)
                reward = Asked(turn, float(self.draw.randint(1, 1000)))
                for asked in [*self.again, Asked(turn), reward, reward]:  # a reward is sent twice
                    self.waiting = True
                    try:
                        note = ask(http, asked)
                    except httpx.TransportError:
                        self.notes.append(Note(asked, 0))
                        self.again = [asked]
                        return
                    finally:
                        self.waiting = False
                    self.notes.append(note)
                self.again = []


def sent(http: httpx.Client, path: str, body: object, **options: dict[str, str]) -> httpx.Response:
    """Send a request, and again where the service says so: a busy machine takes its time."""
    while (answer := http.post(path, json=body, **options)).status_code == 503:
        time.sleep(float(answer.headers["retry-after"]))
    return answer


def ask(http: httpx.Client, asked: Asked) -> Note:
    if asked.reward is None:
        answer = sent(http, "/decide", {"turn": asked.turn, "force": True})
        assert answer.status_code == 200, answer.text
        return Note(asked, 200, answer.json()["arm"])
    key = {"Idempotency-Key": f"{asked.turn}-{asked.reward:g}"}
    body = {"reward": asked.reward, "visitors": 100}
    answer = sent(http, f"/decisions/{asked.turn}/update", body, headers=key)
    assert answer.status_code in (200, 409), answer.text
    return Note(asked, answer.status_code)


def kill_once(database: str, shops: list[Shop], seed: int) -> int:
    """Serve, let all clients in, and kill the service; gives how many requests were in flight."""
    stop = threading.Event()
    with serving_fork(database) as (process, url):
        threads = [threading.Thread(target=shop.run, args=(url, stop)) for shop in shops]
        known = sum(len(shop.notes) for shop in shops)
        for thread in threads:
            thread.start()
        while sum(len(shop.notes) for shop in shops) < known + CLIENTS:
            assert all(thread.is_alive() for thread in threads), "a client was answered wrongly"
            time.sleep(0.01)
        time.sleep(random.Random(seed).uniform(0.0, 0.5))
        in_flight = sum(shop.waiting for shop in shops)
        process.kill()
        process.join()
        stop.set()
        for thread in threads:
            thread.join()
    return in_flight


def check(database: str, notes: list[Note]) -> None:
    """Compare what was noted with what is recorded."""
    with Service(database) as service:
        recorded = {d.turn: d for d in service.decisions("shelf", limit=TURNS)}
        events = service.events("shelf", limit=10**6)
        (report,) = audit(service.database)
    assert report.problems == ()
    for (turn, reward), status, arm in notes:
        if status == 200 and reward is None:
            assert recorded[turn].arm == arm, f"turn {turn} had {arm}"
        elif status == 200:
            assert recorded[turn].reward == reward, f"turn {turn} lost its reward {reward}"
        elif status == 409:
            assert recorded[turn].reward not in (None, reward), f"{reward} was refused at {turn}"
    rewarded = [event["event"]["outcomes"] for event in events if event["kind"] == "rewarded"]
    turns = [outcome[0] for outcomes in rewarded for outcome in outcomes]
    assert len(turns) == len(set(turns)), "a reward counted twice"
    tried = {asked for asked, _, _ in notes}
    invented = [t for t in turns if Asked(t, recorded[t].reward) not in tried]
    assert not invented, "a reward that no one sent"


def kill_often(database: str, kills: int) -> tuple[int, float]:
    """Gives how many answers were compared, and how many requests were in flight at a kill."""
    with Service(database) as service:
        service.create(settings(turns=TURNS, policy="epsilon-greedy"))
    shops = [Shop(random.Random(seed)) for seed in range(CLIENTS)]
    in_flight = [kill_once(database, shops, seed) for seed in range(kills)]
    notes = [note for shop in shops for note in shop.notes]
    check(database, notes)
    assert any(note.status == 0 for note in notes), "no request was cut off"
    return sum(note.status > 0 for note in notes), statistics.median(in_flight)


@pytest.mark.slow
def test_nothing_answered_is_lost(url: str) -> None:
    answers, _ = kill_often(url, kills=10)
    assert answers > 10 * CLIENTS


#: What a service that loses, doubles or contradicts would leave behind, as SQL.
FAULTS = {
    "another arm": "UPDATE decisions SET arm = '9.99x' WHERE turn = 3",
    "a lost decision": "DELETE FROM decisions WHERE turn = 3",
    "a lost reward": "UPDATE decisions SET reward = NULL, visitors = NULL WHERE turn = 3",
    "another reward": "UPDATE decisions SET reward = 1234 WHERE turn = 3",
    "a lost event": "DELETE FROM events WHERE kind = 'rewarded' AND event LIKE '%[[3,%'",
    "a reward twice": (
        "INSERT INTO events SELECT experiment, (SELECT max(seq) + 1 FROM events), at, kind, turn, "
        "body, event FROM events WHERE kind = 'rewarded' AND event LIKE '%[[3,%'"
    ),
    "another status": "UPDATE experiments SET status = 'paused'",
}


def noted(service: Service, turns: range) -> list[Note]:
    """Decide and reward turns as the clients do."""
    notes = []
    for turn in turns:
        notes.append(Note(Asked(turn), 200, service.decide("shelf", turn).arm))
        service.update_many("shelf", [Outcome(turn, 10.0 * turn, 100.0)])
        notes.append(Note(Asked(turn, 10.0 * turn), 200))
    return notes


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed(tmp_path: Path, fault: str) -> None:
    database = f"{tmp_path}/shop.db"
    with Service(database) as service:
        service.create(settings())
        notes = noted(service, range(1, 7))
        check(database, notes)
        raw(service, FAULTS[fault])
    with pytest.raises((AssertionError, KeyError, ValueError)):  # the audit may not get through
        check(database, notes)


def test_an_answer_before_the_commit_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = f"{tmp_path}/shop.db"
    with Service(database) as service:
        service.create(settings())
        notes = noted(service, range(1, 4))
        monkeypatch.setattr(Changes, "write", lambda self, *_: True)
        notes.append(Note(Asked(4), 200, service.decide("shelf", 4).arm))
    with pytest.raises(KeyError):
        check(database, notes)


@pytest.mark.soak
def test_nothing_answered_is_lost_in_a_hundred_kills(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answers, in_flight = kill_often(url, kills=100)
    with capsys.disabled():
        print(f"100 kills: {answers} answers, {in_flight:g} requests in flight")  # noqa: T201  # its result
    assert answers > 100 * CLIENTS
    assert in_flight >= 20
