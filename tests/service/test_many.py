"""Many experiments: what is decided is answered, and watched, without a bandit."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
import uvicorn
from sqlalchemy import event
from tests.service.conftest import MOMENT, Server, settings
from tests.service.copies import copy

from highseason.traffic import Calendar
from highseason_service import Service, ofrep
from highseason_service.app import Metrics
from highseason_service.experiments import Recent
from highseason_service.forecast import TrafficForecast
from highseason_service.model import Arm, Outcome
from highseason_service.server import serve

FLAGS = "/ofrep/v1/evaluate/flags"


@contextmanager
def served(service: Service) -> Iterator[httpx.Client]:
    """A client of a server with a service, which ends with it."""
    with Server(service) as server, httpx.Client(base_url=server.url, timeout=60) as client:
        yield client


def test_nothing_is_rebuilt_for_turns_that_are_decided(opened: Callable[[], Service]) -> None:
    first = opened()
    first.create(settings())
    for turn in (1, 2, 3):
        first.decide("shelf", turn)
    first.update_many("shelf", [Outcome(1, 1_000.0, 100.0)])
    copy(first.database, "shelf", 130)
    service = opened()
    with served(service) as http:
        for _ in range(2):
            flags = http.post(FLAGS, json={}).json()["flags"]
            assert len(flags) == 131
            assert {flag["metadata"]["turn"] for flag in flags} == {3}
            watched = http.get("/metrics").text
            assert 'highseason_experiment_rewards_waiting{experiment="shelf-130"} 1.0' in watched
            assert http.post("/v1/experiments/shelf-7/decide", json={}).json()["turn"] == 3
            assert http.get("/").status_code == 200
            assert service.rebuilt == 0
        assert "highseason_rebuilds 0.0" in watched
        service.update_many("shelf-1", [Outcome(2, 90.0, 100.0)])  # this one has to learn
        assert http.post(FLAGS, json={}).json()["flags"] == flags
        assert service.rebuilt == 1


@pytest.mark.parametrize("first", [FLAGS, "/metrics"])
def test_after_a_start_each_log_is_read_once(opened: Callable[[], Service], first: str) -> None:
    service, statements = opened(), list[str]()
    service.create(settings())
    for turn in (1, 2, 3):
        service.decide("shelf", turn)
    copy(service.database, "shelf", 30)
    service = opened()
    service.decide("shelf-7")  # some are known before all are asked for
    event.listen(
        service.database.asking, "before_cursor_execute", lambda *args: statements.append(args[2])
    )
    with served(service) as http:
        for path in (first, FLAGS, "/metrics"):
            answer = http.get(path) if path == "/metrics" else http.post(path, json={})
            assert answer.text.count("shelf-7") == (4 if path == "/metrics" else 1)
    assert sum("FROM events" in statement for statement in statements) == 30
    lone = sum("FROM decisions" in one and "count(" not in one for one in statements)
    assert lone == 1  # the turns of now are read at once


def test_the_port_is_open_when_the_logs_are_read(
    opened: Callable[[], Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = opened()
    service.create(settings())
    service.decide("shelf")
    copy(service.database, "shelf", 5)
    known, service = list[int](), opened()
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: None)
    serve(service, port=0, started=lambda _: known.append(len(service._outlines)))
    damaged = opened()
    monkeypatch.setattr(damaged, "outline", lambda one: 1 / 0)
    serve(damaged, port=0, started=lambda _: known.append(0))  # the others can be served
    assert known == [6, 0]


def test_an_outline_that_grew_is_that_of_the_whole_log(opened: Callable[[], Service]) -> None:
    service, another = opened(), opened()
    for name in ("b", "c"):
        service.create(settings(name))
        service.decide(name, 1)
    known = {one.id: another.outline(one) for one in another.present()}
    service.add_arm("b", Arm("new", when="now"))
    service.remove_arm("b", "new")
    service.reforecast("c", 2, [7.0, 8.0, 9.0])
    service.reforecast("c", 3, [5.0] * 20)
    grown = {one.id: another.outline(one) for one in another.present()}
    assert grown == {one.id: opened().outline(one) for one in service.present()}
    assert grown["b"].arms.keys() > known["b"].arms.keys()
    assert grown["c"].forecast.values[:3] == (*known["c"].forecast.values[:1], 7.0, 5.0)
    service.change_status("b", "archive")
    assert [one.id for one in another.present()] == ["c"]


def test_what_is_watched_is_what_the_bandit_knows(opened: Callable[[], Service]) -> None:
    service = opened()
    calendar = Calendar.starting("2026-11-02", zone="+01:00", closed=(6,))  # Mondays to Saturdays
    service.create(settings("days", forecast=TrafficForecast((9.0,) * 12, calendar)))
    service.create(settings("bare", forecast=TrafficForecast((9.0,) * 12)))
    for name in ("days", "bare"):
        for turn in (1, 2, 3, 5):
            service.decide(name, turn)
        service.update_many(name, [Outcome(2, 50.0, 10.0), Outcome(1, 0.0, 0.0)])
    metrics, found = Metrics(service), {}
    for day in (1, 2, 7, 8, 15, 30):
        service.clock = lambda day=day: datetime(2026, 11, day, 12, tzinfo=UTC)
        numbers = metrics.numbers(service.experiment("days"))
        assert numbers["decisions"] == service.state("days").decided
        days = ("days_since_reward", "rewards_waiting", "days_left")
        found[day] = tuple(int(numbers[name]) for name in days)
    assert found == {
        1: (0, 0, 12), 2: (0, 0, 12), 7: (3, 2, 7), 8: (4, 2, 6), 15: (10, 2, 0), 30: (10, 2, 0)
    }  # fmt: skip
    bare = metrics.numbers(service.experiment("bare"))
    assert bare["rewards_waiting"] == 2
    assert [name for name, value in bare.items() if math.isnan(value)] == [days[0], days[2]]
    service.create(settings("week", forecast=TrafficForecast((9.0,) * 12, weeks())))
    assert metrics.numbers(service.experiment("week"))["days_left"] == 84.0


def weeks() -> Calendar:
    return Calendar.starting("2026-11-30", "week")


def ticking() -> Iterator[datetime]:
    """Moments of one noon, each a little later."""
    return (MOMENT + timedelta(microseconds=n) for n in range(1_000_000))


@pytest.fixture
def resting(opened: Callable[[], Service]) -> Service:
    """Experiments for which no turn is now, for every reason that there is, and one that runs."""
    service = opened()
    service.clock = lambda: MOMENT - timedelta(days=30)  # none is over yet
    day = Calendar.starting
    for name, calendar, turns in (
        ("over", day("2026-10-01"), 9), ("soon", day("2026-12-01"), 9),
        ("closed", day("2026-11-01", closed=[1]), 9), ("paused", day("2026-11-01"), 9),
        ("running", day("2026-11-01"), 9),
    ):  # fmt: skip
        service.create(settings(name, forecast=TrafficForecast((5.0,) * turns, calendar)))
        service.decide(name, 1)
        service.update_many(name, [Outcome(1, 5.0, 5.0)])
    service.change_status("paused", "pause")
    clock = ticking()
    service.clock = lambda: next(clock)
    return service


def test_the_etag_holds_while_no_turn_is_now(
    resting: Service, opened: Callable[[], Service]
) -> None:
    clock = ticking()
    another = opened()  # as after a start
    another.clock = lambda: next(clock)
    tags = set()
    for service in (resting, another):
        with served(service) as http:
            for _ in range(3):
                answer = http.post(FLAGS, json={})
                tags.add(answer.headers["etag"])
                again = http.post(FLAGS, json={}, headers={"If-None-Match": next(iter(tags))})
                assert again.status_code == 304
    assert len(tags) == 1
    notes = {flag["key"]: flag["metadata"].get("note") for flag in answer.json()["flags"]}
    assert notes == {
        "over": "The forecast has ended: nothing is decided",
        "soon": "Begins Tue 1 Dec 2026: nothing is decided",
        "closed": "Closed now: nothing is decided",
        "paused": "the experiment is paused: nothing is decided",
        "running": None,
    }


def test_a_known_evaluation_is_what_a_new_one_would_be(resting: Service) -> None:
    rng, last = random.Random(5), dict[str, Any]()
    service, now = resting, [MOMENT]
    service.clock = lambda: now[0]

    def change() -> None:
        name = rng.choice(["over", "closed", "paused", "running"])
        match rng.randrange(6):
            case 0:
                now[0] += timedelta(hours=rng.choice([1, 20]))
            case 1:
                status = service.experiment(name).status
                service.change_status(name, "pause" if status == "running" else "resume")
            case 2:
                service.reforecast(name, 9, [5.0] * rng.choice([2, 3]))
            case 3:
                service.correct(name, Outcome(1, 5.0 * rng.random(), 5.0))
            case 4:
                if not any(arm.id == "new" for arm in service.state(name).arms):
                    service.add_arm(name, Arm("new", "a new one", when="now"))
            case 5:
                [flag] = ofrep.evaluated(service, [service.experiment(name)], last)
                service.remove_arm(name, flag["variant"])
                service.add_arm(name, Arm(flag["variant"], f"{rng.random()}", when="now"))

    for _ in range(60):
        known = ofrep.evaluated(service, service.experiments(), last)
        assert known == ofrep.evaluated(service, service.experiments(), {})
        change()


def test_as_many_are_remembered_as_are_small() -> None:
    recent = Recent[int](100, lambda size: size)
    for number in range(90):
        recent.keep(f"{number}", 1)
    assert len(recent) == 90
    recent.keep("large", 60)
    assert list(recent) == [*(f"{number}" for number in range(50, 90)), "large"]
    recent.keep("50", 1)  # now it is the latest
    recent.keep("larger", 99)
    assert list(recent) == ["50", "larger"]
    recent.keep("too large", 500)  # what is in use stays
    assert list(recent) == ["too large"]
