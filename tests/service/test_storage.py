"""The promises of the storage, on real databases; the same tests for both."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from tests.service.conftest import MOMENT, settings

from highseason.bandit import Event
from highseason.traffic import LENGTHS, Calendar
from highseason_service import Service, store
from highseason_service.audit import audit
from highseason_service.database import Database
from highseason_service.errors import (
    ClashError,
    InvalidError,
    NotFoundError,
    SchemaError,
    UnavailableError,
)
from highseason_service.forecast import TrafficForecast
from highseason_service.live import LiveExperiment
from highseason_service.model import Arm, Noise, Outcome

Open = Callable[[], Service]


def raw(service: Service, statement: str, **values: object) -> None:
    with service.database.write() as connection:
        connection.execute(sa.text(statement), values)


def play(service: Service, turns: range, experiment: str = "shelf") -> None:
    for turn in turns:
        arm = service.decide(experiment, turn).arm
        service.update_many(experiment, [Outcome(turn, 100 * float(arm) / (turn % 3 + 1), 100.0)])


def test_the_same_settings_again_change_nothing(service: Service) -> None:
    first = service.experiment("shelf")
    assert service.create(settings()) == first
    with pytest.raises(ClashError, match="other settings"):
        service.create(settings(seed=8))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"policy": "nonsense"}, "nonsense"),
        ({"reward_range": None}, "reward_range"),
        ({"arms": ()}, "at least one arm"),
        ({"arms": (Arm("a", start=3),)}, "at least one arm"),
    ],
)
def test_settings_that_cannot_play_are_refused(
    service: Service, changes: dict[str, object], message: str
) -> None:
    with pytest.raises((InvalidError, ClashError), match=message):
        service.create(settings("other", **changes))
    assert [summary.id for summary in service.experiments()] == ["shelf"]


def test_a_turn_has_one_arm_for_all_who_ask(opened: Open) -> None:
    services = [opened() for _ in range(3)]
    services[0].create(settings(policy="uniform"))
    barrier = threading.Barrier(24)

    def ask(i: int) -> list[str]:
        barrier.wait()
        return [services[i % 3].decide("shelf", turn).arm for turn in range(1, 11)]

    with ThreadPoolExecutor(24) as threads:
        answers = list(threads.map(ask, range(24)))
    assert all(answer == answers[0] for answer in answers)
    (report,) = audit(services[0].database)
    assert report.decisions == 10
    assert report.problems == ()


def test_the_turn_that_is_now_follows_the_calendar(service: Service) -> None:
    record = service.decide("shelf")
    assert (record.turn, record.time) == (3, "2026-11-03T00:00+01:00")
    assert service.decide("shelf", at=MOMENT) == record
    with pytest.raises(ClashError, match="outside the forecast"):
        service.decide("shelf", at=MOMENT.replace(year=2030))
    with pytest.raises(InvalidError, match="has no zone"):
        service.decide("shelf", at=MOMENT.replace(tzinfo=None))


@pytest.mark.parametrize("turn", [0, -1, 41])
def test_a_turn_outside_the_forecast_is_refused(service: Service, turn: int) -> None:
    with pytest.raises(ClashError, match="turns 1 to 40"):
        service.decide("shelf", turn)


def test_unknown_experiments_are_not_found(service: Service) -> None:
    for ask in (service.state, service.decide, service.experiment, service.events):
        with pytest.raises(NotFoundError, match="no experiment 'desk'"):
            ask("desk")


def test_a_reward_counts_once(service: Service) -> None:
    service.decide("shelf", 1)
    one = [Outcome(1, 500.0, 100.0)]
    for _ in range(2):  # the second time as it was answered
        assert service.update_many("shelf", one, "k") == {
            "received": 1, "new": 1, "known_already": 0
        }  # fmt: skip
    again = {"received": 1, "new": 0, "known_already": 1}
    assert service.update_many("shelf", one) == again
    with pytest.raises(ClashError, match="used for another request"):
        service.update_many("shelf", [Outcome(1, 501.0, 100.0)], "k")
    with pytest.raises(ClashError, match="already has reward=500"):
        service.update_many("shelf", [Outcome(1, 501.0, 100.0)], "k2")
    assert sum(arm.rewards for arm in service.state("shelf").arms) == 1


def test_a_key_is_good_for_another_try_after_a_refusal(service: Service) -> None:
    with pytest.raises(ClashError, match="not decided"):
        service.update_many("shelf", [Outcome(1, 5.0, 10.0)], "k")
    service.decide("shelf", 1)
    assert service.update_many("shelf", [Outcome(1, 5.0, 10.0)], "k")["new"] == 1


def test_a_batch_is_taken_in_completely_or_not_at_all(service: Service) -> None:
    service.decide("shelf", 1)
    with pytest.raises(ClashError, match="turn 2 is not decided"):
        service.update_many("shelf", [Outcome(1, 5.0, 1.0), Outcome(2, 5.0, 1.0)])
    assert service.decision("shelf", 1).reward is None


def test_rewards_may_come_late_and_in_any_order(service: Service) -> None:
    for turn in range(1, 6):
        service.decide("shelf", turn)
    for turn in (5, 2, 4, 1, 3):
        service.update_many("shelf", [Outcome(turn, 10.0 * turn, 100.0)])
    assert [d.reward for d in service.decisions("shelf")] == [50.0, 40.0, 30.0, 20.0, 10.0]
    assert audit(service.database)[0].problems == ()


def test_a_correction_is_a_new_event(service: Service, opened: Open) -> None:
    play(service, range(1, 9))
    before = service.decision("shelf", 2)
    answer = service.correct("shelf", Outcome(2, 999.0, 100.0), "c")
    assert answer["before"] == {"reward": before.reward, "visitors": 100.0}
    assert service.correct("shelf", Outcome(2, 999.0, 100.0), "c") == answer
    kinds = [entry["kind"] for entry in service.events("shelf")]
    assert kinds.count("corrected") == 1
    assert service.decision("shelf", 2).reward == 999.0
    mean = {arm.id: arm for arm in service.state("shelf").arms}[before.arm]
    rewards = [d.reward for d in service.decisions("shelf") if d.arm == before.arm]
    assert mean.estimate == pytest.approx(sum(r for r in rewards if r) / 100 / len(rewards))
    play(service, range(9, 15))
    assert opened().state("shelf") == service.state("shelf")
    assert audit(service.database)[0].problems == ()


def test_only_a_reward_can_be_corrected(service: Service) -> None:
    service.decide("shelf", 1)
    with pytest.raises(ClashError, match="no reward to correct"):
        service.correct("shelf", Outcome(1, 1.0, 1.0))


def test_removing_an_arm_changes_no_locked_turn(service: Service) -> None:
    records = [service.decide("shelf", turn) for turn in range(1, 6)]
    gone = records[0].arm
    assert service.remove_arm("shelf", gone)["removed"]
    assert [service.decide("shelf", turn) for turn in range(1, 6)] == records
    assert gone not in {service.decide("shelf", turn).arm for turn in range(6, 20)}
    service.update_many("shelf", [Outcome(1, 300.0, 100.0)])
    state = {arm.id: arm for arm in service.state("shelf").arms}[gone]
    assert (state.status, state.rewards, state.estimate) == ("removed", 1, 3.0)
    with pytest.raises(ClashError, match="already removed"):
        service.remove_arm("shelf", gone)
    with pytest.raises(NotFoundError, match="no arm"):
        service.remove_arm("shelf", "3.99")


def test_arms_come_when_they_start_and_may_come_back(service: Service) -> None:
    play(service, range(1, 4))
    service.add_arm("shelf", Arm("8.99", start=6, end=12, when="now"))
    with pytest.raises(ClashError, match="already"):
        service.add_arm("shelf", Arm("8.99"))
    status = {arm.id: arm.status for arm in service.state("shelf").arms}
    assert status["8.99"] == "waiting"
    assert "8.99" not in {service.decide("shelf", turn).arm for turn in (4, 5)}
    assert "8.99" in {service.decide("shelf", turn).arm for turn in range(6, 9)}
    service.remove_arm("shelf", "9.99")
    service.add_arm("shelf", Arm("9.99"))
    play(service, range(9, 25))
    status = {arm.id: arm.status for arm in service.state("shelf").arms}
    assert (status["8.99"], status["9.99"]) == ("ended", "playing")
    assert audit(service.database)[0].problems == ()


def test_a_new_forecast_holds_from_its_turn_on(service: Service, opened: Open) -> None:
    play(service, range(1, 6))
    locked = service.decisions("shelf")
    with pytest.raises(ClashError, match="decided already"):
        service.reforecast("shelf", 5, [1.0])
    answer = service.reforecast("shelf", 8, [500.0, 10.0, 10.0])
    assert answer == {"version": 2, "turns": 10}
    assert service.decisions("shelf") == locked
    assert service.decide("shelf", 8).forecast_version == 2
    assert [turn.forecast for turn in service.plan("shelf")] == [250.0, 60.0, 10.0, 10.0]
    assert opened().state("shelf") == service.state("shelf")
    assert audit(service.database)[0].problems == ()


def test_a_forecast_that_cannot_be_planned_changes_nothing(service: Service) -> None:
    with pytest.raises(InvalidError):
        service.reforecast("shelf", 3, [5.0, -1.0])
    assert service.state("shelf").forecast_version == 1
    assert service.decide("shelf", 40).forecast_version == 1


def test_paused_and_archived_experiments_decide_nothing_new(service: Service) -> None:
    record = service.decide("shelf", 1)
    assert service.change_status("shelf", "pause").status == "paused"
    assert service.decide("shelf", 1) == record
    with pytest.raises(ClashError, match="resume it first"):
        service.decide("shelf", 2)
    service.update_many("shelf", [Outcome(1, 4.0, 20.0)])
    assert service.change_status("shelf", "resume").status == "running"
    service.decide("shelf", 2)
    assert service.change_status("shelf", "archive").status == "archived"
    with pytest.raises(ClashError, match="archived"):
        service.change_status("shelf", "resume")
    with pytest.raises(ClashError, match="archived"):
        service.update_many("shelf", [Outcome(2, 4.0, 2.0)])
    assert audit(service.database)[0].problems == ()


def test_processes_follow_each_other(opened: Open) -> None:
    first, second = opened(), opened()
    first.create(settings(policy="epsilon-greedy"))
    for turn in range(1, 31):
        one, other = (first, second) if turn % 2 else (second, first)
        arm = one.decide("shelf", turn).arm
        other.update_many("shelf", [Outcome(turn, 50 * float(arm), 100.0)])
        if turn == 10:
            first.correct("shelf", Outcome(4, 1.0, 100.0))
        if turn == 15:
            second.add_arm("shelf", Arm("8.49"))
        if turn == 20:
            second.reforecast("shelf", 25, [70.0] * 30)
    states = [one.state("shelf") for one in (first, second, opened())]
    assert states[0] == states[1] == states[2]
    assert audit(first.database)[0].problems == ()


def test_a_look_is_as_of_one_moment(opened: Open) -> None:
    first, second = opened(), opened()
    first.create(settings())
    with first.database.read() as connection:
        before = store.entries(connection, "shelf")
        second.decide("shelf", 1)
        assert store.entries(connection, "shelf") == before
        assert store.latest(connection, "shelf") == []
    assert [row.turn for row in first.decisions("shelf")] == [1]


def test_processes_that_get_one_key_at_once_answer_alike(opened: Open) -> None:
    """The second to be let in must see what the first has answered while it waited."""
    services = opened(), opened()
    services[0].create(settings())
    for one in services:
        one.state("shelf")  # both know it by heart
    with ThreadPoolExecutor(2) as threads:
        with services[0].database.write() as connection:
            store.head(connection, "shelf", lock=True)
            asked = [threads.submit(one.add_arm, "shelf", Arm("8.99"), "once") for one in services]
            time.sleep(0.5)
        first, second = (one.result() for one in asked)
    assert first == second
    assert [event["kind"] for event in services[0].events("shelf")] == ["created", "arm_added"]


@pytest.mark.parametrize("turn", [2, 12], ids=["brief", "several entries"])
def test_a_change_that_is_overtaken_is_made_again(
    opened: Open, monkeypatch: pytest.MonkeyPatch, turn: int
) -> None:
    """What another process commits between the work and its write is not overwritten."""
    first, second = opened(), opened()
    first.create(settings(arms=(Arm("9.99"), Arm("10.99", start=10))))
    for one in (first, second):
        one.decide("shelf", 1)
    decide, asked = LiveExperiment.decide, list[int]()

    def overtaken(self: LiveExperiment, wanted: int) -> list[Event]:
        events = decide(self, wanted)
        asked.append(wanted)
        if asked == [turn]:
            second.update_many("shelf", [Outcome(1, 400.0, 100.0)])
        return events

    monkeypatch.setattr(LiveExperiment, "decide", overtaken)
    record = first.decide("shelf", turn)
    assert asked == [turn, turn]
    entering = ["arm_entered"] if turn == 12 else []
    kinds = [event["kind"] for event in first.events("shelf")]
    assert kinds == ["created", "decided", "rewarded", *entering, "decided"]
    assert second.decide("shelf", turn) == record
    assert audit(first.database)[0].problems == ()


def test_the_audit_sees_what_does_not_follow(service: Service) -> None:
    play(service, range(1, 13))
    assert audit(service.database)[0].problems == ()
    raw(service, "UPDATE decisions SET arm = '10.99' WHERE turn = 1")
    raw(service, "UPDATE decisions SET reward = 1 WHERE turn = 2")
    problems = audit(service.database)[0].problems
    assert [problem.partition(":")[0] for problem in problems] == ["turn 1", "turn 1", "turn 2"]


@pytest.mark.parametrize(
    "forged",
    [
        "UPDATE experiments SET name = 'another'",
        "UPDATE experiments SET policy = 'ucb'",
        "UPDATE experiments SET created_at = '2026-01-01'",
        "UPDATE decisions SET time = '2026-01-01T00:00+01:00' WHERE turn = 1",
        "UPDATE decisions SET decided_at = '2026-01-01' WHERE turn = 1",
        "UPDATE events SET at = '2026-01-01' WHERE kind = 'decided'",
        "UPDATE events SET event = '{' WHERE kind = 'decided'",
        "UPDATE events SET body = '{}' WHERE kind = 'created'",
    ],
)
def test_the_audit_compares_everything_that_follows(service: Service, forged: str) -> None:
    """One experiment that cannot be read does not keep others from being audited."""
    play(service, range(1, 4))
    assert audit(service.database)[0].problems == ()
    raw(service, forged)
    service.create(settings("well"))
    bad, good = audit(service.database)
    assert (bad.experiment, bool(bad.problems)) == ("shelf", True)
    assert (good.experiment, good.problems) == ("well", ())


def test_the_audit_sees_a_forged_decision(service: Service) -> None:
    play(service, range(1, 13))
    chosen = next(e for e in service.events("shelf") if e["turn"] == 12 and e["kind"] == "decided")
    arms = ["9.99", "10.99", "11.99"]
    arms.remove(chosen["event"]["arm"])
    forged = json.dumps(chosen["event"] | {"arm": arms[0]}, separators=(",", ":"))
    raw(service, "UPDATE events SET event = :e WHERE seq = :s", e=forged, s=chosen["seq"])
    problems = audit(service.database)[0].problems
    assert problems
    assert problems[0].startswith("turn 12: the log says")


def test_processes_that_start_together_do_not_race(url: str) -> None:
    barrier = threading.Barrier(6)

    def start(_: int) -> None:
        barrier.wait()
        Database(url).close()

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(start, range(6)))
    with Service(url) as service:
        assert service.experiments() == []


def test_a_newer_schema_is_refused(service: Service, url: str) -> None:
    raw(service, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaError, match=r"schema 9999.*upgrade highseason"):
        Database(url)


def test_the_tables_are_those_of_the_migrations(service: Service) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    from highseason_service.tables import metadata

    with service.database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


@pytest.mark.parametrize("table", ["events", "decisions"])
def test_a_primary_key_stands_behind_the_promise(service: Service, table: str) -> None:
    """Two processes that decide a turn write the same number in the log; a portion is a row."""
    service.decide("shelf", 1)
    with pytest.raises(sa.exc.IntegrityError):
        raw(service, f"INSERT INTO {table} SELECT * FROM {table}")


def test_what_was_not_committed_is_not_remembered(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    from highseason_service.store import Changes

    play(service, range(1, 5))
    state = service.state("shelf")

    def fail(self: Changes, *_: object) -> None:
        raise UnavailableError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Changes, "write", fail)
        with pytest.raises(UnavailableError, match="disk is full"):
            service.decide("shelf", 5)
    assert service.state("shelf") == state
    assert service.decide("shelf", 5).turn == 5
    assert audit(service.database)[0].problems == ()


def test_closing_finishes_what_is_under_way(opened: Open) -> None:
    service = opened()
    service.create(settings(turns=200))
    with ThreadPoolExecutor(16) as threads:
        asked = [threads.submit(service.decide, "shelf", turn) for turn in range(1, 101)]
        asked[10].result()
        service.close()
        done = [one for one in asked if one.exception() is None]
    refused = [one.exception() for one in asked if one.exception() is not None]
    assert all(isinstance(reason, UnavailableError) for reason in refused)
    with Service(opened().database) as again:
        decided = {record.turn: record for record in again.decisions("shelf", limit=1000)}
        assert all(decided[one.result().turn] == one.result() for one in done)


def test_arms_and_turns_are_limited(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    from highseason_service import live

    monkeypatch.setattr(live, "MOST_ARMS", 4)
    monkeypatch.setattr(live, "MOST_TURNS", 45)
    service.add_arm("shelf", Arm("one more"))
    with pytest.raises(ClashError, match="at most 4 arms"):
        service.add_arm("shelf", Arm("too many"))
    service.remove_arm("shelf", "one more")
    service.add_arm("shelf", Arm("one more"))  # it comes back
    service.reforecast("shelf", 41, [5.0] * 5)
    with pytest.raises(ClashError, match="at most 45 turns"):
        service.reforecast("shelf", 41, [5.0] * 6)


def test_the_noise_reaches_the_policy(service: Service) -> None:
    service.create(settings("noisy", noise=Noise("visitors", 0.02)))
    policy = service.look("noisy", lambda live: live.bandit.policy)
    assert (policy.count, policy.rho) == ("visitors", 0.02)
    assert service.state("noisy").noise == Noise("visitors", 0.02)
    assert service.state("shelf").noise is None
    with pytest.raises(InvalidError, match="no noise model"):
        service.create(settings("other", policy="uniform", noise=Noise("visitors")))


def test_a_turn_decided_far_ahead_freezes_nothing(service: Service) -> None:
    """Undecided turns are forecast again and planned, and arms may come for them."""
    service.decide("shelf", 1)
    far = service.decide("shelf", 40)
    assert [one.turn for one in service.plan("shelf", 3)] == [3, 4, 5]  # from now on
    service.add_arm("shelf", Arm("8.99", when="now", end=20))
    new = [float(v) for v in range(500, 539)]
    old = service.outline(service.experiment("shelf")).forecast.values
    assert service.reforecast("shelf", 2, new[:10]) == {"version": 2, "turns": 40}
    kept = service.outline(service.experiment("shelf")).forecast.values
    assert kept == (*old[:1], *new[:10], *old[11:])  # up to turn 40
    service.reforecast("shelf", 2, new)
    assert [one.forecast for one in service.plan("shelf", 2)] == [501.0, 502.0]
    assert service.decision("shelf", 40) == far
    assert service.read(lambda one: store.entries(one, "shelf"))[-1].body["values"][38] == 80.0
    assert "8.99" in {service.decide("shelf", turn).arm for turn in range(3, 8)}
    assert {arm.id: arm.status for arm in service.state("shelf").arms}["8.99"] == "playing"
    assert service.state("shelf").first_open == 2
    with pytest.raises(ClashError, match="would end at turn 1: that is decided"):
        service.add_arm("shelf", Arm("7.99", end=1))
    (report,) = audit(service.database)
    assert report.problems == ()


@pytest.mark.parametrize(
    ("every", "limit"), [("minute", 31 * 1440), ("hour", 31 * 24), ("day", 31), ("week", 31)]
)
def test_a_wrong_clock_decides_nothing_unforced(
    opened: Callable[[], Service], every: str, limit: int
) -> None:
    """However often it is asked, and whatever is reported meanwhile."""
    service, first = opened(), datetime(2026, 11, 2, 12, tzinfo=UTC)
    calendar = Calendar.starting("2026-11-02 12:00", every)
    length = timedelta(seconds=LENGTHS[every])
    service.clock = lambda: first - timedelta(90)  # it is created long before it begins
    plan = TrafficForecast((5.0,) * (2 * limit + 200), calendar)
    service.create(settings(forecast=plan, policy="greedy"))

    def now(turn: int) -> None:
        service.clock = lambda: first + (turn - 0.5) * length

    now(5)
    assert service.decide("shelf", ahead=31).turn == 5
    now(5 + limit)  # nobody asked for a while
    assert service.decide("shelf", ahead=31).turn == 5 + limit
    now(2 * limit + 6)
    for turn in (None, 2 * limit + 6):
        with pytest.raises(ClashError, match=f"no turn was decided in the {limit} before"):
            service.decide("shelf", turn, ahead=31)
        service.update_many("shelf", [Outcome(5, 5.0, 5.0)])
    assert service.decide("shelf", 6 + limit, ahead=31).turn == 6 + limit  # that is near
    assert service.decide("shelf", 2 * limit + 6, ahead=31).turn == 2 * limit + 6
    now(2 * limit + 100)
    assert service.decide("shelf", ahead=None).turn == 2 * limit + 100


def test_what_is_resumed_goes_on_at_once(opened: Callable[[], Service]) -> None:
    service = opened()
    service.create(settings(turns=400))
    service.decide("shelf", ahead=31)
    service.change_status("shelf", "pause")
    service.clock = lambda: MOMENT + timedelta(100)
    service.change_status("shelf", "resume")
    assert opened().state("shelf").decided == 1
    assert service.decide("shelf", ahead=31).turn == 103


def test_arms_have_values_of_one_type(service: Service) -> None:
    values: tuple[Any, ...] = (1, "two", True, {"a": 1}, None)
    for one, other in itertools.permutations(values, 2):
        mixed = settings("mixed", arms=(Arm("a", value=one), Arm("b", value=other)))
        if {type(one), type(other)} == {str, type(None)}:
            continue
        with pytest.raises(InvalidError, match=r"for the arm 'b' but .* for 'a', and ask"):
            service.create(mixed)
    for number, value in enumerate(values):
        service.create(settings(f"n{number}", arms=(Arm("a", value=value), Arm("c", value=value))))
        for other in values:
            if value == other or {type(value), type(other)} == {str, type(None)}:
                continue
            with pytest.raises(InvalidError, match=r"for the arm 'b' but .* for '[ac]', and ask"):
                service.add_arm(f"n{number}", Arm("b", value=other))
    service.create(settings("prices", arms=(Arm("a", value=10), Arm("b", value=9.99))))
    service.remove_arm("prices", "a")
    service.add_arm("prices", Arm("a"))  # it comes back as it was
    service.remove_arm("prices", "a")
    with pytest.raises(InvalidError, match="a text for the arm 'a' but a number for 'b'"):
        service.add_arm("prices", Arm("a", value="ten"))


def test_without_a_calendar_the_plan_goes_on_after_the_first_decisions(service: Service) -> None:
    service.create(settings("turns", forecast=TrafficForecast((5.0,) * 9)))
    for turn in (1, 2, 8):
        service.decide("turns", turn)
    assert [one.turn for one in service.plan("turns")] == [3, 4, 5, 6, 7, 9]


@pytest.mark.parametrize("change", [{"start": 4, "end": 3}, {"removed": True}])
def test_an_arm_that_can_never_be_played_is_refused(
    service: Service, change: dict[str, Any]
) -> None:
    with pytest.raises(InvalidError, match=r"before it starts|cannot be removed"):
        service.create(settings("other", arms=(Arm("a"), Arm("b", **change))))
    with pytest.raises(InvalidError, match=r"before it starts|cannot be removed"):
        service.add_arm("shelf", Arm("b", **change))


def test_turns_without_an_arm_are_not_planned(service: Service) -> None:
    service.create(settings("short", arms=(Arm("a", end=5), Arm("b", end=4))))
    assert [one.turn for one in service.plan("short")] == [3, 4, 5]
    with pytest.raises(ClashError, match="no arm is left for turn 6: add one"):
        service.decide("short", 6)


def test_a_reward_needs_visitors(service: Service) -> None:
    play(service, range(1, 3))
    service.decide("shelf", 3)
    with pytest.raises(InvalidError, match="turn 3: a reward of 5 cannot come from 0 visitors"):
        service.update_many("shelf", [Outcome(3, 5.0, 0.0)])
    with pytest.raises(InvalidError, match="0 visitors"):
        service.correct("shelf", Outcome(2, 5.0, 0.0))
    assert service.update_many("shelf", [Outcome(3, 0.0, 0.0)])["new"] == 1


def test_it_stays_with_the_leader_while_rewards_are_missing(
    service: Service, opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    """A setting, off by default; what it changes follows from the log."""
    service.create(settings("calm", policy="uniform", stay_with_leader=True))
    for turn in range(1, 4):
        service.update_many(
            "shelf", [Outcome(service.decide("shelf", turn).turn, 90.0 * turn, 90.0)]
        )
        service.update_many("calm", [Outcome(service.decide("calm", turn).turn, 90.0 * turn, 90.0)])
    leader = service.state("calm").best
    caplog.clear()
    played = [service.decide("calm", turn).arm for turn in range(4, 30)]
    assert set(played[3:]) == {leader}
    assert [r.getMessage() for r in caplog.records if r.levelname == "WARNING"] == [
        "calm: 3 turns have no reward, is it reported?"
    ]
    assert service.state("calm").stay_with_leader
    service.stay_with_leader("calm", stay=False)
    assert len({opened().decide("calm", turn).arm for turn in range(30, 40)}) > 1
    kinds = [event["kind"] for event in service.events("calm")]
    assert kinds.count("staying_changed") == 1
    assert [report.problems for report in audit(service.database)] == [(), ()]


def test_a_key_holds_for_every_change(service: Service) -> None:
    first = service.decide("shelf", 1, key="a")
    assert service.decide("shelf", 1, key="a") == first
    with pytest.raises(ClashError, match="used for another request"):
        service.decide("shelf", 2, key="a")
    now = service.decide("shelf", key="now")
    assert service.decide("shelf", key="now") == now
    service.change_status("shelf", "pause", key="b")
    service.change_status("shelf", "resume")
    assert service.change_status("shelf", "pause", key="b").status == "running"  # it was done
    with pytest.raises(ClashError, match="used for another request"):
        service.change_status("shelf", "archive", key="b")
    service.stay_with_leader("shelf", stay=True, key="c")
    with pytest.raises(ClashError, match="used for another request"):
        service.stay_with_leader("shelf", stay=False, key="c")
