"""Many threads, one bandit."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

import highseason as hs

THREADS = 8
TURNS = 400


@pytest.fixture(autouse=True)
def switch_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def run(work: Callable[[int], None]) -> None:
    errors: list[BaseException] = []
    ready = threading.Barrier(THREADS)

    def guarded(number: int) -> None:
        try:
            ready.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def shop() -> hs.Bandit:
    return hs.Bandit(list("abcd"), hs.EpsilonGreedy(k=5), [1.0] * TURNS, seed=3, known=True)


def test_every_turn_is_decided_once_and_no_reward_is_lost() -> None:
    bandit = shop()

    def work(number: int) -> None:
        for _ in range(TURNS // THREADS):
            decision = bandit.decide()
            bandit.update(decision.arm, 1.0, decision.turn)
            bandit.update(decision.arm, 1.0, decision.turn)  # sent twice
            if decision.turn % 50 == 0:
                hs.Bandit.from_json(bandit.to_json())

    run(work)
    log = bandit.decisions()
    assert sorted(d.turn for d in log) == list(range(1, TURNS + 1))
    assert Counter(d.arm for d in log) == {row.arm: row.pulls for row in bandit.ranking()}
    assert (bandit.unrewarded, bandit.pending) == ([], [])


def test_all_threads_get_the_same_answer_for_a_turn() -> None:
    bandit = shop()
    answers: list[dict[int, str]] = [{} for _ in range(THREADS)]

    def work(number: int) -> None:
        for t in range(1, TURNS + 1, 2) if number % 2 else range(TURNS - 1, 0, -2):
            answers[number][t] = bandit.pull(t)
            bandit.update(answers[number][t], float(t % 3), t)

    run(work)
    assert all(answer == answers[0] for answer in answers)
    assert len(bandit.decisions()) == TURNS // 2


def test_arms_come_and_go_meanwhile() -> None:
    bandit = shop()

    def work(number: int) -> None:
        if number == 0:
            for i in range(20):
                bandit.add_arm(f"new {i}", when="now")
                bandit.extend([1.0])
                bandit.remove_arm(f"new {i}")
        else:
            for _ in range(30):
                decision = bandit.decide()
                bandit.update_many([(decision.arm, 1.0, decision.turn)])
                assert abs(sum(bandit.probabilities().values()) - 1.0) < 1e-9

    run(work)
    assert bandit.arms == tuple("abcd")
    assert len(bandit.decisions()) == 30 * (THREADS - 1)
    assert bandit.unrewarded == []
