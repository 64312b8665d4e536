"""A turn inside a kernel: what kernels are given, and how a reward is drawn, learned and recorded.

A *game function* plays one game: `game(turns, quantile, key, parameters, means, out, trace,
scratch)`.  It allocates nothing, sorts with no library, and raises nothing, so that a backend may
run one game per thread; its scratch memory, a named tuple of arrays, is handed in.  A
*kernel* loops over games: `kernel(turns, keys, arms, out, trace, scratch, quantile, …)` returns
(0, 0), or the turn and the arm of an illegal choice.

Each family of rewards is a type.  The compiler picks the code by that type, so a kernel for
Bernoulli arms contains no trace of the others: a branch in the hottest loop, with a call behind it,
would cost as much as the rest of the turn.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import inlined, jitable, jitable_as
from highseason.core.random import REWARD, draw, turn_key
from highseason.core.special import share_of
from highseason.engine.results import METRICS, Measured
from highseason.policies.lifetimes import Lifetimes
from highseason.policies.rule import NO_END
from highseason.rewards import Rewards
from highseason.rewards.model import Drift, bernoulli_quantile, clipped_normal_quantile, move_means
from highseason.rewards.visitors import SpendNoise, VisitorNoise, spend_reward, visitor_reward

#: The last axis of a kernel's `trace`: those whose running totals are kept at the checkpoints.
TRACE = METRICS[:2]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Kernel = Callable[..., Any]


class Arms(NamedTuple):
    """The arms of a block of games: a row per game, or one row where all games share it."""

    parameters: Floats  # Of the reward model
    means: Floats  # The true means; scratch memory where they change by turn
    first: Ints  # The first turn of each arm
    last: Ints  # Its last


def spans_of(
    lifetimes: Lifetimes | None, keys: NDArray[np.uint64], arms: int, turns: int
) -> NDArray[np.int64]:
    """First and last turn of every arm, by game."""
    if lifetimes is not None:
        return lifetimes.spans(keys, turns)
    return np.broadcast_to(np.array([1, NO_END], np.int64), (keys.size, arms, 2))


class BernoulliReward(NamedTuple):
    """Arms that pay 0 or 1, learned as 0 or 1."""

    scale: float


class ClippedNormalReward(NamedTuple):
    """Arms that pay N(centre, scale), clipped to [0, 1]."""

    scale: float


class AnyReward(NamedTuple):
    """Any `quantile(u, parameter, scale)`; also everything that naive policies learn."""

    scale: float
    low: float  # Its `reward_range`
    most: float


class PerTurnReward(NamedTuple):
    """Any `quantile(u, parameters, t, G)` with `width` parameters per arm."""

    width: float
    low: float
    most: float


class AnyShare(AnyReward):
    """The same as `AnyReward`; its share of the range is learned."""


class PerTurnShare(PerTurnReward):
    """The same as `PerTurnReward`; its share of the range is learned."""


class DriftingBernoulli(NamedTuple):
    """Arms that pay 0 or 1 and whose means move; the fields are those of a `Drift`."""

    step: float
    change: float
    low: float
    high: float


class DriftingVisitors(NamedTuple):
    """Arms that are seen by visitors and whose rates move."""

    share: float
    rho: float
    day: float
    step: float
    change: float
    low: float
    high: float


RewardDispatch = (
    BernoulliReward
    | ClippedNormalReward
    | AnyReward
    | PerTurnReward
    | VisitorNoise
    | SpendNoise
    | DriftingBernoulli
    | DriftingVisitors
)


class Turns(NamedTuple):
    """The turns of a game: the same for every game, and for every policy except for the plan."""

    G: Floats  # The multiplier
    # What a reward of 1 is learned as: 1, or G(t) for naive policies, which do not divide by G
    learning_scale: Floats
    levels: Floats  # The plan
    checkpoints: Ints  # Turns (rising) after which running totals are recorded
    reward_model: RewardDispatch  # How rewards are drawn; its type picks the code that is compiled
    expected: Floats  # G as the policy knows it when a turn comes: itself, or its forecast
    future: Floats  # The future weight W(t) as the policy knows it; NaN where it is unknown


_DRIFTING = (DriftingBernoulli, DriftingVisitors)

#: Families whose quantile function is compiled into kernels; the others hand theirs in.
_BUILT_IN: dict[Any, Any] = {
    BernoulliReward: bernoulli_quantile,
    ClippedNormalReward: clipped_normal_quantile,
}
#: Families that count visitors, and how a reward is drawn from one uniform number.
COUNTED: dict[Any, Any] = {
    VisitorNoise: visitor_reward,
    DriftingVisitors: visitor_reward,
    SpendNoise: spend_reward,
}


def dispatch_for(rewards: Rewards, learns_scaled: bool) -> RewardDispatch:
    """The type that picks the code for these rewards, for policies that divide by G or not."""
    if rewards.drift is not None:
        if rewards.noise is None:
            return DriftingBernoulli(*rewards.drift)
        return DriftingVisitors._make((*rewards.noise, *rewards.drift))
    if rewards.noise is not None:
        return rewards.noise  # type: ignore[no-any-return]  # its type is a family
    plain, ends = rewards.learned_as_is, rewards.reward_range
    if rewards.mean_at is not None:
        return (PerTurnReward if plain else PerTurnShare)(float(rewards.width), *ends)
    if not learns_scaled:
        for family, quantile in _BUILT_IN.items():
            if rewards.quantile is quantile:
                return family(rewards.scale)  # type: ignore[no-any-return]  # one of the union
    return (AnyReward if plain else AnyShare)(rewards.scale, *ends)


def by_family(choose: Callable[[Any], Callable[..., Any]]) -> Callable[..., Any]:
    """A function whose code depends on the type of its first argument, `choose(type)`."""

    @jitable_as(lambda model, *others: choose(model.instance_class))
    @functools.wraps(choose)
    def function(model: RewardDispatch, *others: Any) -> Any:
        return choose(type(model))(model, *others)

    return function


@by_family
def draw_reward(family: Any) -> Callable[..., float]:
    """`(model, quantile, key, parameter, t, G)`: the reward X of the turn that begins at `key`.

    For an arm with this parameter, or with these.
    """
    if issubclass(family, PerTurnReward):
        return lambda model, quantile, key, parameter, t, G: quantile(
            draw(key, REWARD), parameter, t, G
        )
    if issubclass(family, AnyReward):
        return lambda model, quantile, key, parameter, t, G: quantile(
            draw(key, REWARD), parameter, model.scale
        )
    if family in COUNTED:
        count = COUNTED[family]
        return lambda model, quantile, key, parameter, t, G: count(
            draw(key, REWARD), parameter, model, G
        )
    if family is DriftingBernoulli:
        return lambda model, quantile, key, parameter, t, G: bernoulli_quantile(
            draw(key, REWARD), parameter, 0.0
        )
    built_in = _BUILT_IN[family]
    return lambda model, quantile, key, parameter, t, G: built_in(
        draw(key, REWARD), parameter, model.scale
    )


@by_family
def parameter_of(family: Any) -> Callable[..., Any]:
    """`(model, parameters, means, arm)`: the arm's parameter out of a game's row, or all it has.

    The parameter of an arm that drifts is its mean of this turn.
    """
    if family in _DRIFTING:
        return lambda model, parameters, means, arm: means[arm]
    if family is SpendNoise:
        return lambda model, parameters, means, arm: parameters[2 * arm : 2 * arm + 2]
    if issubclass(family, PerTurnReward):
        return lambda model, parameters, means, arm: parameters[
            arm * int(model.width) : (arm + 1) * int(model.width)
        ]
    return lambda model, parameters, means, arm: parameters[arm]


@by_family
def learned_value(family: Any) -> Callable[..., float]:
    """`(model, x, paid, learning_scale, G)`: what a policy learns from the scaled reward `paid`.

    It is paid/G, or `paid` for naive policies.  (G·x)/G is the definition; where x is 0 or 1 that
    is 0 or 1 to the last bit, so a Bernoulli game skips the division.  Of money a share is learned.
    """
    if family is BernoulliReward:
        return lambda model, x, paid, learning_scale, G: x
    if family in (SpendNoise, AnyShare, PerTurnShare):
        return lambda model, x, paid, learning_scale, G: _per_unit(
            G * share_of(x, model.low, model.most), learning_scale, G
        )
    return lambda model, x, paid, learning_scale, G: _per_unit(paid, learning_scale, G)


@by_family
def booked(family: Any) -> Callable[..., float]:
    """`(model, x, paid)`: what is added to a total; NaN if a user's model breaks its bounds."""
    if issubclass(family, AnyReward | PerTurnReward):
        return lambda model, x, paid: paid if model.low <= x <= model.most else math.nan
    return lambda model, x, paid: paid


