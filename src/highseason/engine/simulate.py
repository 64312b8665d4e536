"""Many games of many policies, compiled, on all cores; the same result on any number of them."""

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.parallel import (
    Executors,
    Pool,
    check_executor,
    map_blocks,
    opened,
    worker_count,
)
from highseason.core.random import game_keys, seed_key
from highseason.core.validation import whole_number
from highseason.core.version import __version__
from highseason.engine.gpu.pool import GpuPool
from highseason.engine.kernels import interface
from highseason.engine.kernels.interface import Play, has_own_kernel, kernel_for, oracle_for
from highseason.engine.kernels.turns import TRACE, Arms, Turns, rewards_for, spans_of
from highseason.engine.play import readable_player
from highseason.engine.results import (
    METRICS,
    REALISED,
    BlockSummary,
    Curves,
    SimulationResult,
    Tally,
)
from highseason.engine.turn import arms_at_once, expected_measure
from highseason.policies import Plan
from highseason.policies.base import Policies, labelled
from highseason.policies.lifetimes import Lifetimes
from highseason.policies.plan import Horizon
from highseason.rewards import Rewards
from highseason.rewards.model import as_rewards
from highseason.traffic import Multiplier, as_multiplier

#: Above this many games only sufficient statistics are kept, unless `keep="games"`.
KEPT_GAMES = 100_000
#: A simulation has about this many blocks, of between these numbers of games, …
_BLOCKS, _FEWEST_GAMES, _MOST_GAMES = 256, 64, 4096
#: … and fewer where one would take less than this many seconds.
_BLOCK_SECONDS = 0.03
#: Seconds of work below which handing it out costs more than it saves.
_WORTH_WORKERS = 0.04
#: How many times longer a turn takes for a rule without a kernel of its own.
_ANY_RULE = 10.0

Progress = Callable[[int, int], None]
Curve = bool | int | Sequence[int] | NDArray[np.int64]


def simulate(
    policies: Policies,
    rewards: Rewards | str,
    multiplier: Any,
    games: int = 1000,
    seed: int = 0,
    *,
    executor: Executors = None,
    workers: int | None = None,
    curves: Curve = False,
    keep: str | None = None,
    forecast: Any = None,
    lifetimes: Lifetimes | None = None,
    realised: bool = False,
    progress: Progress | None = None,
) -> SimulationResult:
    """Play `games` games with every policy; all face the same arms and random numbers.

    Args:
        policies: One, several, or several by label; text is parsed as on the command line.
        rewards: What the arms pay: `hs.rewards.bernoulli(arms=25)` …, or its text.
        multiplier: G: a multiplier, an array, a pandas Series or a file.
        games: How many games.
        seed: Same seed, same result, on any executor and any number of workers.
        executor: Where games are played: "local" (all cores), "serial", "ray", "dask",
            "ray://HOST:PORT", "dask://HOST:PORT", "gpu", or any `concurrent.futures.Executor`.
        workers: How many workers; all there are if None.
        curves: Also collect running totals over turns, at 200 checkpoints or the given number; or
            after the given turns, counted from 1.
        keep: "games" keeps every game's totals, "summary" only sufficient statistics; by default
            games are kept up to 100,000.
        forecast: What the policies expect of each turn before it comes; None when G is known.
            Numbers, a one-step forecaster, or a `Forecast` of the whole season (see `Policy.plan`).
        lifetimes: When each arm is present, such as `hs.lifetimes.articles(turns)`; None if all of
            them always are.  Regret is then measured against the best arm present, and `best_pulls`
            are its pulls.  Plans are made for the average number of arms present.
        realised: Also measure the realised regret, with the luck of the game in it: what the best
            arm would have paid with the same random numbers, less the reward.  It takes as long as
            a fast policy.
        progress: Called with (games done, games in all) as the work goes on.

    Returns:
        The means of every policy, with errors and paired gains, and the games themselves or the
        curves where they are kept.  Printing it shows a table; `result["ucb"]` has one policy's.

    >>> import highseason as hs
    >>> G = hs.traffic.christmas(turns=300)
    >>> result = simulate([hs.UCB(), hs.UCBZ(z=30)], hs.rewards.bernoulli(arms=10), G, games=200)
    >>> result.gain("ucb-z:z=30").value > 0.1
    True
    """
    simulation = Simulation.prepare(
        policies, rewards, multiplier, seed, forecast, curves, lifetimes
    )
    games = whole_number("games", games, at_least=1)
    worker_count(workers)  # what is wrong is reported before any work
    check_executor(executor)
    for plan in simulation.plans if executor == "gpu" else ():
        traits = plan.policy.rule.traits
        if not traits.compilable or traits.makes_arrays:
            reason = "sets memory aside" if traits.compilable else "cannot be compiled"
            raise ValueError(
                f"{plan.policy} {reason}, so it cannot play on a GPU: leave "
                'executor="gpu" out, or the policy'
            )
    if keep not in (None, "games", "summary"):
        raise ValueError(f"keep={keep!r} must be 'games' or 'summary'")
    bind = games * simulation.G.turns >= interface.WORTH_BINDING
    kept = keep == "games" or (keep is None and games <= KEPT_GAMES)
    simulation = replace(simulation, bind=bind, realised=bool(realised), keep=kept)
    small = games * simulation.seconds < _WORTH_WORKERS
    blocks = simulation.blocks(games)
    tally = Tally(simulation.metrics, simulation.empty_curves())
    with opened("serial" if small and executor != "gpu" else executor, workers) as pool:
        played = _played(simulation, blocks, pool)
        for block, summary in zip(blocks, played, strict=True):
            tally.add(summary)
            if progress is not None:
                progress(block.stop, games)
    digests = tuple(plan.digest for plan in simulation.plans)
    return tally.result(simulation.labels, simulation.settings(games), digests)


