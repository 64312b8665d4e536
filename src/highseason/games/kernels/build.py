"""Which kernel plays a policy, compiled for the types of its arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled, function_type
from highseason.core.jitable import jitable
from highseason.engine.abi import (
    function_types,
    numba_types,
    rule_functions,
    state_type,
    users_function,
)
from highseason.engine.lifetimes import Lifetimes
from highseason.engine.lifetimes.presence import Population, lifetimes_matter, population_of
from highseason.engine.step import illegal_arm
from highseason.games.kernels.any_rule import (
    Arms,
    RulePlayer,
    any_rule_game,
    any_rule_kernel,
    oracle_kernel,
)
from highseason.games.kernels.arguments import Floats, Kernel, ScratchSpec, Turns, kernel_of
from highseason.games.kernels.epsilon import EPSILON_SCRATCH, epsilon_game
from highseason.games.kernels.pool import POOL_SCRATCH, pool_game
from highseason.games.kernels.ucb_groups import GROUPS_SCRATCH, ucb_groups_game
from highseason.games.kernels.ucb_lanes import LANES_SCRATCH, ucb_lanes_kernel
from highseason.policies import Policy
from highseason.rewards import Rewards
from highseason.rules import EPSILON, POOL, UCB_RULE, Rule, fresh_state

#: A batch of eight UCB games scans every arm; from this many arms on, groups of arms are faster …
_MANY_ARMS = 256
#: … unless the game is so long that hardly two arms have the same number of pulls.
_LONG_GAME = 40

#: Plays games: `(keys, arms, gaps, out, trace)`, a row per game in each.
Play = Callable[[NDArray[np.uint64], Arms, Floats, Floats, Floats], None]


class SpecialKernel(NamedTuple):
    """A kernel for one rule, and the scratch memory that it needs."""

    kernel: Kernel
    scratch: ScratchSpec[Any]


EPSILON_KERNEL = SpecialKernel(kernel_of(epsilon_game), EPSILON_SCRATCH)
POOL_KERNEL = SpecialKernel(kernel_of(pool_game), POOL_SCRATCH)
UCB_GROUPS_KERNEL = SpecialKernel(kernel_of(ucb_groups_game), GROUPS_SCRATCH)
UCB_LANES_KERNEL = SpecialKernel(ucb_lanes_kernel, LANES_SCRATCH)


def _ucb_kernel(arms: int, turns: int) -> SpecialKernel:
    many = arms > _MANY_ARMS and turns < _LONG_GAME * arms
    return UCB_GROUPS_KERNEL if many else UCB_LANES_KERNEL


#: Rules with a kernel of their own, given `(arms, turns)`; `any_rule` plays all others.
SPECIAL_KERNELS: dict[Rule, Callable[[int, int], SpecialKernel]] = {
    EPSILON: lambda arms, turns: EPSILON_KERNEL,
    UCB_RULE: _ucb_kernel,
    POOL: lambda arms, turns: POOL_KERNEL,
}


def kernel_for(
    policy: Policy,
    turns: Turns,
    rewards: Rewards,
    lifetimes: Lifetimes | None,
    cumulative_g: Callable[[], Floats],
) -> Play:
    """The fastest way to play a policy; not all of them need `cumulative_g`."""
    special = SPECIAL_KERNELS.get(policy.rule)
    if (
        special is None
        or lifetimes is not None
        or lifetimes_matter(policy)
        or policy.ties == "random"
        or rewards.mean_at is not None
    ):
        return _any_rule(policy, turns, rewards, lifetimes, cumulative_g())
    return _special(special(rewards.arms, turns.G.size), turns, rewards)


def _special(chosen: SpecialKernel, turns: Turns, rewards: Rewards) -> Play:
    types = numba_types()
    table = types.float64[:, ::1]
    quantile, quantile_type = _quantile(rewards)
    signature = types.void(
        turns_type(turns), quantile_type, types.uint64[::1], table, table, table,
        types.float64[:, :, ::1], _scratch_type(chosen.scratch),
    )  # fmt: skip
    kernel = compiled(chosen.kernel, signature)

    def play(
        keys: NDArray[np.uint64], arms: Arms, gaps: Floats, out: Floats, trace: Floats
    ) -> None:
        scratch = chosen.scratch.allocate(gaps.shape[1], turns.G.size)
        kernel(turns, quantile, keys, arms.parameters, gaps, out, trace, scratch)

    return play


def _any_rule(
    policy: Policy,
    turns: Turns,
    rewards: Rewards,
    lifetimes: Lifetimes | None,
    cumulative_g: Floats,
) -> Play:
    types, rule = numba_types(), policy.rule
    quantile, quantile_type = _quantile(rewards)
    mean_at, mean_type = _mean_at(rewards)
    signature = types.UniTuple(types.int64, 2)(
        turns_type(turns), types.uint64[::1], _arms_type(), types.float64[:, ::1],
        types.float64[:, :, ::1], _player_type(), quantile_type, mean_type, *function_types(),
    )  # fmt: skip
    kernel = compiled(any_rule_kernel, signature)
    functions = (quantile, mean_at, *rule_functions(rule))

    def play(
        keys: NDArray[np.uint64], arms: Arms, gaps: Floats, out: Floats, trace: Floats
    ) -> None:
        player = player_of(policy, rewards, lifetimes, turns.G.size, cumulative_g)
        turn, arm = kernel(turns, keys, arms, out, trace, player, *functions)
        if turn != 0:
            raise illegal_arm(rule, turn, arm, rewards.arms)

    return play


def player_of(
    policy: Policy, rewards: Rewards, lifetimes: Lifetimes | None, turns: int, cumulative_g: Floats
) -> RulePlayer:
    """The settings of a policy and fresh memory for one game at a time."""
    rule = policy.rule
    always = np.tile(np.array([1, turns], np.int64), (rewards.arms, 1))
    return RulePlayer(
        state=fresh_state(rewards.arms, rule.memory, rule.shared),
        population=population_of(policy, always, lifetimes, turns),
        cumulative_g=cumulative_g,
        rank_by_end=policy.lifetime_options.ranks_by_end,
        random_ties=policy.ties == "random",
    )


def oracle_for(turns: Turns, rewards: Rewards) -> Callable[..., None]:
    """What the best arm present would have paid in each game: `(keys, arms, out)`."""
    types = numba_types()
    quantile, quantile_type = _quantile(rewards)
    mean_at, mean_type = _mean_at(rewards)
    signature = types.void(
        turns_type(turns), quantile_type, mean_type, types.uint64[::1], _arms_type(),
        types.float64[::1],
    )  # fmt: skip
    return functools.partial(compiled(oracle_kernel, signature), turns, quantile, mean_at)


def bound_game(rule: Rule, rewards: Rewards) -> Kernel:
    """One game of a rule and a reward model with their functions compiled in, not as pointers.

    For backends without function pointers (CUDA), and for a machine where compiling once per rule
    is worth it: `game(turns, key, parameters, means, first, last, out, trace, player)`.
    """
    start, choose = jitable(rule.start), jitable(rule.choose)
    observe, set_weights = jitable(rule.observe), jitable(rule.set_weights)
    quantile, mean_at = jitable(rewards.quantile), jitable(rewards.mean_at or no_mean)

    def game(
        turns: Turns,
        key: int,
        parameters: Floats,
        means: Floats,
        first: NDArray[np.int64],
        last: NDArray[np.int64],
        out: Floats,
        trace: Floats,
        player: RulePlayer,
    ) -> tuple[int, int]:
        return any_rule_game(
            turns, key, parameters, means, first, last, out, trace, player,
            quantile, mean_at, start, choose, observe, set_weights,
        )  # fmt: skip

    return game


def no_mean(parameters: Floats, t: int, G: float) -> float:
    """The place of `mean_at` for models whose means do not change by turn."""
    return 0.0


def _quantile(rewards: Rewards) -> tuple[Any, Any]:
    """A reward model's quantile function, compiled, and its type."""
    types = numba_types()
    number = types.float64
    if rewards.mean_at is None:
        signature, shape = number(number, number, number), "quantile(u, parameter, scale)"
    else:
        signature = number(number, types.float64[::1], types.int64, number)
        shape = "quantile(u, parameters, t, G)"
    return users_function(rewards.quantile, signature, shape), function_type(signature)


