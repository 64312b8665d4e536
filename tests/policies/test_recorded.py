"""Policies plan and play as they did: they change only where that is meant.

After a change that is meant: `python -m tests.policies.test_recorded`, and look at what differs.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.recorded import Cases, assert_recorded, defaults_of, record

import highseason as hs
from highseason.checks.catalogue import offers
from highseason.core.random import game_key, turn_key
from highseason.core.validation import declared
from highseason.engine import decide, learn
from highseason.policies import (
    Horizon,
    Observation,
    Policy,
    noise,
    option_index,
    registry,
)
from highseason.policies.sampling import greatest_of_beta, greatest_of_normal
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
    rewards = replace(rewards, offers=offers(rewards.arms))
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


def told(column: Any) -> list[float]:
    """Few numbers as they are, many by three sums that weigh each differently."""
    flat = np.ravel(np.asarray(column, np.float64))
    if flat.size <= 8:
        return flat.tolist()
    flat = np.where(np.isfinite(flat), flat, 0.0)
    places = np.arange(1.0, flat.size + 1.0)
    return [float(flat.sum()), float(flat @ np.sqrt(places)), float(flat @ np.cos(places))]


def states_of(name: str) -> dict[str, Any]:
    """All that a policy knows in the middle of a game and at its end, and its probabilities."""
    policy, found = hs.policies.parse(name), {}
    rule, horizon = policy.rule, Horizon.of(BUSY)
    state, start = rule.fresh_state(4, offers(4)), game_key(3, 1)
    scores = np.array([44.0, 30.0, 44.0, 9.0])
    rule.set_weights(state, 1, scores, policy.lifetime_options.weight_scale)
    for t, level in enumerate(policy.plan(BUSY, 4), start=1):
        turn = horizon.turn(t, level, turn_key(start, t), policy.ties == "random")
        state.available[3] = t < 15
        if t in (5, 20, 44):
            known = {key: told(column) for key, column in state._asdict().items() if key != "end"}
            chances = None if rule.probabilities is None else rule.probabilities(state, turn)
            found[str(t)] = {**known, "chances": chances, "standings": rule.standings(state, 1)}
        arm, _ = decide(rule, state, turn)
        value = (0.2 + 0.15 * arm + 0.37 * t) % 1.0
        visitors = float(BUSY.values[t - 1])
        learn(rule, state, turn, Observation(arm, value, policy.precision(visitors)))
    return found


def option_parts() -> dict[str, Any]:
    """Prices, roots and bounds of the option index over a grid."""
    terms = [option_index.Terms(*one) for one in ((0.0, 0.2, 40.0, 40.0), (0.1, 0.01, 900.0, 30.0))]
    grid = list(itertools.product((0.03, 0.4, 0.9), (0.8, 1.6, 7.0, 300.0), (0.001, 0.08, 2.0)))
    above = [
        (p, n, rate, p + share * (1.0 - p)) for p, n, rate in grid for share in (0.01, 0.2, 0.7)
    ]
    tails = itertools.product((0.4, 1.0, 1.5, 2.0, 30.0), (0.6, 4.0, 80.0), (0.02, 0.3, 0.8))
    return {
        "price": [option_index.price(one, n, life) for one in terms for n in (0.0, 9.0)
                  for life in (5.0, math.inf)],
        "guess": [option_index.first_guess(*one) for one in grid],
        "solve": [option_index.solve(*one, option_index.first_guess(*one), False) for one in grid],
        "challenged": [option_index.solve(*one, True) for one in above[::5]],
        "growth": [option_index.least_growth(p, n, x) for p, n, _, x in above],
        "hopeless": "".join(str(int(option_index.is_hopeless(*one))) for one in above),
        "tail": [option_index.least_tail(*one) for one in tails],
        "beyond": [option_index.hopeless_beyond(rate, x) for rate in (1e-3, 1) for x in (0.1, 0.9)],
        "try": [option_index.arms_to_try(arms, turns) for arms in (3, 90) for turns in (9, 400)],
        "excess": [noise.excess(40.0, 9.0, 5.0, turns) for turns in (3.0, 30.0)],
        "effective": [noise.effective(rho, 70.0) for rho in (0.0, 0.02, 1.0)],
        "greatest": [greatest_of_beta(np.array([1.0, 3.0, 40.0]), np.array([1.0, 9.0, 70.0]), width)
                     for width in (1.0, 0.3)],
        "normal": greatest_of_normal(np.array([0.1, 0.3, 0.2]), np.array([1.0, 0.05, 0.4])),
    }  # fmt: skip


STATES = ("price-curve:count=visitors",
          "option-index", "option-index:count=visitors", "thompson", "gaussian-thompson", "ucb-l",
          "discounted:discount=0.8+ucb", "windowed:window=9+thompson", "limit-switching+ucb",
          "kl-ucb", "peak-grabber", "dynamic-peak-grabber", "variable-pool",
          "epsilon-greedy")  # fmt: skip
OURS = [name for name, kind in registry().items() if kind.__module__.startswith("highseason.")]
CASES: Cases = {
    **{name: partial(described, name) for name in (*OURS, *WRAPPED)},
    **{f"states, {name}": partial(states_of, name) for name in STATES},
    "option parts": option_parts,
    "defaults": partial(defaults_of, "policies"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.filterwarnings("ignore::highseason.traffic.ThresholdWarning")
def test_a_policy_plays_as_was_recorded(name: str) -> None:
    assert_recorded(RECORDED, CASES, name)


if __name__ == "__main__":
    record(RECORDED, CASES)
