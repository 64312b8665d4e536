"""Games on a GPU: keys, arms and games stay in its memory; what comes back are their numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.parallel import map_blocks
from highseason.core.random import seed_key
from highseason.core.warnings import warn_user
from highseason.engine.gpu import kernels
from highseason.engine.gpu.device import GpuProgram, the_gpu
from highseason.engine.kernels.any_rule import RulePlayer
from highseason.engine.kernels.interface import RULE_FUNCTIONS, has_own_kernel, player_of
from highseason.engine.kernels.turns import TRACE, Turns, spans_of
from highseason.engine.results import METRICS, BlockSummary
from highseason.engine.turn import Population, expected_measure, illegal_arm
from highseason.policies import EPSILON, UCB_RULE, Policy, Rule
from highseason.policies.rule import ArmState

if TYPE_CHECKING:
    from highseason.engine.simulate import Simulation

#: Games on the GPU at once: enough to fill it, and few enough for memory, and for the CPU to sum up
#: some while others are played.
_MOST_GAMES = 2**18
_MOST_BYTES = 8 * 2**30
#: Games whose means one worker computes at once, where a model's means are NumPy code.
_MEANS_PIECE = 16_384
#: Up to this many arms shared memory holds enough games to keep the machine busy.
_SHARED_ARMS = 40
#: Arms that one lane of a UCB game looks at, if 32 lanes are enough for that …
_ARMS_A_LANE = 25
#: … and what an arm needs there: mean, radius, sum and pulls.
_BYTES_AN_ARM = 28
#: Bytes for the games that are in global memory at once.
_MEMORY = 8 * 2**30
#: Threads of a block in shared and in global memory.
_THREADS, _MANY_THREADS = 64, 128
#: Kernels that mostly wait for memory: with 200 arms, 8 blocks at once, of 64 registers a thread,
#: play 1.5 times (ε) and 3 times (any rule) as many turns as the 2 or 3 that fit otherwise.
_MANY_BLOCKS = (_MANY_THREADS, 8)


class GpuRoundingWarning(UserWarning):
    """A function rounds differently on a GPU, so results may differ in their last digits."""


def play_on_gpu(simulation: Simulation, blocks: Sequence[range]) -> Iterator[BlockSummary]:
    """What is kept of each block: the CPU sums up games while the GPU plays the next ones."""
    device = the_gpu()
    device.inexact.clear()
    games = GpuGames(simulation, device)
    played: Iterator[BlockSummary] = iter(())
    for chunk in games.chunks(blocks):
        numbers = games.play(range(chunk[0].start, chunk[-1].stop))  # begun, not finished
        yield from played
        played = _summaries(simulation, chunk, *map(device.download, numbers))
    yield from played
    if device.inexact and not _ignores_logarithms(simulation):
        warn_user(
            f"{', '.join(sorted(device.inexact))}: the last bit may differ between a GPU and a "
            "CPU, so single games may. Without these functions all bits are the same.",
            GpuRoundingWarning,
        )


def _summaries(
    simulation: Simulation,
    blocks: Sequence[range],
    totals: NDArray[np.float64],
    best: NDArray[np.float64],
    traces: NDArray[np.float64],
) -> Iterator[BlockSummary]:
    """What is kept of each of some blocks that follow each other."""
    for block in blocks:
        some = slice(block.start - blocks[0].start, block.stop - blocks[0].start)
        yield simulation.summary(totals[:, some], best[some], traces[:, some])


def _ignores_logarithms(simulation: Simulation) -> bool:
    """Whether only rewards take a logarithm, and its last bit makes no difference to them."""
    rewards = simulation.rewards
    return rewards.kind.ignores_logarithms and all(
        has_own_kernel(plan.policy, rewards, simulation.lifetimes)  # others may take one too
        for plan in simulation.plans
    )


@dataclass(frozen=True)
class GpuGames:
    """The games of a simulation on a device."""

    simulation: Simulation
    device: Any  # A `Gpu`

    def chunks(self, blocks: Sequence[range]) -> Iterator[Sequence[range]]:
        """All blocks, as many at a time as the device holds."""
        simulation, rewards = self.simulation, self.simulation.rewards
        each = len(METRICS) + len(TRACE) * simulation.checkpoints.size
        numbers = 2 * rewards.arms * rewards.width + 8 + len(simulation.plans) * each
        games = min(_MOST_GAMES, _MOST_BYTES // (8 * numbers))
        step = max(1, games // len(blocks[0]))
        for start in range(0, len(blocks), step):
            yield blocks[start : start + step]

    def play(self, games: range) -> tuple[Any, Any, Any]:
        """Play these games with every policy; what happened stays in the device's memory.

        Totals by policy, game and `METRICS`; the best arm's rewards, if they are asked for; and
        running totals by policy, game, checkpoint and `TRACE`.
        """
        device, policies, count = self.device, len(self.simulation.plans), len(games)
        keys = device.empty((count,), np.uint64)
        seed = np.uint64(seed_key(self.simulation.seed))
        device.spread(kernels.draw_keys, count, seed, games.start, keys)
        parameters, means = self._arms(keys)
        spans = self._spans(keys)
        totals = device.empty((policies, count, len(METRICS)))
        traces = device.empty((policies, count, self.simulation.checkpoints.size, len(TRACE)))
        for i, turns in enumerate(self._on_device):
            self._play(i, Games(turns, keys, parameters, means, totals[i], traces[i]), spans)
        best = device.empty((count if self.simulation.realised else 0,))
        if self.simulation.realised:
            self._play_best(keys, parameters, means, spans, best)
        return totals, best, traces

    @functools.cached_property
    def _on_device(self) -> tuple[Turns, ...]:
        """The turns of each policy."""
        return tuple(
            Turns._make(self.device.upload(p) if isinstance(p, np.ndarray) else p for p in turns)
            for turns in map(self.simulation.turns, self.simulation.plans)
        )

    def _play(self, i: int, games: Games, spans: tuple[Any, Any]) -> None:
        simulation, quantile = self.simulation, self.simulation.rewards.quantile
        policy, schedule = simulation.plans[i].policy, None
        if has_own_kernel(policy, simulation.rewards, simulation.lifetimes):
            schedule = schedule_for(policy.rule, games.arms, self.device)
        if schedule is not None:
            schedule(self.device, games, quantile)
        else:
            self._play_any_rule(policy, games, spans)

    def _play_any_rule(self, policy: Policy, games: Games, spans: tuple[Any, Any]) -> None:
        rule, simulation, G = policy.rule, self.simulation, self.simulation.G.values
        device, rewards = self.device, simulation.rewards
        measured = expected_measure(G, simulation.forecast, policy.lifetime_options)
        player = player_of(policy, rewards, simulation.lifetimes, G.size, measured)
        each = sum(part.nbytes for part in (*player.state, *player.population[:5]))
        blocks = _blocks_that_fit(device, games.size, each, most=8)
        slots = blocks * _MANY_THREADS
        state = ArmState(*(_for_slots(device, part, slots) for part in player.state))
        if player.constants:  # games reset the rest
            each_slot = np.repeat(player.state.memory[:, :, np.newaxis], slots, axis=2)
            state = state._replace(memory=device.upload(each_slot))
        memory = RulePlayer(
            state,
            Population(*(_for_slots(device, part, slots) for part in player.population)),
            device.upload(player.measure), player.at_end, player.random_ties,
            player.counts_visitors, player.correlation, player.constants,
        )  # fmt: skip
        means = games.means if games.means is not None else device.empty((slots, games.arms))
        wrong = device.empty((games.size, 2), np.int64)
        functions = rewards.quantile, rewards.mean_at, *(getattr(rule, n) for n in RULE_FUNCTIONS)
        device.launch(
            GpuProgram(kernels.any_rule, functions, _MANY_BLOCKS),
            blocks, _MANY_THREADS, 0,
            *games[:3], means, *spans, *games[4:], memory, wrong,
        )  # fmt: skip
        illegal = device.download(wrong)
        for turn, arm in illegal[illegal[:, 0] > 0][:1].tolist():
            raise illegal_arm(rule, turn, arm, rewards.arms)

    def _play_best(
        self, keys: Any, parameters: Any, means: Any, spans: tuple[Any, Any], out: Any
    ) -> None:
        threads = 128
        blocks = min(-(-len(keys) // threads), 16 * self.device.processors)
        if means is None:
            means = self.device.empty((blocks * threads, self.simulation.rewards.arms))
        rewards = self.simulation.rewards
        program = GpuProgram(kernels.best_arms, (rewards.quantile, rewards.mean_at))
        self.device.launch(
            program, blocks, threads, 0, self._on_device[0], keys, parameters, means, *spans, out
        )

    def _arms(self, keys: Any) -> tuple[Any, Any]:
        """Parameters and true means, a row per game; no means where they change by turn."""
        rewards, device = self.simulation.rewards, self.device
        plain = rewards.fixed is None and rewards.draw_arms is None and rewards.mean_at is None
        if plain and rewards.width == 1:
            low, high = rewards.between
            parameters = device.empty((len(keys), rewards.arms))
            device.spread(kernels.draw_parameters, parameters.size, keys, low, high, parameters)
        else:
            drawn = rewards.parameters(device.download(keys))
            parameters = device.upload(drawn.reshape(len(keys), -1))
        if rewards.varies:
            return parameters, None
        if rewards.kind.mean_is_parameter:
            return parameters, parameters
        return parameters, device.upload(self._means(device.download(parameters)))

    def _means(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The true means, computed on the CPU: their functions round differently on a GPU."""
        rewards = self.simulation.rewards
        if rewards.width > 1:
            parameters = parameters.reshape(len(parameters), -1, rewards.width)
        starts = range(0, len(parameters), _MEANS_PIECE)
        pieces = [parameters[start : start + _MEANS_PIECE] for start in starts]
        first = rewards.means(pieces[0])  # here, because several threads cannot import numba
        return np.concatenate([first, *map_blocks(rewards.means, pieces[1:])])

    def _spans(self, keys: Any) -> tuple[Any, Any]:
        """First and last turns of the arms: a row per game, or one that all games share."""
        simulation, device = self.simulation, self.device
        kept = np.zeros(1, np.uint64) if simulation.lifetimes is None else device.download(keys)
        spans = spans_of(simulation.lifetimes, kept, simulation.rewards.arms, simulation.G.turns)
        return device.upload(spans[..., 0]), device.upload(spans[..., 1])


