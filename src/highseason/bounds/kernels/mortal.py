"""The most that arms with lifetimes can cost under soft UCB mortal, epoch by epoch."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable


@jitable
def log_xi(t: int, start: int, G: float) -> float:
    """log(1 + age/G) of an arm whose lifetime starts at `start`."""
    return math.log1p((t - start) / G)


@jitable
def miss_probability(psi: float, log: float, r: float) -> float:
    """The probability that an average is outside its radius: xi^(-4 psi²/r²)."""
    return math.exp(-4.0 * psi * psi * log / (r * r))


def mortal_kernel(
    means: NDArray[np.float64],
    spans: NDArray[np.int64],
    epochs: NDArray[np.int64],
    psi: NDArray[np.float64],
    G: NDArray[np.float64],
    first_round: int,
    r: float,
    out: NDArray[np.float64],
) -> None:
    """Add to `out` what each turn adds to the bound, arm by arm and epoch by epoch.

    Args:
        means: Of each arm.
        spans: Start of each arm, 0 for those available in turn 1; last turn of each arm.
        epochs: The best available arm in each turn; the row of `psi` that applies to it.
        psi: psi_future by stretch (turns with the same arms available) and arm.
        G: The multiplier; what xi is computed from, G or its forecast in the policy's unit.
        first_round: The number of turns of the initialisation.
        r: The range of the rewards.
        out: One number per turn.
    """
    starts, ends = spans[0], spans[1]
    best, stretch = epochs[0], epochs[1]
    weights, believed = G[0], G[1]
    turns = weights.size
    logs = np.empty(turns)
    shared_start = -1
    for arm in range(means.size):
        if starts[arm] != shared_start:  # arms with the same start share xi
            shared_start = starts[arm]
            for s in range(max(1, shared_start), turns + 1):
                logs[s - 1] = log_xi(s, shared_start, believed[s - 1])
        start = max(1, starts[arm])
        t = max(start, first_round + 1)
        while t <= ends[arm]:
            star = best[t - 1]
            end = t
            while end < ends[arm] and best[end] == star:
                end += 1
            gap = means[star] - means[arm]
            if gap > 0.0:
                widest = 0.0
                for s in range(t, end + 1):
                    own = psi[stretch[s - 1], arm]
                    widest = max(widest, own * own * logs[s - 1])
                enough = max(1.0, np.ceil(8.0 * widest / (gap * gap)))
                star_start = max(1, starts[star])
                failures, heaviest, before = 0.0, 0.0, 0.0
                for s in range(t, end + 1):
                    trials = s - start - enough + 1.0
                    if trials > 0.0:
                        row = stretch[s - 1]
                        own_miss = miss_probability(psi[row, arm], logs[s - 1], r)
                        star_miss = own_miss
                        if starts[star] != starts[arm]:
                            log = log_xi(s, starts[star], believed[s - 1])
                            star_miss = miss_probability(psi[row, star], log, r)
                        elif psi[row, star] != psi[row, arm]:
                            star_miss = miss_probability(psi[row, star], logs[s - 1], r)
                        failures += min(1.0, trials * own_miss + (s - star_start) * star_miss)
                    heaviest = max(heaviest, weights[s - 1])
                    now = gap * heaviest * min(s - t + 1.0, enough + failures)
                    out[s - 1] += now - before
                    before = now
            t = end + 1
