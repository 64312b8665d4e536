"""Draw the pictures of docs/research/theorems.md into docs/images/.

.venv/bin/python benchmarks/theorem_pictures.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import highseason as hs

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the studies
from studies.minimum_pulls import minimum_pulls
from studies.simulated import plots, side_results

TURNS = 20_000


def parts_over_time() -> hs.report.Figure:
    """Two policies on the wave: exploration that is known exactly, and pulls that are forced."""
    G, means = hs.traffic.wave(turns=TURNS), [0.05, 0.95]
    policies = [hs.EpsilonZGreedy(k=50, z=30), hs.UCBZ(z=30)]
    stops = np.unique(np.geomspace(1, TURNS, 200).astype(int))
    arms = hs.rewards.bernoulli(means=means)
    played = hs.simulate(policies, arms, G, games=300, seed=1, curves=stops)
    return hs.report.bound([hs.bounds.regret(p, means, multiplier=G) for p in policies], played)


def forced_pulls() -> hs.report.Figure:
    """Two arms that always pay 1/2 and 0; ties go to the first."""
    rewards = hs.rewards.custom(
        lambda u, p, s: p, lambda p: p, parameters=[0.5, 0.0], bounds=(0.0, 1.0)
    )
    game = hs.play(hs.UCB(), rewards, hs.traffic.constant(TURNS), seed=1)
    return minimum_pulls((game.arms == 1).cumsum(), arms=2, r=0.5)


PICTURES = {
    "bound-parts": parts_over_time,
    "exploration-probabilities": lambda: plots.exploration(side_results.exploration_figure()),
    "minimum-pulls": forced_pulls,
}


def main(folder: Path) -> None:
    for name, draw in PICTURES.items():
        figure = draw()
        print(figure.save(folder / f"{name}.png"), figure.alt)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/images"))
