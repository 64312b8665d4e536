"""The embedded bandit plays the very game of `play`, arm by arm."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import highseason as hs
from highseason.policies import Policy

POLICIES = {
    name: policy
    for name, policy in hs.policies.registry().items()
    if policy.__module__.startswith("highseason.") and not policy().rule.constants
}
FAMILIES = {
    "bernoulli": hs.rewards.bernoulli(means=[0.2, 0.8, 0.5, 0.8]),
    "normal": hs.rewards.truncated_normal(centres=[0.3, 0.6, 0.5, 0.1], sigma=0.2),
}


def counting_turns(policy: Policy) -> Policy:
    """The policy as it plays where a turn is one draw; a bandit would count visitors."""
    follows = getattr(policy, "count", "") == "auto"
    return policy.with_values({"count": "turns"}) if follows else policy


def chosen(bandit: hs.Bandit, game: hs.Game, **expected: list[float]) -> list[int]:
    """Play the bandit through the rewards of a game that chose the same arms up to that turn."""
    arms = []
    for i, (value, paid) in enumerate(zip(game.G.tolist(), game.paid.tolist(), strict=True)):
        arm = bandit.pull(**{name: beliefs[i] for name, beliefs in expected.items()})
        arms.append(arm)
        if arm != game.arms[i]:
            break
        bandit.update(arm, value * paid, visitors=value)
    return arms


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("ties", ["lowest", "random"])
@pytest.mark.parametrize("name", POLICIES)
def test_known_multiplier(name: str, ties: str, family: str) -> None:
    policy = counting_turns(POLICIES[name](ties=ties))
    G = hs.traffic.wave(turns=120)
    game = hs.play(policy, FAMILIES[family], G, seed=7)
    bandit = hs.Bandit(range(4), policy, G, reward_range=(0, 1), seed=7, known=True)
    assert chosen(bandit, game) == game.arms.tolist()
    log = bandit.decisions()
    assert [d.exploited for d in log] == game.exploited.tolist()
    assert [d.level for d in log] == game.plan.levels.tolist()


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize(
    "name", [name for name in POLICIES if not POLICIES[name]().lifetime_options.needs_end]
)
def test_multiplier_known_only_as_it_goes(name: str) -> None:
    policy = counting_turns(POLICIES[name]())
    G = hs.traffic.wave(turns=120)
    H = hs.traffic.from_values(G.values * np.tile([0.8, 1.3, 1.0], 40))
    game = hs.play(policy, FAMILIES["normal"], G, seed=3, forecast=H)
    bandit = hs.Bandit(range(4), policy, reward_range=(0, 1), seed=3)
    assert chosen(bandit, game, expected=H.values.tolist()) == game.arms.tolist()


def test_visitors_reported_or_taken_from_a_known_multiplier_are_the_same() -> None:
    G = hs.traffic.wave(turns=60)
    reported, taken = (
        hs.Bandit(list("abc"), hs.SoftUCB(), G, reward_range=(0, 1), seed=1, known=True)
        for _ in range(2)
    )
    for t, value in enumerate(G.values.tolist(), start=1):
        assert reported.pull(t) == taken.pull(t)
        reported.update(reported.pull(t), 0.3 * value, t, visitors=value)
        taken.update(taken.pull(t), 0.3 * value, t)
    assert reported.to_json() == taken.to_json()


@pytest.mark.parametrize("policy", ["'ucb-z:z=6'", "'option-index'"])
def test_nothing_is_compiled(policy: str) -> None:
    code = (
        "import sys, highseason as hs; "
        f"b = hs.Bandit(['a', 'b'], {policy}, [5, 9, 5] * 99, reward_range=(0, 1), known=True); "
        "[b.update(b.pull(), 1) for _ in range(3)]; hs.Bandit.from_json(b.to_json()); "
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
