"""How often the 95% intervals of `hs.logs.fit_noise` hold the truth, on generated histories.

Uses all cores.  A share of 500 histories is known within 2 points.

    python benchmarks/noise_coverage.py [--histories N] [--workers N] [--rho RHO …] [NAME …]
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd

import highseason as hs

RHOS = (0.0, 0.001, 0.01, 0.05)
#: Turns, arms, mean visitors of an arm in a turn, whether all arms are shown in every turn, and the
#: day effect.
SETTINGS = {
    "one arm a turn, 120 turns, 3 arms": (120, 3, 300, False, 0.0),
    "one arm a turn, 365 turns, 5 arms": (365, 5, 2000, False, 0.0),
    "40 turns of one arm": (40, 1, 1000, False, 0.0),
    "all arms in every turn, day effect 10%": (30, 3, 1000, True, 0.1),
}


def generate(
    rng: np.random.Generator,
    turns: int,
    arms: int,
    mean: float,
    crossed: bool,
    day: float,
    rho: float,
) -> tuple[pd.DataFrame, np.ndarray]:
    """A history and the rates of its arms; visitors vary from turn to turn by a factor of 3."""
    rates = np.linspace(0.02, 0.05, arms)
    turn = np.repeat(np.arange(turns), arms if crossed else 1)
    arm = np.tile(np.arange(arms), turns) if crossed else rng.integers(0, arms, turns)
    visitors = np.maximum(1, mean * rng.lognormal(0, 0.5, turns)).astype(int)[turn]
    effect = rng.gamma(1 / day**2, day**2, turns) if day else np.ones(turns)
    centre = np.minimum(rates[arm] * effect[turn], 0.95)
    shown = rng.beta(centre * (1 / rho - 1), (1 - centre) * (1 / rho - 1)) if rho else centre
    successes = rng.binomial(visitors, shown)
    columns = {"turn": turn, "arm": arm, "visitors": visitors, "successes": successes}
    return pd.DataFrame(columns), rates


def held(setting: str, rho: float, number: int) -> dict[str, float]:
    """Whether the intervals of rho and the day effect hold the truth; what share of the rates'."""
    rng = np.random.default_rng([20, number])
    frame, rates = generate(rng, *SETTINGS[setting], rho)
    fitted, day = hs.logs.fit_noise(frame), SETTINGS[setting][-1]
    true = {str(arm): rate for arm, rate in enumerate(rates)}
    inside = [r.low <= true[arm] <= r.high for arm, r in fitted.rates.items()]
    shares = {"rho": float(fitted.rho.low <= rho <= fitted.rho.high)}
    if fitted.day is not None:
        shares["day"] = float(fitted.day.low <= day <= fitted.day.high)
    return shares | {"rates": float(np.mean(inside))}


def coverage(pool: ProcessPoolExecutor, setting: str, rho: float, histories: int) -> str:
    """The shares of intervals that hold the truth."""
    every = defaultdict(list)
    numbers = range(histories)
    rows = pool.map(held, [setting] * histories, [rho] * histories, numbers, chunksize=5)
    for row in rows:
        for what, share in row.items():
            every[what].append(share)
    cells = (f"{what} {np.mean(shares):6.1%}" for what, shares in every.items())
    return f"{setting}, rho {rho:g}: {'  '.join(cells)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=500)
    parser.add_argument("--workers", type=int, help="processes; as many as there are cores")
    parser.add_argument("--rho", type=float, action="append", help="0, 0.001, 0.01 and 0.05")
    parser.add_argument("what", nargs="*", help="part of a setting's name")
    given = parser.parse_args()
    begin = time.perf_counter()
    with ProcessPoolExecutor(given.workers) as pool:
        for name in SETTINGS:
            if not given.what or any(word in name for word in given.what):
                for rho in given.rho or RHOS:
                    print(coverage(pool, name, rho, given.histories), flush=True)
    print(f"{time.perf_counter() - begin:.0f} seconds")


if __name__ == "__main__":
    main()
