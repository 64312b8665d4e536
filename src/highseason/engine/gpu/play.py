"""Blocks of games on a GPU: keys, arms, games and moments stay in its memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.parallel import map_blocks
from highseason.core.random import seed_key
from highseason.engine.gpu.device import Program
from highseason.engine.gpu.moments import QUANTITIES, BlockMoments, block_moments
from highseason.engine.gpu.schedules import MANY_BLOCKS, Games, play_any_rule, schedule_for
from highseason.engine.kernels.arguments import OUT, TRACE, Floats, Turns
from highseason.engine.kernels.build import has_own_kernel, player_of
from highseason.engine.kernels.reward_dispatch import AnyReward, PerTurnReward
from highseason.engine.parts import Played
from highseason.engine.turn import illegal_arm
from highseason.policies import Policy
from highseason.policies.lifetimes import LifetimeOptions, Lifetimes, expected_measure, spans_of
from highseason.rewards import Rewards

#: Games on the GPU at once: enough to fill it, few enough for memory.
_MOST_GAMES = 2**20
_BLOCK_BYTES = 8 * 2**30
#: Games whose means one worker computes at once, where a model's means are NumPy code.
_MEANS_PIECE = 16_384


@dataclass(frozen=True)
class GpuGames:
    """The games of a run on a device."""

    device: Any  # Where they are played: a `Gpu`
    policies: tuple[Policy, ...]  # Who plays
    turns: tuple[Turns, ...]  # Those of each policy
    rewards: Rewards  # What the arms pay
    lifetimes: Lifetimes | None  # When they are present
    seed: int  # Of all random numbers
    realised: bool  # Whether the best arm is played too, for the realised regret
    # By what a policy scores lifetimes; not all of them need it
    measure: Callable[[LifetimeOptions], Floats]

    @classmethod
    def of(cls, run: Any, device: Any) -> GpuGames:
        """The games of what `simulate` prepared."""
        return cls(
            device,
            tuple(plan.policy for plan in run.plans),
            tuple(run.turns(plan) for plan in run.plans),
            run.rewards,
            run.lifetimes,
            run.seed,
            run.realised,
            lambda options: expected_measure(run.G.values, run.forecast, options),
        )

    def chunks(self, games: int, size: int) -> Iterator[range]:
        """All games in pieces for the GPU's memory, each a multiple of blocks of `size` games."""
        checkpoints = self.turns[0].checkpoints.size
        numbers = (
            2 * self.rewards.arms * self.rewards.width
            + 8
            + len(self.policies) * (len(OUT) + len(QUANTITIES) + len(TRACE) * checkpoints)
        )
        most = min(_MOST_GAMES, _BLOCK_BYTES // (8 * numbers))
        step = max(1, most // size) * size
        for start in range(0, games, step):
            yield range(start, min(start + step, games))

    def play(self, games: range) -> Played:
        """Play these games with every policy; what happened stays in the GPU's memory."""
        device, count = self.device, len(games)
        keys = device.empty((count,), np.uint64)
        device.spread("draw_keys", count, np.uint64(seed_key(self.seed)), games.start, keys)
        parameters, means = self._arms(keys)
        spans = self._spans(keys)
        checkpoints = self.turns[0].checkpoints.size
        played = Played(
            device.empty((len(self.policies), count, len(OUT))),
            device.empty((count if self.realised else 0,)),
            device.empty((len(self.policies), count, checkpoints, len(TRACE))),
        )
        for i, turns in enumerate(self._on_device):
            out, trace = played.totals[i], played.traces[i]
            self._play(i, Games(turns, keys, parameters, means, out, trace), spans)
        if self.realised:
            self._play_best(keys, parameters, means, spans, played.best)
        return played

    def numbers(self, games: range) -> Played:
        """The same, in this machine's memory."""
        return Played._make(map(self.device.download, self.play(games)))

    def moments(self, games: range, size: int) -> BlockMoments:
        """The moments of these games, by blocks of `size`."""
        totals, best, _ = self.play(games)
        quantities = len(QUANTITIES) if self.realised else len(QUANTITIES) - 1
        values = self.device.empty((quantities, *totals.shape[:2]))
        self.device.spread("metrics", totals.shape[0] * totals.shape[1], totals, best, values)
        return block_moments(self.device, values, size)

    @functools.cached_property
    def _on_device(self) -> tuple[Turns, ...]:
        return tuple(Turns(*map(self._uploaded, turns)) for turns in self.turns)

    def _uploaded(self, part: Any) -> Any:
        return self.device.upload(part) if isinstance(part, np.ndarray) else part

    def _reward_functions(self, i: int) -> tuple[Any, Any]:
        """The user's `quantile` and `mean_at` that kernels contain; None for built-in families."""
        family = type(self.turns[i].reward_model)
        quantile = self.rewards.quantile if family in (AnyReward, PerTurnReward) else None
        return quantile, self.rewards.mean_at if family is PerTurnReward else None

    def _play(self, i: int, games: Games, spans: tuple[Any, Any]) -> None:
        policy, (quantile, mean_at) = self.policies[i], self._reward_functions(i)
        schedule = None
        if has_own_kernel(policy, self.rewards, self.lifetimes):
            schedule = schedule_for(policy.rule, games.arms, self.device)
        if schedule is not None:
            schedule(self.device, games, quantile)
        else:
            self._play_any_rule(policy, games, spans, (quantile, mean_at))

    def _play_any_rule(
        self, policy: Policy, games: Games, spans: tuple[Any, Any], functions: tuple[Any, Any]
    ) -> None:
        rule, G = policy.rule, self.turns[0].G
        measured = self.measure(policy.lifetime_options)
        player = player_of(policy, self.rewards, self.lifetimes, G, measured)
        functions_of_rule = (rule.start, rule.choose, rule.observe, rule.set_weights)
        program = Program("any_rule", (*functions, *functions_of_rule), MANY_BLOCKS)
        wrong = self.device.download(play_any_rule(self.device, games, spans, player, program))
        for turn, arm in wrong[wrong[:, 0] > 0][:1].tolist():
            raise illegal_arm(rule, turn, arm, self.rewards.arms)

    def _play_best(
        self, keys: Any, parameters: Any, means: Any, spans: tuple[Any, Any], out: Any
    ) -> None:
        threads = 128
        blocks = min(-(-len(keys) // threads), 16 * self.device.processors)
        if means is None:
            means = self.device.empty((blocks * threads, self.rewards.arms))
        program = Program("best_arms", self._reward_functions(0))
        self.device.launch(
            program, blocks, threads, 0, self._on_device[0], keys, parameters, means, *spans, out
        )

    def _arms(self, keys: Any) -> tuple[Any, Any]:
        """Parameters and true means, a row per game; no means where they change by turn."""
        rewards, device = self.rewards, self.device
        plain = rewards.fixed is None and rewards.draw_arms is None and rewards.mean_at is None
        if plain and rewards.width == 1:
            low, high = rewards.between
            parameters = device.empty((len(keys), rewards.arms))
            device.spread("draw_parameters", parameters.size, keys, low, high, parameters)
        else:
            drawn = rewards.parameters(device.download(keys))
            parameters = device.upload(drawn.reshape(len(keys), -1))
        if rewards.varies:
            return parameters, None
        if rewards.mean_of is np.asarray:
            return parameters, parameters
        return parameters, device.upload(self._means(device.download(parameters)))

    def _means(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The true means, computed on the CPU: their functions round differently on a GPU."""
        if self.rewards.width > 1:
            parameters = parameters.reshape(len(parameters), -1, self.rewards.width)
        starts = range(0, len(parameters), _MEANS_PIECE)
        pieces = [parameters[start : start + _MEANS_PIECE] for start in starts]
        first = self.rewards.means(pieces[0])  # here, because several threads cannot import numba
        return np.concatenate([first, *map_blocks(self.rewards.means, pieces[1:])])

    def _spans(self, keys: Any) -> tuple[Any, Any]:
        """First and last turns of the arms: a row per game, or one that all games share."""
        turns = self.turns[0].G.size
        kept = np.zeros(1, np.uint64) if self.lifetimes is None else self.device.download(keys)
        spans = spans_of(self.lifetimes, kept, self.rewards.arms, turns)
        return self.device.upload(spans[..., 0]), self.device.upload(spans[..., 1])
