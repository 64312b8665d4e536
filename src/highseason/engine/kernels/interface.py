"""Kernels for callers: which one plays a policy, compiled for the types of its arguments.

The functions of a rule are arguments of `any_rule_kernel`, as pointers, so it is compiled once for
all rules; where games are many they are compiled into a kernel of their own.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled
from highseason.core.jitable import jitable
from highseason.engine.kernels.any_rule import RulePlayer, any_rule_kernel, oracle_kernel
from highseason.engine.kernels.epsilon import epsilon_game, epsilon_scratch
from highseason.engine.kernels.pool import pool_game, pool_scratch
from highseason.engine.kernels.turns import (
    Arms,
    Floats,
    Kernel,
    Turns,
    kernel_of,
)
from highseason.engine.kernels.ucb_lanes import ucb_lanes_kernel
from highseason.engine.turn import Population, illegal_arm, population_of
from highseason.policies import EPSILON, POOL, UCB_RULE, Policy, Rule, fresh_state
from highseason.policies.lifetimes import Lifetimes
from highseason.policies.rule import Choose, LifetimeOptions, Observation, Turn
from highseason.rewards import Rewards

#: From this many turns on, a rule's functions are compiled into the kernel: that takes a few
#: seconds once, and each turn about 50 ns less than with function pointers.
WORTH_BINDING = 100_000_000

#: Plays games: `(keys, arms, out, trace)`, a row per game in each.
Play = Callable[[NDArray[np.uint64], Arms, Floats, Floats], None]


class SpecialKernel(NamedTuple):
    """A kernel for one rule, and the scratch memory that it needs for a number of arms."""

    kernel: Kernel
    scratch: Callable[[int], Any]


#: Rules with a kernel of their own; `any_rule` plays all others.
SPECIAL_KERNELS: dict[Rule, SpecialKernel] = {
    EPSILON: SpecialKernel(kernel_of(epsilon_game), epsilon_scratch),
    POOL: SpecialKernel(kernel_of(pool_game), pool_scratch),
    UCB_RULE: SpecialKernel(ucb_lanes_kernel, lambda arms: ()),
}


def kernel_for(
    policy: Policy,
    turns: Turns,
    rewards: Rewards,
    lifetimes: Lifetimes | None,
    measure: Callable[[LifetimeOptions], Floats],
    bind: bool = False,
) -> Play:
    """The fastest way to play a policy; not all of them `measure` lifetimes.

    With `bind`, functions of rules without a kernel of their own are compiled in, where they can.
    """
    rule, family = policy.rule, _family(turns)
    functions = _reward_functions(rewards)
    if has_own_kernel(policy, rewards, lifetimes):
        kernel, functions = _compiled_special(rule, family), functions[:1]
        memory = functools.partial(SPECIAL_KERNELS[rule].scratch, rewards.arms)
    else:
        measured = measure(policy.lifetime_options)
        memory = functools.partial(player_of, policy, rewards, lifetimes, turns.G.size, measured)
        bound = _bound(rule, rewards.quantile, rewards.mean_at, family) if bind else None
        kernel = bound or _compiled_any_rule(family)
        functions = () if bound else (*functions, *rule_functions(rule))

    def play(keys: NDArray[np.uint64], arms: Arms, out: Floats, trace: Floats) -> None:
        turn, arm = kernel(turns, keys, arms, out, trace, memory(), *functions)
        if turn != 0:
            raise illegal_arm(rule, turn, arm, rewards.arms)

    return play


def has_own_kernel(policy: Policy, rewards: Rewards, lifetimes: Lifetimes | None) -> bool:
    """Whether the policy's rule has a kernel of its own that can play these games."""
    return (
        policy.rule in SPECIAL_KERNELS
        and lifetimes is None
        and not policy.uses_lifetimes
        and policy.ties != "random"
        and not rewards.varies
        and rewards.width == 1
        and policy.counts != "visitors"
    )


