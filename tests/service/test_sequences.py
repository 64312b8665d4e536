"""Any sequence of requests, with repeats, retries and restarts, against a simple model."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings as examples
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.service.conftest import MOMENT, settings

from highseason_service import Service
from highseason_service.audit import audit
from highseason_service.errors import ClashError
from highseason_service.model import Arm, Outcome

TURNS = 12
turns = st.integers(1, TURNS)
rewards = st.sampled_from([0.0, 120.0, 900.0])


class Requests(RuleBasedStateMachine):
    """The model: which arm each turn has, which reward counts, and who is there."""

    @initialize(policy=st.sampled_from(["soft-ucb", "uniform", "epsilon-greedy"]))
    def start(self, policy: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = str(Path(self.folder.name) / "service.db")
        self.services = [self.open(), self.open()]
        self.services[0].create(settings(turns=TURNS, policy=policy))
        self.arms: dict[int, str] = {}
        self.rewards: dict[int, float] = {}
        self.keys: dict[str, tuple[int, float, dict[str, int]]] = {}
        self.there = {"9.99", "10.99", "11.99"}
        self.paused = False

    def open(self) -> Service:
        return Service(self.path, clock=lambda: MOMENT)

    @rule(turn=turns, which=st.integers(0, 1))
    def decide(self, turn: int, which: int) -> None:
        ask = self.services[which].decide
        if turn in self.arms:
            assert ask("shelf", turn).arm == self.arms[turn]
        elif self.paused or not self.there:
            with pytest.raises(ClashError):
                ask("shelf", turn)
        else:
            self.arms[turn] = ask("shelf", turn).arm
            assert self.arms[turn] in self.there

    @rule(
        turn=turns, reward=rewards, key=st.sampled_from([None, "a", "b"]), which=st.integers(0, 1)
    )
    def report(self, turn: int, reward: float, key: str | None, which: int) -> None:
        def send() -> dict[str, int]:
            return self.services[which].update_many("shelf", [Outcome(turn, reward, 100.0)], key)

        if key in self.keys:
            if self.keys[key][:2] == (turn, reward):
                assert send() == self.keys[key][2]
            else:
                with pytest.raises(ClashError, match="another request"):
                    send()
        elif turn not in self.arms or self.rewards.get(turn, reward) != reward:
            with pytest.raises(ClashError):
                send()
        else:
            answer = send()
            assert answer["new"] == (turn not in self.rewards)
            self.rewards[turn] = reward
            if key is not None:
                self.keys[key] = turn, reward, answer

    @rule(turn=turns, reward=rewards, which=st.integers(0, 1))
    def correct(self, turn: int, reward: float, which: int) -> None:
        ask = self.services[which].correct
        if turn not in self.rewards:
            with pytest.raises(ClashError):
                ask("shelf", Outcome(turn, reward, 100.0))
        else:
            before = ask("shelf", Outcome(turn, reward, 100.0))["before"]
            assert before["reward"] == self.rewards[turn]
            self.rewards[turn] = reward

    @rule(arm=st.sampled_from(["9.99", "8.49"]), which=st.integers(0, 1))
    def come_or_go(self, arm: str, which: int) -> None:
        service = self.services[which]
        if arm in self.there:
            service.remove_arm("shelf", arm)
            self.there.remove(arm)
        else:
            service.add_arm("shelf", Arm(arm, when="now"))
            self.there.add(arm)

    @rule(which=st.integers(0, 1))
    def pause_or_resume(self, which: int) -> None:
        self.services[which].change_status("shelf", "resume" if self.paused else "pause")
        self.paused = not self.paused

    @rule(which=st.integers(0, 1))
    def restart(self, which: int) -> None:
        self.services[which].close()
        self.services[which] = self.open()

    @invariant()
    def the_tables_hold_what_the_model_holds(self) -> None:
        if hasattr(self, "services"):
            rows = self.services[0].decisions("shelf")
            assert {row.turn: row.arm for row in rows} == self.arms
            assert {r.turn: r.reward for r in rows if r.reward is not None} == self.rewards

    def teardown(self) -> None:
        if hasattr(self, "services"):
            assert self.services[0].state("shelf") == self.services[1].state("shelf")
            assert audit(self.services[0].database)[0].problems == ()
            for service in self.services:
                service.close()
            self.folder.cleanup()


TestRequests = Requests.TestCase
TestRequests.settings = examples(max_examples=12, stateful_step_count=25, deadline=None)