class Games(NamedTuple):
    """Games on a device: turns, keys and arms, and where the results go."""

    turns: Turns
    keys: Any
    parameters: Any
    means: Any
    out: Any
    trace: Any

    @property
    def arms(self) -> int:
        """How many arms a game has."""
        return int(self.parameters.shape[1])

    @property
    def size(self) -> int:
        """How many games there are."""
        return int(self.keys.size)


#: Plays games on a device; the last argument is the reward model's quantile function, or None.
Schedule = Callable[[Any, Games, Any], None]


def schedule_for(rule: Rule, arms: int, device: Any) -> Schedule | None:
    """The schedule of a rule that has its own kernel; None if memory is too small for it."""
    if rule is UCB_RULE and _ucb_bytes(arms) > device.shared_bytes:
        return None
    return _SCHEDULES.get(rule)


def play_epsilon(device: Any, games: Games, quantile: Any) -> None:
    """ε games, a thread each: in shared memory, or with a row each in global memory."""
    arms = games.arms
    if arms <= _SHARED_ARMS:
        program, shared = GpuProgram(kernels.epsilon_shared, (quantile,)), 24 * arms * _THREADS
        resident = device.resident(program, _THREADS, shared, *games)
        blocks = min(resident, -(-games.size // _THREADS))
        device.launch(program, blocks, _THREADS, shared, *games)
        return
    blocks = _blocks_that_fit(device, games.size, 24 * arms, most=16)
    slots = blocks * _MANY_THREADS
    device.launch(
        GpuProgram(kernels.epsilon_rows, (quantile,), _MANY_BLOCKS), blocks, _MANY_THREADS, 0,
        *games, device.empty((slots, arms, 2)), device.empty((slots, arms)),
    )  # fmt: skip


def play_ucb(device: Any, games: Games, quantile: Any) -> None:
    """UCB games, several lanes each."""
    bits, turns = _lane_bits(games.arms), games.turns
    roots = device.upload(np.sqrt(device.download(turns.levels)))
    pulls = np.maximum(np.arange(turns.G.size + 2), 1)
    device.launch(
        GpuProgram(kernels.ucb, (quantile,)),
        -(-games.size // (_THREADS >> bits)), _THREADS, _ucb_bytes(games.arms),
        turns, roots, device.upload(1.0 / np.sqrt(pulls)), *games[1:], bits,
    )  # fmt: skip


_SCHEDULES: dict[Rule, Schedule] = {EPSILON: play_epsilon, UCB_RULE: play_ucb}


def _for_slots(device: Any, part: Any, slots: int) -> Any:
    """Memory like this array for many games at once, side by side; anything else as it is."""
    if isinstance(part, np.ndarray):
        return device.empty((*part.shape, slots), part.dtype)
    return part


def _blocks_that_fit(device: Any, games: int, each: int, most: int) -> int:
    """The thread blocks that fit, at `each` bytes per game and `most` per multiprocessor."""
    fit: int = min(most * device.processors, _MEMORY // (each * _MANY_THREADS))
    return max(1, min(fit, -(-games // _MANY_THREADS)))


def _lane_bits(arms: int) -> int:
    """The binary logarithm of how many lanes a UCB game gets."""
    return min(5, max(0, -(-arms // _ARMS_A_LANE) - 1).bit_length())


def _ucb_bytes(arms: int) -> int:
    held = -(-arms // (1 << _lane_bits(arms)))
    return held * _BYTES_AN_ARM * _THREADS
