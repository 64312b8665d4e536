"""How noisy turns are, which a rule learns from how what turns teach of an arm scatters.

The variance of an observation that rests on v visitors is μ(1-μ)(ρ + (1-ρ)/v): ρ is the part that
more visitors do not take away.  Such a turn is worth e = 1/(ρ + (1-ρ)/v) Bernoulli trials; v is
infinite where a draw is only scaled, so that e = 1/ρ in every turn, and ρ = 1 for 0/1 rewards.
ρ solves "Pearson's chi-square equals its degrees of freedom", pooled over arms, with a fraction of
a degree of freedom at the scatter of all turns as its prior; or two degrees at a day effect, for
rules whose arms are known to differ.  Sums are kept for a few values of ρ, and the equation is
linear in 1/ρ between them (everywhere, if v is infinite).

A rule keeps these sums among its own numbers, where its `NoiseRows` say, and `state.pulls` counts
the turns of each arm.  Its shared numbers begin with those that stand here.
"""

import math
from typing import NamedTuple

import numpy as np

from highseason.core.jitable import jitable, jitable_as
from highseason.core.special import Number
from highseason.policies.rule import UNKNOWN_TURNS, ArmState, Floats, Turn

#: Per value of ρ: effective trials, successes and squares of an arm in `memory`; of all arms in
#: `shared`, and there by how much their scatter exceeds what the trials explain.
PER_ARM, PER_RULE = 3, 4
#: The prior's degrees of freedom: at the scatter of all turns, and at a day effect.
PRIOR_FREEDOM, DAY_FREEDOM = 0.3, 2.0
#: No turn is expected to have more visitors: where G is next to 0, their share of it is not known.
MOST_VISITORS = 2.0**53
#: The first places in `shared`: ρ, the turns seen, what a turn is judged by, the visitors and the
#: weight of those turns, and the effective trials of a turn on average.
RHO, TURNS, JUDGED, VISITORS, WEIGHT, PER_TURN = range(6)
#: How many they are.
HEAD = 6
#: What a turn is judged by: its level alone, where draws are scaled and no visitors are counted;
#: its own visitors; or the visitors of a turn on average, where G plays no part.
BY_LEVEL, BY_VISITORS, BY_MEAN = 0.0, 1.0, 2.0
#: Where visitors are counted: down to where a turn of 250,000 visitors teaches as much as with 0.
COUNTED = (*(2.0**-power for power in range(21)), 0.0)


class NoiseRows(NamedTuple):
    """The values of ρ for which sums are kept, and where."""

    rhos: tuple[float, ...]  # Falling from 1
    own: int = 0  # The first place in an arm's row of `memory`
    shared: int = 0  # The first place in `shared`
    day: float = 0.0  # The day effect of the prior; 0: the scatter of all turns

    @property
    def ends(self) -> tuple[int, int]:
        """How long an arm's row of `memory`, and `shared`, are up to there."""
        count = len(self.rhos)
        return self.own + PER_ARM * count, self.shared + PER_RULE * count


@jitable
def effective(rho: Number, visitors: float) -> Number:
    """The Bernoulli trials that one turn is worth."""
    return 1.0 / (rho + (1.0 - rho) / visitors)


@jitable
def excess(trials: float, successes: float, squares: float, turns: float) -> float:
    """How far the scatter of `turns` observations exceeds what their effective trials explain."""
    return 0.0 if turns < 2.0 or trials <= 0.0 else _excess(trials, successes, squares, turns)


@jitable
def _excess(trials: Number, successes: Number, squares: Number, turns: float) -> Number:
    mean = successes / trials
    scatter = squares - successes * mean
    return scatter * (1.0 - 1.0 / trials) - (turns - 1.0) * mean * (1.0 - mean)


@jitable
def add_to_row(
    state: ArmState, arm: int, rows: NoiseRows, g: int, sums: tuple[float, float, float]
) -> None:
    """Add effective trials, successes and squares to row g, per arm and over all arms."""
    own, shared, turns = state.memory[arm], state.shared, state.pulls[arm]
    i, j = rows.own + PER_ARM * g, rows.shared + PER_RULE * g
    before = excess(own[i], own[i + 1], own[i + 2], turns - 1.0)
    for k in range(PER_ARM):
        own[i + k] += sums[k]
        shared[j + k] += sums[k]
    shared[j + 3] += excess(own[i], own[i + 1], own[i + 2], turns) - before


@jitable
def fill_rows(state: ArmState, rows: NoiseRows, visitors: float) -> None:
    """The sums of every ρ after 0/1 rewards only, which need none: ρ is 1 whatever they are."""
    count = len(rows.rhos)
    state.shared[rows.shared : rows.shared + PER_RULE * count] = 0.0
    for arm in range(state.pulls.size):
        state.memory[arm, rows.own : rows.own + PER_ARM * count] = 0.0
        for g in range(count):
            e = effective(rows.rhos[g], visitors)
            wins = e * state.sums[arm]
            add_to_row(state, arm, rows, g, (e * state.pulls[arm], wins, wins))


# What follows passes over all rows.  A kernel does so in loops; Python, where a live bandit must
# not load a compiler, with arrays, in the same order and so with the same results.


def _add_to_rows(state: ArmState, arm: int, rows: NoiseRows, visitors: float, value: float) -> None:
    for g in range(len(rows.rhos)):
        e = effective(rows.rhos[g], visitors)
        add_to_row(state, arm, rows, g, (e, e * value, e * value * value))


