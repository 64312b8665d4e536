"""A service that is killed at random moments loses nothing and never contradicts itself.

Clients note what they were answered; what they noted is compared with the database at the end.
"""

from __future__ import annotations

import random
import signal
import threading
import time
from pathlib import Path

import httpx
import pytest
from tests.service.conftest import settings
from tests.service.test_commands import serving

from highseason.service import Service
from highseason.service.audit import audit

CLIENTS, TURNS = 24, 3000


class Shop(threading.Thread):
    """One client: asks for turns, reports rewards, and notes every answer."""

    def __init__(self, url: str, seed: int) -> None:
        super().__init__()
        self.url, self.draw, self.stop = url, random.Random(seed), False
        self.arms: list[tuple[int, str]] = []
        self.rewards: list[tuple[int, float]] = []

    def run(self) -> None:
        with httpx.Client(base_url=f"{self.url}/v1/experiments/shelf", timeout=30) as http:
            while not self.stop:
                try:
                    self.step(http)
                except httpx.TransportError:
                    return  # the service was killed

    def step(self, http: httpx.Client) -> None:
        turn = self.draw.randint(1, TURNS)
        answer = http.post("/decide", json={"turn": turn})
        assert answer.status_code == 200, answer.text
        self.arms.append((turn, answer.json()["arm"]))
        reward = float(self.draw.randint(1, 1000))
        key = {"Idempotency-Key": f"{turn}-{reward:g}"}
        body = {"reward": reward, "visitors": 100}
        for _ in range(2):  # sent twice, as after a lost answer
            answer = http.post(f"/decisions/{turn}/reward", json=body, headers=key)
            assert answer.status_code in (200, 409), answer.text
            if answer.status_code == 200:
                self.rewards.append((turn, reward))


def kill_once(database: str, seed: int) -> list[Shop]:
    """Serve, let many clients in, and kill the service after a moment."""
    with serving("--database", database) as (process, url):
        shops = [Shop(url, 1000 * seed + i) for i in range(CLIENTS)]
        for shop in shops:
            shop.start()
        while not any(shop.rewards for shop in shops):
            time.sleep(0.01)
        time.sleep(random.Random(seed).uniform(0.0, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        for shop in shops:
            shop.stop = True
            shop.join()
    return shops


def check(database: str, shops: list[Shop]) -> int:
    """Compare all histories with what is recorded; gives how many answers were compared."""
    with Service(database) as service:
        recorded = {d.turn: d for d in service.decisions("shelf", limit=TURNS)}
        for shop in shops:
            assert all(recorded[turn].arm == arm for turn, arm in shop.arms)
            assert all(recorded[turn].reward == reward for turn, reward in shop.rewards)
        (report,) = audit(service.database)
        assert report.problems == ()
        rewarded = [e for e in service.events("shelf", limit=10**6) if e["kind"] == "rewarded"]
        turns = [row[0] for event in rewarded for row in event["event"]["outcomes"]]
        assert len(turns) == len(set(turns)), "a reward counted twice"
    return sum(len(shop.arms) + len(shop.rewards) for shop in shops)


def kill_often(url: str, kills: int) -> int:
    with Service(url) as service:
        service.create(settings(turns=TURNS, policy="epsilon-greedy"))
    shops = [shop for seed in range(kills) for shop in kill_once(url, seed)]
    return check(url, shops)


@pytest.mark.slow
def test_nothing_answered_is_lost(url: str) -> None:
    assert kill_often(url, kills=2) > 2 * CLIENTS


@pytest.mark.soak
def test_nothing_answered_is_lost_in_fifty_kills(tmp_path: Path) -> None:
    assert kill_often(f"{tmp_path}/shop.db", kills=50) > 50 * CLIENTS