def oracle_for(turns: Turns, rewards: Rewards) -> Callable[..., None]:
    """What the best arm present would have paid in each game: `(keys, arms, out)`."""
    kernel, functions = _compiled_oracle(_family(turns)), _reward_functions(rewards)
    return lambda keys, arms, out: kernel(turns, keys, arms, out, *functions)


def player_of(
    policy: Policy, rewards: Rewards, lifetimes: Lifetimes | None, turns: int, measure: Floats
) -> RulePlayer:
    """The settings of a policy and fresh memory for one game at a time."""
    rule = policy.rule
    always = np.tile(np.array([1, turns], np.int64), (rewards.arms, 1))
    return RulePlayer(
        state=rule.unprepared_state(rewards.arms, rewards.offers),
        population=population_of(policy, always, lifetimes, turns),
        measure=measure,
        at_end=policy.lifetime_options.at_end,
        random_ties=policy.ties == "random",
        counts_visitors=policy.counts == "visitors",
        correlation=float(policy.correlation),
        constants=len(rule.constants),
    )


@functools.lru_cache(64)
def _bound(rule: Rule, quantile: Any, mean_at: Any, family: Any) -> Kernel | None:
    """`any_rule_kernel` with these functions compiled in; None if only pointers convert types."""
    from numba import NumbaError

    start, choose, observe, set_weights = (jitable(getattr(rule, name)) for name in RULE_FUNCTIONS)
    quantile, mean_at = (function and jitable(function) for function in (quantile, mean_at))

    def kernel(
        turns: Turns,
        keys: NDArray[np.uint64],
        arms: Arms,
        out: Floats,
        trace: Floats,
        player: RulePlayer,
    ) -> tuple[int, int]:
        return any_rule_kernel(
            turns, keys, arms, out, trace, player,
            quantile, mean_at, start, choose, observe, set_weights,
        )  # fmt: skip

    try:
        return _compiled_kernel(kernel, family, _player_type())
    except NumbaError:
        return None


def _family(turns: Turns) -> Any:
    """The type of these rewards: kernels are compiled for each."""
    import numba

    return numba.typeof(turns.rewards)


def _reward_functions(rewards: Rewards) -> tuple[Any, ...]:
    """A user's `quantile` and `mean`, compiled; None for kinds that have their own."""

    def compiled_as(name: str, function: Any, takes: tuple[str, ...]) -> Any:
        shape = f"{name}({', '.join(takes)})"
        return None if function is None else users_function(function, _takes(takes), shape)

    kind = rewards.kind
    return (
        compiled_as("quantile", rewards.quantile, kind.quantile_takes),
        compiled_as("mean", rewards.mean_at, kind.mean_takes),
    )


@functools.cache
def _takes(arguments: tuple[str, ...]) -> Any:
    """The signature of a user's function of these arguments; None if there is none."""
    from numba import types

    typed = {"parameters": types.float64[::1], "t": types.int64}
    number = types.float64
    return number(*(typed.get(name, number) for name in arguments)) if arguments else None


def _reward_types(family: Any) -> list[Any]:
    from numba import types

    kind = family[0].instance_class
    signatures = map(_takes, (kind.quantile_takes, kind.mean_takes))
    return [types.FunctionType(one) if one else types.none for one in signatures]


# Looking up a signature costs as much as playing ten games, so each kernel is looked up once.


@functools.cache
def _compiled_special(rule: Rule, family: Any) -> Kernel:
    import numba

    kernel, scratch = SPECIAL_KERNELS[rule]
    quantile, _ = _reward_types(family)
    return _compiled_kernel(kernel, family, numba.typeof(scratch(1)), quantile)


@functools.cache
def _compiled_any_rule(family: Any) -> Kernel:
    functions = (*_reward_types(family), *function_types())
    return _compiled_kernel(any_rule_kernel, family, _player_type(), *functions)


def _compiled_kernel(kernel: Kernel, family: Any, memory: Any, *functions: Any) -> Kernel:
    from numba import types

    out, trace = types.float64[:, ::1], types.float64[:, :, ::1]
    status = types.UniTuple(types.int64, 2)
    signature = status(*_game_types(family), out, trace, memory, *functions)
    return compiled(kernel, signature)


