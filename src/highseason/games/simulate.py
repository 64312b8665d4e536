"""Many games of many policies, compiled, on all cores; the same result on any number of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.parallel import worker_count
from highseason.core.random import game_keys, seed_key
from highseason.core.validation import whole_number
from highseason.core.version import __version__
from highseason.engine.horizon import Horizon
from highseason.engine.lifetimes import Lifetimes
from highseason.engine.lifetimes.presence import arms_at_once, lifetimes_matter, spans_of, worth_of
from highseason.games.kernels.build import (
    Kernel,
    compiled_quantile,
    kernel_for,
    luck_kernel,
    mortal_kernel_for,
    writable,
)
from highseason.games.kernels.law import law_of
from highseason.games.kernels.stage import OUT, TRACE, Stage
from highseason.multipliers import Multiplier, as_multiplier
from highseason.policies import Plan, Policy, parse
from highseason.results import Curves, SimulationResult, unique_labels
from highseason.results.tally import Tally
from highseason.rewards import Rewards

#: Above this many games only sufficient statistics are kept, unless `keep="games"`.
KEPT_GAMES = 100_000
#: Turns a block of games may hold; blocks bound memory and set the rhythm of the progress bar.
_BLOCK_TURNS = 4_000_000
_BLOCK_GAMES = (64, 4096)
#: Turns below which handing work to threads costs more than it saves.
_WORTH_THREADS = 2_000_000

Progress = Callable[[int, int], None]
Policies = Policy | str | Sequence[Policy | str] | Mapping[str, Policy | str]


def simulate(
    policies: Policies,
    rewards: Rewards,
    multiplier: Any,
    games: int = 1000,
    seed: int = 0,
    *,
    threads: int | None = None,
    curves: bool | int | Sequence[int] | NDArray[np.int64] = False,
    keep: str | None = None,
    forecast: Any = None,
    lifetimes: Lifetimes | None = None,
    progress: Progress | None = None,
) -> SimulationResult:
    """Play `games` games with every policy; all face the same arms and the same luck.

    Args:
        policies: One, several, or several by label; text is read as on the command line.
        rewards: What the arms pay: `hs.rewards.bernoulli(arms=25)` …
        multiplier: G: a multiplier, an array, a pandas Series or a file.
        games: How many games.
        seed: Same seed, same result, on any number of threads.
        threads: How many; all cores if None.
        curves: Also gather running totals over turns, at 200 checkpoints or the number given; or
            after the turns given, counted from 1.
        keep: "games" keeps every game's totals, "summary" only sufficient statistics; by default
            games are kept up to 100,000.
        forecast: What the policies believe of each turn before it comes; None when G is known.
            Numbers, a one-step forecaster, or a `Forecast` of the whole season (see `Policy.plan`).
        lifetimes: When each arm is there, such as `hs.lifetimes.articles(turns)`; None if all of them
            always are.  Regret is then counted against the best arm there, and `best_pulls` are its
            pulls.  Plans are made for as many arms as are there on average.
        progress: Called with (games done, games in all) as the work goes on.

    >>> import highseason as hs
    >>> G = hs.multipliers.christmas(turns=300)
    >>> result = simulate([hs.UCB(), hs.UCBZ(z=30)], hs.rewards.bernoulli(arms=10), G, games=200)
    >>> result.gain("ucb-z:z=30").value > 0.1
    True
    """
    run = _Run.prepare(policies, rewards, multiplier, seed, forecast, curves, lifetimes)
    games = whole_number("games", games, at_least=1)
    hands = worker_count(threads)
    if keep not in (None, "games", "summary"):
        raise ValueError(f"keep={keep!r} must be 'games' or 'summary'")
    kept = games if keep == "games" or (keep is None and games <= KEPT_GAMES) else 0
    tally = Tally(kept, len(run.labels), run.empty_curves())
    if games * run.G.turns * len(run.labels) < _WORTH_THREADS:
        hands = 1
    with ThreadPoolExecutor(hands) as pool:
        for block in run.blocks(games):
            run.play_block(block, tally, pool, hands)
            if progress is not None:
                progress(block.stop, games)
    return tally.result(run.labels, run.settings(games), tuple(p.digest for p in run.plans))


@dataclass(frozen=True)
class _Run:
    """What is settled before the first game."""

    labels: tuple[str, ...]
    plans: tuple[Plan, ...]
    kernels: tuple[Kernel, ...]
    rewards: Rewards
    G: Multiplier
    seed: int
    checkpoints: NDArray[np.int64]
    stages: tuple[Stage, ...]
    luck: Kernel
    quantile: Callable[[float, float, float], float]
    lifetimes: Lifetimes | None

    @classmethod
    def prepare(
        cls,
        policies: Policies,
        rewards: Rewards,
        multiplier: Any,
        seed: int,
        forecast: Any,
        curves: bool | int | Sequence[int] | NDArray[np.int64],
        lifetimes: Lifetimes | None,
    ) -> _Run:
        seed_key(seed)  # a bad seed is told before any work
        if not isinstance(rewards, Rewards):
            raise ValueError(f"{rewards!r} are not rewards; write hs.rewards.bernoulli(arms=25)")
        labels, players = labelled(policies)
        G = as_multiplier(multiplier)
        arms = arms_at_once(rewards, lifetimes, G.turns)
        plans = tuple(policy.plan(G, arms, forecast) for policy in players)
        checkpoints = _checkpoints(curves, G.turns)
        horizon = Horizon.of(G, forecast)
        stages = tuple(_stage(plan, rewards, checkpoints, horizon) for plan in plans)
        return cls(
            labels=labels,
            plans=plans,
            kernels=tuple(
                _kernel(plan, stage, rewards.arms, lifetimes, forecast)
                for plan, stage in zip(plans, stages, strict=True)
            ),
            rewards=rewards,
            G=G,
            seed=int(seed),
            checkpoints=checkpoints,
            stages=stages,
            luck=luck_kernel(_type_of_law(stages[0]), lifetimes is not None),
            quantile=compiled_quantile(rewards.quantile),
            lifetimes=lifetimes,
        )

    def blocks(self, games: int) -> list[range]:
        """The games in blocks whose size does not depend on the number of threads."""
        low, high = _BLOCK_GAMES
        size = min(high, max(low, _BLOCK_TURNS // self.G.turns // 64 * 64))
        return [range(start, min(start + size, games)) for start in range(0, games, size)]

    def play_block(self, games: range, tally: Tally, pool: ThreadPoolExecutor, hands: int) -> None:
        """Play a block of games with every policy, and count them."""
        block = _Block.prepare(self, games)
        parts = _split(len(games), hands)
        if hands == 1:
            for task in block.tasks(parts):
                task()
        else:
            for done in [pool.submit(task) for task in block.tasks(parts)]:
                done.result()
        tally.add(block.metrics())
        if self.checkpoints.size:
            for i, trace in enumerate(block.traces):
                tally.add_curves(i, trace)

    def empty_curves(self) -> dict[str, Curves]:
        if not self.checkpoints.size:
            return {}
        low, high = _finite_bounds(self.rewards)
        weight = np.cumsum(self.G.values)[self.checkpoints - 1]
        ranges = {"reward": (low, high), "regret": (0.0, high - low)}
        return {
            metric: Curves.empty(self.checkpoints, least * weight, most * weight, len(self.labels))
            for metric, (least, most) in ranges.items()
        }

    def settings(self, games: int) -> dict[str, Any]:
        """What was simulated, for the record."""
        return {
            "max_reward": self.G.total * self.rewards.bounds[1],
            "total_multiplier": self.G.total,
            "arms": self.rewards.arms,
            "turns": self.G.turns,
            "games": games,
            "seed": self.seed,
            "rewards": self.rewards.name,
            "rewards_scale": self.rewards.scale,
            "lives": None if self.lifetimes is None else self.lifetimes.name,
            "multiplier": self.G.name,
            "multiplier_digest": self.G.digest(),
            "parameters": [str(plan.policy) for plan in self.plans],
            "version": __version__,
        }


@dataclass(frozen=True)
class _Block:
    """The arms of a block of games, and room for what happens in them."""

    run: _Run
    keys: NDArray[np.uint64]
    parameters: NDArray[np.float64]
    gaps: NDArray[np.float64]
    mortal: tuple[NDArray[Any], ...]
    totals: NDArray[np.float64]
    best: NDArray[np.float64]
    traces: NDArray[np.float64]

    @classmethod
    def prepare(cls, run: _Run, games: range) -> _Block:
        keys = game_keys(run.seed, games)
        parameters = writable(run.rewards.parameters(keys))
        means = run.rewards.means(parameters)
        gaps = writable(means.max(axis=1, keepdims=True) - means)
        mortal: tuple[NDArray[Any], ...] = ()
        if run.lifetimes is not None or any(lifetimes_matter(plan.policy) for plan in run.plans):
            spans = spans_of(run.lifetimes, keys, run.rewards.arms, run.G.turns)
            mortal = writable(means), spans[..., 0].copy(), spans[..., 1].copy()
        policies = len(run.plans)
        traces = np.empty((policies, keys.size, run.checkpoints.size, len(TRACE)))
        totals = np.empty((policies, keys.size, len(OUT)))
        return cls(run, keys, parameters, gaps, mortal, totals, np.empty(keys.size), traces)

    def tasks(self, parts: list[slice]) -> list[Callable[[], None]]:
        """Pieces of work that write to places of their own, in any order."""
        return [
            *(self._luck_task(part) for part in parts),
            *(self._task(i, part) for i in range(len(self.run.plans)) for part in parts),
        ]

    def _luck_task(self, part: slice) -> Callable[[], None]:
        run = self.run
        arms = self._arms(run.lifetimes is not None, part)
        arguments = (self.keys[part], *arms, self.best[part])
        return lambda: run.luck(run.stages[0], run.quantile, *arguments)

    def _task(self, policy: int, part: slice) -> Callable[[], None]:
        run = self.run
        mortal = run.lifetimes is not None or lifetimes_matter(run.plans[policy].policy)
        arguments = (
            self.keys[part],
            *self._arms(mortal, part),
            self.totals[policy, part],
            self.traces[policy, part],
        )
        return lambda: run.kernels[policy](run.stages[policy], run.quantile, *arguments)

    def _arms(self, mortal: bool, part: slice) -> tuple[NDArray[Any], ...]:
        """What a kernel is told of the arms: their gaps, or their means and lifetimes."""
        told = self.mortal if mortal else (self.gaps,)
        return self.parameters[part], *(column[part] for column in told)

    def metrics(self) -> dict[str, NDArray[np.float64]]:
        """A row per policy and a column per game, by name of the metric."""
        found = {name: self.totals[:, :, i] for i, name in enumerate(OUT)}
        return found | {"realised_regret": self.best - found["reward"]}


def _stage(plan: Plan, rewards: Rewards, checkpoints: NDArray[np.int64], horizon: Horizon) -> Stage:
    G = writable(plan.multiplier.values)
    return Stage(
        G=G,
        worth=G if plan.policy.learns_scaled else np.ones_like(G),
        levels=writable(plan.levels),
        checkpoints=checkpoints,
        law=law_of(rewards.quantile, rewards.scale, plan.policy.learns_scaled),
        expected=writable(horizon.G),
        future=writable(horizon.future),
    )


def _kernel(
    plan: Plan, stage: Stage, arms: int, lifetimes: Lifetimes | None, forecast: Any
) -> Kernel:
    policy, law = plan.policy, _type_of_law(stage)
    if lifetimes is not None or lifetimes_matter(policy):
        return mortal_kernel_for(policy, law, lifetimes, worth_of(plan.multiplier.values, forecast))
    return kernel_for(policy.rule, policy.ties == "random", law, arms, stage.G.size)


def _type_of_law(stage: Stage) -> Any:
    return type(stage.law)


def labelled(policies: Policies) -> tuple[tuple[str, ...], tuple[Policy, ...]]:
    """The policies that were given in whatever form, with a label for each."""
    if isinstance(policies, Policy | type | str):  # a class is told apart below, with a hint
        policies = [policies]
    by_label = isinstance(policies, Mapping)
    given = policies.values() if isinstance(policies, Mapping) else policies
    players = tuple(parse(policy) if isinstance(policy, str) else policy for policy in given)
    labels = unique_labels([str(label) for label in (policies if by_label else players)])
    if not players:
        raise ValueError("no policy was given")
    for policy in players:
        if not isinstance(policy, Policy):
            raise ValueError(f"{policy!r} is not a policy; write hs.UCB(), with its brackets")
    return labels, players


def _split(games: int, hands: int) -> list[slice]:
    """Pieces of a block, several a worker; batches of eight for the kernel that wants them."""
    size = max(8, -(-games // (4 * hands)) // 8 * 8)
    if hands == 1:
        size = games
    return [slice(start, min(start + size, games)) for start in range(0, games, size)]


def _checkpoints(
    curves: bool | int | Sequence[int] | NDArray[np.int64], turns: int
) -> NDArray[np.int64]:
    if isinstance(curves, Sequence | np.ndarray):
        chosen = np.unique(np.asarray(curves, dtype=np.int64))
        if chosen.size == 0 or chosen[0] < 1 or chosen[-1] > turns:
            raise ValueError(f"curves: turns to stop at lie between 1 and {turns}, not {curves!r}")
        return chosen
    if curves is False or curves == 0:
        return np.zeros(0, np.int64)
    count = min(turns, 200 if curves is True else whole_number("curves", curves, at_least=1))
    return np.unique(np.linspace(1, turns, count).round().astype(np.int64))


def _finite_bounds(rewards: Rewards) -> tuple[float, float]:
    if not np.isfinite(rewards.bounds).all():
        raise ValueError("curves need rewards with finite bounds: give bounds=(low, high)")
    return rewards.bounds
