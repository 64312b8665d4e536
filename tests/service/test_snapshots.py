"""A start from a snapshot is the same as one from the whole log, only faster."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from tests.service.conftest import settings
from tests.service.test_storage import play, raw

from highseason_service import Service, cache
from highseason_service.audit import audit
from highseason_service.errors import ClashError
from highseason_service.model import Arm, Outcome

Open = Callable[[], Service]


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a snapshot after every few entries."""
    monkeypatch.setattr(cache, "ENTRIES", 5)
    monkeypatch.setattr(cache, "ENTRIES_AT_END", 1)


@pytest.fixture
def played(service: Service) -> Service:
    """An experiment to which everything has happened that can."""
    play(service, range(1, 6))
    service.correct("shelf", Outcome(2, 999.0, 100.0))
    service.add_arm("shelf", Arm("8.99", start=8, when="now"))
    service.remove_arm("shelf", "9.99")
    play(service, range(6, 15))
    service.correct("shelf", Outcome(3, 1.0, 50.0))  # the visitors, too
    service.reforecast("shelf", 20, [300.0, 20.0, 40.0, 800.0])
    play(service, range(15, 18))
    service.change_status("shelf", "pause")
    service.change_status("shelf", "resume")
    service.correct("shelf", Outcome(3, 2.0, 50.0))
    service.state("shelf")  # the snapshots that are due are written before this is answered
    return service


def without_snapshots(service: Service) -> Service:
    raw(service, "DELETE FROM snapshots")
    return service


def test_a_start_from_a_snapshot_is_a_start_from_the_log(played: Service, opened: Open) -> None:
    fast, slow = opened(), opened()
    state = fast.state("shelf")
    assert fast.brains.rebuilt == 0, "it was built from the log, not from the snapshot"
    without_snapshots(played)
    assert slow.state("shelf") == state == played.state("shelf")
    assert slow.brains.rebuilt == 1
    assert fast.plan("shelf") == slow.plan("shelf")
    play(fast, range(18, 24))
    assert slow.decisions("shelf") == fast.decisions("shelf")
    assert slow.state("shelf") == fast.state("shelf")
    assert audit(played.database)[0].problems == ()


@pytest.mark.parametrize("damage", ["{", "{}", '{"seq": 9999, "heads": [1]}', "[]"])
def test_a_damaged_snapshot_is_not_used(
    played: Service, opened: Open, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    raw(played, "UPDATE snapshots SET state = :damage", damage=damage)
    again = opened()
    with caplog.at_level(logging.WARNING, "highseason_service"):
        assert again.state("shelf") == played.state("shelf")
    assert again.brains.rebuilt == 1
    assert "cannot be used" in caplog.text


def test_a_snapshot_of_another_version_is_not_used(played: Service, opened: Open) -> None:
    raw(played, "UPDATE snapshots SET written_by = '0.0.1'")
    again = opened()
    assert again.state("shelf") == played.state("shelf")
    assert again.brains.rebuilt == 1


def test_a_change_that_reaches_back_makes_snapshots_useless(
    played: Service, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "ENTRIES", 1000)  # none after this one
    played.correct("shelf", Outcome(5, 4.0, 3.0))
    again = opened()
    assert again.state("shelf") == played.state("shelf")
    assert again.brains.rebuilt == 1


def test_a_service_that_ends_leaves_a_snapshot(
    url: str, service: Service, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "ENTRIES", 1000)
    with Service(url) as ending:
        play(ending, range(1, 10))
    again = opened()
    assert again.state("shelf") == service.state("shelf")
    assert again.brains.rebuilt == 0


def test_a_correction_of_a_reward_rebuilds_nothing(service: Service) -> None:
    play(service, range(1, 10))
    before = service.brains.rebuilt
    service.correct("shelf", Outcome(4, 7.0, 100.0))
    assert service.brains.rebuilt == before
    service.correct("shelf", Outcome(4, 7.0, 70.0))
    assert service.brains.rebuilt == before + 1
    assert audit(service.database)[0].problems == ()


def test_a_log_that_calls_removed_arms_retired_is_read(played: Service, opened: Open) -> None:
    state = played.state("shelf")
    for table, column in (("events", "body"), ("snapshots", "state")):
        raw(
            played, f"UPDATE {table} SET {column} = REPLACE({column}, '\"removed\"', '\"retired\"')"
        )
    from_snapshot, from_log = opened(), opened()
    assert from_snapshot.state("shelf") == state
    assert from_snapshot.brains.rebuilt == 0
    without_snapshots(played)
    assert from_log.state("shelf") == state


def test_an_experiment_whose_log_says_retired_is_created_again(service: Service) -> None:
    created = service.create(settings("again"))
    raw(service, "UPDATE events SET body = REPLACE(body, '\"removed\"', '\"retired\"')")
    assert service.create(settings("again")) == created
    with pytest.raises(ClashError, match="with other settings"):
        service.create(settings("again", seed=99))