@functools.cache
def _compiled_oracle(family: Any) -> Kernel:
    from numba import types

    row = types.float64[::1]
    arguments = (*_game_types(family), row, *_reward_types(family))
    return compiled(oracle_kernel, types.void(*arguments))


def _game_types(family: Any) -> tuple[Any, Any, Any]:
    """The types of turns, keys and arms; the family of rewards picks the code."""
    import numba
    from numba import types

    numbers, counts = np.empty((1, 1)), np.empty((1, 1), np.int64)
    row, arms = types.float64[::1], Arms(numbers, numbers, counts, counts)
    members = {"checkpoints": types.int64[::1], "rewards": family}
    turns = types.NamedTuple([members.get(name, row) for name in Turns._fields], Turns)
    return turns, types.uint64[::1], numba.typeof(arms)


def _player_type() -> Any:
    import numba

    flags, counts, numbers = np.empty(1, np.bool_), np.empty(1, np.int64), np.empty(1)
    population = Population(counts, counts, numbers, flags, flags, True, 1, 1.0, 1)
    return numba.typeof(RulePlayer(fresh_state(1), population, numbers, True, True, True, 1.0, 0))


#: The functions of a rule that a kernel calls, in the order in which kernels take them.  Kernels
#: spell them out: numba makes a pointer of a function that is an argument, not of one in a tuple.
#: A function that only some games call therefore belongs into a list of its own.
RULE_FUNCTIONS = {
    "start": "start(state)",
    "choose": "choose(state, turn) -> (arm, exploited)",
    "observe": "observe(state, turn, observation)",
    "set_weights": "set_weights(state, clock, scores, scale)",
}


@functools.cache
def rule_functions(rule: Any) -> tuple[Any, ...]:
    """The functions of a rule, compiled; a `ValueError` if one of them cannot be."""
    functions = (getattr(rule, name) for name in RULE_FUNCTIONS)
    return tuple(map(users_function, functions, _signatures(), RULE_FUNCTIONS.values()))


@functools.cache
def live_choose(rule: Rule) -> Choose:
    """How a rule chooses in a live bandit: as Python, or compiled if it is slow."""
    if not rule.traits.slow:
        return rule.choose
    function = users_function(rule.choose, _signatures()[1], RULE_FUNCTIONS["choose"])
    word: Any = np.uint64
    return lambda state, turn: function(state, turn._replace(key=word(turn.key)))


def function_types() -> tuple[Any, ...]:
    """The numba types of those functions, for the signature of a kernel."""
    from numba import types

    return tuple(map(types.FunctionType, _signatures()))


def users_function(function: Callable[..., Any], signature: Any, shape: str) -> Any:
    """Compile a function that may be a user's, and explain what it must look like if it fails."""
    from numba import NumbaError

    try:
        return compiled(function, signature)
    except NumbaError as reason:
        raise ValueError(
            f"{getattr(function, '__name__', function)!r} cannot be compiled as {shape}: use "
            f"numbers, arrays, the math module and functions marked @jitable. numba says: {reason}"
        ) from None


@functools.cache
def state_type() -> Any:
    """The type of an `ArmState`."""
    import numba

    return numba.typeof(fresh_state(1))


@functools.cache
def turn_type() -> Any:
    """The type of a `Turn`."""
    import numba

    key: Any = np.uint64(1)  # a machine word, however small
    return numba.typeof(Turn(1, 1.0, 1.0, 1.0, 1, key, True, 1))


@functools.cache
def _signatures() -> tuple[Any, ...]:
    from numba import typeof, types

    state, turn, number = state_type(), turn_type(), types.float64
    return (
        types.void(state),
        types.Tuple((types.int64, types.boolean))(state, turn),
        types.void(state, turn, typeof(Observation(1, 1.0, 1.0))),
        types.void(state, types.int64, number[::1], number),
    )
