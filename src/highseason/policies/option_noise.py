"""How much a turn teaches, learned from the scatter within the arms.

The variance of an observation that rests on v visitors is μ(1-μ)(ρ + (1-ρ)/v): ρ is the part that
more visitors do not take away.  Such a turn is worth e = 1/(ρ + (1-ρ)/v) Bernoulli trials; v is
infinite where a draw is only scaled, so that e = 1/ρ in every turn, and ρ = 1 for 0/1 rewards.

ρ solves "Pearson's chi-square equals its degrees of freedom", pooled over arms, with a fraction of
a degree of freedom at the scatter of all turns as its prior.  Sums are kept for a few values of ρ,
and the equation is linear in 1/ρ between them (everywhere, if v is infinite).
"""

from __future__ import annotations

from highseason.core.jitable import jitable
from highseason.policies.option_state import (
    ARM_ROWS,
    BINARY,
    PER_ARM_ROW,
    PER_ROW,
    PER_TURN,
    RHO,
    ROWS,
    SUCCESSES,
    TRIALS,
    TURNS,
)
from highseason.policies.state import ArmState

#: The prior's degrees of freedom.
PRIOR_FREEDOM = 0.3


@jitable
def effective(rho: float, visitors: float) -> float:
    """The Bernoulli trials that one turn is worth."""
    return 1.0 / (rho + (1.0 - rho) / visitors)


@jitable
def excess(trials: float, successes: float, squares: float, turns: float) -> float:
    """How far the scatter of `turns` observations exceeds what their effective trials explain."""
    if turns < 2.0 or trials <= 0.0:
        return 0.0
    mean = successes / trials
    scatter = squares - successes * mean
    return scatter * (1.0 - 1.0 / trials) - (turns - 1.0) * mean * (1.0 - mean)


@jitable
def add_to_rows(
    state: ArmState, rhos: tuple[float, ...], arm: int, value: float, visitors: float
) -> None:
    """Add an observation to the sums of every ρ, per arm and over all arms."""
    own, turns = state.memory[arm], state.pulls[arm]
    for g in range(len(rhos)):
        e = effective(rhos[g], visitors)
        i, j = ARM_ROWS + PER_ARM_ROW * g, ROWS + PER_ROW * g
        before = excess(own[i], own[i + 1], own[i + 2], turns - 1.0)
        own[i] += e
        own[i + 1] += e * value
        own[i + 2] += e * value * value
        state.shared[j] += e
        state.shared[j + 1] += e * value
        state.shared[j + 2] += e * value * value
        state.shared[j + 3] += excess(own[i], own[i + 1], own[i + 2], turns) - before


@jitable
def fill_rows(state: ArmState, rhos: tuple[float, ...], visitors: float) -> None:
    """The sums of every ρ after 0/1 rewards only, which need none: ρ is 1 whatever they are."""
    state.shared[ROWS : ROWS + PER_ROW * len(rhos)] = 0.0
    for arm in range(state.pulls.size):
        own = state.memory[arm]
        for g in range(len(rhos)):
            e = effective(rhos[g], visitors)
            i, j = ARM_ROWS + PER_ARM_ROW * g, ROWS + PER_ROW * g
            own[i] = e * own[TRIALS]
            own[i + 1] = own[i + 2] = e * own[SUCCESSES]
            state.shared[j] += own[i]
            state.shared[j + 1] += own[i + 1]
            state.shared[j + 2] += own[i + 2]
            state.shared[j + 3] += excess(own[i], own[i + 1], own[i + 2], state.pulls[arm])


@jitable
def balance(state: ArmState, g: int) -> float:
    """Observed minus expected scatter at row g; ρ is where it changes its sign."""
    j, turns = ROWS + PER_ROW * g, state.shared[TURNS]
    everything = excess(state.shared[j], state.shared[j + 1], state.shared[j + 2], turns)
    return float(state.shared[j + 3] + PRIOR_FREEDOM * everything / max(1.0, turns - 1.0))


@jitable
def estimate_rho(state: ArmState, rhos: tuple[float, ...]) -> tuple[float, int, float]:
    """The largest root ρ, and the row and the share of the next row that give its sums."""
    high = balance(state, 0)
    if state.shared[BINARY] > 0.0 or state.shared[TURNS] < 2.0 or high >= 0.0:
        return 1.0, 0, 0.0
    for g in range(1, len(rhos)):
        low = balance(state, g)
        if low >= 0.0:
            share = high / (high - low)
            if rhos[g] <= 0.0:
                return rhos[g - 1] * (1.0 - share), g - 1, share
            inverse = (1.0 - share) / rhos[g - 1] + share / rhos[g]
            return 1.0 / inverse, g - 1, share
        high = low
    return rhos[len(rhos) - 1], len(rhos) - 2, 1.0


@jitable
def learn_noise(state: ArmState, rhos: tuple[float, ...]) -> None:
    """Estimate ρ, and give every arm its trials and successes at that ρ."""
    rho, g, share = estimate_rho(state, rhos)
    state.shared[RHO] = rho
    i, j = ROWS + PER_ROW * g, ROWS + PER_ROW * (g + 1)
    everything = state.shared[i] + share * (state.shared[j] - state.shared[i])
    state.shared[PER_TURN] = everything / state.shared[TURNS]
    i, j = ARM_ROWS + PER_ARM_ROW * g, ARM_ROWS + PER_ARM_ROW * (g + 1)
    memory, pulls = state.memory, state.pulls
    for arm in range(pulls.size):
        if pulls[arm] > 0.0:
            low, won = memory[arm, i], memory[arm, i + 1]
            memory[arm, TRIALS] = low + share * (memory[arm, j] - low)
            memory[arm, SUCCESSES] = won + share * (memory[arm, j + 1] - won)
