"""Events and their stores: what is written, what a crash leaves, what is refused."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import highseason as hs
from highseason.bandit import (
    ArmAdded,
    DocumentError,
    Event,
    JsonLinesStore,
    MemoryStore,
    OutcomesReported,
    StoreError,
    StoreWarning,
    TurnDecided,
    TurnOutcome,
    event_from_json,
    event_to_json,
)
from highseason.policies import Policy, parameter


def shop(store: Any = None, **options: Any) -> hs.Bandit:
    options = {"multiplier": [5.0, 50.0, 5.0, 50.0, 5.0, 5.0], "seed": 7, **options}
    return hs.Bandit(["a", "b"], hs.EpsilonGreedy(k=1), store=store, **options)


def busy(store: Any = None, **options: Any) -> hs.Bandit:
    """A bandit to which everything has happened."""
    bandit = shop(store, **options)
    for t in (1, 2, 3, 5):
        bandit.pull(t)
    bandit.update_many([(bandit.pull(1), 1.1, 1, 3.3), (bandit.pull(2), 0.7, 2)])
    bandit.count_visitors(2, 7.0)
    bandit.add_arm(("c", 1), when="now", expires=8)
    bandit.add_arm("d", expires="unknown")
    bandit.remove_arm("a")
    bandit.extend([1.0, 9.0])
    bandit.pull(7)
    return bandit


def kinds(events: Any) -> list[str]:
    return [type(event).__name__ for event in events]


def path_of(folder: Path) -> Path:
    return folder / "shelf.jsonl"


# what is written


def test_every_change_is_one_event_and_nothing_else_is() -> None:
    bandit = busy()
    before = kinds(bandit.store)
    assert before == [
        "BanditStarted",
        *["TurnDecided"] * 4,
        *["OutcomesReported"] * 2,
        *["ArmAdded"] * 2,
        "ArmRemoved",
        "MultiplierExtended",
        "TurnDecided",
    ]
    assert [event.seq for event in bandit.store] == list(range(1, 13))
    bandit.probabilities(6)
    bandit.pull(1)  # decided before
    bandit.count_visitors(2, 7.0)  # known before
    with pytest.raises(ValueError, match="no arm"):
        bandit.remove_arm("x")
    assert kinds(bandit.store) == before


def test_events_say_what_happened() -> None:
    events = {type(event): event for event in busy().store}
    assert events[ArmAdded] == ArmAdded(9, "d", hs.bandit.Lifetime("unknown"), held=True)
    decided, reported = events[TurnDecided], events[OutcomesReported]
    assert isinstance(decided, TurnDecided)
    assert (decided.seq, decided.turn, decided.expected) == (12, 7, None)
    assert decided.propensities is None or sum(decided.propensities.values) <= 1.0
    assert reported == OutcomesReported(7, (TurnOutcome(2, "b", 0.7, 7.0),))


@pytest.mark.parametrize("multiplier", [None, [5.0] * 9], ids=["online", "known"])
def test_events_are_json_and_back(multiplier: Any) -> None:
    bandit = busy() if multiplier else hs.Bandit(["a", math.inf, None], hs.Greedy())
    if not multiplier:
        bandit.update(bandit.pull(expected=3.0), 2.0, visitors=4.0)
    for event in bandit.store:
        text = event_to_json(event)
        assert json.loads(text)["seq"] == event.seq
        assert "\n" not in text
        assert event_to_json(event_from_json(text)) == text


def test_a_calendar_and_a_zone_come_back() -> None:
    hours = np.datetime64("2024-10-27T00") + np.arange(6)
    G = hs.traffic.from_values([1.0, 2, 3, 4, 5, 6], hours, name="visitors")
    bandit = hs.Bandit(["a", "b"], hs.Greedy(), G, expires={"a": "2024-10-27T03"})
    bandit.extend(hs.traffic.from_values([7.0], [np.datetime64("2024-10-27T06")]))
    lines = [event_to_json(event) for event in bandit.store]
    again = hs.Bandit.from_events(MemoryStore(map(event_from_json, lines)))
    assert (again.multiplier, again.to_json()) == (bandit.multiplier, bandit.to_json())


def test_any_hashable_id_plays_with_events_in_memory_but_not_in_a_file(tmp_path: Path) -> None:
    odd = frozenset("x")
    bandit = hs.Bandit([odd, "b"], hs.Greedy(), [5.0])
    bandit.pull()
    assert hs.Bandit.from_events(MemoryStore(bandit.store)).decision(1).arm == odd
    with pytest.raises(ValueError, match="cannot be written as JSON"):
        hs.Bandit([odd], hs.Greedy(), [5.0], store=JsonLinesStore(path_of(tmp_path)))
    bandit = shop(JsonLinesStore(path_of(tmp_path)))
    with pytest.raises(ValueError, match="cannot be written as JSON"):
        bandit.add_arm(odd)
    assert bandit.arms == ("a", "b")
    assert bandit.pull() == "a"


def test_a_policy_without_a_name_is_handed_over(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Mine(Policy):
        rule = hs.policies.EPSILON
        share: float = parameter(0.5, "how often")

        def step(self, carry: Any, view: Any) -> tuple[float, Any]:
            return self.share, carry

    store = JsonLinesStore(path_of(tmp_path))
    bandit = hs.Bandit(["a", "b"], Mine(share=0.25), [5.0] * 9, store=store)
    with pytest.raises(DocumentError, match="policy=…"):
        hs.Bandit.from_events(store)
    with pytest.raises(DocumentError, match="another policy"):
        hs.Bandit.from_events(store, policy=Mine(share=0.75))
    assert hs.Bandit.from_events(store, policy=Mine(share=0.25)).to_json() == bandit.to_json()
    assert hs.Bandit.from_events(MemoryStore(bandit.store), Mine(share=0.25)).pull() == "a"


# stores


def test_a_file_holds_a_line_per_event_and_the_bandit_goes_on_from_it(tmp_path: Path) -> None:
    store = JsonLinesStore(path_of(tmp_path))
    bandit = busy(store)
    assert len(path_of(tmp_path).read_text().splitlines()) == len(list(store)) == 12
    store.close()
    again = hs.Bandit.from_events(JsonLinesStore(path_of(tmp_path), sync=True))
    assert again.to_json() == bandit.to_json() == busy().to_json()
    again.pull(8)
    assert len(path_of(tmp_path).read_text().splitlines()) == 13


def test_a_document_starts_a_new_store(tmp_path: Path) -> None:
    bandit = busy()
    store = JsonLinesStore(path_of(tmp_path))
    twin = hs.Bandit.from_json(bandit.to_json().encode(), store=store)
    twin.pull(8)
    assert kinds(store) == [*kinds(bandit.store), "TurnDecided"]
    again = hs.Bandit.from_events(store)
    bandit.pull(8)
    assert again.to_json() == twin.to_json() == bandit.to_json()


def test_a_store_with_events_is_not_started_again(tmp_path: Path) -> None:
    store = JsonLinesStore(path_of(tmp_path))
    bandit = busy(store)
    with pytest.raises(StoreError, match="from_events"):
        shop(store)
    with pytest.raises(StoreError, match="from_events"):
        hs.Bandit.from_json(bandit.to_json(), store=store)
    assert len(list(store)) == 12


def test_an_empty_store_holds_no_bandit(tmp_path: Path) -> None:
    for store in (MemoryStore(), JsonLinesStore(path_of(tmp_path))):
        with pytest.raises(DocumentError, match="holds no bandit"):
            hs.Bandit.from_events(store)
    assert not path_of(tmp_path).exists()


def test_two_writers_cannot_both_succeed(tmp_path: Path) -> None:
    memory = MemoryStore()
    one = shop(memory)
    other = hs.Bandit.from_events(memory)
    one.pull(1)
    with pytest.raises(StoreError, match="another bandit writes to it"):
        other.pull(2)
    assert other.decisions() == []

    file = JsonLinesStore(path_of(tmp_path))
    one = shop(file)
    other = hs.Bandit.from_events(JsonLinesStore(path_of(tmp_path)))
    with pytest.raises(StoreError, match="open for writing elsewhere"):
        other.pull(2)
    one.pull(1)
    file.close()
    with pytest.raises(StoreError, match="another bandit writes to it"):
        other.pull(2)
    assert hs.Bandit.from_events(file).pull(1) == one.pull(1)


def test_a_file_that_changes_under_the_bandit_is_not_written_to(tmp_path: Path) -> None:
    bandit = shop(JsonLinesStore(path_of(tmp_path)))
    with path_of(tmp_path).open("a") as file:
        file.write("more\n")
    with pytest.raises(StoreError, match="changed by another program since event 1"):
        bandit.pull()


class Failing(MemoryStore):
    """A store that takes no more than so many events."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def append(self, event: Event) -> None:
        if len(self) >= self.room:
            raise StoreError("full")
        super().append(event)


