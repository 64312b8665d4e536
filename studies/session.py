"""One run of a study: its options, its store, its progress, and what all studies do alike."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.advice import Budget, Evaluate, Space, derive_seed, on_games, search
from highseason.core.executors import Executors, Pool
from highseason.core.parallel import map_blocks
from highseason.core.random import draw, seed_key
from highseason.core.warnings import quiet
from highseason.engine import SimulationResult, simulate
from highseason.policies import Policy, from_json
from highseason.policies.lifetimes import Lifetimes
from highseason.rewards import Rewards
from highseason.traffic import Forecast, Multiplier
from studies.store import Store
from studies.study import Study

Progress = Callable[[int, int], None]

#: Before a study has run, figures and files are taken for this share of the steps.
_AFTERWARDS = 0.15
#: Turns of all policies together below which a simulation is not divided among workers.
_SMALL = 10_000_000
#: Of a stored regret, as a share of what can be earned.
_DIGITS = 9


@dataclass(frozen=True, eq=False)
class Regrets:
    """What policies lose in every game, as a share of what the best arm earns on average."""

    lost: NDArray[np.float64]  # A row per policy, a column per game


@dataclass(frozen=True, eq=False)
class TuningTask:
    """The search for the best of each of some classes, in the games of one setting."""

    name: str  # Of the stored piece
    policies: tuple[type[Policy], ...]
    rewards: Rewards
    G: Multiplier
    budget: Budget
    seed: int  # Of the report, which the games of the search do not have

    @cached_property
    def inputs(self) -> list[Any]:
        """All that the winners depend on."""
        searched = {label: repr(space) for label, space in self._spaces.items()}
        games = [_describe(self.rewards), self.G.digest(), self._own_seed]
        return [searched, self.budget.rounds, games]

    def result(self, executor: Executors = "serial") -> dict[str, str]:
        """The best candidate of each class, as JSON."""
        evaluate = on_games(self.rewards, self.G, self._own_seed, executor)
        return _best(self._spaces, evaluate, self.budget)

    @property
    def _own_seed(self) -> int:
        return derive_seed(self.seed, "search")

    @property
    def _spaces(self) -> dict[str, Space]:
        return {policy.name: Space.of(policy, self.G) for policy in self.policies}


@dataclass(frozen=True, eq=False)
class SimulationTask:
    """Games of some policies in one setting; every game is kept."""

    name: str  # Of the stored piece
    policies: Mapping[str, Policy]
    rewards: Rewards
    G: Multiplier
    games: int
    seed: int
    forecast: Any = None

    @cached_property
    def inputs(self) -> list[Any]:
        """All that the result depends on."""
        players = {label: str(policy) for label, policy in self.policies.items()}
        where = [_describe(self.rewards), self.G.digest(), self.games, self.seed]
        return [*where, players, repr(self.forecast)]

    def result(self, executor: Executors = "serial") -> SimulationResult:
        """What happens in the games."""
        with quiet():
            return simulate(
                dict(self.policies), self.rewards, self.G, self.games, self.seed,
                forecast=self.forecast, executor=executor, keep="games",
            )  # fmt: skip

    @property
    def is_small(self) -> bool:
        """Whether one worker plays all games: more would wait for plans, and not for games."""
        return self.games * self.G.turns * len(self.policies) < _SMALL


@dataclass(frozen=True, eq=False)
class RegretsTask:
    """What many policies lose in every game of one setting."""

    name: str  # Of the stored piece
    policies: Sequence[Policy]
    rewards: Rewards
    G: Multiplier
    games: int
    seed: int
    forecast: Forecast | None = None
    lifetimes: Lifetimes | None = None

    @cached_property
    def inputs(self) -> list[Any]:
        """All that the result depends on."""
        expected = (
            None if self.forecast is None else [self.forecast.name, self.forecast.mean.tolist()]
        )
        players = [str(policy) for policy in self.policies]
        where = [_describe(self.rewards), self.G.digest(), self.games, self.seed]
        alive = [] if self.lifetimes is None else [self.lifetimes.name]
        return [*where, players, expected, *alive]

    def result(self, executor: Executors = "serial") -> Regrets:
        """What is lost, as shares of the best arm's mean reward."""
        numbered = {str(i): policy for i, policy in enumerate(self.policies)}
        with quiet():
            result = simulate(
                numbered, self.rewards, self.G, self.games, self.seed, forecast=self.forecast,
                lifetimes=self.lifetimes, executor=executor, keep="games", realised=True,
            )  # fmt: skip
        # The best arm's own games: the same whoever plays, so losses of two runs compare.
        best = result.mean("reward", 0) + result.mean("realised_regret", 0)
        assert result.games is not None  # they are kept
        return Regrets(np.round(result.games["regret"] / best, _DIGITS))


Task = TuningTask | SimulationTask | RegretsTask


def _longest_first(task: Task) -> tuple[int, int, str]:
    """Sorts tasks; those with the same G and number of arms, so the same plans, are equal."""
    return -task.G.turns, -task.rewards.arms, task.G.digest()


def _results_of(tasks: Sequence[Task]) -> list[Any]:
    """The results of several tasks, for one process, which makes plans that they share once."""
    return [task.result() for task in tasks]


def _best(spaces: Mapping[str, Space], evaluate: Evaluate, budget: Budget) -> dict[str, str]:
    return {
        label: search(space, evaluate, budget)[0].policy.to_json()
        for label, space in spaces.items()
    }


