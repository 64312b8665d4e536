"""What the option index learns in a game: what arms have in common, and how much a turn teaches.

The means of arms are Beta(νπ, ν(1-π)), and (π, ν) is learned.  The posterior weights of a grid of
(π, ν) are kept up to date by the exact beta-binomial likelihood of every arm, which adaptive
sampling does not bias.  The grid is finer where the weight is: it moves and shrinks in logit(π).
How noisy turns are is learned in `noise`.
"""

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable, jitable_as
from highseason.core.special import Number, log_eight_rising, log_gamma, loop_exp, stirling
from highseason.policies.noise import HEAD
from highseason.policies.rule import ArmState, Floats

# Places in `shared`, behind those of `noise`: single numbers, the grid of the prior, then the rows
# of the noise.
PI, NU, CENTRE, SPACING, BINARY = range(HEAD, HEAD + 5)
PRIORS, STRENGTHS = 12, 11
LOCATIONS = HEAD + 5
#: The grid, a row of locations for every strength: loops over locations become vector operations.
WEIGHTS = LOCATIONS + PRIORS
POINTS = PRIORS * STRENGTHS
#: The logarithms of the weights, and of the beta function at νπ and ν(1-π).
LOGS = WEIGHTS + POINTS
LOG_NORMS = LOGS + POINTS
#: Scratch: the sums over all strengths, for every location.
SUMS = LOG_NORMS + POINTS
SPREADS = SUMS + PRIORS
ROWS = SPREADS + PRIORS

# Columns of `memory`: trials and successes at the current noise, and those the prior has seen.
TRIALS, SUCCESSES, SEEN_TRIALS, SEEN_SUCCESSES = range(4)
#: The logarithm of the arm's likelihood at every point of the grid.
LIKELIHOOD = 4
ARM_ROWS = LIKELIHOOD + POINTS


#: How fast the prior plausibility of a strength ν falls, per doubling away from 2.
TILT = 0.5
#: An arm's likelihood is renewed when its trials have changed by this share.
REFRESH = 0.02
#: The logarithm of a weight, relative to the greatest, that no sum notices.
NEGLIGIBLE = -60.0


#: ν of each column, and the logarithm of its plausibility: the last columns are wider apart.
STRENGTH = tuple(2.0**power for power in (0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13))
_COLUMN = np.array(STRENGTH)[:, None]
LOG_PRIOR = tuple(
    math.log(2.0 if nu > 128.0 else 1.0) - TILT * abs(math.log2(0.5 * nu)) for nu in STRENGTH
)
#: The variance of Beta(νπ, ν(1-π)), divided by π(1-π).
SPREAD = tuple(1.0 / (nu + 1.0) for nu in STRENGTH)
_SPREAD_COLUMN = np.array(SPREAD)[:, None]


@jitable
def rebuild(state: ArmState) -> None:
    """The whole grid around its centre, from all that was seen."""
    shared = state.shared
    for i in range(PRIORS):
        x = shared[CENTRE] + (i - 0.5 * (PRIORS - 1)) * shared[SPACING]
        pi = shared[LOCATIONS + i] = 1.0 / (1.0 + math.exp(-x))
        density = math.log(pi * (1.0 - pi))
        for k in range(STRENGTHS):
            shared[LOGS + k * PRIORS + i] = density + LOG_PRIOR[k]
    put_log_betas(shared, 0.0, 0.0, shared[LOG_NORMS:SUMS])
    see_again(state)
    weigh(shared)


# What follows passes over the whole grid.  A kernel does so in loops; Python, where a live bandit
# must not load a compiler, with arrays, in the same order and so with the same results.


@jitable
def see(shared: Floats, memory: Floats, arm: int) -> None:
    """Replace an arm's likelihood in the grid by that of what was seen of it; `weigh` follows."""
    wins, likelihood = memory[arm, SEEN_SUCCESSES], memory[arm, LIKELIHOOD:ARM_ROWS]
    for j in range(POINTS):
        shared[LOGS + j] -= likelihood[j]
    put_log_betas(shared, wins, memory[arm, SEEN_TRIALS] - wins, likelihood)
    for j in range(POINTS):
        likelihood[j] -= shared[LOG_NORMS + j]
        shared[LOGS + j] += likelihood[j]


