"""One small result and its plans, for all tests of figures and pages."""

from __future__ import annotations

import pytest

import highseason as hs

G = hs.traffic.christmas(turns=150)
PLAYERS = [hs.UCB(), hs.UCBZ(z=30), hs.SoftUCB(unit=1), hs.Greedy()]


@pytest.fixture(scope="session")
def result() -> hs.SimulationResult:
    arms = hs.rewards.bernoulli(arms=6)
    return hs.simulate(PLAYERS, arms, G, games=40, seed=7, curves=True)


@pytest.fixture(scope="session")
def plans() -> list[hs.Plan]:
    return [player.plan(G, arms=6) for player in PLAYERS]
