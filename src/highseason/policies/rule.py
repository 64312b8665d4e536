"""A rule: how an arm is chosen from the rule's state and the turn's exploration level.

A rule is three small functions of scalars and arrays: `choose(state, turn)` gives the arm and
whether the choice exploits, `observe(state, turn, observation)` learns, and `start(state)` prepares
the rule's own memory.  They run as plain Python in `play` and `Bandit` and are compiled for
`simulate` and `replay`.  What the library may assume of them is declared in `traits`.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, ParamSpec, TypeAlias

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.policies.lifetimes import SetWeights, uniform_weights
from highseason.policies.ranking import estimate, observe_mean
from highseason.policies.state import ArmState, Observation, Turn, fresh_state

P = ParamSpec("P")
Floats: TypeAlias = NDArray[np.float64]
Choose = Callable[[ArmState, Turn], tuple[int, bool]]
Observe = Callable[[ArmState, Turn, Observation], None]
Start = Callable[[ArmState], None]
Bonus = Callable[[ArmState, Turn, int], float]
Intensity = Callable[[Floats, NDArray[np.int64], int], Floats]
Recall = Callable[[ArmState, int, Iterable[tuple[int, int]]], None]
Probabilities = Callable[[ArmState, Turn], Floats]
LeadsBy = Callable[[ArmState, int], float]
Held = Callable[[ArmState], int]


#: How long a choice can be reused, from never to the least that can change it.
Stability = Literal["never", "until-change", "unless-coin-explores", "while-level-at-most-1"]


@dataclass(frozen=True)
class RuleTraits:
    """What the library may assume of a rule.  The defaults assume nothing.

    Attributes:
        local: The choice depends only on the entries of the available arms and on their order, so
            that the rule may be shown a state without the other arms.  Not true of a rule that
            pools statistics over arms or keeps an arm's number in `state.shared`.
        stable: How long a choice stays valid, with ties broken by the lowest arm.  "never": ask
            again each time.  "until-change": until the state, the level or the clock changes.
            The other two hold for choices that exploit, until the state changes:
            "unless-coin-explores" while the turn's first random number is at least the level,
            "while-level-at-most-1" while the level is at most 1.
        integer_level: Levels count something: a mean of levels is rounded.
        prices: A level is one over the price of exploring, as a share of what is to come; how
            much a turn explores is decided during the game.
        unit_range: Rewards must lie in [0, 1] for the rule to mean anything (UCB).
        tries_each_arm: Every available arm is played once before the rule starts to choose.
        stochastic: The choice depends on the turn's random numbers even where no arms tie.
        needs_horizon: The choice depends on `turn.future` or `turn.turns_left`, so the rule cannot
            play where they are unknown.
        compilable: Its functions can be compiled.  One that cannot plays in readable loops.
        work: About how many times longer than UCB it takes to choose and learn; simulations
            divide their games by it.
    """

    local: bool = False
    stable: Stability = "never"
    integer_level: bool = False
    prices: bool = False
    unit_range: bool = False
    tries_each_arm: bool = False
    stochastic: bool = True
    needs_horizon: bool = False
    compilable: bool = True
    work: float = 1.0


@jitable
def start_empty(state: ArmState) -> None:
    """Nothing to prepare."""


NO_TRAITS = RuleTraits()


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
        memory: How many numbers of its own the rule keeps per arm.
        allowed: The smallest and the largest level that a plan may give.
        traits: What the library may assume of the rule; by default nothing.
        probabilities: The exact probability of each arm over the turn's random numbers, for
            propensity logs; without it `Bandit` estimates them by calling `choose` many times.
        negligible: The levels that explore next to nothing, from the first number up to the second;
            a plan of only these gives a warning.  By default there are none.
        shared: How many numbers of its own the rule keeps about the whole game.
        bonus: What an index rule adds to an arm's estimate; None for all other rules.
        set_weights: Fills `state.weight` when arms have come or gone, given the clock, a score per
            arm (what its lifetime is worth) and the policy's scale.
        zero_exploits: Whether level 0 takes an index rule's bonus away.
        exploits_at: The level at which the rule exploits, towards which regulating moves a plan;
            None if it has no such level.
        recall: Fills in what the rule must know of the decisions before a turn, given as pairs
            (turn, arm) from the latest on.  A live bandit calls it before it asks, because there
            rewards, and with them `observe`, may be late.
        leads_by: The estimate of an arm with rewards: the value shown of it, and the one that a
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
    traits: RuleTraits = NO_TRAITS
    probabilities: Probabilities | None = None
    negligible: tuple[float, float] = (0.0, 0.0)
    shared: int = 0
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

    def fresh_state(self, arms: int) -> ArmState:
        """The state before the first turn, prepared by `start`."""
        state = fresh_state(arms, self.memory, self.shared)
        self.start(state)
        return state

    def standings(self, state: ArmState, last: int) -> list[tuple[int, float | None]]:
        """All arms, best first, with their estimates; None before any reward.

        The first of the arms on offer is the one that is played where the rule exploits.  Of arms
        that tie, the one that was just played as the best comes first: `last`, or -1.
        """
        held = -1 if self.held is None else self.held(state)
        values = [
            float(self.leads_by(state, arm)) if pulls > 0.0 else None
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