@inlined
def _per_unit(scaled: float, learning_scale: float, G: float) -> float:
    return scaled / G if learning_scale == 1.0 else scaled


@by_family
def update_means(family: Any) -> Callable[..., bool]:
    """`(model, mean_at, game, parameters, t, G, means)`: whether the means change by turn.

    If so, those of turn t are filled in; such games call it for every turn, in order.
    """
    if family in _DRIFTING:
        return _move_means
    if issubclass(family, PerTurnReward):
        return _fill_means
    return lambda model, mean_at, game, parameters, t, G, means: False


def _fill_means(
    model: RewardDispatch,
    mean_at: Callable[..., float],
    game: int,
    parameters: NDArray[np.float64],
    t: int,
    G: float,
    means: NDArray[np.float64],
) -> bool:
    for arm in range(means.size):
        means[arm] = mean_at(parameter_of(model, parameters, means, arm), t, G)
    return True


def _move_means(
    model: DriftingBernoulli | DriftingVisitors,
    mean_at: Callable[..., float],
    game: int,
    parameters: NDArray[np.float64],
    t: int,
    G: float,
    means: NDArray[np.float64],
) -> bool:
    move_means(Drift(model.step, model.change, model.low, model.high), game, parameters, t, means)
    return True


class Totals(NamedTuple):
    """What a game has given so far."""

    reward: float
    regret: float
    exploited: float