@pytest.mark.parametrize(
    "act",
    [
        lambda b: b.pull(),
        lambda b: b.update("a", 1.0, 1, 2.0),
        lambda b: b.count_visitors(1, 2.0),
        lambda b: b.add_arm("c"),
        lambda b: b.remove_arm("a"),
        lambda b: b.extend([5.0]),
    ],
    ids=["pull", "update", "visitors", "add", "remove", "extend"],
)
@pytest.mark.parametrize("policy", [hs.EpsilonGreedy(k=1), hs.SoftUCBMortal()], ids=str)
@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
def test_what_cannot_be_stored_does_not_happen(
    act: Callable[[hs.Bandit], Any], policy: hs.Policy
) -> None:
    store = Failing(room=2)
    bandit = hs.Bandit(["a", "b"], policy, [5.0] * 6, reward_range=(0, 1), store=store)
    bandit.pull()
    before = bandit.to_json()
    with pytest.raises(StoreError, match="full"):
        act(bandit)
    assert bandit.to_json() == before
    store.room = 9
    act(bandit)
    assert hs.Bandit.from_events(MemoryStore(store)).to_json() == bandit.to_json()


# what a crash leaves


def test_a_file_cut_at_any_byte_holds_the_events_that_were_complete(tmp_path: Path) -> None:
    whole = path_of(tmp_path)
    bandit = busy(JsonLinesStore(whole))
    data = whole.read_bytes()
    ends = [i + 1 for i, byte in enumerate(data) if byte == ord("\n")]
    cut_file = tmp_path / "cut.jsonl"
    for cut in range(len(data) + 1):
        cut_file.write_bytes(data[:cut])
        store = JsonLinesStore(cut_file)
        complete = sum(end <= cut for end in ends)
        if cut in (0, *ends):
            events = list(store)
        else:
            with pytest.warns(StoreWarning, match=f"line {complete + 1} is incomplete"):
                events = list(store)
        assert [event.seq for event in events] == list(range(1, complete + 1))
        if complete and cut - max(end for end in ends if end <= cut) in (0, 1, 30):
            with hs.core.warnings.quiet(StoreWarning):
                again = hs.Bandit.from_events(store)
                again.pull(6)  # which writes over the torn line
            assert len(list(store)) == complete + 1
            store.close()
    assert again.to_json() != bandit.to_json()
    assert hs.Bandit.from_events(JsonLinesStore(whole)).to_json() == bandit.to_json()


