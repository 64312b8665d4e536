"""One run of a study: its options, its progress, and its tasks, which it keeps when finished."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, groupby
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from highseason.advice import Budget, Evaluate, Space, derive_seed, on_games, search
from highseason.core.compile import sources_hash
from highseason.core.parallel import Executors, Pool, map_blocks, opened
from highseason.core.random import draw, seed_key
from highseason.core.version import __version__
from highseason.core.warnings import quiet
from highseason.engine import SimulationResult, simulate
from highseason.engine.gpu.pool import GpuPool
from highseason.policies import Policy
from highseason.policies.lifetimes import Lifetimes
from highseason.rewards import Rewards
from highseason.traffic import Multiplier
from studies.checkpoints import Checkpoint, fingerprint
from studies.study import Study
from studies.workers import Processes

Progress = Callable[[int, int], None]
T = TypeVar("T")

#: Before a study has run, figures and files are taken for this share of the steps.
_AFTERWARDS = 0.15
#: Of a stored regret, as a share of what can be earned.
_DIGITS = 9


@dataclass(frozen=True, eq=False)
class TuningTask:
    """The search for the best of each space, in the games of one setting."""

    spaces: Mapping[str, Space]
    rewards: Rewards
    G: Multiplier
    budget: Budget
    seed: int  # Of the report, which the games of the search do not have

    def result(self, executor: Executors = "serial") -> dict[str, Policy]:
        """The best candidate of each."""
        own = derive_seed(self.seed, "search")
        return _best(self.spaces, on_games(self.rewards, self.G, own, executor), self.budget)


@dataclass(frozen=True, eq=False)
class SimulationTask:
    """Games of some policies in one setting; every game is kept."""

    policies: Mapping[str, Policy]
    rewards: Rewards
    G: Multiplier
    games: int
    seed: int
    forecast: Any = None
    lifetimes: Lifetimes | None = None

    def result(self, executor: Executors = "serial") -> Any:
        """What happens in the games."""
        return self.simulated(executor)

    def simulated(self, executor: Executors, realised: bool = False) -> SimulationResult:
        """The simulation, without warnings: settings of a study are odd on purpose."""
        with quiet():
            return simulate(
                dict(self.policies), self.rewards, self.G, self.games, self.seed,
                forecast=self.forecast, lifetimes=self.lifetimes, executor=executor, keep="games",
                realised=realised,
            )  # fmt: skip


class RegretsTask(SimulationTask):
    """What many policies lose in every game of one setting."""

    @classmethod
    def of(cls, policies: Sequence[Policy], *where: Any) -> RegretsTask:
        """The task for policies that are told apart by their place."""
        return cls({str(i): policy for i, policy in enumerate(policies)}, *where)

    def result(self, executor: Executors = "serial") -> NDArray[np.float64]:
        """What is lost, as shares of the best arm's mean reward: a row for each policy."""
        result = self.simulated(executor, realised=True)
        # The reward of the best arm is the same in every run, so losses of two runs compare.
        best = result.mean("reward", 0) + result.mean("realised_regret", 0)
        assert result.games is not None  # they are kept
        return np.round(result.games["regret"] / best, _DIGITS)


Task = TuningTask | SimulationTask


def _longest_first(task: Task) -> tuple[int, int, str]:
    """Sorts tasks; those with the same G and number of arms, so the same plans, are equal."""
    return -task.G.turns, -task.rewards.arms, task.G.digest()


def _results_of(tasks: Sequence[Task]) -> list[Any]:
    """The results of several tasks, for one process, which makes plans that they share once."""
    return [task.result() for task in tasks]


def _best(spaces: Mapping[str, Space], evaluate: Evaluate, budget: Budget) -> dict[str, Policy]:
    return {label: search(space, evaluate, budget)[0].policy for label, space in spaces.items()}