@inlined
def play_turn(
    model: RewardDispatch,
    quantile: Callable[..., float],
    key: int,
    parameter: Any,
    t: int,
    G: float,
    learning_scale: float,
    gap: float,
    greedy: bool,
    totals: Totals,
) -> tuple[float, Totals]:
    """Draw the reward of turn t for an arm, and add it up; gives what is learned, and the totals.

    `gap` is how far the arm's mean is below the best one's.  Numbers are handed in, and no arrays:
    counting their users would take twice as long as the turn.
    """
    reward, regret, exploited = totals
    x = draw_reward(model, quantile, key, parameter, t, G)
    paid = G * x
    exploited += paid if greedy else 0.0
    value = learned_value(model, x, paid, learning_scale, G)
    return value, Totals(reward + booked(model, x, paid), regret + G * gap, exploited)


@jitable
def play_each_arm_once(
    turns: Turns,
    quantile: Callable[..., float],
    game: int,
    parameters: Floats,
    means: Floats,
    trace: Floats,
    sums: Floats,
) -> tuple[Totals, int, int]:
    """The first turns of a game, as in all rules of the paper; fills `sums`.

    Gives the totals, how many checkpoints were passed, and the best arm.
    """
    G, learning_scale, model = turns.G, turns.learning_scale, turns.reward_model
    totals, passed, best = Totals(0.0, 0.0, 0.0), 0, best_arm(means)
    sums[:] = 0.0
    for i in range(min(sums.size, G.size)):
        key, gap = turn_key(game, i + 1), means[best] - means[i]
        sums[i], totals = play_turn(
            model, quantile, key, parameters[i], i + 1, G[i], learning_scale[i], gap, False, totals
        )
        if i + 1 == next_checkpoint(turns.checkpoints, passed):
            passed = record(trace, passed, totals)
    return totals, passed, best


@jitable
def next_checkpoint(checkpoints: Ints, passed: int) -> int:
    """The turn of the next checkpoint when `passed` are behind; 0, which is no turn, at the end."""
    return int(checkpoints[passed]) if passed < checkpoints.size else 0


@jitable
def record(trace: Floats, passed: int, totals: Totals) -> int:
    """Record running totals in the order of `TRACE`; how many checkpoints are now behind."""
    trace[passed, 0], trace[passed, 1] = totals.reward, totals.regret
    return passed + 1


@jitable
def write_totals(out: Floats, totals: Totals, best_pulls: float) -> None:
    """Write down the totals of a game."""
    row = Measured(totals.reward, totals.regret, totals.exploited, float(best_pulls))
    for column in range(len(row)):
        out[column] = row[column]


@jitable
def best_arm(means: Floats) -> int:
    """The first arm of the highest mean."""
    best = 0
    for arm in range(means.size):
        if means[arm] > means[best]:
            best = arm
    return best


def kernel_of(game: Kernel) -> Kernel:
    """The kernel that plays one game after the other; `game` is compiled into it."""

    def kernel(
        turns: Turns,
        keys: NDArray[np.uint64],
        arms: Arms,
        out: Floats,
        trace: Floats,
        scratch: tuple[Any, ...],
        quantile: Callable[..., float],
    ) -> tuple[int, int]:
        for i in range(keys.size):
            parameters, means = arms.parameters[i], arms.means[i]
            game(turns, quantile, keys[i], parameters, means, out[i], trace[i], scratch)
        return 0, 0

    return kernel