def test_a_bandit_that_never_began_can_be_started_again(tmp_path: Path) -> None:
    path_of(tmp_path).write_text('{"event":"BanditStarted","se')
    with pytest.warns(StoreWarning, match="line 1 is incomplete"):
        bandit = shop(JsonLinesStore(path_of(tmp_path)))
    bandit.pull()
    assert hs.Bandit.from_events(bandit.store).to_json() == bandit.to_json()


@pytest.mark.parametrize("half", [True, False], ids=["half", "nothing"])
def test_a_full_disk_leaves_bandit_and_file_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, half: bool
) -> None:
    bandit = shop(JsonLinesStore(path_of(tmp_path)))
    before, text = bandit.to_json(), path_of(tmp_path).read_text()
    write = os.write

    def full(file: int, data: bytes) -> int:
        if not half:
            raise OSError(28, "No space left on device")
        return write(file, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match=r"cannot write event 2 to .*shelf.jsonl: "):
        bandit.pull()
    monkeypatch.undo()
    assert (bandit.to_json(), path_of(tmp_path).read_text()) == (before, text)
    bandit.pull()
    assert hs.Bandit.from_events(bandit.store).to_json() == bandit.to_json()


# what is refused


def lines_of(bandit: hs.Bandit) -> list[dict[str, Any]]:
    return [json.loads(event_to_json(event)) for event in bandit.store]


@pytest.mark.parametrize(
    ("row", "change", "why"),
    [
        (0, {"version": 2}, "line 1: .*value 2 - at `..version`; upgrade"),
        (0, {"policy": {"name": "no-such-policy"}}, "no-such-policy"),
        (0, {"arms": ["a", "a"]}, "already in the game"),
        (0, {"arms": []}, "corrupt event 1"),
        (0, {"known": "yes"}, "line 1: .*`bool`, got `str` - at `..known`"),
        (1, {"seq": 5}, "line 2: expected event 2, got 5"),
        (1, {"event": "Nonsense"}, "line 2: expected an event as .*: Invalid value 'Nonsense'"),
        (1, {"event": "BanditStarted"}, "line 2: .*missing required field `policy`"),
        (1, {"turn": 99}, "corrupt event 2: turn 99 is past the forecast"),
        (1, {"arm": "x"}, "corrupt event 2: there is no arm 'x'"),
        (1, {"arm": ["a"]}, "line 2"),
        (1, {"level": None}, "line 2: .*`float`, got `null` - at `..level`"),
        (1, {"probability": 0.5}, "corrupt event 2: probability"),
        (1, {"expected": 3.0}, "corrupt event 2: expected"),
        (2, {"turn": 1}, "corrupt event 3: turn 1 is already decided"),
        (5, {"outcomes": [[4, "a", 1.0, 1.0]]}, "corrupt event 6: turn 4 is not decided"),
        (5, {"outcomes": [[1, "a", "1", 1.0]]}, "line 6: .*`float . null`, got `str` - at"),
        (5, {"outcomes": [[1, "a", 1.0, -1.0]]}, "corrupt event 6: visitors"),
        (5, {"outcomes": [[1, "b", 1.1, 3.3]]}, "corrupt event 6: turn 1 was decided for the arm"),
        (6, {"outcomes": [[2, "b", 0.8, 7.0]]}, "corrupt event 7: turn 2 already has reward=0.7"),
        (7, {"arm": "a"}, "corrupt event 8: the arm 'a' is already in the game"),
        (7, {"lifetime": ["soon", None]}, "line 8: .*'soon' - at `..lifetime"),
        (9, {"arm": "z"}, "corrupt event 10: there is no arm 'z'"),
        (10, {"multiplier": {"name": "x", "values": [-1.0], "calendar": None}}, "line 11"),
    ],
)
def test_a_corrupt_event_is_refused_by_its_place(
    tmp_path: Path, row: int, change: dict[str, Any], why: str
) -> None:
    lines = lines_of(busy())
    lines[row] |= change
    path_of(tmp_path).write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(DocumentError, match=why):
        hs.Bandit.from_events(JsonLinesStore(path_of(tmp_path)))