@dataclass(frozen=True)
class Simulation:
    """What is settled before the first game; a worker needs nothing else."""

    labels: tuple[str, ...]
    plans: tuple[Plan, ...]
    rewards: Rewards
    G: Multiplier
    seed: int
    checkpoints: NDArray[np.int64]
    lifetimes: Lifetimes | None
    forecast: Any
    bind: bool = False  # whether there are enough games to compile each rule into its kernel
    realised: bool = False  # whether the best arm is played too, for the realised regret
    keep: bool = False  # whether every game is kept

    @classmethod
    def prepare(
        cls,
        policies: Policies,
        rewards: Rewards | str,
        multiplier: Any,
        seed: int,
        forecast: Any = None,
        curves: Curve = False,
        lifetimes: Lifetimes | None = None,
    ) -> Self:
        """Read what was given; all errors of the user's are reported here."""
        seed_key(seed)  # a bad seed is reported before any work
        rewards = as_rewards(rewards)
        labels, players = labelled(policies, visitors=rewards.counts_visitors)
        G = as_multiplier(multiplier)
        arms = rewards.arms if lifetimes is None else arms_at_once(rewards, lifetimes, G.turns)
        plans = tuple(policy.plan(G, arms, forecast) for policy in players)
        checkpoints = _checkpoints(curves, G.turns)
        return cls(labels, plans, rewards, G, int(seed), checkpoints, lifetimes, forecast)

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is measured in every game."""
        return (*METRICS, REALISED) if self.realised else METRICS

    def blocks(self, games: int) -> list[range]:
        """The games in blocks, whose size depends on what is played, and on no worker."""
        size = max(_FEWEST_GAMES, games / _BLOCKS, _BLOCK_SECONDS / self.seconds)
        size = min(_MOST_GAMES, math.ceil(size / 64) * 64)
        return [range(start, min(start + size, games)) for start in range(0, games, size)]

    def play(self, block: range) -> BlockSummary:
        """Play some games with every policy: a function of the simulation and the block alone."""
        keys = game_keys(self.seed, block)
        arms = self.arms(keys)
        totals = np.empty((len(self.plans), keys.size, len(METRICS)))
        trace = np.empty((keys.size, self.checkpoints.size, len(TRACE)))
        best = np.empty(keys.size if self.realised else 0)
        if self.realised:
            self.oracle(keys, arms, best)

        def traces() -> Iterator[NDArray[np.float64]]:
            """Those of one policy after the other, in the same memory."""
            for play, out in zip(self.players, totals, strict=True):
                play(keys, arms, out, trace)
                yield trace

        return self.summary(totals, best, traces())

    def summary(
        self,
        totals: NDArray[np.float64],
        best: NDArray[np.float64],
        traces: Iterable[NDArray[np.float64]],
    ) -> BlockSummary:
        """What is kept of a block.

        Given are its totals by policy, game and `METRICS`, what the best arm earned in each game
        if it was played, and for each policy the running totals by game, checkpoint and `TRACE`.
        """
        curves = self.empty_curves().values()
        sums = np.empty((len(curves), len(totals), self.checkpoints.size))
        bins = np.empty((len(curves), *totals.shape[:2], self.checkpoints.size), np.uint16)
        for policy, trace in enumerate(traces):
            self._check(totals[policy])
            for i, curve in enumerate(curves):
                sums[i, policy] = trace[:, :, i].sum(axis=0)
                bins[i, policy] = curve.binned(trace[:, :, i])
        games = [totals[:, :, i] for i in range(len(METRICS))]
        if self.realised:
            games.append(best - games[0])
        return BlockSummary.of(games, sums, bins, self.keep)

    def _check(self, totals: NDArray[np.float64]) -> None:
        """Kernels raise nothing: a reward outside the bounds makes the total of its game NaN."""
        if np.isnan(totals[..., METRICS.index("reward")]).any():
            raise self.rewards.out_of_bounds("some rewards are")

    def arms(self, keys: NDArray[np.uint64]) -> Arms:
        """The arms of some games; where their means change by turn, `means` is scratch memory."""
        rewards = self.rewards
        parameters = for_kernel(rewards.parameters(keys))
        means = (
            np.zeros((1, rewards.arms)) if rewards.varies else for_kernel(rewards.means(parameters))
        )
        kept = keys if self.lifetimes is not None else keys[:1]  # without, games share one row
        spans = spans_of(self.lifetimes, kept, rewards.arms, self.G.turns)
        first, last = spans[..., 0].copy(), spans[..., 1].copy()
        return Arms(parameters.reshape(keys.size, -1), means, first, last)

    def compile(self) -> tuple[object, ...]:
        """All that plays, compiled in this thread, before several of them need it."""
        return (*self.players, self.oracle) if self.realised else self.players

    @functools.cached_property
    def players(self) -> tuple[Play, ...]:
        """What plays each policy: compiled code, which a worker of another process looks up."""
        return tuple(map(self._player, self.plans))

    def _player(self, plan: Plan) -> Play:
        if not plan.policy.rule.traits.compilable:
            return readable_player(
                plan, self.rewards, self.checkpoints, self.forecast, self.lifetimes
            )
        return kernel_for(
            plan.policy,
            self.turns(plan),
            self.rewards,
            self.lifetimes,
            lambda options: expected_measure(self.G.values, self.forecast, options),
            self.bind,
        )

    @functools.cached_property
    def oracle(self) -> Callable[..., None]:
        """What plays the best arm."""
        return oracle_for(self.turns(self.plans[0]), self.rewards)

    @functools.cached_property
    def horizon(self) -> Horizon:
        """What the policies know of G ahead."""
        return Horizon.of(self.G, self.forecast)

    def turns(self, plan: Plan) -> Turns:
        """The turns as a policy meets them, for kernels."""
        return Turns(
            G=for_kernel(plan.multiplier.values),
            levels=for_kernel(plan.levels),
            checkpoints=self.checkpoints,
            rewards=rewards_for(plan.policy, self.rewards),
            expected=for_kernel(self.horizon.G),
            future=for_kernel(self.horizon.future),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Everything except compiled code."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @functools.cached_property
    def seconds(self) -> float:
        """About how long it takes one core to play one game with every policy."""
        work = (
            1.0
            if has_own_kernel(plan.policy, self.rewards, self.lifetimes)
            else _ANY_RULE * plan.policy.rule.traits.work
            for plan in self.plans
        )
        return sum(work) * self.G.turns * (20 + 0.2 * self.rewards.arms) * 1e-9

    def empty_curves(self) -> dict[str, Curves]:
        """Running totals of no game yet, if any are asked for."""
        if not self.checkpoints.size:
            return {}
        low, high = self.rewards.bounds
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
            "lifetimes": None if self.lifetimes is None else self.lifetimes.name,
            "multiplier": self.G.name,
            "multiplier_digest": self.G.digest(),
            "parameters": [str(plan.policy) for plan in self.plans],
            "version": __version__,
        }


def _played(simulation: Simulation, blocks: Sequence[range], pool: Pool) -> Iterator[BlockSummary]:
    """What is kept of each block, in their order."""
    if isinstance(pool, GpuPool):
        from highseason.engine.gpu.play import play_on_gpu

        return play_on_gpu(simulation, blocks)
    if pool.in_process:
        simulation.compile()
    return map_blocks(simulation.play, blocks, pool)


def for_kernel(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values in one piece and writable: to numba a read-only array is of another type."""
    return np.require(values, np.float64, ["C", "W"])


def _checkpoints(curves: Curve, turns: int) -> NDArray[np.int64]:
    if isinstance(curves, Sequence | np.ndarray):
        chosen = np.unique(np.asarray(curves, dtype=np.int64))
        if chosen.size == 0 or chosen[0] < 1 or chosen[-1] > turns:
            raise ValueError(f"curves: turns to stop at lie between 1 and {turns}, not {curves!r}")
        return chosen
    if curves is False or curves == 0:
        return np.zeros(0, np.int64)
    count = min(turns, 200 if curves is True else whole_number("curves", curves, at_least=1))
    return np.unique(np.linspace(1, turns, count).round().astype(np.int64))
