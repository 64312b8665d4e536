"""What arms that come and go may cost under soft UCB mortal, epoch by epoch."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable


@jitable
def log_xi(t: int, birth: int, stake: float) -> float:
    """log(1 + age/G) of an arm born at turn `birth`."""
    return math.log1p((t - birth) / stake)


@jitable
def off_chance(psi: float, log: float, r: float) -> float:
    """The chance that an average is off by more than its radius: xi^(-4 psi²/r²)."""
    return math.exp(-4.0 * psi * psi * log / (r * r))


def mortal_kernel(
    means: NDArray[np.float64],
    births: NDArray[np.int64],
    deaths: NDArray[np.int64],
    best: NDArray[np.int64],
    stretch: NDArray[np.int64],
    psi: NDArray[np.float64],
    weights: NDArray[np.float64],
    stakes: NDArray[np.float64],
    first_round: int,
    r: float,
    out: NDArray[np.float64],
) -> None:
    """Add to `out` what each turn adds to the bound, arm by arm and epoch by epoch.

    Args:
        means: Of each arm.
        births: Of each arm; 0 for those there from the start.
        deaths: The last turn of each arm.
        best: The best arm alive in each turn.
        stretch: For each turn, the row of `psi` that holds.
        psi: psi_future by stretch (turns with the same arms alive) and arm.
        weights: G.
        stakes: G or its forecast, in the policy's unit: what xi is made of.
        first_round: How many turns the initialisation took.
        r: The range of the rewards.
        out: One number per turn.
    """
    turns = weights.size
    logs = np.empty(turns)
    born_with = -1
    for arm in range(means.size):
        if births[arm] != born_with:  # arms born together share xi
            born_with = births[arm]
            for s in range(max(1, born_with), turns + 1):
                logs[s - 1] = log_xi(s, born_with, stakes[s - 1])
        born = max(1, births[arm])
        t = max(born, first_round + 1)
        while t <= deaths[arm]:
            star = best[t - 1]
            end = t
            while end < deaths[arm] and best[end] == star:
                end += 1
            gap = means[star] - means[arm]
            if gap > 0.0:
                widest = 0.0
                for s in range(t, end + 1):
                    own = psi[stretch[s - 1], arm]
                    widest = max(widest, own * own * logs[s - 1])
                enough = max(1.0, np.ceil(8.0 * widest / (gap * gap)))
                star_born = max(1, births[star])
                failures, heaviest, before = 0.0, 0.0, 0.0
                for s in range(t, end + 1):
                    trials = s - born - enough + 1.0
                    if trials > 0.0:
                        row = stretch[s - 1]
                        mine = off_chance(psi[row, arm], logs[s - 1], r)
                        theirs = mine
                        if births[star] != births[arm]:
                            log = log_xi(s, births[star], stakes[s - 1])
                            theirs = off_chance(psi[row, star], log, r)
                        elif psi[row, star] != psi[row, arm]:
                            theirs = off_chance(psi[row, star], logs[s - 1], r)
                        failures += min(1.0, trials * mine + (s - star_born) * theirs)
                    heaviest = max(heaviest, weights[s - 1])
                    now = gap * heaviest * min(s - t + 1.0, enough + failures)
                    out[s - 1] += now - before
                    before = now
            t = end + 1