def see_all(shared: Floats, memory: Floats, arms: NDArray[np.int64]) -> None:
    """`see` each of the arms, in Python: their likelihoods are computed together."""
    logs, wins = shared[LOGS:LOG_NORMS], memory[arms, SEEN_SUCCESSES]
    likelihoods = np.empty((arms.size, POINTS))
    put_log_betas(shared, wins, memory[arms, SEEN_TRIALS] - wins, likelihoods)
    likelihoods -= shared[LOG_NORMS:SUMS]
    for before, likelihood in zip(memory[arms, LIKELIHOOD:ARM_ROWS], likelihoods, strict=True):
        logs -= before
        logs += likelihood
    memory[arms, LIKELIHOOD:ARM_ROWS] = likelihoods


def _see_again(state: ArmState) -> None:
    for arm in range(state.pulls.size):
        if state.memory[arm, SEEN_TRIALS] > 0.0:
            state.memory[arm, LIKELIHOOD:ARM_ROWS] = 0.0
            see(state.shared, state.memory, arm)


@jitable_as(lambda state: _see_again)
def see_again(state: ArmState) -> None:
    """Bring what was seen of all arms into a grid that has nothing of them; `weigh` follows."""
    state.memory[:, LIKELIHOOD:ARM_ROWS] = 0.0
    see_all(state.shared, state.memory, np.flatnonzero(state.memory[:, SEEN_TRIALS] > 0.0))


def _put_log_betas(shared: Floats, wins: float, losses: float, out: Floats) -> None:
    for k in range(STRENGTHS):
        everything = log_gamma(STRENGTH[k] + (wins + losses))
        for i in range(PRIORS):
            out[k * PRIORS + i] = -everything
    add_log_gammas(shared, 0.0, 1.0, wins, out)
    add_log_gammas(shared, 1.0, -1.0, losses, out)


@jitable_as(lambda shared, wins, losses, out: _put_log_betas)
def put_log_betas(shared: Floats, wins: Number, losses: Number, out: Floats) -> None:
    """The logarithm of the beta function at νπ + wins and ν(1-π) + losses, for the whole grid.

    In Python also a row for each of several wins and losses.
    """
    pi, out = shared[LOCATIONS:WEIGHTS], out.reshape(-1)
    x = (_COLUMN[:, 0] + np.reshape(wins + losses, (-1, 1))).ravel()
    small = x < 8.0
    everything = stirling(np.where(small, x + 8.0, x))
    everything[small] -= log_eight_rising(x[small])
    out[:] = np.repeat(-everything, PRIORS)
    for share, count in ((pi, wins), (1.0 - pi, losses)):
        counts = np.reshape(count, (-1, 1, 1))
        x = (_COLUMN * share + counts).ravel()
        small = np.repeat(_COLUMN * share.min() + counts < 8.0, PRIORS)
        out[small] -= log_eight_rising(x[small])
        x[small] += 8.0
        out += stirling(x)


@jitable
def add_log_gammas(shared: Floats, base: float, sign: float, count: float, out: Floats) -> None:
    """Add the logarithm of gamma at ν (base + sign π) + count, in loops that vectorise.

    They have one argument and no branch: what Stirling's series is too small for comes first.  The
    weights, which are renewed afterwards, hold the arguments meanwhile.
    """
    small, least = 0, base + sign * shared[LOCATIONS if sign > 0.0 else LOCATIONS + PRIORS - 1]
    for k in range(STRENGTHS):
        small += PRIORS if STRENGTH[k] * least + count < 8.0 else 0
        for i in range(PRIORS):
            share = base + sign * shared[LOCATIONS + i]
            shared[WEIGHTS + k * PRIORS + i] = STRENGTH[k] * share + count
    for j in range(small):
        out[j] -= log_eight_rising(shared[WEIGHTS + j])
        shared[WEIGHTS + j] += 8.0
    for j in range(POINTS):
        out[j] += stirling(shared[WEIGHTS + j])


def _weigh(shared: Floats) -> None:
    top = -math.inf
    for j in range(LOGS, LOGS + POINTS):
        top = max(top, shared[j])
    for j in range(POINTS):
        below = shared[LOGS + j] - top
        weight = loop_exp(max(below, NEGLIGIBLE))
        shared[WEIGHTS + j] = weight if below > NEGLIGIBLE else 0.0


@jitable_as(lambda shared: _weigh)
def weigh(shared: Floats) -> None:
    """Weights from their logarithms; the greatest is 1, those that no sum would notice are 0."""
    logs = shared[LOGS:LOG_NORMS]
    below = logs - logs.max()
    weights = loop_exp(np.maximum(below, NEGLIGIBLE))
    shared[WEIGHTS:LOGS] = np.where(below > NEGLIGIBLE, weights, 0.0)


