"""A rule: how an arm is chosen, and what it sees of the arms and of the turn.

A rule is three small functions of scalars and arrays: `choose(state, turn)` gives the arm and
whether the choice exploits, `observe(state, turn, observation)` learns, and `start(state)` prepares
the rule's own memory.  They run as plain Python in `play` and `Bandit` and are compiled for
`simulate` and `replay`, so the state is a plain tuple of arrays.  What the library may assume of
them is declared in `traits`.  Inside the library arms are numbered from 0.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, ParamSpec, TypeAlias

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.rewards import Offer, effective_visitors

P = ParamSpec("P")
Floats: TypeAlias = NDArray[np.float64]
#: The end of an arm that is known to stay for ever, and of one whose end is unknown.
NO_END = 2**62
UNKNOWN_END = NO_END - 1


class ArmState(NamedTuple):
    """One entry per arm, except for `shared`.

    Attributes:
        selections: How often each arm was chosen; rewards may arrive later.
        pulls: How many rewards its estimate rests on; a fraction where old rewards fade.
        sums: The sum of those rewards.
        available: Whether it may be played now.
        start: The first turn of its lifetime, by the turn's `clock`; 0 if it was there from the
            start.
        end: The last turn of its lifetime; `NO_END` if it stays, `UNKNOWN_END` if that is unknown.
        weight: How much exploring it is worth, as the rule's `set_weights` last computed it.
        memory: The rule's own numbers, one row per arm.
        shared: The rule's own numbers about the whole game.
    """

    selections: NDArray[np.int64]
    pulls: NDArray[np.float64]
    sums: NDArray[np.float64]
    available: NDArray[np.bool_]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    weight: NDArray[np.float64]
    memory: NDArray[np.float64]
    shared: NDArray[np.float64]


def fresh_state(arms: int, memory: int = 0, shared: int = 0) -> ArmState:
    """The state before the first turn: every arm available for ever, and untried."""
    return ArmState(
        selections=np.zeros(arms, np.int64),
        pulls=np.zeros(arms, np.float64),
        sums=np.zeros(arms, np.float64),
        available=np.ones(arms, np.bool_),
        start=np.zeros(arms, np.int64),
        end=np.full(arms, NO_END, np.int64),
        weight=np.ones(arms, np.float64),
        memory=np.zeros((arms, memory), np.float64),
        shared=np.zeros(shared, np.float64),
    )


#: `Turn.turns_left` where it is unknown how long the game lasts.
UNKNOWN_TURNS = -1


class Turn(NamedTuple):
    """What a rule knows of the turn it decides.

    Attributes:
        t: The turn, from 1.
        level: The plan's exploration level.
        G: The multiplier of this turn, known or forecast.
        future: The future weight W(t), the sum of G over the turns after this one, known or
            forecast; NaN where it is unknown.  A rule that reads it declares `needs_horizon`.
        turns_left: How many turns follow; `UNKNOWN_TURNS` where `future` is unknown.
        key: The key of the turn's random numbers.
        random_ties: Whether ties are broken at random; otherwise the lowest arm wins.
        clock: The time in which lifetimes are counted: the turn itself in a game, the time bin in a
            replayed log.
    """

    t: int
    level: float
    G: float
    future: float
    turns_left: int
    key: int
    random_ties: bool
    clock: int


class Observation(NamedTuple):
    """What a turn taught.

    Attributes:
        arm: The arm that was played.
        value: Its reward, per unit of G, as a share of the most that it may be.
        precision: How much the turn taught, in units of one plain reward: a value with precision p
            counts as the mean of p rewards, so its variance is that of one reward divided by p.
            Estimates weigh values by it.  It is 1 unless a policy counts visitors.
    """

    arm: int
    value: float
    precision: float


@jitable
def precision_of(visitors: float, counted: bool, correlation: float) -> float:
    """`Policy.precision` from its numbers, for compiled code: 1 where visitors are not counted.

    >>> precision_of(1000.0, True, 0.0), precision_of(1000.0, True, 0.01)
    (1000.0, 90.99...)
    """
    return float(effective_visitors(visitors, correlation)) if counted else 1.0


# -- what a rule learns, unless it says otherwise --------------------------------------------------


@jitable
def estimate(state: ArmState, arm: int) -> float:
    """The mean of what was learned from `arm`, which must have been observed.

    It is sum / pulls and never updated incrementally, so that every path through the library
    computes the same bits.
    """
    return state.sums[arm] / state.pulls[arm]  # type: ignore[no-any-return]  # a NumPy scalar


@jitable
def observe_mean(state: ArmState, turn: Turn, observation: Observation) -> None:
    """Add the value to the arm's average, weighted by its precision."""
    state.pulls[observation.arm] += observation.precision
    state.sums[observation.arm] += observation.precision * observation.value


