"""How the games of a policy are laid out on a GPU: which kernel, how many threads, what memory."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from highseason.engine.gpu.device import Program
from highseason.engine.kernels.any_rule import RulePlayer
from highseason.engine.kernels.epsilon import leaves
from highseason.engine.kernels.turns import Turns
from highseason.engine.turn import Population
from highseason.policies import EPSILON, POOL, UCB_RULE, Rule
from highseason.policies.rule import ArmState

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
MANY_BLOCKS = (_MANY_THREADS, 8)


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
    """ε games."""
    arms, size = games.arms, leaves(games.arms)
    if arms <= _SHARED_ARMS:
        program = Program("epsilon_shared", (quantile,))
        _in_shared_memory(device, program, (2 * arms + size) * 8 + 2 * size + arms, games, size)
    else:
        small = _type_of_arms(arms)
        rows = (((size, 4), np.float64), ((2 * size,), small), ((arms,), small))
        _in_rows(device, Program("epsilon_rows", (quantile,), MANY_BLOCKS), games, *rows)


def play_pool(device: Any, games: Games, quantile: Any) -> None:
    """Pool games."""
    arms, small = games.arms, _type_of_arms(games.arms)
    if arms <= _SHARED_ARMS:
        _in_shared_memory(device, Program("pool_shared", (quantile,)), 26 * arms, games)
    else:
        rows = (((arms, 2), np.float64), ((arms,), np.float64), ((arms,), small), ((arms,), small))
        _in_rows(device, Program("pool_rows", (quantile,)), games, *rows)


def play_ucb(device: Any, games: Games, quantile: Any) -> None:
    """UCB games, several lanes each."""
    bits, turns = _lane_bits(games.arms), games.turns
    roots = device.upload(np.sqrt(device.download(turns.levels)))
    pulls = np.maximum(np.arange(turns.G.size + 2), 1)
    device.launch(
        Program("ucb", (quantile,)),
        -(-games.size // (_THREADS >> bits)), _THREADS, _ucb_bytes(games.arms),
        turns, roots, device.upload(1.0 / np.sqrt(pulls)), *games[1:], bits,
    )  # fmt: skip


_SCHEDULES: dict[Rule, Schedule] = {EPSILON: play_epsilon, POOL: play_pool, UCB_RULE: play_ucb}


def play_any_rule(
    device: Any, games: Games, spans: tuple[Any, Any], player: RulePlayer, program: Program
) -> Any:
    """Games of any rule; gives a row per game, (0, 0) or the turn and arm of an illegal choice."""
    each = sum(part.nbytes for part in (*player.state, *player.population[:5]))
    blocks = _blocks_that_fit(device, games.size, each, most=8)
    slots = blocks * _MANY_THREADS
    memory = RulePlayer(
        ArmState(*(_for_slots(device, part, slots) for part in player.state)),
        Population(*(_for_slots(device, part, slots) for part in player.population)),
        device.upload(player.measure), player.at_end, player.random_ties,
        device.upload(player.precision),
    )  # fmt: skip
    means = games.means if games.means is not None else device.empty((slots, games.arms))
    wrong = device.empty((games.size, 2), np.int64)
    device.launch(
        program, blocks, _MANY_THREADS, 0,
        *games[:3], means, *spans, *games[4:], memory, wrong,
    )  # fmt: skip
    return wrong


def _for_slots(device: Any, part: Any, slots: int) -> Any:
    """Memory like this array for many games at once, side by side; anything else as it is."""
    if isinstance(part, np.ndarray):
        return device.empty((*part.shape, slots), part.dtype)
    return part


def _in_shared_memory(device: Any, program: Program, each: int, games: Games, *more: Any) -> None:
    """A thread per game, with `each` bytes of shared memory."""
    arguments = (*games, *more)
    blocks = device.resident(program, _THREADS, each * _THREADS, *arguments)
    blocks = min(blocks, -(-games.size // _THREADS))
    device.launch(program, blocks, _THREADS, each * _THREADS, *arguments)


def _in_rows(
    device: Any, program: Program, games: Games, *rows: tuple[tuple[int, ...], DTypeLike]
) -> None:
    """A thread per game, with a row of each of these shapes and types in global memory."""
    each = sum(int(np.prod(shape)) * np.dtype(dtype).itemsize for shape, dtype in rows)
    blocks = _blocks_that_fit(device, games.size, each, most=16)
    memory = (device.empty((blocks * _MANY_THREADS, *shape), dtype) for shape, dtype in rows)
    device.launch(program, blocks, _MANY_THREADS, 0, *games, *memory)


def _blocks_that_fit(device: Any, games: int, each: int, most: int) -> int:
    """The thread blocks that fit, at `each` bytes per game and `most` per multiprocessor."""
    fit: int = min(most * device.processors, _MEMORY // (each * _MANY_THREADS))
    return max(1, min(fit, -(-games // _MANY_THREADS)))


def _type_of_arms(arms: int) -> DTypeLike:
    """The smallest type that can number the arms."""
    return np.uint8 if arms <= 2**8 else np.int16 if arms <= 2**15 else np.int32


def _lane_bits(arms: int) -> int:
    """The binary logarithm of how many lanes a UCB game gets."""
    return min(5, max(0, -(-arms // _ARMS_A_LANE) - 1).bit_length())


def _ucb_bytes(arms: int) -> int:
    held = -(-arms // (1 << _lane_bits(arms)))
    return held * _BYTES_AN_ARM * _THREADS