def _mean_at(rewards: Rewards) -> tuple[Any, Any]:
    types = numba_types()
    signature = types.float64(types.float64[::1], types.int64, types.float64)
    mean_at = users_function(rewards.mean_at or no_mean, signature, "mean(parameters, t, G)")
    return mean_at, function_type(signature)


def turns_type(turns: Turns) -> Any:
    """The numba type of `Turns`; the type of the reward model picks the code."""
    model: Any = type(turns.reward_model)
    return _turns_type(model)


@functools.cache
def _turns_type(reward_model: Any) -> Any:
    types = numba_types()
    numbers = types.float64[::1]
    model = types.NamedUniTuple(types.float64, 1, reward_model)
    fields = (numbers, numbers, numbers, types.int64[::1], model, numbers, numbers)
    return types.NamedTuple(fields, Turns)


@functools.cache
def _scratch_type(spec: ScratchSpec[Any]) -> Any:
    import numba

    return numba.typeof(spec.allocate(1, 1))


@functools.cache
def _arms_type() -> Any:
    types = numba_types()
    numbers, counts = types.float64[:, ::1], types.int64[:, ::1]
    return types.NamedTuple((numbers, numbers, counts, counts), Arms)


@functools.cache
def _player_type() -> Any:
    types = numba_types()
    flags, counts, numbers = types.boolean[::1], types.int64[::1], types.float64[::1]
    word, yes = types.int64, types.boolean
    fields = (counts, counts, numbers, flags, flags, yes, word, types.float64, word)
    population = types.NamedTuple(fields, Population)
    return types.NamedTuple((state_type(), population, numbers, yes, yes), RulePlayer)