def test_a_line_that_is_not_json_is_refused(tmp_path: Path) -> None:
    busy(JsonLinesStore(path_of(tmp_path)))
    lines = path_of(tmp_path).read_text().splitlines(keepends=True)
    path_of(tmp_path).write_text("".join([*lines[:3], lines[3][:20] + "\n", *lines[4:]]))
    with pytest.raises(DocumentError, match=r"shelf\.jsonl, line 4: not JSON"):
        hs.Bandit.from_events(JsonLinesStore(path_of(tmp_path)))


def test_a_start_in_the_middle_is_refused() -> None:
    events = list(busy().store)
    again = msgspec.structs.replace(events[0], seq=13)
    with pytest.raises(DocumentError, match="BanditStarted may only be the first"):
        hs.Bandit.from_events(MemoryStore([*events, again]))
    with pytest.raises(DocumentError, match="expected event 3, got 4"):
        hs.Bandit.from_events(MemoryStore([*events[:2], *events[3:]]))


# copies


@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, copy.copy, lambda b: pickle.loads(pickle.dumps(b))],
    ids=["deepcopy", "copy", "pickle"],
)
def test_a_copy_is_complete_and_on_its_own(copied: Any, tmp_path: Path) -> None:
    bandit = busy(JsonLinesStore(path_of(tmp_path)))
    twin = copied(bandit)
    assert twin.to_json() == bandit.to_json()
    assert isinstance(twin.store, MemoryStore)
    assert kinds(twin.store) == kinds(bandit.store)
    assert [twin.pull(t) for t in (6, 8)] == [bandit.pull(t) for t in (6, 8)]
    twin.update(twin.pull(6), 9.0, 6, 1.0)
    assert bandit.decision(6).reward is None
    assert twin.ranking() != bandit.ranking()
    assert hs.Bandit.from_events(twin.store).to_json() == twin.to_json()


def test_a_copy_is_of_one_moment() -> None:
    bandit = hs.Bandit(list("abc"), hs.UniformRandom(), [5.0] * 2000, known=True)
    done = threading.Event()

    def play() -> None:
        while not done.is_set() and len(bandit.decisions()) < 1900:
            bandit.update(bandit.pull(), 1.0)

    thread = threading.Thread(target=play)
    thread.start()
    try:
        for _ in range(5):
            twin = pickle.loads(pickle.dumps(bandit))
            assert hs.Bandit.from_events(twin.store).to_json() == twin.to_json()
    finally:
        done.set()
        thread.join()


def test_a_store_of_ones_own() -> None:
    """As a database would be: rows by number, texts in a column."""

    class Table:
        def __init__(self) -> None:
            self.rows: dict[int, str] = {}

        def append(self, event: Event) -> None:
            if event.seq in self.rows:
                raise StoreError("duplicate key")
            self.rows[event.seq] = event_to_json(event)

        def __iter__(self) -> Iterator[Event]:
            return (event_from_json(self.rows[seq]) for seq in sorted(self.rows))

    table = Table()
    one = busy(table)
    other = hs.Bandit.from_events(table)
    assert other.to_json() == one.to_json()
    other.pull(6)
    with pytest.raises(StoreError, match="duplicate key"):
        one.pull(8)


def test_a_bandit_follows_the_events_of_another() -> None:
    leader = hs.Bandit(["a", "b"], "uniform", [5.0] * 20)
    other = hs.Bandit.from_events(MemoryStore(leader.store))
    for turn in range(1, 11):
        leader.update(leader.pull(turn), reward=turn, t=turn, visitors=3)
    for event in list(leader.store)[1:]:
        other.follow(event)
    assert (other.decisions(), other.ranking()) == (leader.decisions(), leader.ranking())
    with pytest.raises(DocumentError, match="expected event 22"):
        other.follow(event)
