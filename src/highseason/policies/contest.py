"""The heuristics of a high-scoring entry in a click contest (Section 6.2): wrappers.

The function before a class builds its rule from the rule within.

References:
    Tracà, Rudin and Yan, "Regulating Greed Over Time in Multi-Armed Bandits", JMLR 22(3), 2021,
    https://jmlr.org/papers/v22/17-720.html (the paper).
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from highseason.core.jitable import jitable
from highseason.policies.parameters import EXPLORATION, parameter, window
from highseason.policies.ranking import (
    age,
    estimates,
    leader,
    mean_ended_lifetime,
    one_hot,
    precedes,
    tie_probabilities,
)
from highseason.policies.rule import (
    NO_END,
    UNKNOWN_END,
    ArmState,
    Bonus,
    Choose,
    Floats,
    Observation,
    Observe,
    Rule,
    Turn,
    estimate,
    made_once,
)
from highseason.policies.ucb import bonus_of, index_rule
from highseason.policies.wrappers import Wrapper


@made_once
def sparing_old_arms(rule: Rule) -> Rule:
    """The rule with a bonus that fades; before the first lifetime has ended no unknown one does.

    The mean of those that have ended is the rule's one shared number, -1 until there is one.
    """
    bonus = bonus_of(rule, "sparing old arms")
    inner_set_weights, place = rule.set_weights, rule.shared

    @jitable
    def fading_bonus(state: ArmState, turn: Turn, arm: int) -> float:
        """The inner bonus times the share of its lifetime that an arm has left."""
        life = float(state.end[arm] - state.start[arm])
        if state.end[arm] == UNKNOWN_END:
            life = state.shared[place]
        if state.end[arm] == NO_END or life < 0.0:
            return bonus(state, turn, arm)
        left = life - age(state, turn, arm)
        return bonus(state, turn, arm) * (left / life) if left > 0.0 else 0.0

    @jitable
    def set_weights(state: ArmState, clock: int, scores: Floats, scale: float) -> None:
        """Weigh as the inner rule does, and average the lifetimes that have ended."""
        inner_set_weights(state, clock, scores, scale)
        state.shared[place] = mean_ended_lifetime(state, clock)

    index = index_rule(rule.name, fading_bonus, rule.intensity, zero_exploits=rule.zero_exploits)
    return replace(
        rule,
        name=f"{rule.name}, sparing old arms",
        choose=index.choose,
        probabilities=index.probabilities,
        bonus=fading_bonus,
        set_weights=set_weights,
        shared=rule.shared + 1,
        # The mean is over all arms, those that are gone too.
        traits=replace(rule.traits, local=False),
    )


@dataclass(frozen=True)
class SpareOldArms(Wrapper):
    """Stop exploring old arms: the bonus is multiplied by max(0, 1 - age / lifetime).

    The bonus of an arm without an end does not fade.  An unknown lifetime is taken to be the mean
    of those that have ended.  Only around index rules (the UCB family): others have no bonus.

    >>> import highseason as hs
    >>> SpareOldArms(hs.EpsilonGreedy())
    Traceback (most recent call last):
    ...
    ValueError: spare-old-arms around epsilon-greedy: sparing old arms changes the bonus of an index
    rule (UCB, soft UCB mortal …), but the 'epsilon' rule has no bonus
    """

    name = "spare-old-arms"
    change = staticmethod(sparing_old_arms)


@made_once
def capped(rule: Rule, cap: float) -> Rule:
    """Play the highest min(cap, index); an arm without a reward stands at the cap.

    Ties at the cap go to the higher estimate; arms without one come last, of these the one chosen
    least often first.  No arm is tried just to have been tried: the cap replaces that.
    """
    bonus, inner_start, place = bonus_of(rule, "the cap"), rule.start, rule.shared

    @jitable
    def start(state: ArmState) -> None:
        """Store the cap: compiled code then serves every cap."""
        inner_start(state)
        state.shared[place] = cap

    def probabilities(state: ArmState, turn: Turn) -> Floats:
        """One arm is certain, or full ties share where ties are broken at random."""
        values = estimates(state)
        index = np.full(values.size, -np.inf)
        for arm in np.flatnonzero(state.available).tolist():
            seen = values[arm] > -np.inf
            index[arm] = min(cap, values[arm] + bonus(state, turn, arm)) if seen else cap
        equals = index == index.max()
        equals &= values == values[equals].max()
        if values[equals][0] == -np.inf:
            equals &= state.selections == state.selections[equals].min()
        return tie_probabilities(turn, equals)

    return replace(
        rule,
        name=f"{rule.name}, capped",
        start=start,
        choose=_capped_choose(bonus, place),
        probabilities=probabilities,
        shared=rule.shared + 1,
        bonus=None,
        traits=replace(rule.traits, tries_each_arm=False),
    )


@functools.cache
def _capped_choose(bonus: Bonus, place: int) -> Choose:
    """The choice under the cap that stands at `place` among the shared numbers."""

    @jitable
    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        """Compare the index, then the estimate, then how often an arm was chosen."""
        cap = state.shared[place]
        best = -1
        top = value_of_best = highest = -math.inf
        for arm in range(state.pulls.size):
            if not state.available[arm]:
                continue
            index, value = cap, -math.inf
            if state.pulls[arm] > 0:
                value = estimate(state, arm)
                index = min(cap, value + bonus(state, turn, arm))
            highest = max(highest, value)
            if index == top and value == value_of_best == -math.inf:
                wins = precedes(turn, arm, -state.selections[arm], best, -state.selections[best])
            elif index == top:
                wins = precedes(turn, arm, value, best, value_of_best)
            else:
                wins = index > top
            if wins:
                best, top, value_of_best = arm, index, value
        return best, value_of_best > -math.inf and value_of_best >= highest

    return choose


@dataclass(frozen=True)
class CapIndex(Wrapper):
    """Cap every index at 0.88; untried arms sit at the cap, behind those that reach it.

    New arms are therefore tried when no known arm promises as much, not at once; at the start only
    those that the policy within opens with (`initial`), if it says how many.  Only around index
    rules (the UCB family).  Put it outermost: a capped rule has no bonus.  A reading: the paper
    takes .88 for 1 as the bound of a *new* arm (Section 6.2); we cap every index with it.

    >>> import highseason as hs
    >>> print(CapIndex(SpareOldArms(hs.UCB())))
    cap+spare-old-arms+ucb
    >>> hs.play(CapIndex(hs.UCB(), cap=0.88), "bernoulli:means=0.2/0.8", [1] * 30).arms[:8]
    array([0, 0, 0, 0, 0, 1, 1, 1])
    """

    name = "cap"
    change = staticmethod(capped)

    cap: float = parameter(0.88, "the highest index", search=EXPLORATION)


#: The shared numbers of a grabber: the arm held plus 1 (0: none), the mean reward of all displays,
#: how many displays there were; the length of a window, by how much a display moves that mean, and
#: the line above which an arm is on a run.
HELD, RATE, DISPLAYS, WINDOW, MOVES, LINE = range(6)


@made_once
def peak_grabber(rule: Rule, window: int, trigger: float) -> Rule:
    """Of several arms on a run, the one with the highest mean is held."""
    return _grabbing(rule, "grabbing peaks", (float(window), 0.0, trigger), moving=False)


@made_once
def dynamic_peak_grabber(rule: Rule, window: int, lift: float, memory: float) -> Rule:
    """The same with a line that moves; an arm qualifies from `window` displays on."""
    settings = float(window), memory, lift
    return _grabbing(rule, "grabbing peaks dynamically", settings, moving=True)


def _grabbing(rule: Rule, what: str, settings: tuple[float, float, float], moving: bool) -> Rule:
    """The inner rule, unless an arm is held."""
    window, moves, line = settings
    inner_start, inner_probabilities, place = rule.start, rule.probabilities, rule.shared
    inner_held = rule.held
    choose, observe, runs = _functions(rule.choose, rule.observe, rule.memory, place, moving)

    @jitable
    def start(state: ArmState) -> None:
        """Store the settings."""
        inner_start(state)
        state.shared[place + WINDOW] = window
        state.shared[place + MOVES] = moves
        state.shared[place + LINE] = line

    def probabilities(state: ArmState, turn: Turn) -> Floats:
        """The arm on a run is certain, or shares with those that tie; else as the inner rule."""
        assert inner_probabilities is not None  # see below
        held = int(state.shared[place + HELD]) - 1
        if held >= 0 and state.available[held]:
            return one_hot(held, state.pulls.size)
        means = runs(state)
        if held < 0 or means.max() == -math.inf:
            return inner_probabilities(state, turn)
        return tie_probabilities(turn, means == means.max())

    def held(state: ArmState) -> int:
        """The arm on a run, which need not have the highest estimate."""
        arm = int(state.shared[place + HELD]) - 1
        return arm if arm >= 0 or inner_held is None else inner_held(state)

    return replace(
        rule,
        name=f"{rule.name}, {what}",
        start=start,
        choose=choose,
        observe=observe,
        probabilities=None if inner_probabilities is None else probabilities,
        memory=rule.memory + int(window) + 1,
        shared=rule.shared + 6,
        held=held,
        bonus=None,
        # It stores which arm is held; a coin that says exploit may meet an arm that is held.
        traits=replace(
            rule.traits,
            local=False,
            own_arm_only=False,
            stable="until-change" if rule.traits.stable == "until-change" else "never",
        ),
    )


@functools.cache
def _functions(
    inner_choose: Choose, inner_observe: Observe, first: int, place: int, moving: bool
) -> tuple[Choose, Observe, Callable[[ArmState], Floats]]:
    """A grabber's functions, with rings from `first` in the memory and shared numbers from `place`.

    In front of a ring stands how many displays its arm has had.
    """

    @jitable
    def window_of(state: ArmState, arm: int) -> tuple[float, int]:
        """The sum and the number of the displays in an arm's window."""
        displays = min(int(state.memory[arm, first]), int(state.shared[place + WINDOW]))
        total = 0.0
        for i in range(displays):
            total += state.memory[arm, first + 1 + i]
        return total, displays

    @jitable
    def starts(state: ArmState, total: float, displays: int) -> bool:
        """Whether a window begins a run, if it lasts: it is full, or has earned enough."""
        if moving:
            return displays == int(state.shared[place + WINDOW])
        return bool(total >= state.shared[place + LINE])

    @jitable
    def lasts(state: ArmState, arm: int, mean: float) -> bool:
        """Whether a run goes on: it is above the line that moves, or no other arm is better."""
        if moving:
            return bool(
                mean >= state.shared[place + LINE] * state.shared[place + RATE] and mean > 0.0
            )
        for other in range(state.pulls.size):
            rival = other != arm and state.available[other] and state.pulls[other] > 0
            if rival and mean < estimate(state, other):
                return False
        return True

    @jitable
    def best_run(state: ArmState, turn: Turn) -> int:
        """Of the arms on a run, the one with the highest mean; -1 if there is none."""
        # Written out, as in `runs`: one more call that takes the state made games 3 times slower.
        best, top = -1, -math.inf
        for arm in range(state.pulls.size):
            if state.available[arm] and state.memory[arm, first] > 0.0:
                total, displays = window_of(state, arm)
                mean = total / displays
                begun = precedes(turn, arm, mean, best, top) and starts(state, total, displays)
                if begun and lasts(state, arm, mean):
                    best, top = arm, mean
        return best

    @jitable
    def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
        """The arm that is held; if it is not available, the next best on a run."""
        arm = int(state.shared[place + HELD]) - 1
        if arm >= 0 and not state.available[arm]:
            arm = best_run(state, turn)
            if arm >= 0:
                best, known = leader(state, turn), state.pulls[arm] > 0.0
                return arm, known and estimate(state, arm) >= estimate(state, best)
        if arm >= 0:
            return arm, True
        return inner_choose(state, turn)

    @jitable
    def observe(state: ArmState, turn: Turn, observation: Observation) -> None:
        """Learn as the inner rule, note the display, and see whether a run began or ended."""
        inner_observe(state, turn, observation)
        arm, value = observation.arm, observation.value
        seen = int(state.memory[arm, first])
        state.memory[arm, first + 1 + seen % int(state.shared[place + WINDOW])] = value
        state.memory[arm, first] = seen + 1
        step = state.shared[place + MOVES] if state.shared[place + DISPLAYS] > 0.0 else 1.0
        state.shared[place + DISPLAYS] += 1.0
        state.shared[place + RATE] += step * (value - state.shared[place + RATE])
        held = int(state.shared[place + HELD]) - 1
        if held >= 0 and state.available[held]:
            total, displays = window_of(state, held)
            if lasts(state, held, total / displays):
                return
        state.shared[place + HELD] = best_run(state, turn) + 1.0

    def runs(state: ArmState) -> Floats:
        """The mean of each arm's window; -inf for arms that are not on a run or not available."""
        means = np.full(state.pulls.size, -np.inf)
        for arm in np.flatnonzero(state.available & (state.memory[:, first] > 0.0)).tolist():
            total, displays = window_of(state, arm)
            mean = total / displays
            if starts(state, total, displays) and lasts(state, arm, mean):
                means[arm] = mean
        return means

    return choose, observe, runs


