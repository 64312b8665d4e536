"""The same numbers as an independent simulation, kept elsewhere (reference, section 13)."""

from __future__ import annotations

import math

import pytest

import highseason as hs
from highseason.engine import SimulationResult
from highseason.policies import Policy
from studies.authors_code import AuthorsVariablePool

pytestmark = [
    pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning"),
    pytest.mark.filterwarnings("ignore::highseason.traffic.ThresholdWarning"),
]

PLAYERS: dict[str, Policy] = {
    "eps": hs.EpsilonGreedy(k=110),
    "eps-z": hs.EpsilonZGreedy(k=110, z=30),
    "soft eps": hs.SoftEpsilonGreedy(k=110, unit=1),
    "UCB": hs.UCB(),
    "UCB-z": hs.UCBZ(z=30),
    "soft UCB": hs.SoftUCB(unit=1),
    "pool": hs.VariablePool(c=10, unit=1),
    "greedy": hs.Greedy(),
}

#: Reward over ΣG, 25 arms, 500 turns, wave; standard error about .001.
ISSUE = {
    "greedy": 0.906, "pool": 0.908, "soft eps": 0.881, "UCB": 0.673, "UCB-z": 0.798,
    "soft UCB": 0.803, "eps-z": 0.751, "eps": 0.500,
}  # fmt: skip

#: The table of section 13: fewer games, and its ε column, truly .5, is .002 to .004 below it.
TABLE = {
    (25, 500, "step"): (0.498, 0.921, 0.905, 0.679, 0.932, 0.839, 0.938, 0.932),
    (25, 500, "christmas"): (0.498, 0.918, 0.939, 0.727, 0.929, 0.923, 0.938, 0.939),
    (200, 1500, "wave"): (0.497, 0.733, 0.850, 0.601, 0.770, 0.709, 0.876, 0.875),
    (200, 1500, "step"): (0.497, 0.890, 0.878, 0.636, 0.906, 0.746, 0.911, 0.902),
    (200, 1500, "christmas"): (0.496, 0.916, 0.941, 0.544, 0.939, 0.868, 0.952, 0.947),
}


def played(arms: int, turns: int, shape: str, games: int) -> SimulationResult:
    G = hs.traffic.SHAPES[shape](turns)
    return hs.simulate(PLAYERS, hs.rewards.bernoulli(arms=arms), G, games=games, seed=2020)


def shares(result: SimulationResult) -> dict[str, tuple[float, float]]:
    """Reward over ΣG, and its standard error."""
    total = result.settings["total_multiplier"]
    return {
        name: (result.mean("reward", name) / total, result.error("reward", name) / total)
        for name in PLAYERS
    }


@pytest.fixture(scope="module")
def wave() -> SimulationResult:
    return played(25, 500, "wave", games=4000)


@pytest.mark.parametrize("policy", ISSUE)
def test_rewards_of_the_issue(wave: SimulationResult, policy: str) -> None:
    found, error = shares(wave)[policy]
    assert abs(found - ISSUE[policy]) < 3 * math.hypot(error, 0.001)
    assert error < 0.0015  # so that the test can fail


@pytest.fixture(scope="module", params=TABLE, ids=str)
def row(request: pytest.FixtureRequest) -> tuple[tuple[float, ...], SimulationResult]:
    arms, turns, shape = request.param
    return TABLE[request.param], played(arms, turns, shape, games=600 if arms > 25 else 3000)


def test_rewards_of_the_table(row: tuple[tuple[float, ...], SimulationResult]) -> None:
    expected, result = row
    found = shares(result)
    for name, value in zip(PLAYERS, expected, strict=True):
        share, error = found[name]
        assert abs(share - value) < 3 * math.hypot(error, 0.003), name


def test_random_play_earns_half(wave: SimulationResult) -> None:
    share, error = shares(wave)["eps"]
    assert abs(share - 0.5) < 4 * error


def test_greedy_ties_or_beats_the_regulated(wave: SimulationResult) -> None:
    # Section 13: within 0.004, in these settings.  Paired, so the error is small.
    for name in ("eps-z", "soft eps", "UCB-z", "soft UCB"):
        assert wave.gain(name, over="greedy").low < 0.005
    assert abs(wave.gain("pool", over="greedy").value) < 0.005


def test_regulation_helps_ucb_and_epsilon(wave: SimulationResult) -> None:
    assert wave.gain("UCB-z", over="UCB").low > 0.10
    assert wave.gain("soft UCB", over="UCB").low > 0.10
    assert wave.gain("eps-z", over="eps").low > 0.40
    # The text's +68% is not reproduced: the paper's own formulas give 75% (section 13).
    assert wave.gain("soft eps", over="eps").value == pytest.approx(0.76, abs=0.03)


def test_the_codes_pool_suffers_at_christmas() -> None:
    # D16: on Christmas the authors' pool is full at the peak, 23% below smarter UCB.
    G = hs.traffic.christmas(500)
    players = {"UCB": hs.UCB(), "pool": AuthorsVariablePool(c=1.1, unit=1)}
    result = hs.simulate(players, hs.rewards.bernoulli(arms=25), G, games=2000, seed=1)
    assert result.gain("pool", over="UCB").value == pytest.approx(-0.23, abs=0.03)


def test_a_large_sigma_leaves_little_to_gain() -> None:
    # D10: all means lie in [0.316, 0.684]; the increases shrink to at most 29%.
    G = hs.traffic.wave(500)
    model = hs.rewards.truncated_normal(arms=25, sigma=1.0)
    result = hs.simulate({"UCB": hs.UCB(), "greedy": hs.Greedy()}, model, G, games=1000, seed=1)
    ceiling = 0.684 * result.settings["total_multiplier"]
    assert result.mean("reward", "greedy") < ceiling
    assert 0.0 < result.gain("greedy", over="UCB").value < 0.29


def test_scaled_rewards_mislead() -> None:
    # An arm first tried on a busy turn looks good for ever: the bias the paper warns of.
    G = hs.traffic.step(1000)
    players = {"smarter": hs.EpsilonGreedy(k=0.2), "naive": hs.policies.NaiveEpsilonGreedy(k=0.2)}
    result = hs.simulate(players, hs.rewards.bernoulli(arms=10), G, games=2000, seed=1)
    assert result.gain("naive", over="smarter").high < -0.02