@jitable_as(lambda state, arm, rows, visitors, value: _add_to_rows)
def add_to_rows(state: ArmState, arm: int, rows: NoiseRows, visitors: float, value: float) -> None:
    """Add an observation to every row; it is counted in `state.pulls` already."""
    own, turns = _columns(state.memory[arm], rows.own, PER_ARM, rows), float(state.pulls[arm])
    everything = _columns(state.shared, rows.shared, PER_RULE, rows)
    e = effective(np.array(rows.rhos), visitors)
    before = _excess(own[0], own[1], own[2], turns - 1.0) if turns > 2.0 else 0.0
    seen = e * value
    added = np.array((e, seen, seen * value))
    own += added
    everything[:PER_ARM] += added
    if turns >= 2.0:
        everything[PER_ARM] += _excess(own[0], own[1], own[2], turns) - before


def _columns(numbers: Floats, first: int, width: int, rows: NoiseRows) -> Floats:
    """The sums of all values of ρ, an array for each kind of sum."""
    return numbers[first : first + width * len(rows.rhos)].reshape(-1, width).T


@jitable
def balance(state: ArmState, rows: NoiseRows, g: int, turns: float) -> float:
    """Observed minus expected scatter at row g; ρ is where it changes its sign."""
    j, shared = rows.shared + PER_RULE * g, state.shared
    if rows.day > 0.0:
        return float(shared[j + 3]) + _expected_of_days(state, rows, g, turns)
    everything = excess(float(shared[j]), float(shared[j + 1]), float(shared[j + 2]), turns)
    return float(shared[j + 3]) + PRIOR_FREEDOM * everything / max(1.0, turns - 1.0)


@jitable
def _expected_of_days(state: ArmState, rows: NoiseRows, g: int, turns: float) -> float:
    """The excess at row g that two turns more would show, were days as the prior has them."""
    last = rows.shared + PER_RULE * (len(rows.rhos) - 1)
    trials, successes = float(state.shared[last]), float(state.shared[last + 1])
    mean = (successes + 0.5) / (trials + 1.0)
    visitors = max(1.0, trials / turns)  # ρ is 0 in the last row
    ratio = effective(rows.rhos[g], visitors) / effective(rho_of_days(rows.day, mean), visitors)
    return DAY_FREEDOM * mean * (1.0 - mean) * (ratio - 1.0)


@jitable
def rho_of_days(day: float, mean: float) -> float:
    """The correlation of a turn's visitors that comes from a day effect."""
    return min(1.0, day * day * mean / (1.0 - mean))


@jitable
def estimate_rho(state: ArmState, rows: NoiseRows, turns: float) -> tuple[float, int, float]:
    """The largest root ρ, and the row and the share of the next row that give its sums.

    `turns` are those of all arms.
    """
    rhos, high = rows.rhos, balance(state, rows, 0, turns)
    if (turns < 2.0 and rows.day <= 0.0) or high >= 0.0:
        return 1.0, 0, 0.0
    for g in range(1, len(rhos)):
        low = balance(state, rows, g, turns)
        if low >= 0.0:
            share = high / (high - low)
            if rhos[g] <= 0.0:
                return rhos[g - 1] * (1.0 - share), g - 1, share
            return 1.0 / ((1.0 - share) / rhos[g - 1] + share / rhos[g]), g - 1, share
        high = low
    return rhos[len(rhos) - 1], len(rhos) - 2, 1.0


def _put_sums(state: ArmState, rows: NoiseRows, g: int, share: float, column: int) -> None:
    memory, place = state.memory, rows.own + PER_ARM * g
    for arm in range(state.pulls.size):
        for k in range(2):
            low, high = memory[arm, place + k], memory[arm, place + PER_ARM + k]
            memory[arm, column + k] = low + share * (high - low)


@jitable_as(lambda state, rows, g, share, column: _put_sums)
def put_sums(state: ArmState, rows: NoiseRows, g: int, share: float, column: int) -> None:
    """Give every arm its effective trials and successes, in this column of memory and the next."""
    memory, place = state.memory, rows.own + PER_ARM * g
    low, high = memory[:, place : place + 2], memory[:, place + PER_ARM : place + PER_ARM + 2]
    memory[:, column : column + 2] = low + share * (high - low)


@jitable
def learn_noise(state: ArmState, rows: NoiseRows, column: int) -> None:
    """Estimate ρ, and give every arm its trials and successes at that ρ, in this column and on."""
    shared, turns = state.shared, float(state.shared[TURNS])
    shared[RHO], g, share = estimate_rho(state, rows, turns)
    low, high = shared[rows.shared + PER_RULE * g], shared[rows.shared + PER_RULE * (g + 1)]
    shared[PER_TURN] = (low + share * (high - low)) / turns
    put_sums(state, rows, g, share, column)


# -- the visitors of a turn ------------------------------------------------------------------------


@jitable
def count_visitors(state: ArmState, turn: Turn, visitors: float) -> float:
    """Add the visitors of a turn to those seen; a draw that is only scaled has no end of them."""
    if state.shared[JUDGED] == BY_LEVEL:
        return math.inf
    if turn.t > 0:  # what came before the first turn may count G in other units
        state.shared[VISITORS] += visitors
        state.shared[WEIGHT] += turn.G
    return visitors


@jitable
def expected_visitors(state: ArmState, turn: Turn) -> float:
    """How many visitors the turn will have: G says it, in the units of the turns that were seen."""
    shared, G = state.shared, turn.G
    if shared[JUDGED] == BY_MEAN:
        if shared[TURNS] > 0.0:
            return float(max(1.0, shared[VISITORS] / shared[TURNS]))
        if turn.turns_left != UNKNOWN_TURNS:
            G = (turn.G + turn.future) / (1.0 + turn.turns_left)
    share = shared[VISITORS] / shared[WEIGHT] if shared[WEIGHT] > 0.0 else 1.0
    return float(min(max(1.0, share * G), MOST_VISITORS))