@dataclass(frozen=True)
class PeakGrabber(Wrapper):
    """Stay with an arm on a winning streak: its last 100 displays earned 9 or more.

    While it is held it is played and nothing is explored.  It is released when the mean of its
    window falls below another arm's estimate, or when it ends.  Runs are looked at when a reward
    arrives: after an arm has ended, the next one is held one reward later.  A reading: the paper
    has “9/100 times” in Section 6.2 and “more than 9” in Section 2.

    >>> import highseason as hs
    >>> print(PeakGrabber(hs.SoftUCB(unit=1)))
    peak-grabber+soft-ucb:unit=1
    >>> hs.play(PeakGrabber(hs.UCB(), 2, 2), "bernoulli:means=0.2/0.8", [1] * 30).arms[:8]
    array([0, 1, 0, 1, 0, 1, 1, 1])
    """

    name = "peak-grabber"
    change = staticmethod(peak_grabber)

    window: int = window(100, "displays of an arm to look back on")
    trigger: float = parameter(
        9.0, "what these must have earned together", above=0.0, search=EXPLORATION
    )


@dataclass(frozen=True)
class DynamicPeakGrabber(Wrapper):
    """Stay with an arm whose recent displays earn 15% more than all recent displays.

    Its last 100 displays are compared with an average over all displays, which moves by `memory`
    with each.  It is released when it falls below the line, or when it ends.

    >>> import highseason as hs
    >>> print(DynamicPeakGrabber(hs.UCB(), lift=1.3))
    dynamic-peak-grabber:lift=1.3+ucb
    >>> hs.play(DynamicPeakGrabber(hs.UCB(), 2), "bernoulli:means=0.2/0.8", [1] * 30).arms[:8]
    array([0, 1, 0, 1, 0, 1, 1, 1])
    """

    name = "dynamic-peak-grabber"
    change = staticmethod(dynamic_peak_grabber)

    window: int = window(100, "displays of an arm to look back on")
    lift: float = parameter(1.15, "times the rate of all displays", above=0.0, search=EXPLORATION)
    memory: float = parameter(
        0.01,
        "by how much a display moves the rate of all",
        above=0.0,
        at_most=1.0,
        search=(1e-3, 1.0, "log"),
    )