@jitable
def add_trial(state: ArmState, arm: int, success: bool) -> None:
    """One 0/1 trial of `arm`, which was seen completely before: Laplace's rule of succession."""
    shared, memory = state.shared, state.memory
    trials, count = memory[arm, SEEN_TRIALS], memory[arm, SEEN_SUCCESSES]
    base, sign = (0.0, 1.0) if success else (1.0, -1.0)
    if not success:
        count = trials - count
    for k in range(STRENGTHS):
        nu, scale = STRENGTH[k], 1.0 / (STRENGTH[k] + trials)
        for i in range(PRIORS):
            share = base + sign * shared[LOCATIONS + i]
            shared[WEIGHTS + k * PRIORS + i] *= (nu * share + count) * scale
    memory[arm, SEEN_TRIALS] += 1.0
    memory[arm, SEEN_SUCCESSES] += 1.0 if success else 0.0


def _renew_arms(state: ArmState) -> None:
    changed, memory = False, state.memory
    for arm in range(state.pulls.size):
        seen = memory[arm, SEEN_TRIALS]
        if abs(memory[arm, TRIALS] - seen) > REFRESH * seen:
            changed = True
            memory[arm, SEEN_TRIALS] = memory[arm, TRIALS]
            memory[arm, SEEN_SUCCESSES] = memory[arm, SUCCESSES]
            see(state.shared, memory, arm)
    if changed:
        weigh(state.shared)


@jitable_as(lambda state: _renew_arms)
def renew_arms(state: ArmState) -> None:
    """Bring the grid up to date with every arm whose trials have changed enough."""
    memory = state.memory
    trials, seen = memory[:, TRIALS], memory[:, SEEN_TRIALS]
    changed = np.flatnonzero(np.abs(trials - seen) > REFRESH * seen)
    if changed.size:
        memory[changed, SEEN_TRIALS : SEEN_SUCCESSES + 1] = memory[changed, TRIALS : SUCCESSES + 1]
        see_all(state.shared, memory, changed)
        weigh(state.shared)


def _sum_strengths(shared: Floats) -> None:
    for i in range(PRIORS):
        shared[SUMS + i] = shared[SPREADS + i] = 0.0
    for k in range(STRENGTHS):
        for i in range(PRIORS):
            w = shared[WEIGHTS + k * PRIORS + i]
            shared[SUMS + i] += w
            shared[SPREADS + i] += w * SPREAD[k]


@jitable_as(lambda shared: _sum_strengths)
def sum_strengths(shared: Floats) -> None:
    """The weight of every location, and the variance that its strengths add, over all strengths."""
    weights = shared[WEIGHTS:LOGS].reshape(STRENGTHS, PRIORS)
    shared[SUMS:SPREADS] = np.add.accumulate(weights)[-1]  # in the order of a loop, unlike `sum`
    shared[SPREADS:ROWS] = np.add.accumulate(weights * _SPREAD_COLUMN)[-1]


@jitable
def summarize(state: ArmState) -> None:
    """One Beta prior with the mean and the variance of the grid; moves the grid where it must."""
    shared = state.shared
    sum_strengths(shared)
    total, place, places = 0.0, 0.0, 0.0
    mean, square, within = 0.0, 0.0, 0.0
    for i in range(PRIORS):
        row, pi, x = float(shared[SUMS + i]), float(shared[LOCATIONS + i]), i - 0.5 * (PRIORS - 1)
        total += row
        place += row * x
        places += row * x * x
        mean += row * pi
        square += row * pi * pi
        within += float(shared[SPREADS + i]) * pi * (1.0 - pi)
    mean /= total
    variance = within / total + max(0.0, square / total - mean * mean)
    share = min(0.9, variance / (mean * (1.0 - mean)))
    shared[PI], shared[NU] = mean, 1.0 / share - 1.0
    if not 1e-100 < total < 1e100:
        for j in range(WEIGHTS, WEIGHTS + POINTS):
            shared[j] /= total
    place /= total
    move_grid(state, place, math.sqrt(max(0.0, places / total - place * place)))


@jitable
def move_grid(state: ArmState, place: float, sd: float) -> None:
    """Recentre the grid where its weight is, finer or wider as that needs."""
    spacing = state.shared[SPACING]
    factor = 0.5 if sd < 0.8 else (1.6 if sd > 2.2 else 1.0)
    changed = min(1.0, spacing * factor)
    if changed != spacing or abs(place) > 2.0:
        state.shared[CENTRE] += place * spacing
        state.shared[SPACING] = changed
        rebuild(state)
