"""The list of arms that have a chance, against the same written plainly, and games that use it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import highseason as hs
from highseason.core.random import game_keys
from highseason.engine.kernels import ucb_lanes
from highseason.engine.simulate import Simulation

pytestmark = pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")


def plainly(turns: int, low: float, high: float, means: Any, radii: Any) -> tuple[list[int], float]:
    index, bar = means + low * radii, -np.inf
    seen = index[:: means.size // 64]
    below, above = seen.min(), seen.max()
    for _ in range(8):
        middle = (below + above) / 2
        if np.count_nonzero(index >= middle) >= turns:
            bar = below = middle
        else:
            above = middle
    out = means + high * radii < bar
    return np.flatnonzero(~out).tolist(), means[out].max(initial=-np.inf)


@pytest.mark.parametrize("arms", [64, 65, 127, 128, 200])
@pytest.mark.parametrize(("turns", "low", "high"), [(8, 1.0, 1.05), (40, 0.5, 1.0), (9, 1, np.inf)])
def test_the_list_holds_the_arms_with_a_chance(
    arms: int, turns: int, low: float, high: float
) -> None:
    random = np.random.default_rng(arms + turns)
    lanes = ucb_lanes.LANES
    known = random.random((lanes, 2, arms))
    known[:, 1] = 0.1 + 0.3 * known[:, 1]
    known[0] = known[0].round(1)  # ties
    listed = np.zeros((lanes, arms), np.int64)
    means, radii = np.full((2, arms + 1, lanes), 7.0)
    length = ucb_lanes.renew_lists(turns, low, high, known, listed, means, radii)
    wanted = [plainly(turns, low, high, *known[lane]) for lane in range(lanes)]
    assert length == 1 + max(len(arms_of) for arms_of, _ in wanted)
    for lane, (arms_of, highest) in enumerate(wanted):
        size = len(arms_of)
        assert listed[lane, :size].tolist() == arms_of
        assert means[:size, lane].tolist() == known[lane, 0, arms_of].tolist()
        assert radii[:size, lane].tolist() == known[lane, 1, arms_of].tolist()
        assert means[size:length, lane].tolist() == [highest] + [-np.inf] * (length - size - 1)
        assert radii[size:length, lane].tolist() == [0.0] * (length - size)


@pytest.mark.parametrize("policy", [hs.UCB(P=0.05), hs.SoftUCB(unit=1), hs.UCBZ(z=30)])
def test_lists_change_no_game(policy: hs.Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    G, rewards = hs.traffic.wave(150), hs.rewards.bernoulli(arms=66)
    simulation = Simulation.prepare([policy], rewards, G, 3, None, 20, None)
    keys = game_keys(3, range(9))
    arms, turns = simulation.arms(keys), simulation.turns(simulation.plans[0])
    monkeypatch.setattr(ucb_lanes, "PERIOD", 16)
    played = []
    for many in (64, 1000):
        monkeypatch.setattr(ucb_lanes, "MANY_ARMS", many)
        out, trace = np.zeros((9, 4)), np.zeros((9, simulation.checkpoints.size, 2))
        ucb_lanes.ucb_lanes_kernel(turns, keys, arms, out, trace, (), rewards.quantile)
        played.append((out.tolist(), trace.tolist()))
    assert played[0] == played[1]
