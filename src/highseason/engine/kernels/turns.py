"""A turn inside a kernel: what kernels are given, and how a reward is drawn, learned and recorded.

A *game function* plays one game: `game(turns, quantile, key, parameters, means, out, trace,
scratch)`.  It allocates nothing, sorts with no library, and raises nothing, so that a backend may
run one game per thread; its scratch memory, a named tuple of arrays, is handed in.  A
*kernel* loops over games: `kernel(turns, keys, arms, out, trace, scratch, quantile, …)` returns
(0, 0), or the turn and the arm of an illegal choice.

Kernels know no kind of reward: the compiler picks its code by the type of `Turns.rewards`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import inlined, jitable, jitable_as
from highseason.core.random import REWARD, draw, turn_key
from highseason.engine.results import METRICS, Measured
from highseason.policies import Policy
from highseason.policies.lifetimes import Lifetimes
from highseason.policies.rule import NO_END
from highseason.rewards import Rewards
from highseason.rewards.model import Drawn, booked, draw_reward, learned_of

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


class Earned(NamedTuple):
    """Rewards, for rules that learn what was earned, per unit of G: (G·X)/G."""

    kind: Any  # A `Kind`: how they are drawn

    @jitable
    def value(self, drawn: Drawn, G: float) -> float:
        """What is learned of what was drawn; of money, its share of the most that it may be."""
        return G * learned_of(self.kind, drawn.paid) / G


class EarnedCoins(Earned):
    """The same where X is 0 or 1: without the division, which changes no bit of it."""

    @jitable
    def value(self, drawn: Drawn, G: float) -> float:
        """What was earned."""
        return drawn.paid


class EarnedInAll(Earned):
    """The same for naive policies, which do not divide by G."""

    @jitable
    def value(self, drawn: Drawn, G: float) -> float:
        """What was earned by all visitors."""
        return G * learned_of(self.kind, drawn.paid)


class Seen(Earned):
    """Rewards, for rules that learn which share of the visitors acted, whatever that is worth."""

    @jitable
    def value(self, drawn: Drawn, G: float) -> float:
        """The share."""
        return drawn.seen


@jitable_as(lambda rewards, *others: rewards.instance_class.value)
def value_of(rewards: Earned, drawn: Drawn, G: float) -> float:
    """What a rule learns of what was drawn."""
    return rewards.value(drawn, G)


def rewards_for(policy: Policy, rewards: Rewards) -> Earned:
    """The rewards as a policy learns them, for kernels."""
    kind = rewards.kernel_kind
    if policy.rule.traits.learns == "seen":
        return Seen(kind)
    if policy.learns_scaled:
        return EarnedInAll(kind)
    return EarnedCoins(kind) if rewards.kind.is_coin else Earned(kind)


class Turns(NamedTuple):
    """The turns of a game: the same for every game, and for every policy except for the plan."""

    G: Floats  # The multiplier
    levels: Floats  # The plan
    checkpoints: Ints  # Turns (rising) after which running totals are recorded
    rewards: Earned  # How rewards are drawn and learned; its type picks the code that is compiled
    expected: Floats  # G as the policy knows it when a turn comes: itself, or its forecast
    future: Floats  # The future weight W(t) as the policy knows it; NaN where it is unknown


class Totals(NamedTuple):
    """What a game has given so far."""

    reward: float
    regret: float
    exploited: float


@inlined
def play_portion(
    rewards: Earned,
    quantile: Callable[..., float] | None,
    key: int,
    parameter: Any,
    t: int,
    G: float,
    gap: float,
    greedy: bool,
    totals: Totals,
) -> tuple[float, Totals]:
    """Draw the reward of a portion of turn t, which is worth G, for an arm, and add it up.

    Gives what is learned, and the totals.  `gap` is how far the arm's mean is below the best one's.
    Numbers are handed in, and no arrays: counting their users would take twice as long as the turn.
    """
    drawn = draw_reward(rewards.kind, quantile, draw(key, REWARD), parameter, t, G)
    paid = G * drawn.paid
    reward = totals.reward + booked(rewards.kind, drawn.paid, paid)
    exploited = totals.exploited + (paid if greedy else 0.0)
    return value_of(rewards, drawn, G), Totals(reward, totals.regret + G * gap, exploited)


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
    G, rewards = turns.G, turns.rewards
    totals, passed, best = Totals(0.0, 0.0, 0.0), 0, best_arm(means)
    sums[:] = 0.0
    for i in range(min(sums.size, G.size)):
        key, gap = turn_key(game, i + 1), means[best] - means[i]
        sums[i], totals = play_portion(
            rewards, quantile, key, parameters[i], i + 1, G[i], gap, False, totals
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