@jitable
def start_empty(state: ArmState) -> None:
    """Nothing to prepare."""


# -- arms that come and go: which are on offer, and what a lifetime is worth -----------------------


@jitable
def uniform_weights(state: ArmState, clock: int, scores: NDArray[np.float64], scale: float) -> None:
    """Every arm is equally worth exploring."""
    state.weight[:] = scale


@jitable
def mark_opening(state: ArmState, count: int, opening: NDArray[np.bool_]) -> None:
    """Mark the opening: the `count` available arms of highest weight, tried before all others."""
    opening[:] = False
    for _ in range(count):
        best = -1
        for arm in range(state.weight.size):
            free = state.available[arm] and not opening[arm]
            if free and (best < 0 or state.weight[arm] > state.weight[best]):
                best = arm
        if best < 0:
            return
        opening[best] = True


@jitable
def copy_values(source: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy one array over another; a GPU has no memory for what `target[:] = source` sets aside."""
    for i in range(source.size):
        target[i] = source[i]


@jitable
def offer_opening(state: ArmState, opening: NDArray[np.bool_], allowed: NDArray[np.bool_]) -> bool:
    """Offer what is left of the opening; if nothing is, all allowed arms, and return False."""
    left = False
    for arm in range(allowed.size):
        wanted = allowed[arm] and opening[arm] and state.selections[arm] == 0
        state.available[arm] = wanted
        left = left or wanted
    if not left:
        copy_values(allowed, state.available)
    return left


@jitable
def reveal_ends(state: ArmState, ends: NDArray[np.int64], clock: int) -> None:
    """An unknown end becomes known once it has passed."""
    for arm in range(ends.size):
        if state.end[arm] == UNKNOWN_END and ends[arm] < clock:
            state.end[arm] = ends[arm]


@jitable
def lifetime_score(
    start: int, end: int, turns: int, measure: NDArray[np.float64], at_end: bool
) -> float:
    """What a lifetime is worth in a game of `turns` turns, by a policy's `measure_of` turns.

    That is the measure at its end, or by how much it grows over the lifetime.  A lifetime that is
    unknown, or has no end, lasts as long as the game; one that starts after the game is worth
    nothing.
    """
    last = min(turns, end)
    return float(measure[last] - (0.0 if at_end else measure[min(max(1, start) - 1, last)]))


class LifetimeOptions(NamedTuple):
    """How a policy uses lifetimes.  The defaults ignore them.

    Attributes:
        needs_end: It cannot play without knowing when each arm ends.
        ranks_by_end: An arm's score is its end, not what its whole lifetime is worth.
        weight_scale: The most that exploring an arm can be worth; `Rule.set_weights` takes it.
        initial_arms: How many of the arms present at the start are tried first; 0 for all of them.
        scores_left: An arm's score is the weight that is left when it ends: the sum of G after it.
    """

    needs_end: bool = False
    ranks_by_end: bool = False
    weight_scale: float = 1.0
    initial_arms: int = 0
    scores_left: bool = False

    @property
    def at_end(self) -> bool:
        """Whether a score depends on the end of a lifetime alone."""
        return self.ranks_by_end or self.scores_left


def running_worth(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Running sums of G, beginning with 0, in whole steps that are tiny beside its greatest value.

    Sums of whole numbers are exact.  So lifetimes whose turns are worth the same tie in rank; sums
    of floats would rank one above the other by their last bit.

    >>> worth = running_worth(np.full(9, 0.1))
    >>> bool(worth[5] - worth[1] == worth[8] - worth[4])
    True
    """
    steps = np.rint(values / values.max() * (2.0**52 / values.size))
    return np.concatenate([[0.0], np.cumsum(steps)])


def measure_of(values: NDArray[np.float64], options: LifetimeOptions) -> NDArray[np.float64]:
    """By what a policy scores lifetimes, before the first turn and after each: it ends there.

    >>> G = np.array([4.0, 2.0, 1.0])
    >>> measure_of(G, LifetimeOptions(ranks_by_end=True))
    array([0., 1., 2., 3.])
    >>> measure_of(G, LifetimeOptions(scores_left=True))
    array([7., 3., 1., 0.])
    """
    if options.scores_left:
        return np.append(np.cumsum(values[::-1])[::-1], 0.0)
    return np.arange(values.size + 1.0) if options.ranks_by_end else running_worth(values)


# -- the rule --------------------------------------------------------------------------------------

Choose = Callable[[ArmState, Turn], tuple[int, bool]]
Observe = Callable[[ArmState, Turn, Observation], None]
Start = Callable[[ArmState], None]
Bonus = Callable[[ArmState, Turn, int], float]
Intensity = Callable[[Floats, NDArray[np.int64], int], Floats]
SetWeights = Callable[[ArmState, int, NDArray[np.float64], float], None]
Recall = Callable[[ArmState, int, Iterable[tuple[int, int]]], None]
Probabilities = Callable[[ArmState, Turn], Floats]
LeadsBy = Callable[[ArmState, int], float]
Held = Callable[[ArmState], int]

#: What a rule learns of a turn: what it earned, or the share of visitors who acted.
Learns = Literal["earned", "seen"]
#: How long a choice can be reused, from never to the least that can change it.
Stability = Literal["never", "until-change", "unless-coin-explores", "while-level-at-most-1"]


@dataclass(frozen=True)
class RuleTraits:
    """What the library may assume of a rule.  The defaults assume nothing.

    Attributes:
        local: The choice depends only on the entries of the available arms and on their order, so
            that the rule may be shown a state without the other arms.  Not true of a rule that
            pools statistics over arms or keeps an arm's number in `state.shared`.
        own_arm_only: What it learns of an arm is that arm's own average (`observe_mean`) and
            nothing else.  A reward is then corrected without learning from all arms again, and
            wrappers may forget old rewards.
        stable: How long a choice stays valid, with ties broken by the lowest arm.  "never": ask
            again each time.  "until-change": until the state, the level or the clock changes.
            The other two hold for choices that exploit, until the state changes:
            "unless-coin-explores" while the turn's first random number is at least the level,
            "while-level-at-most-1" while the level is at most 1.
        integer_level: Levels count something: a mean of levels is rounded.
        prices: A level is one over the price of exploring, as a share of what is to come; how
            much a turn explores is decided during the game.
        unit_range: Rewards must lie in [0, 1] for the rule to mean anything (UCB), so it cannot
            play where their range is unknown.
        tries_each_arm: Every available arm is played once before the rule starts to choose.
        stochastic: The choice depends on the turn's random numbers even where no arms tie.
        needs_horizon: The choice depends on `turn.future` or `turn.turns_left`, so the rule cannot
            play where they are unknown.
        compilable: Its functions can be compiled.  One that cannot plays in readable loops.
        work: About how many times longer than UCB it takes to choose and learn; simulations
            divide their games by it.
        learns: The value of an observation: what was "earned" per visitor, as a share of the most
            that it may be; or the share of visitors who were "seen" to act, whatever an act is
            worth.  The two are equal but for money.
        knows_untried: The rule has an estimate of arms without a reward, too, so that one of them
            may lead.
        slow: Choosing takes so long in plain Python that a live bandit compiles it, too.
        makes_arrays: It sets memory aside as it chooses or learns, which a GPU cannot.
    """

    local: bool = False
    own_arm_only: bool = False
    stable: Stability = "never"
    integer_level: bool = False
    prices: bool = False
    unit_range: bool = False
    tries_each_arm: bool = False
    stochastic: bool = True
    needs_horizon: bool = False
    compilable: bool = True
    work: float = 1.0
    learns: Learns = "earned"
    knows_untried: bool = False
    slow: bool = False
    makes_arrays: bool = False


@dataclass(frozen=True)
class Rule:
    """How an arm is chosen; see the module's documentation.

    Attributes:
        name: A short name for messages.
        choose: Gives `(arm, exploited)` for a state and a turn.  It changes nothing.
        intensity: How much each turn explores, in [0, 1], given arrays of levels and turns and the
            number of arms; for figures, and to warn of plans that always explore.
        observe: Learns from an observation; the default keeps count and sum.
        start: Fills the rule's memory before the first turn.
        memory: How many numbers of its own the rule keeps per arm, its constants among them.
        allowed: The smallest and the largest level that a plan may give.
        traits: What the library may assume of the rule; by default nothing.
        probabilities: The exact probability of each arm over the turn's random numbers, for
            propensity logs; without it `Bandit` estimates them by calling `choose` many times.
        negligible: The levels that explore next to nothing, from the first number up to the second;
            a plan of only these gives a warning.  By default there are none.
        shared: How many numbers of its own the rule keeps about the whole game.
        constants: What the rule knows of every arm from the start: attributes of its `Offer`.  They
            stand in the first columns of its memory for the whole game.
        bonus: What an index rule adds to an arm's estimate; None for all other rules.
        set_weights: Fills `state.weight` when arms have come or gone, given the clock, a score per
            arm (what its lifetime is worth) and the policy's scale.
        zero_exploits: Whether level 0 takes an index rule's bonus away.
        exploits_at: The level at which the rule exploits, towards which regulating moves a plan;
            None if it has no such level.
        recall: Fills in what the rule must know of the decisions before a turn, given as pairs
            (turn, arm) from the latest on.  A live bandit calls it before it asks, because there
            rewards, and with them `observe`, may be late.
        leads_by: The estimate of an arm that has one: the value shown of it, and the one that a
            choice which exploits has the highest of.
        held: The arm that the rule plays as the best whatever the others' estimates are, or -1.
        made_by: The function and the arguments that build the rule again, if its functions are
            closures; `made_once` fills it in.
    """

    name: str
    choose: Choose
    intensity: Intensity
    observe: Observe = observe_mean
    start: Start = start_empty
    memory: int = 0
    allowed: tuple[float, float] = (-math.inf, math.inf)
    traits: RuleTraits = RuleTraits()
    probabilities: Probabilities | None = None
    negligible: tuple[float, float] = (0.0, 0.0)
    shared: int = 0
    constants: tuple[str, ...] = ()
    bonus: Bonus | None = None
    set_weights: SetWeights = uniform_weights
    zero_exploits: bool = False
    exploits_at: float | None = None
    recall: Recall | None = None
    leads_by: LeadsBy = estimate
    held: Held | None = None
    made_by: tuple[Callable[..., Rule], tuple[Any, ...]] | None = field(
        default=None, compare=False, repr=False
    )

    def fresh_state(self, arms: int, offers: Sequence[Offer] | None = None) -> ArmState:
        """The state before the first turn, prepared by `start`."""
        state = self.unprepared_state(arms, offers)
        self.start(state)
        return state

    def unprepared_state(self, arms: int, offers: Sequence[Offer] | None) -> ArmState:
        """What `start` is given: nothing but the constants of the arms."""
        state = fresh_state(arms, self.memory, self.shared)
        if self.constants and offers is None:
            raise ValueError(
                f"the {self.name!r} rule needs the {' and '.join(self.constants)} of every arm, "
                "but these arms offer nothing: give it arms with offers, or play another policy"
            )
        for column, name in enumerate(self.constants):
            state.memory[:, column] = [getattr(offer, name) for offer in offers or ()]
        return state

    def standings(self, state: ArmState, last: int) -> list[tuple[int, float | None]]:
        """All arms, best first, with their estimates; None where the rule has none.

        The first of the arms on offer is the one that is played where the rule exploits.  Of arms
        that tie, the one that was just played as the best comes first: `last`, or -1.
        """
        held = -1 if self.held is None else self.held(state)
        values = [
            float(self.leads_by(state, arm)) if pulls > 0.0 or self.traits.knows_untried else None
            for arm, pulls in enumerate(state.pulls.tolist())
        ]

        def place(arm: int) -> tuple[bool, float, bool]:
            value = values[arm]
            return arm != held, math.inf if value is None else -value, arm != last

        return [(arm, values[arm]) for arm in sorted(range(len(values)), key=place)]

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle a rule made of closures by how it was made, any other by its functions' names."""
        return super().__reduce__() if self.made_by is None else self.made_by

    def __deepcopy__(self, memo: dict[int, Any]) -> Rule:
        """A rule never changes, so its copy is itself."""
        return self


def made_once(build: Callable[P, Rule]) -> Callable[P, Rule]:
    """Mark a function that builds a rule of closures: the same call gives the same rule.

    The rule is then compiled once for all policies that have it, and pickled as the call.
    """
    signature = inspect.signature(build)

    @functools.cache
    def rule(*arguments: Any) -> Rule:
        return replace(build(*arguments), made_by=(make, arguments))  # type: ignore[call-arg]

    @functools.wraps(build)
    def make(*arguments: P.args, **options: P.kwargs) -> Rule:
        call = signature.bind(*arguments, **options)
        call.apply_defaults()
        return rule(*call.args)

    return make
