"""The same bits on every executor: real Ray and Dask clusters on loopback, with workers killed."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import highseason as hs
import studies
from highseason.advice import recommend
from highseason.cli.output import plain
from highseason.core.parallel import Pool, map_blocks, opened
from highseason.logs import replay_many
from studies.authors_code import AuthorsUCB
from studies.logged.generate import generate_events
from studies.session import SimulationTask, StudySession
from studies.workers import Cluster

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Ray's and Dask's own
]

TURNS, GAMES = 60, 30_000


def simulated(**how: Any) -> str:
    """A digest of every number of a simulation of some blocks, curves included."""
    result = hs.simulate(
        [hs.UCB(), hs.EpsilonGreedy(k=1), hs.Discounted(hs.UCB(), discount=0.9)],
        hs.rewards.bernoulli(arms=6), hs.traffic.wave(TURNS), GAMES, seed=3, curves=5, **how,
    )  # fmt: skip
    digest = hashlib.sha256()
    for part in (*result.moments.values(), result.ratios, *result.curves.values()):
        for value in vars(part).values():
            digest.update(value.tobytes() if hasattr(value, "tobytes") else str(value).encode())
    for values in (result.games or {}).values():
        digest.update(values.tobytes())
    return digest.hexdigest()


@pytest.fixture(scope="module")
def expected() -> str:
    return simulated(executor="serial")


def pid_of(_: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def killing(pool: Pool) -> Any:
    """A progress function that kills one worker, the first time it is called."""
    workers: set[int] = set()
    while len(workers) < 2:  # on a busy machine one worker may do all, until the other has started
        workers |= set(map_blocks(pid_of, range(8), pool))
    assert os.getpid() not in workers

    def progress(done: int, total: int) -> None:
        if workers:
            os.kill(workers.pop(), signal.SIGKILL)
            workers.clear()

    return progress


# -- this machine ----------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_local_workers_leave_every_bit(workers: int, expected: str) -> None:
    assert simulated(executor="local", workers=workers) == expected


# -- clusters --------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["ray", "dask"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Pool]:
    pytest.importorskip({"ray": "ray", "dask": "distributed"}[request.param])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "disabled")  # on loopback, and no token in the home folder
        with opened(request.param, 2) as pool:
            yield pool


def test_a_cluster_leaves_every_bit(cluster: Pool, expected: str) -> None:
    seen: list[int] = []
    assert simulated(executor=cluster, progress=lambda done, _: seen.append(done)) == expected
    assert seen[-1] == GAMES
    assert len(seen) > 4


def test_a_worker_killed_in_the_middle_leaves_every_bit(cluster: Pool, expected: str) -> None:
    assert simulated(executor=cluster, progress=killing(cluster)) == expected


def test_errors_come_back_as_they_are(cluster: Pool) -> None:
    def fail(n: int) -> int:
        raise ZeroDivisionError(n)

    with pytest.raises(ZeroDivisionError):
        list(map_blocks(fail, range(3), cluster))


def test_replay_and_tuning_leave_every_bit(cluster: Pool, tmp_path: Path) -> None:
    log = generate_events(0.01, seed=1, articles=5).events
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for file, part in zip(files, (slice(4000), slice(4000, 7000)), strict=True):
        hs.logs.write_events(log.take(part), file)
    setting = {"runs": 6, "window": 2000, "step": 200}
    one, two = (
        replay_many(["epsilon-greedy", "ucb"], files, executor=executor, **setting)
        for executor in ("serial", cluster)
    )
    assert str(one) == str(two)
    for first, second in zip(one.policies, two.policies, strict=True):
        assert np.array_equal(first.means, second.means)
        assert np.array_equal(first.turns, second.turns)
    arms, G = hs.rewards.bernoulli(arms=6), hs.traffic.wave(TURNS)
    here, there = (
        hs.tune(hs.UCB(), arms, G, trials=6, games=3000, search="spread", executor=executor)
        for executor in ("serial", cluster)
    )
    assert here.to_dict() == there.to_dict()


def test_advice_leaves_every_bit(cluster: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recommend, "RHOS", (0.0, 0.1))
    here, there = (
        hs.advise("wave", 3, turns=9, rewards="visitors", rates=(0.1, 0.3), games=10, executor=one)
        for one in ("serial", cluster)
    )
    assert here.others
    assert plain(here.to_dict()) == plain(there.to_dict())


def test_a_study_travels_with_its_work(cluster: Pool, tmp_path: Path) -> None:
    cluster = Cluster(cluster, studies)

    def folder(_: int) -> str:
        return str(studies.__path__[0])

    clone = str(studies.__path__[0])
    assert clone not in set(map_blocks(folder, range(4), cluster))
    arms = hs.rewards.bernoulli(arms=4)
    tasks = [
        SimulationTask({"ucb": AuthorsUCB()}, arms, hs.traffic.wave(turns), 20, 7)
        for turns in (20, 40)
    ]
    session = StudySession(studies.STUDIES["simulated"], tmp_path, cluster)
    for task, result in zip(tasks, session.results("simulating", tasks), strict=True):
        assert np.array_equal(result.games["reward"], task.result().games["reward"])


# -- a cluster that runs already -------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def finished(process: subprocess.Popen[bytes]) -> None:
    """End a program and all it started."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_dask_scheduler_is_joined_by_its_address(expected: str) -> None:
    pytest.importorskip("distributed")
    from distributed import LocalCluster

    how = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(processes=False, protocol="tcp://", host="127.0.0.1", **how) as theirs:
        address = theirs.scheduler_address.removeprefix("tcp://")
        assert simulated(executor=f"dask://{address}") == expected
        assert len(theirs.workers) == 1  # it still runs


@pytest.mark.soak
def test_a_ray_cluster_is_joined_by_the_address_of_its_client_server(
    expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    port = free_port()
    words = (
        "start --head --block --num-cpus=2 --include-dashboard=false --node-ip-address=127.0.0.1 "
        f"--port={free_port()} --ray-client-server-port={port}"
    )
    start = [sys.executable, "-m", "ray.scripts.scripts", *words.split()]
    process = subprocess.Popen(start, start_new_session=True, stdout=subprocess.DEVNULL)
    try:
        time.sleep(25)  # its parts start one after the other, and a client that comes early fails
        assert simulated(executor=f"ray://127.0.0.1:{port}") == expected
        with opened(f"ray://127.0.0.1:{port}") as pool:  # a second time: the cluster still runs
            assert pool.workers == 2
            assert len(set(map_blocks(lambda n: (os.getpid(), n), range(8), pool))) == 8
    finally:
        finished(process)


def test_dask_in_a_script_without_a_main_guard_says_what_to_write(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    script = tmp_path / "script.py"
    script.write_text(
        "from highseason.core.parallel import opened\n"
        "with opened('dask', 1) as pool:\n"
        "    print('started')\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=120, check=False
    )
    assert 'under `if __name__ == "__main__":`' in done.stderr
    assert "started" not in done.stdout
