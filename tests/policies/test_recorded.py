"""Policies plan and play as they did: they change only where that is meant.

After a change that is meant: `python -m tests.policies.test_recorded`, and look at what differs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.recorded import Cases, assert_recorded, defaults_of, record

import highseason as hs
from highseason.policies import Policy, registry
from highseason.policies.base import declared
from highseason.policies.timing import prices, timing

RECORDED = Path(__file__).parent / "recorded.json"
WAVE = hs.traffic.wave(turns=50)
BUSY = hs.traffic.from_values(
    np.round(30 + 25 * np.sin(np.arange(44.0)) + 900 * (np.arange(44) > 35))
)
SPANS = [(1, 40), (1, 15), (8, 30), (20, 40), (5, 12), (1, 40)]

#: The name of a game: rewards, multiplier, lifetimes.
GAMES: dict[str, tuple[Any, ...]] = {
    "coins": (hs.rewards.bernoulli(arms=4), WAVE, None),
    "ties": (hs.rewards.bernoulli(means=[0.5, 0.5, 0.5]), WAVE.window(1, 30), None),
    "visitors": (hs.rewards.visitors(arms=3, between=(0.1, 0.4), rho=0.01), BUSY, None),
    "lives": (hs.rewards.truncated_normal(arms=6, sigma=0.3), WAVE.window(1, 40),
              hs.lifetimes.fixed(SPANS)),
    "unknown lives": (hs.rewards.bernoulli(arms=6), WAVE.window(1, 40),
                      hs.lifetimes.fixed(SPANS, known=False)),
    "a flow": (hs.rewards.bernoulli(arms=21), WAVE.window(1, 50),
               hs.lifetimes.birth_and_death(50, alive=4, life=10)),
}  # fmt: skip
WRAPPED = ("discounted:discount=0.8+ucb", "windowed:window=9+thompson", "threshold:z=30+kl-ucb",
           "soft+gaussian-thompson", "ahead+constant-epsilon:epsilon=0.4",
           "limit-switching+thompson", "cap+ucb", "soft+option-index",
           "spare-old-arms+ucb")  # fmt: skip


def variants(policy: Policy) -> dict[str, Policy]:
    """The policy with each other choice of its parameters, and with other numbers."""
    made = {str(policy): policy}
    for name, limits in declared(policy).items():
        value = getattr(policy, name)
        others: list[Any] = [one for one in (limits.choices or ()) if one != value]
        if isinstance(value, bool):
            others = [not value]
        elif isinstance(value, int | float) and not others:
            others = [type(value)(2 * value + 1), type(value)(value / 4)]
        for other in others:
            try:
                changed = replace(policy, **{name: other})
            except ValueError:
                continue
            made[str(changed)] = changed
    return made


def course(policy: Policy, game: str) -> list[Any]:
    """The arms in order, which turns exploited, and the levels of a few turns."""
    rewards, G, lifetimes = GAMES[game]
    try:
        played = hs.play(policy, rewards, G, seed=11, lifetimes=lifetimes)
    except ValueError as reason:
        return [str(reason)]
    arms = "".join(chr(ord("a") + arm) for arm in played.arms.tolist())
    exploited = "".join(str(int(one)) for one in played.exploited)
    return [arms, exploited]


def plan_of(policy: Policy) -> list[Any]:
    made = [policy.plan(G, arms) for G, arms in ((WAVE, 4), (BUSY, 2), (WAVE.window(1, 3), 5))]
    said = [str(timing(plan).sentence()) for plan in made[:2]]
    price = prices(made[1])
    return [[plan.levels[::7] for plan in made], [plan.exploration[::7] for plan in made], said,
            None if price is None else price[::7]]  # fmt: skip


def described(name: str) -> dict[str, Any]:
    policy = hs.policies.parse(name) if "+" in name or ":" in name else registry()[name]()
    found: dict[str, Any] = {"plan": plan_of(policy)}
    for label, one in variants(policy).items():
        games = GAMES if one == policy else ("coins", "visitors")
        found[label] = {game: course(one, game) for game in games}
    return found


OURS = [name for name, kind in registry().items() if kind.__module__.startswith("highseason.")]
CASES: Cases = {
    **{name: partial(described, name) for name in (*OURS, *WRAPPED)},
    "defaults": partial(defaults_of, "policies"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.filterwarnings("ignore::highseason.traffic.ThresholdWarning")
def test_a_policy_plays_as_was_recorded(name: str) -> None:
    assert_recorded(RECORDED, CASES, name)


if __name__ == "__main__":
    record(RECORDED, CASES)
