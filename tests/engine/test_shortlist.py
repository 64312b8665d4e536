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


Roots = tuple[float, float, bool]


def bar_below(count: int, values: Any) -> float:
    seen, bar = values[:: values.size // 64], -np.inf
    below, above = seen.min(), seen.max()
    for _ in range(8):
        middle = (below + above) / 2
        if np.count_nonzero(values >= middle) >= count:
            bar = below = middle
        else:
            above = middle
    return float(bar)


def plainly(turns: int, roots: Roots, means: Any, radii: Any) -> tuple[list[int], float]:
    low, high, by_mean = roots
    out = means + high * radii < bar_below(turns, means + low * radii)
    if by_mean:
        out &= means < bar_below(turns, means)
    return np.flatnonzero(~out).tolist(), means[out].max(initial=-np.inf)


@pytest.mark.parametrize("arms", [64, 65, 127, 128, 200])
@pytest.mark.parametrize(
    ("turns", "roots"),
    [
        (8, (1.0, 1.05, False)),
        (8, (1.0, 1.05, True)),
        (40, (0.5, 1.0, False)),
        (9, (0.0, np.inf, False)),
    ],
)
def test_the_list_holds_the_arms_with_a_chance(arms: int, turns: int, roots: Roots) -> None:
    random = np.random.default_rng(arms + turns)
    lanes = ucb_lanes.LANES
    known = random.random((lanes, 2, arms))
    known[:, 1] = 0.1 + 0.3 * known[:, 1]
    known[0] = known[0].round(1)  # ties
    listed = np.zeros((lanes, arms), np.int64)
    means, radii = np.full((2, arms + 1, lanes), 7.0)
    length = ucb_lanes.renew_lists(turns, roots, known, listed, means, radii)
    wanted = [plainly(turns, roots, *known[lane]) for lane in range(lanes)]
    assert length == 1 + max(len(arms_of) for arms_of, _ in wanted)
    for lane, (arms_of, highest) in enumerate(wanted):
        size = len(arms_of)
        assert listed[lane, :size].tolist() == arms_of
        assert means[:size, lane].tolist() == known[lane, 0, arms_of].tolist()
        assert radii[:size, lane].tolist() == known[lane, 1, arms_of].tolist()
        assert means[size:length, lane].tolist() == [highest] + [-np.inf] * (length - size - 1)
        assert radii[size:length, lane].tolist() == [0.0] * (length - size)


@pytest.mark.parametrize(
    ("levels", "roots"),
    [
        ([4.0, 9.0, 16.0], (2.0, 4.0, False)),
        ([4.0, 0.0, 16.0], (2.0, 4.0, True)),
        ([0.0, 0.0], (0.0, 0.0, False)),
        ([9.0], (3.0, 3.0, False)),
    ],
)
def test_turns_at_level_0_play_by_the_mean(levels: list[float], roots: Roots) -> None:
    assert ucb_lanes.root_range(np.array(levels)) == roots


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