@dataclass
class StudySession:
    """The options of one run, and where it stands; see `pipeline.reproduce` for the options."""

    study: Study
    out: Path
    games: int | None
    seed: int
    quick: bool
    profiles: tuple[str, ...]
    executor: Executors
    data: Path | None
    files: tuple[Path, ...]
    store: Store
    progress: Progress | None = None
    parts: tuple[str, ...] = ()
    pdf: bool = False
    seconds: dict[str, float] = field(default_factory=dict)
    _done: int = 0
    _total: int = 0

    def expect(self, steps: int) -> None:
        """Announce the steps of `run`, once its files and options are checked: workers start."""
        self._total = self._done + round(steps * (1 + _AFTERWARDS))
        if isinstance(self.executor, Pool):
            self.executor.start_processes(__name__)

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

    def simulate(
        self, name: str, policies: Mapping[str, Policy], rewards: Rewards, G: Multiplier,
        games: int, seed: int, forecast: Any = None,
    ) -> SimulationResult:  # fmt: skip
        """A simulation, stored; every game is kept."""
        task = SimulationTask(name, policies, rewards, G, games, seed, forecast)
        return self.simulate_many([task])[0]

    def simulate_many(self, tasks: Sequence[SimulationTask]) -> list[SimulationResult]:
        """The results of each task; stored, and several workers play at a time."""
        has, load = self.store.has_simulation, self.store.simulation
        whole = all(task.is_small for task in tasks) and not self._on_gpu
        return self._stored("simulating", tasks, has, load, whole)

    def regrets_many(self, tasks: Sequence[RegretsTask]) -> list[NDArray[np.float64]]:
        """The regrets of each task; stored, and several workers play at a time."""

        def load(name: str, inputs: Any, compute: Callable[[], Regrets]) -> NDArray[np.float64]:
            return self.store.record(name, inputs, Regrets, compute).lost

        return self._stored("simulating", tasks, self.store.has, load, whole=not self._on_gpu)

    def tune(
        self, name: str, spaces: Mapping[str, Space], evaluate: Evaluate, budget: Budget,
        inputs: Any,
    ) -> dict[str, Policy]:  # fmt: skip
        """The best candidate of each space, all with the same budget; stored.

        `evaluate` scores candidates on games that the study does not report; `inputs` is what the
        scores depend on besides the candidates.
        """
        searched = {label: repr(space) for label, space in spaces.items()}
        inputs = [searched, budget.rounds, inputs]
        with self.step("tuning"):
            winners = self.store.document(name, inputs, lambda: _best(spaces, evaluate, budget))
        return {label: from_json(text) for label, text in winners.items()}

    def tune_many(self, tasks: Sequence[TuningTask]) -> list[dict[str, Policy]]:
        """The winners of each task; stored, and searched by several workers at a time."""
        tuned = self._stored("tuning", tasks, self.store.has, self.store.document)
        return [{label: from_json(text) for label, text in one.items()} for one in tuned]

    def _stored(
        self, kind: str, tasks: Sequence[Task], has: Callable[..., bool],
        load: Callable[..., Any], whole: bool = True,
    ) -> list[Any]:  # fmt: skip
        """What `load` gives for each task; what the store does not have is computed."""
        ordered = sorted(tasks, key=_longest_first)  # so that all workers end together
        results = self._results([t for t in ordered if not has(t.name, t.inputs)], whole)
        done = {}
        for task in ordered:
            with self.step(kind):
                done[task.name] = load(task.name, task.inputs, partial(next, results))
        return [done[task.name] for task in tasks]

    def _results(self, tasks: Sequence[Task], whole: bool) -> Iterator[Any]:
        """The result of each task, a worker for each, or (not `whole`) all workers for each.

        Much of a task is planning, which holds the interpreter's lock: workers are processes.
        """
        if len(tasks) < 2 or not whole:
            return (task.result(self.executor) for task in tasks)
        alike = (tuple(same) for _, same in groupby(tasks, _longest_first))
        results = map_blocks(_results_of, alike, self.executor, processes=True)
        return chain.from_iterable(results)

    @property
    def _on_gpu(self) -> bool:
        return isinstance(self.executor, Pool) and self.executor.on_gpu

    @property
    def local(self) -> Executors:
        """The cores of this machine, for work that cannot leave it."""
        remote = isinstance(self.executor, Pool) and not self.executor.in_process
        return None if remote else self.executor

    def command(self, games: int) -> str:
        """The command line that repeats this run."""
        words = ["python -m studies", self.study.name]
        if self.study.source is not None and self.files:
            words += [self.study.source.option, "PATH"]
        words += ["--data DATA"] * (self.data is not None) + ["--quick"] * self.quick
        words += ["--pdf"] * self.pdf
        words += [f"--profile {name}" for name in self.profiles]
        words += [f"--part {name}" for name in self.parts if self.parts != self.study.parts]
        return " ".join([*words, f"--games {games} --seed {self.seed} --out report/"])


def _describe(rewards: Rewards) -> list[Any]:
    return [rewards.name, rewards.scale, rewards.arms, list(rewards.between), str(rewards.fixed)]


def describe_tuning(budget: Budget) -> str:
    """What every policy may try, in words."""
    return f"{budget.trials} candidates; the finalists play {budget.games} games with other seeds"


def shuffled(count: int, seed: int, use: str) -> NDArray[np.int64]:
    """The numbers from 0 in a random order; each use of a seed has an order of its own."""
    key = np.uint64(seed_key(derive_seed(seed, use)))
    uniforms = np.asarray(draw(key, np.arange(count, dtype=np.uint64)))
    return np.argsort(uniforms, kind="stable").astype(np.int64)