@dataclass
class StudySession:
    """The options of one run, and where it stands."""

    study: Study
    out: Path  # The folder of the report
    executor: Executors = None
    games: int | None = None  # In each setting; the study's own number if None
    seed: int = 0
    quick: bool = False  # A small sweep, for tests
    profiles: Sequence[str] = ()  # The study's default ones if empty
    parts: Sequence[str] = ()  # Groups of settings; all of them if empty
    data: Path | None = None  # A folder with real traffic, for studies that use some
    files: Sequence[Path] = ()  # Those of the study's own `Source`, where it has one
    policies: Mapping[str, Policy] = field(default_factory=dict)  # The reader's own, by label
    k: float | None = None  # Of the ε policies in the profile `paper`, which leaves it open
    arms: int | None = None  # In every game; the study's own number if None
    turns: int | None = None  # The same
    pdf: bool = False  # Save each figure as PDF too, beside the SVG that the page shows
    progress: Progress | None = None  # Called with (steps done, steps in total)
    seconds: dict[str, float] = field(default_factory=dict)
    reused: int = 0  # How many finished pieces of an earlier run were read
    _done: int = 0
    _total: int = 0
    _processes: Processes | None = None

    def __post_init__(self) -> None:
        self.profiles = self.study.choose_profiles(self.profiles)
        self.parts = self.study.choose_parts(self.parts)
        for name in ("policies", "k", "arms", "turns"):
            if getattr(self, name) and name not in self.study.takes:
                raise ValueError(f"the study {self.study.name} cannot be given {name}")

    def expect(self, steps: int) -> None:
        """Announce the steps of `run`, once its files and options are checked."""
        self._total = self._done + round(steps * (1 + _AFTERWARDS))

    def expect_rest(self, steps: int) -> None:
        """Announce the steps that are left after `run`."""
        self._total = self._done + steps

    @contextmanager
    def step(self, kind: str) -> Iterator[None]:
        """One piece of work, timed and counted."""
        begin = time.perf_counter()
        yield
        self.seconds[kind] = self.seconds.get(kind, 0.0) + time.perf_counter() - begin
        self._done += 1
        if self.progress is not None:
            self.progress(self._done, max(self._total, self._done))

    @property
    def finished(self) -> Checkpoint:
        """Pieces that are finished: an interrupted run resumes where it stopped."""
        return Checkpoint(self.out / "runs", f"{__version__}/{sources_hash()}")

    def piece(self, inputs: Any, compute: Callable[[], T]) -> T:
        """What is computed, or what an earlier run with the same inputs computed."""
        key = fingerprint(inputs)
        stored = self.finished.load(key)
        if stored is not None:
            self.reused += 1
            return stored.result  # type: ignore[no-any-return]  # it was computed so
        result = compute()
        self.finished.save(key, result)
        return result

    def tune(
        self, spaces: Mapping[str, Space], evaluate: Evaluate, budget: Budget, inputs: Any
    ) -> dict[str, Policy]:
        """The best candidate of each space, all with the same budget; kept.

        `evaluate` scores candidates on games that the study does not report; `inputs` is what the
        scores depend on besides the candidates.
        """
        with self.step("tuning"):
            inputs = ["tuning", spaces, budget, inputs]
            return self.piece(inputs, lambda: _best(spaces, evaluate, budget))

    def results(self, kind: str, tasks: Sequence[Task]) -> list[Any]:
        """The result of each task; kept, and several workers work at a time."""
        keys = [fingerprint(type(task).result, task) for task in tasks]
        stored = {i: found for i in range(len(tasks)) if (found := self.finished.load(keys[i]))}
        self.reused += len(stored)
        # Long ones first, so that all workers end together.
        order = sorted(range(len(tasks)), key=lambda i: _longest_first(tasks[i]))
        fresh = self._results([tasks[i] for i in order if i not in stored])
        done = {i: found.result for i, found in stored.items()}
        for i in order:
            with self.step(kind):
                if i not in stored:
                    done[i] = next(fresh)
                    self.finished.save(keys[i], done[i])
        return [done[i] for i in range(len(tasks))]

    def _results(self, tasks: Sequence[Task]) -> Iterator[Any]:
        """The result of each task: a worker for each; a GPU plays those of one after another."""
        on_gpu = isinstance(self.executor, GpuPool)
        if len(tasks) < 2 or (on_gpu and isinstance(tasks[0], SimulationTask)):
            return (task.result(self.executor) for task in tasks)
        alike = (tuple(same) for _, same in groupby(tasks, _longest_first))
        return chain.from_iterable(self._spread(_results_of, alike, self.executor))

    def here(self, work: Callable[[Any], T], blocks: Iterable[Any]) -> Iterator[T]:
        """What the work makes of each block, on this machine: it cannot leave it."""
        return self._spread(work, blocks, self.local)

    @property
    def local(self) -> Executors:
        """The cores of this machine, for work that cannot leave it."""
        remote = isinstance(self.executor, Pool) and not self.executor.in_process
        return None if remote else self.executor

    def _spread(
        self, work: Callable[[Any], T], blocks: Iterable[Any], executor: Executors
    ) -> Iterator[T]:
        """The same on any executor; in place of threads, processes."""
        with opened(executor) as pool:
            if pool.inline or not pool.in_process:
                yield from map_blocks(work, blocks, pool)
                return
            self._processes = self._processes or Processes(pool.workers)
        yield from self._processes.map(work, blocks)

    def close(self) -> None:
        """End the processes that were started."""
        if self._processes is not None:
            self._processes.close()

    def command(self, games: int) -> str:
        """The command line that repeats this run."""
        words = ["python -m studies", self.study.name]
        if self.study.source is not None and self.files:
            words += [self.study.source.option, "PATH"]
        words += ["--data DATA"] * (self.data is not None) + ["--quick"] * self.quick
        words += ["--pdf"] * self.pdf
        words += [f"--profile {name}" for name in self.profiles]
        words += [f"--part {name}" for name in self.parts if self.parts != self.study.parts]
        words += [f"--policy {label}" for label in self.policies]
        given = {"k": self.k, "arms": self.arms, "turns": self.turns}
        words += [f"--{name} {value:g}" for name, value in given.items() if value is not None]
        return " ".join([*words, f"--games {games} --seed {self.seed} --out report/"])


def shuffled(count: int, seed: int, use: str) -> NDArray[np.int64]:
    """The numbers from 0 in a random order; each use of a seed has an order of its own."""
    key = np.uint64(seed_key(derive_seed(seed, use)))
    uniforms = np.asarray(draw(key, np.arange(count, dtype=np.uint64)))
    return np.argsort(uniforms, kind="stable").astype(np.int64)
