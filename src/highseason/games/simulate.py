"""Many games of many policies, compiled, on all cores; the same result on any number of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.parallel import map_blocks, worker_count
from highseason.core.random import game_keys, seed_key
from highseason.core.validation import whole_number
from highseason.core.version import __version__
from highseason.engine.horizon import Horizon
from highseason.engine.lifetimes import Lifetimes
from highseason.engine.lifetimes.presence import arms_at_once, spans_of, worth_of
from highseason.games.kernels.arguments import OUT, TRACE, Arms, Turns
from highseason.games.kernels.build import Play, kernel_for, oracle_for
from highseason.games.kernels.reward_dispatch import dispatch_for
from highseason.multipliers import Multiplier, as_multiplier
from highseason.policies import Plan, Policy, parse
from highseason.results import Curves, SimulationResult, Tally, unique_labels
from highseason.rewards import Rewards

#: Above this many games only sufficient statistics are kept, unless `keep="games"`.
KEPT_GAMES = 100_000
#: Turns a block of games may hold; blocks bound memory and set the rhythm of the progress bar.
_BLOCK_TURNS = 4_000_000
_BLOCK_GAMES = (64, 4096)
#: Turns below which handing work to threads costs more than it saves …
_WORTH_THREADS = 2_000_000
#: … and turns that are worth a piece of their own, if each worker has two pieces without it.
_PIECE_TURNS = 1_000_000

Progress = Callable[[int, int], None]
Policies = Policy | str | Sequence[Policy | str] | Mapping[str, Policy | str]
Curve = bool | int | Sequence[int] | NDArray[np.int64]


def simulate(
    policies: Policies,
    rewards: Rewards,
    multiplier: Any,
    games: int = 1000,
    seed: int = 0,
    *,
    workers: int | None = None,
    curves: Curve = False,
    keep: str | None = None,
    forecast: Any = None,
    lifetimes: Lifetimes | None = None,
    progress: Progress | None = None,
) -> SimulationResult:
    """Play `games` games with every policy; all face the same arms and random numbers.

    Args:
        policies: One, several, or several by label; text is parsed as on the command line.
        rewards: What the arms pay: `hs.rewards.bernoulli(arms=25)` …
        multiplier: G: a multiplier, an array, a pandas Series or a file.
        games: How many games.
        seed: Same seed, same result, on any number of workers.
        workers: How many threads; all cores if None.
        curves: Also collect running totals over turns, at 200 checkpoints or the given number; or
            after the given turns, counted from 1.
        keep: "games" keeps every game's totals, "summary" only sufficient statistics; by default
            games are kept up to 100,000.
        forecast: What the policies expect of each turn before it comes; None when G is known.
            Numbers, a one-step forecaster, or a `Forecast` of the whole season (see `Policy.plan`).
        lifetimes: When each arm is present, such as `hs.lifetimes.articles(turns)`; None if all of
            them always are.  Regret is then measured against the best arm present, and `best_pulls`
            are its pulls.  Plans are made for the average number of arms present.
        progress: Called with (games done, games in all) as the work goes on.

    >>> import highseason as hs
    >>> G = hs.multipliers.christmas(turns=300)
    >>> result = simulate([hs.UCB(), hs.UCBZ(z=30)], hs.rewards.bernoulli(arms=10), G, games=200)
    >>> result.gain("ucb-z:z=30").value > 0.1
    True
    """
    run = _Run.prepare(policies, rewards, multiplier, seed, forecast, curves, lifetimes)
    games = whole_number("games", games, at_least=1)
    workers = worker_count(workers)
    if keep not in (None, "games", "summary"):
        raise ValueError(f"keep={keep!r} must be 'games' or 'summary'")
    if games * run.G.turns * len(run.labels) < _WORTH_THREADS:
        workers = 1
    kept = games if keep == "games" or (keep is None and games <= KEPT_GAMES) else 0
    tally = Tally(kept, len(run.labels), run.empty_curves())
    shares = run.shares(games, workers)
    run.oracle, run.players  # noqa: B018  # compiled here, once, before several workers need them
    parts = map_blocks(functools.partial(_play_games, run), chain(*shares), workers)
    for share in shares:
        played = _Played.together(list(islice(parts, len(share))))
        tally.add(played.metrics())
        for i in range(len(run.labels)):
            tally.add_curves(i, played.traces[i])
        if progress is not None:
            progress(share[-1].stop, games)
    return tally.result(run.labels, run.settings(games), tuple(p.digest for p in run.plans))


@dataclass(frozen=True)
class _Run:
    """What is settled before the first game; a worker needs nothing else."""

    labels: tuple[str, ...]
    plans: tuple[Plan, ...]
    rewards: Rewards
    G: Multiplier
    seed: int
    checkpoints: NDArray[np.int64]
    lifetimes: Lifetimes | None
    forecast: Any

    @classmethod
    def prepare(
        cls,
        policies: Policies,
        rewards: Rewards,
        multiplier: Any,
        seed: int,
        forecast: Any,
        curves: Curve,
        lifetimes: Lifetimes | None,
    ) -> _Run:
        seed_key(seed)  # a bad seed is reported before any work
        if not isinstance(rewards, Rewards):
            raise ValueError(
                f"rewards must be a reward model such as hs.rewards.bernoulli(arms=25), "
                f"got {rewards!r}"
            )
        labels, players = labelled(policies)
        G = as_multiplier(multiplier)
        arms = arms_at_once(rewards, lifetimes, G.turns)
        plans = tuple(policy.plan(G, arms, forecast) for policy in players)
        checkpoints = _checkpoints(curves, G.turns)
        return cls(labels, plans, rewards, G, int(seed), checkpoints, lifetimes, forecast)

    @functools.cached_property
    def players(self) -> tuple[Play, ...]:
        """What plays each policy: compiled code, which a worker of another process looks up."""
        return tuple(
            kernel_for(
                plan.policy,
                self._turns(plan),
                self.rewards,
                self.lifetimes,
                lambda: worth_of(self.G.values, self.forecast),
            )
            for plan in self.plans
        )

    @functools.cached_property
    def oracle(self) -> Callable[..., None]:
        """What plays the best arm."""
        return oracle_for(self._turns(self.plans[0]), self.rewards)

    @functools.cached_property
    def horizon(self) -> Horizon:
        """What the policies know of G ahead."""
        return Horizon.of(self.G, self.forecast)

    def _turns(self, plan: Plan) -> Turns:
        G, naive = _for_kernel(plan.multiplier.values), plan.policy.learns_scaled
        return Turns(
            G=G,
            learning_scale=G if naive else np.ones_like(G),
            levels=_for_kernel(plan.levels),
            checkpoints=self.checkpoints,
            reward_model=dispatch_for(self.rewards, naive),
            expected=_for_kernel(self.horizon.G),
            future=_for_kernel(self.horizon.future),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Everything except compiled code."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def shares(self, games: int, workers: int) -> list[list[range]]:
        """The games in blocks, which do not depend on the workers, each cut into their pieces.

        A worker gets two pieces at least; more only if they are so large that cutting them bounds
        memory, because the interpreter prepares one piece at a time.
        """
        low, high = _BLOCK_GAMES
        size = min(high, max(low, _BLOCK_TURNS // self.G.turns // 64 * 64))
        blocks = _pieces(range(games), size)
        if workers == 1:
            return [[block] for block in blocks]
        large = size * self.G.turns * len(self.labels) // _PIECE_TURNS
        count = max(-(-2 * workers // len(blocks)), min(2 * workers, large))
        # In multiples of the eight games that UCB plays at once.
        return [_pieces(block, max(8, -(-len(block) // count) // 8 * 8)) for block in blocks]

    def empty_curves(self) -> dict[str, Curves]:
        if not self.checkpoints.size:
            return {}
        low, high = self.rewards.bounds
        if not np.isfinite((low, high)).all():
            raise ValueError("curves need rewards with finite bounds: give bounds=(low, high)")
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


class _Played(NamedTuple):
    """What happened in some games: axes are policies (not in `best`), games, and what is noted."""

    totals: NDArray[np.float64]
    best: NDArray[np.float64]
    traces: NDArray[np.float64]

    @classmethod
    def together(cls, parts: Sequence[_Played]) -> _Played:
        """The games of all parts, in their order."""
        if len(parts) == 1:
            return parts[0]
        totals, best, traces = zip(*parts, strict=True)
        return cls(np.concatenate(totals, 1), np.concatenate(best), np.concatenate(traces, 1))

    def metrics(self) -> dict[str, NDArray[np.float64]]:
        """A row per policy and a column per game, by name of the metric."""
        metrics = {name: self.totals[:, :, i] for i, name in enumerate(OUT)}
        return metrics | {"realised_regret": self.best - metrics["reward"]}


def _play_games(run: _Run, games: range) -> _Played:
    """Play some games with every policy; a function of the run and the games alone."""
    keys = game_keys(run.seed, games)
    arms = _arms(run, keys)
    policies = len(run.plans)
    played = _Played(
        totals=np.empty((policies, keys.size, len(OUT))),
        best=np.empty(keys.size),
        traces=np.empty((policies, keys.size, run.checkpoints.size, len(TRACE))),
    )
    run.oracle(keys, arms, played.best)
    for i, play in enumerate(run.players):
        play(keys, arms, played.totals[i], played.traces[i])
    return played


def _arms(run: _Run, keys: NDArray[np.uint64]) -> Arms:
    """The arms of some games; where their means change by turn, `means` is scratch memory."""
    rewards = run.rewards
    parameters = _for_kernel(rewards.parameters(keys))
    means = (
        np.zeros((1, rewards.arms)) if rewards.varies else _for_kernel(rewards.means(parameters))
    )
    kept = keys if run.lifetimes is not None else keys[:1]  # without lifetimes games share one row
    spans = spans_of(run.lifetimes, kept, rewards.arms, run.G.turns)
    first, last = spans[..., 0].copy(), spans[..., 1].copy()
    return Arms(parameters.reshape(keys.size, -1), means, first, last)


def _for_kernel(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values in one piece and writable: to numba a read-only array is of another type."""
    return np.require(values, np.float64, ["C", "W"])


def labelled(policies: Policies) -> tuple[tuple[str, ...], tuple[Policy, ...]]:
    """The given policies in any form, with a label for each."""
    if isinstance(policies, Policy | type | str):  # a class gets a hint below
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


def _pieces(games: range, size: int) -> list[range]:
    """Consecutive pieces of at most `size` games."""
    return [
        range(start, min(start + size, games.stop))
        for start in range(games.start, games.stop, size)
    ]


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
