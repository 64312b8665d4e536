"""How often the 95% intervals of `hs.noise.fit` hold the truth, on generated histories.

.venv/bin/python benchmarks/noise_coverage.py [DATA_SETS]
"""

from __future__ import annotations

import sys

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


def coverage(
    data_sets: int, rho: float, setting: tuple[int, int, int, bool, float]
) -> dict[str, float]:
    """The share of data sets whose intervals hold rho, the day effect and the rates."""
    rng, day = np.random.default_rng(20), setting[-1]
    held: dict[str, list[float]] = {"rho": [], "day": [], "rates": []}
    for _ in range(data_sets):
        frame, rates = generate(rng, *setting, rho)
        found = hs.noise.fit(frame)
        held["rho"].append(found.rho.low <= rho <= found.rho.high)
        if found.day is not None:
            held["day"].append(found.day.low <= day <= found.day.high)
        true = {str(arm): rate for arm, rate in enumerate(rates)}
        held["rates"] += [r.low <= true[arm] <= r.high for arm, r in found.rates.items()]
    return {name: float(np.mean(values)) for name, values in held.items() if values}


def main() -> None:
    data_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    for name, setting in SETTINGS.items():
        for rho in RHOS:
            shares = coverage(data_sets, rho, setting)
            cells = "  ".join(f"{what} {share:.1%}" for what, share in shares.items())
            print(f"{name}, rho {rho:g}: {cells}", flush=True)


if __name__ == "__main__":
    main()
